import type { Emit, Schedule } from '@tandem/events';
import type { z } from 'zod';
import type { Outside } from './slots.ts';

/** The transaction that a job's effects are written in. */
export interface Inside<Tx> {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

/** The context of a job, within the tenant that scheduled it. No transaction is open outside of `finish`. */
export interface JobContext<Payload, Tx> {
  payload: Payload;
  /** How often this job was tried before. */
  attempts: number;
  /** Reads within the tenant. */
  tx: Tx;
  /** Runs work that waits for something outside, such as an answer over the network, while another job gets this one's place. */
  outside: Outside;
  /**
   * Ends the job: runs the effects in one transaction with the end of the row, so that they happen once.
   * Returning a Date runs the job again then. A job that returns without finishing is finished without effects.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most effects return nothing.
  finish(effects: (inside: Inside<Tx>) => Promise<Date | void>): Promise<void>;
}

/** The context of jobs of one kind and tenant that run together. */
export interface BatchContext<Payload, Tx> {
  /** When there are several, none was tried before: a job that failed runs alone from then on. */
  due: { payload: Payload; attempts: number }[];
  /** Reads within the tenant. */
  tx: Tx;
  /** Runs work that waits for something outside while another job gets this one's place. */
  outside: Outside;
  /** Ends all of them, in one transaction with the effects. A date runs a job again then; the order is that of `due`. */
  finish(effects: (inside: Inside<Tx>) => Promise<(Date | undefined)[]>): Promise<void>;
}

/** The context of a job that is given up. */
export type GiveUpContext<Payload, Tx> = Inside<Tx> & { payload: Payload };

/**
 * Work that runs later. A run that throws, or that is lost with its process, is repeated after growing pauses, up to ten
 * attempts in all.
 */
export interface Job<Payload extends z.ZodType = z.ZodType, Tx = unknown> {
  name: string;
  payload: Payload;
  /** Seconds after which another process may take over a run that has not ended; 60 by default. */
  leaseSeconds?: number;
  /** How many may run together. With more than one, jobs that are scheduled shortly after one another fall due together. */
  batchMax: number;
  run(context: BatchContext<z.output<Payload>, Tx>): Promise<void>;
  /** Runs for a job after its last attempt, in the transaction that marks it as dead. */
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

/** Declares a job of which several run together. It returns its argument and infers the types. */
export function batchJob<Payload extends z.ZodType, Tx>(declared: Job<Payload, Tx>): Job<Payload, Tx> {
  return declared;
}
