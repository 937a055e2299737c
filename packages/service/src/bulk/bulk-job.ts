import type { Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import { type GiveUpContext, type Job, type JobActor, type JobContext, job } from '@tandem/jobs';
import type { Log } from '@tandem/process';
import type { Sql } from '@tandem/tenant-db';
import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import type { backgroundJobs } from '../background-jobs.ts';
import { toErrorResponse } from '../error-response.ts';
import type { BulkOperation, IdCodec } from './bulk-operation.ts';
import { changeEach } from './change-each.ts';

/** Job that changes the records which the filter of a bulk operation selected. */
export const bulkChangeJob = { name: 'bulk-change', payload: z.object({ jobId: id('job') }) };
type Payload = z.output<typeof bulkChangeJob.payload>;

const BulkInput = z.object({
  operation: z.string(),
  ids: z.array(z.int()),
  body: z.unknown(),
  caller: z.custom<Omit<Caller, 'permissions'>>((value) => typeof value === 'object' && value !== null),
});

/** The input of the background job of a bulk operation: the selected records and the request, in its wire form. */
export type BulkInput = z.output<typeof BulkInput>;

/** Records that are changed in one transaction; their locks last until its end. */
const batchMax = 100;

/**
 * Runs batch by batch. The progress is written in the transaction of the changes, so that a run that is repeated after a
 * crash changes no record twice.
 */
export function bulkJob<Tx extends { sql: Sql }>(
  operations: Readonly<Record<string, BulkOperation<Tx>>>,
  { jobs, ids: codec, log }: { jobs: ReturnType<typeof backgroundJobs>; ids: IdCodec; log: Log },
): Job<typeof bulkChangeJob.payload, Tx> {
  return job({
    ...bulkChangeJob,
    async run({ payload: { jobId }, tx, outside, finish }: JobContext<Payload, Tx>) {
      const found = await jobs.find(tx.sql, jobId);
      if (!found || found.completedAt) return;
      const input = BulkInput.parse(found.input);
      const { caller, ids } = input;
      const operation = operations[input.operation] as BulkOperation<Tx>;
      const body = z.decode(operation.row.body as z.ZodType, input.body);
      const as: Caller = { ...caller, permissions: [] };
      // Asked again for each batch: the new assignee may have left meanwhile.
      const checked = await attempt(async () => outside(async () => operation.check?.({ body, caller: as })));
      if (checked.error) {
        const { code, message, errors } = toErrorResponse(checked.error, operation.row, log);
        const reason = { code, message: errors[0]?.message ?? message };
        await finish(async ({ tx: end }) => void (await jobs.fail(end.sql, jobId, reason)));
        return;
      }
      const { done } = found.progress;
      const batch = ids.slice(done, done + batchMax);
      await finish(async (inside) => {
        await operation.prepare?.({ tx: inside.tx, ids: batch });
        const change = (record: number) => operation.change({ ...inside, id: record, body, found: checked.value });
        const results = await changeEach(batch, change, {
          row: operation.row,
          log,
          codeOf: (type, id) => codec.encode(type, caller.tenantId as number, id),
        });
        const errors = results.flatMap((error, index) => (error ? [{ id: batch[index] as number, ...error }] : []));
        const next = { done: done + batch.length, total: ids.length, errors };
        await jobs.progress(inside.tx.sql, jobId, next);
        if (next.done < ids.length) return new Date();
        const failed = (await jobs.errorsOf(inside.tx.sql, jobId)).length;
        const file = failed > 0 ? `/v1/jobs/${codec.encode('job', caller.tenantId as number, jobId)}/errors` : null;
        const result = { succeeded: ids.length - failed, failed, errors: file };
        await jobs.complete(inside.tx.sql, jobId, { result, total: ids.length });
        return undefined;
      }, actorOf(caller));
    },
    async giveUp({ payload: { jobId }, tx }: GiveUpContext<Payload, Tx>) {
      const message = 'The job failed repeatedly. The first records are changed, as many as progress.done says.';
      await jobs.fail(tx.sql, jobId, { code: 'bulk_failed', message });
    },
  });
}

/** The result of work, or the error that it throws for the client. */
async function attempt<T>(work: () => Promise<T>): Promise<{ value?: T; error?: ApiError }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ApiError && (error.status ?? 422) < 500) return { error };
    throw error;
  }
}

function actorOf({ tenantId, environment, ...actor }: Omit<Caller, 'permissions'>): JobActor {
  return actor;
}
