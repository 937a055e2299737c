import type { BeginOutgoing } from '@tandem/events';
import type { Log } from '@tandem/process';
import type { TenantDb, Tx } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Entry } from './entries.ts';
import type { BatchContext, Inside, Job } from './job.ts';
import { buryRows, endRows, type LeasedRow, postponeRows, takeRows } from './job-rows.ts';
import type { JobObserver, JobOutcome } from './observe.ts';
import type { Outside } from './slots.ts';

/** What every run of a service works with. */
export interface Runner<Client> {
  service: string;
  jobs: readonly Job<z.ZodType, Tx<Client>>[];
  db: TenantDb<Client>;
  outgoing: BeginOutgoing;
  log: Log;
  observer: JobObserver;
  /** Notes that a job is due again at this time. */
  wakeAt(at: Date): void;
}

/** One run: rows of one kind and tenant, under one lease. */
interface Run<Client> {
  job: Job<z.ZodType, Tx<Client>>;
  scope: Entry['scope'];
  rows: LeasedRow[];
  requestId: string;
}

type RunAgainAt = (Date | undefined)[];

const attemptsMax = 10;
const leaseSecondsDefault = 60;
const pauseSecondsMax = 512;
const errorTextMax = 500;

/** Runs those jobs of an entry that are still to be run. */
export async function runEntry<Client>(
  { name, ids, scope }: Entry & { name: string },
  runner: Runner<Client>,
  outside: Outside,
): Promise<void> {
  const job = runner.jobs.find((one) => one.name === name);
  if (!job) return;
  const { db } = runner;
  const rows = await db.within(scope, () => takeRows(db.tx.sql, ids, job.leaseSeconds ?? leaseSecondsDefault));
  if (!rows.length) return;
  const run: Run<Client> = { job, scope, rows, requestId: `job_${ids[0]}` };
  const { requestId } = run;
  await runner.observer.run({ job: name, requestId, scope, rows }, () => attempt(run, runner, outside));
}

/** Makes one attempt and records its failure; resolves to how it ended. */
async function attempt<Client>(run: Run<Client>, runner: Runner<Client>, outside: Outside): Promise<JobOutcome> {
  const { job, rows } = run;
  const attempts = rows[0]?.attempts ?? 0;
  try {
    if (attempts >= attemptsMax) throw new Error('The last run did not finish');
    await work(run, runner, outside);
    return 'finished';
  } catch (error) {
    runner.log.warn('job failed', { job: job.name, jobs: rows.length, attempts, error });
    return recordFailure(run, runner, error);
  }
}

/** Calls the job. One that returns without finishing is finished without effects. */
async function work<Client>(run: Run<Client>, runner: Runner<Client>, outside: Outside): Promise<void> {
  const { job, scope, rows } = run;
  const { db } = runner;
  let isFinished = false;
  const finish: BatchContext<unknown, Tx<Client>>['finish'] = (effects) => {
    isFinished = true;
    return commit(run, runner, async (inside) => {
      const runAgainAt = await effects(inside);
      await endRows(db.tx.sql, rows, runAgainAt);
      return runAgainAt;
    });
  };
  const due = rows.map(({ payload, attempts }) => ({ payload: job.payload.parse(payload), attempts }));
  await db.within(scope, () => job.run({ due, tx: db.tx, outside, finish }));
  if (!isFinished) await finish(async () => []);
}

/** Postpones what failed, or gives it up after its last attempt. */
async function recordFailure<Client>(run: Run<Client>, runner: Runner<Client>, error: unknown): Promise<JobOutcome> {
  const { scope, rows } = run;
  const { db } = runner;
  // Several rows run together only on their first attempt, so all have the same number.
  const attempts = (rows[0]?.attempts ?? 0) + 1;
  const text = textOf(error);
  if (attempts < attemptsMax) {
    const pauseSeconds = Math.min(2 ** attempts, pauseSecondsMax);
    await db.within(scope, () => postponeRows(db.tx.sql, rows, { error: text, pauseSeconds }));
    return 'retried';
  }
  await commit(run, runner, async (inside) => {
    await buryRows(db.tx.sql, rows, text);
    await giveUp(run, inside);
    return [];
  });
  return 'dead';
}

async function giveUp<Client>({ job, rows }: Run<Client>, inside: Inside<Tx<Client>>): Promise<void> {
  for (const row of rows) {
    const { success, data: payload } = job.payload.safeParse(row.payload);
    if (success) await job.giveUp?.({ payload, ...inside });
  }
}

/** Runs effects in one transaction with their events and jobs. */
async function commit<Client>(
  { scope, requestId }: Run<Client>,
  { db, service, outgoing, wakeAt }: Runner<Client>,
  effects: (inside: Inside<Tx<Client>>) => Promise<RunAgainAt>,
): Promise<void> {
  const caller = { type: 'system' as const, name: service, permissions: [], requestId, ...scope };
  const { emit, schedule, written, committed } = outgoing(caller, scope);
  const runAgainAt = await db.transaction(scope, () => effects({ tx: db.tx, emit, schedule }), written);
  committed();
  for (const at of runAgainAt) if (at) wakeAt(at);
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, errorTextMax);
}
