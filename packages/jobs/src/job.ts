import type { Caller } from '@tandem/caller';
import type { Emit, Schedule } from '@tandem/events';
import type { z } from 'zod';
import type { Outside } from './slots.ts';

/** The person or key that requested the work of a job. */
export type JobActor = Omit<Caller, 'permissions' | 'tenantId' | 'environment'>;

/** The tenant and environment of a job, for calls to other services. */
export type JobScope = Required<Pick<Caller, 'tenantId' | 'environment'>>;

/** The transaction for the effects of a job. */
export interface Inside<Tx> {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

/** The context of a job, within the tenant that scheduled it. No transaction is open outside of `finish`. */
export interface JobContext<Payload, Tx> {
  payload: Payload;
  /** Number of earlier attempts of this job. */
  attempts: number;
  scope: JobScope;
  /** Reads within the tenant. */
  tx: Tx;
  /**
   * Runs work that waits for an external system, such as a network call, and frees the slot for another job meanwhile.
   */
  outside: Outside;
  /**
   * Schedules jobs at once, so that they run even if this run fails or its process is killed: for the removal of what the
   * run is about to store outside of the database.
   */
  scheduleNow: Schedule;
  /**
   * Ends the job: runs the effects in one transaction with the end of the row, so that they happen once. Return a Date
   * to run the job again at that time. A job that returns without finishing is finished without effects.
   * @param actor whom events and the audit log name, for work that a person requested; the service by default
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most effects return nothing.
  finish(effects: (inside: Inside<Tx>) => Promise<Date | void>, actor?: JobActor): Promise<void>;
}

/** The context of jobs of one kind and tenant that run together. */
export interface BatchContext<Payload, Tx> {
  /** Several jobs only on their first attempt: a job that failed runs alone from then on. */
  due: { payload: Payload; attempts: number }[];
  scope: JobScope;
  /** Reads within the tenant. */
  tx: Tx;
  /** Runs work that waits for an external system, and frees the slot for another job meanwhile. */
  outside: Outside;
  /**
   * Runs statements of `tx` in one transaction before the job ends. A run after a crash repeats them, so only what it can
   * find again belongs here, such as claims.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Schedules jobs at once, so that they run even if this run fails or its process is killed: for the removal of what the
   * run is about to store outside of the database.
   */
  scheduleNow: Schedule;
  /**
   * Ends all of them, in one transaction with the effects. Return a date per job, in the order of `due`, to run it
   * again.
   * @param actor whom events and the audit log name; the service by default
   */
  finish(effects: (inside: Inside<Tx>) => Promise<(Date | undefined)[]>, actor?: JobActor): Promise<void>;
}

/** The context of a job after its last attempt failed. */
export type GiveUpContext<Payload, Tx> = Inside<Tx> & {
  payload: Payload;
  /** Why the last attempt failed. */
  error: unknown;
};

/**
 * Work that runs later. A run that throws is repeated with growing delays, and one whose process crashes is taken over by
 * another process within 30 s, up to ten attempts.
 */
export interface Job<Payload extends z.ZodType = z.ZodType, Tx = unknown> {
  name: string;
  payload: Payload;
  /**
   * How many may run together. With more than one, jobs that are scheduled shortly after one another become due
   * together.
   */
  batchMax: number;
  /**
   * Jobs with a lane have a separate queue and separate slots, shared by all jobs of the lane, so that they never wait
   * behind other jobs of the service.
   */
  lane?: string;
  /**
   * For jobs that write much at once, portion by portion: while the process answers many requests, the next portion
   * waits ten times as long as the last one took, so that requests are not delayed.
   */
  rests?: true;
  /** Runs for suspended tenants too; other jobs of such a tenant are paused until it is resumed. */
  whileSuspended?: true;
  run(context: BatchContext<z.output<Payload>, Tx>): Promise<void>;
  /** Runs for a job after its last attempt, in the transaction that marks it as dead. */
  giveUp?(context: GiveUpContext<z.output<Payload>, Tx>): Promise<void>;
}

export type { Schedule };

type Alone<Payload extends z.ZodType, Tx> = Omit<Job<Payload, Tx>, 'batchMax' | 'run'> & {
  run(context: JobContext<z.output<Payload>, Tx>): Promise<void>;
};

/** Declares a job that runs alone. */
export function job<Payload extends z.ZodType, Tx>({ run, ...declared }: Alone<Payload, Tx>): Job<Payload, Tx> {
  return {
    ...declared,
    batchMax: 1,
    async run({ due, scope, tx, outside, scheduleNow, finish }) {
      for (const one of due)
        await run({
          ...one,
          scope,
          tx,
          outside,
          scheduleNow,
          finish: (effects, actor) => finish(async (inside) => [(await effects(inside)) ?? undefined], actor),
        });
    },
  };
}

/** Declares a job that runs in batches, and infers its types. */
export function batchJob<Payload extends z.ZodType, Tx>(declared: Job<Payload, Tx>): Job<Payload, Tx> {
  return declared;
}

const againMs = 600_000;

/**
 * The `giveUp` of a job without which a record would never reach its end: schedules the job again, with ten attempts more.
 * The failed one stays dead, so that the alert tells of it.
 * @param afterMs how long after the last attempt, in milliseconds; ten minutes by default
 */
export function scheduleAgain<Payload extends z.ZodType>(
  declared: { name: string; payload: Payload },
  afterMs = againMs,
) {
  return async ({ payload, schedule }: { payload: z.output<Payload>; schedule: Schedule }): Promise<void> => {
    await schedule(declared, [payload], new Date(Date.now() + afterMs));
  };
}
