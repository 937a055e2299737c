import type { Caller } from '@tandem/caller';
import type { BeginOutgoing } from '@tandem/events';
import type { Log, RequestRate } from '@tandem/process';
import type { TenantDb, Tx } from '@tandem/tenant-db';
import type pg from 'pg';
import type { z } from 'zod';
import type { Entry } from './entries.ts';
import type { BatchContext, Inside, Job, JobActor } from './job.ts';
import {
  buryRows,
  endRows,
  type Leased,
  passOn,
  postponeRows,
  renewLease,
  takeRows,
  waitForRelease,
} from './job-rows.ts';
import { keepLease } from './lease.ts';
import type { JobObserver, JobOutcome } from './observe.ts';
import { restAfter } from './rest.ts';
import type { Outside } from './slots.ts';

/** Dependencies that all runs of a service share. */
export interface Runner<Client> {
  service: string;
  jobs: readonly Job<z.ZodType, Tx<Client>>[];
  db: TenantDb<Client>;
  /** Under the relay role. Renews leases, so that a run does not wait for its lease behind the work of other runs. */
  relayPool: pg.Pool;
  outgoing: BeginOutgoing;
  requests: Pick<RequestRate, 'perSecond'> | undefined;
  log: Log;
  observer: JobObserver;
  /** Notifies the dispatcher of this kind of job that one is due again at this time. */
  wakeAt(at: Date, name: string): void;
}

/** One run: rows of one kind and tenant, under one lease. */
interface Run<Client> {
  job: Job<z.ZodType, Tx<Client>>;
  scope: Entry['scope'];
  leased: Leased;
  requestId: string;
}

type RunAgainAt = (Date | undefined)[];

const attemptsMax = 10;
const giveUpsMax = 3;
// After a process is killed, another one takes over its jobs within 30 s (T8): the lease, and the interval at which lost rows
// are looked for (dispatch.ts).
const leaseSeconds = 25;
const pauseSecondsMax = 512;
const errorTextMax = 500;

/** Runs the jobs of an entry that are still to run. */
export async function runEntry<Client>(
  { name, ids, scope }: Entry & { name: string },
  runner: Runner<Client>,
  outside: Outside,
): Promise<void> {
  const { db } = runner;
  const job = runner.jobs.find((candidate) => candidate.name === name);
  if (!job) return db.within(scope, () => passOn(db.tx.sql, ids));
  const leased = await db.within(scope, () =>
    takeRows(db.tx.sql, ids, { leaseSeconds, whileSuspended: job.whileSuspended ?? false }),
  );
  if (!leased) return;
  const run: Run<Client> = { job, scope, leased, requestId: `job_${ids[0]}` };
  const { requestId } = run;
  await runner.observer.run({ job: name, requestId, scope, rows: leased.rows }, () => attempt(run, runner, outside));
}

/** Makes one attempt and records its failure; resolves to how it ended. */
async function attempt<Client>(run: Run<Client>, runner: Runner<Client>, outside: Outside): Promise<JobOutcome> {
  const { job, leased } = run;
  const { rows } = leased;
  const attempts = rows[0]?.attempts ?? 0;
  const endRenewal = keepLease(() => renewLease(runner.relayPool, leased, leaseSeconds));
  try {
    if (attempts >= attemptsMax) throw new Error('The last run did not finish');
    if (await isOfOtherRelease(run, runner)) return 'postponed';
    await work(run, runner, outside);
    return 'finished';
  } catch (error) {
    runner.log.warn('job failed', { job: job.name, jobs: rows.length, attempts, error });
    return await recordFailure(run, runner, error);
  } finally {
    endRenewal();
  }
}

/**
 * Lets a job wait whose payload does not parse: an instance of another release wrote it, and can read it. Of several jobs
 * each is tried alone later, because the others must not wait for it.
 */
async function isOfOtherRelease<Client>({ job, scope, leased }: Run<Client>, { db }: Runner<Client>): Promise<boolean> {
  const [row, ...more] = leased.rows;
  if (more.length || job.payload.safeParse(row?.payload).success) return false;
  return db.within(scope, () => waitForRelease(db.tx.sql, leased));
}

