import { currentTrace, traceparentOf } from '@tandem/process';
import type { TenantDb } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Job, Schedule } from './job.ts';

/** Scheduling for one transaction. */
export interface Scheduling {
  schedule: Schedule;
  /** Notes that the transaction was committed: the dispatcher looks when the first of its jobs is due. */
  committed(): void;
}

// Jobs that may run together fall due at full steps of this time, so that those of many requests meet.
const gatherMs = 200;

/** @param wakeAt called after the commit with the time of the first job */
export function createScheduling(
  db: TenantDb<unknown>,
  jobs: readonly Pick<Job, 'name' | 'batchMax'>[],
  wakeAt: (at: Date) => void,
): Scheduling {
  let firstDue = Number.POSITIVE_INFINITY;
  return {
    async schedule(job, payloads, dueAt = new Date()) {
      const texts = payloads.map((payload) => JSON.stringify(z.encode(job.payload, payload)));
      const runsTogether = jobs.some(({ name, batchMax }) => name === job.name && batchMax > 1);
      const at = runsTogether ? new Date(Math.ceil(dueAt.getTime() / gatherMs) * gatherMs) : dueAt;
      firstDue = Math.min(firstDue, at.getTime());
      const trace = currentTrace();
      const inserted = db.tx.sql`INSERT INTO platform.job (name, payload, due_at, traceparent)
        SELECT ${job.name}, unnest(${texts}::jsonb[]), ${at}::timestamptz, ${trace ? traceparentOf(trace) : null}`;
      // In a transaction the statement travels with the following ones: when it fails, the commit fails.
      if (db.inTransaction()) inserted.catch(() => {});
      else await inserted;
    },
    committed() {
      if (firstDue < Number.POSITIVE_INFINITY) wakeAt(new Date(firstDue));
    },
  };
}
