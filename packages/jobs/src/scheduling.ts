import { currentTrace, traceparentOf } from '@tandem/process';
import type { TenantDb } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Job, Schedule } from './job.ts';

/** Scheduling for one transaction. */
export interface Scheduling {
  schedule: Schedule;
  /** Called after the commit: dispatchers poll when the first of their jobs is due. */
  committed(): void;
}

// Due times of batch jobs are rounded up to a multiple of this, so that jobs of many requests run together.
const gatherMs = 200;

/**
 * Creates the scheduling of one transaction.
 * @param wakeAt called after the commit with the time of the first job of each kind
 */
export function createScheduling(
  db: TenantDb<unknown>,
  jobs: readonly Pick<Job, 'name' | 'batchMax'>[],
  wakeAt: (at: Date, name: string) => void,
): Scheduling {
  const firstDue = new Map<string, Date>();
  return {
    async schedule(job, payloads, dueAt = new Date()) {
      const texts = payloads.map((payload) => JSON.stringify(z.encode(job.payload, payload)));
      const runsTogether = jobs.some(({ name, batchMax }) => name === job.name && batchMax > 1);
      const at = runsTogether ? new Date(Math.ceil(dueAt.getTime() / gatherMs) * gatherMs) : dueAt;
      const first = firstDue.get(job.name);
      if (!first || at < first) firstDue.set(job.name, at);
      const trace = currentTrace();
      const inserted = db.tx.sql`INSERT INTO platform.job (name, payload, due_at, traceparent)
        SELECT ${job.name}, unnest(${texts}::jsonb[]), ${at}::timestamptz, ${trace ? traceparentOf(trace) : null}`;
      // In a transaction the statement is pipelined with later ones: when it fails, the commit fails.
      if (db.inTransaction()) inserted.catch(() => {});
      else await inserted;
    },
    committed() {
      for (const [name, at] of firstDue) wakeAt(at, name);
    },
  };
}
