import type { Emit, Schedule } from '@tandem/events';
import type { z } from 'zod';
import type { Outside } from './slots.ts';

/** What effects are written with, in one transaction. */
export interface Inside<Tx> {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

/** What a job works with, within the tenant that scheduled it. No transaction is open until it asks for one. */
export interface JobContext<Payload, Tx> {
  payload: Payload;
  /** How often this job was tried before. */
  attempts: number;
  /** Reads within the tenant. */
  tx: Tx;
  /** Runs what waits for something outside, such as an answer over the network, while another job gets this one's place. */
  outside: Outside;
  /**
   * Ends the job: runs the effects in one transaction with the end of the row, so that they happen once.
   * Returning a Date runs the job again then. A job that returns without finishing is finished without effects.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: effects that say nothing are the usual ones.
  finish(effects: (inside: Inside<Tx>) => Promise<Date | void>): Promise<void>;
}

/** What jobs of one kind and tenant that are due together work with. */
export interface BatchContext<Payload, Tx> {
  /** Several of them were never tried before: whatever failed is tried again alone, so that it harms no other twice. */
  due: { payload: Payload; attempts: number }[];
  /** Reads within the tenant. */
  tx: Tx;
  /** Runs what waits for something outside while another job gets this one's place. */
  outside: Outside;
  /** Ends them all, in one transaction with the effects. The dates say which of them run again, in the order of `due`. */
  finish(effects: (inside: Inside<Tx>) => Promise<(Date | undefined)[]>): Promise<void>;
}

/** What is left to be done for a job that is given up. */
export type GiveUpContext<Payload, Tx> = Inside<Tx> & { payload: Payload };

/** Work that runs later. Throwing tries it again with growing pauses, ten times at most; so does a run that is lost. */
export interface Job<Payload extends z.ZodType = z.ZodType, Tx = unknown> {
  name: string;
  payload: Payload;
  /** How long one run may take before another process may take it over, in seconds; 60 by default. */
  leaseSeconds?: number;
  /** How many may run together. Of a job that may, those scheduled shortly after one another fall due together. */
  batchMax: number;
  run(context: BatchContext<z.output<Payload>, Tx>): Promise<void>;
  /** What becomes of one that failed for the last time, in the transaction that gives it up. */
  giveUp?(context: GiveUpContext<z.output<Payload>, Tx>): Promise<void>;
}

export type { Schedule };

type Alone<Payload extends z.ZodType, Tx> = Omit<Job<Payload, Tx>, 'batchMax' | 'run'> & {
  run(context: JobContext<z.output<Payload>, Tx>): Promise<void>;
};

/** Declares a job that runs by itself. */
export function job<Payload extends z.ZodType, Tx>({ run, ...declared }: Alone<Payload, Tx>): Job<Payload, Tx> {
  return {
    ...declared,
    batchMax: 1,
    async run({ due, tx, outside, finish }) {
      for (const one of due)
        await run({
          ...one,
          tx,
          outside,
          finish: (effects) => finish(async (inside) => [(await effects(inside)) ?? undefined]),
        });
    },
  };
}

/** Declares a job of which several run together; only here for the types to meet. */
export function batchJob<Payload extends z.ZodType, Tx>(declared: Job<Payload, Tx>): Job<Payload, Tx> {
  return declared;
}
