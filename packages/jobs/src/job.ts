import type { Emit, Schedule } from '@tandem/events';
import type { z } from 'zod';

/** What a job works with, within the tenant that scheduled it. No transaction is open until it asks for one. */
export interface JobContext<Payload, Tx> {
  payload: Payload;
  /** How often this job was tried before. */
  attempts: number;
  /** Reads within the tenant. */
  tx: Tx;
  /**
   * Ends the job: runs the effects in one transaction with the end of the row, so that they happen once.
   * Returning a Date runs the job again then. A job that returns without finishing is finished without effects.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: effects that say nothing are the usual ones.
  finish(effects: (inside: { tx: Tx; emit: Emit; schedule: Schedule }) => Promise<Date | void>): Promise<void>;
}

/** Work that runs later. Throwing tries it again with growing pauses, ten times at most. */
export interface Job<Payload extends z.ZodType = z.ZodType, Tx = unknown> {
  name: string;
  payload: Payload;
  /** How long one run may take before another process may take it over, in seconds; 60 by default. */
  leaseSeconds?: number;
  run(context: JobContext<z.output<Payload>, Tx>): Promise<void>;
}

export type { Schedule };

/** Declares a job; only here for the types to meet. */
export function job<Payload extends z.ZodType, Tx>(declared: Job<Payload, Tx>): Job<Payload, Tx> {
  return declared;
}