/** Calls the job. One that returns without finishing is finished without effects. */
async function work<Client>(run: Run<Client>, runner: Runner<Client>, outside: Outside): Promise<void> {
  const { job, scope, leased } = run;
  const { rows } = leased;
  const { db } = runner;
  const began = performance.now();
  let isFinished = false;
  const finish: BatchContext<unknown, Tx<Client>>['finish'] = (effects, actor) => {
    isFinished = true;
    const ended = async (inside: Inside<Tx<Client>>) => {
      const dates = await effects(inside);
      const perSecond = job.rests ? (runner.requests?.perSecond() ?? 0) : 0;
      const rested = Date.now() + restAfter(performance.now() - began, perSecond);
      const runAgainAt = dates.map((at) => at && new Date(Math.max(at.getTime(), rested)));
      await endRows(db.tx.sql, leased, runAgainAt);
      return runAgainAt;
    };
    return commit(run, runner, ended, actor);
  };
  const due = rows.map(({ payload, attempts }) => ({ payload: job.payload.parse(payload), attempts }));
  const transaction: BatchContext<unknown, Tx<Client>>['transaction'] = (effects) => db.transaction(scope, effects);
  const scheduleNow: BatchContext<unknown, Tx<Client>>['scheduleNow'] = async (scheduled, payloads, dueAt) => {
    const { schedule, committed } = runner.outgoing(callerOf(run, runner), scope);
    await db.within(scope, () => schedule(scheduled, payloads, dueAt));
    committed();
  };
  await db.within(scope, () => job.run({ due, scope, tx: db.tx, outside, transaction, scheduleNow, finish }));
  if (!isFinished) await finish(async () => []);
}

/** Schedules the next attempt, or gives up after the last one. */
async function recordFailure<Client>(run: Run<Client>, runner: Runner<Client>, error: unknown): Promise<JobOutcome> {
  const { job, scope, leased } = run;
  const { rows } = leased;
  const { db, log } = runner;
  // Rows run together only on their first attempt, so all have the same count.
  const attempts = (rows[0]?.attempts ?? 0) + 1;
  const text = textOf(error);
  if (attempts < attemptsMax) {
    const pauseSeconds = Math.min(2 ** attempts, pauseSecondsMax);
    await db.within(scope, () => postponeRows(db.tx.sql, leased, { error: text, pauseSeconds }));
    return 'retried';
  }
  // A `giveUp` that throws is repeated when the lease ends.
  const mayGiveUp = attempts < attemptsMax + giveUpsMax;
  if (!mayGiveUp) log.error('job is dead without its last step, which failed', { job: job.name, attempts });
  await commit(run, runner, async (inside) => {
    await buryRows(db.tx.sql, leased, text);
    if (mayGiveUp) await giveUp(run, inside, error);
    return [];
  });
  return 'dead';
}

async function giveUp<Client>(
  { job, leased: { rows } }: Run<Client>,
  inside: Inside<Tx<Client>>,
  error: unknown,
): Promise<void> {
  for (const row of rows) {
    const { success, data: payload } = job.payload.safeParse(row.payload);
    if (success) await job.giveUp?.({ payload, error, ...inside });
  }
}

/** Runs effects in one transaction with their events and jobs. */
async function commit<Client>(
  run: Run<Client>,
  runner: Runner<Client>,
  effects: (inside: Inside<Tx<Client>>) => Promise<RunAgainAt>,
  actor?: JobActor,
): Promise<void> {
  const { job, scope } = run;
  const { db, outgoing, wakeAt } = runner;
  const { emit, schedule, written, committed } = outgoing(callerOf(run, runner, actor), scope);
  const runAgainAt = await db.transaction(scope, () => effects({ tx: db.tx, emit, schedule }), written);
  committed();
  for (const at of runAgainAt) if (at) wakeAt(at, job.name);
}

/** The caller in whose name a run works: the service, unless a person requested the work. */
function callerOf<Client>(
  { scope, requestId }: Run<Client>,
  { service }: Runner<Client>,
  actor: JobActor = { type: 'system', name: service, requestId },
): Caller {
  return { ...actor, permissions: [], ...scope };
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, errorTextMax);
}
