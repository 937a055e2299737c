import { Readable } from 'node:stream';
import type { Caller } from '@tandem/caller';
import {
  allows,
  bulkFilterMax,
  type JobService,
  type jobErrorOperations,
  type jobOperations,
  type Operation,
  type ResourceType,
} from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { Job } from '@tandem/jobs';
import type { Log } from '@tandem/process';
import type { Sql } from '@tandem/tenant-db';
import { z } from 'zod';
import { fail, failField } from '../api-error.ts';
import { backgroundJobs } from '../background-jobs.ts';
import { toCsv } from '../csv.ts';
import type { Context, Handler } from '../handler.ts';
import { listedIds } from '../list.ts';
import { type BulkInput, bulkChangeJob, bulkJob } from './bulk-job.ts';
import type { Any, BulkItemOperation, BulkOperation, IdCodec } from './bulk-operation.ts';
import { attempt, changeEach } from './change-each.ts';
import { readSelection, type SelectionBody } from './selection.ts';

/** The handlers and jobs of a service with bulk operations. */
interface BulkParts<Tx, Id extends string> {
  handlers: Record<Id, Any>;
  getJob: Handler<typeof jobOperations.getJob, Tx>;
  getJobErrors: Handler<typeof jobErrorOperations.getJobErrors, Tx>;
  jobs: Job<Any, Tx>[];
}

/**
 * The handlers and the job of a service's bulk operations. Ids are changed within the request, with one result each. The
 * records of a filter are selected within the request too, if their number is the expected one: those that the caller may
 * both read and change. A background job changes them as that caller. Items are stored within the request.
 * @param service the service, which must serve `getJob` and `getJobErrors`
 */
export function bulkOperations<Tx extends { sql: Sql }, Id extends string>(
  service: JobService,
  operations: Record<Id, BulkOperation<Tx> | BulkItemOperation<Tx>>,
  { ids, log }: { ids: IdCodec; log: Log },
): BulkParts<Tx, Id> {
  const jobs = backgroundJobs(service);
  const all = Object.entries(operations) as [Id, BulkOperation<Tx> | BulkItemOperation<Tx>][];
  const parts = { jobs, ids, log };
  const handlers = Object.fromEntries(
    all.map(([id, one]) => [id, 'write' in one ? itemHandlerOf(one, parts) : handlerOf(one, parts)]),
  );
  const selecting = Object.fromEntries(
    all.filter((entry): entry is [Id, BulkOperation<Tx>] => 'change' in entry[1]),
  ) as Record<string, BulkOperation<Tx>>;
  return {
    handlers: handlers as Record<Id, Any>,
    jobs: [bulkJob(selecting, parts)],
    getJob: jobs.getJob(),
    getJobErrors: async ({ params, tx, caller }) => {
      const job = await jobs.findReadable(tx.sql, params.id, caller);
      if (!job) throw fail('not_found');
      // Other jobs of the service, such as imports, have no such errors.
      const operation = selecting[(job.input as Partial<BulkInput>).operation ?? ''];
      if (!operation) throw fail('not_found');
      const { type, readPermission } = operation;
      // The errors tell about records, of which the creator of the job can read all.
      const isCreator = job.userId !== null && job.userId === (caller.onBehalfOf ?? caller.userId);
      if (!isCreator && allows(caller.permissions, readPermission) !== 'all') throw fail('not_found');
      const lines = (await jobs.errorsOf(tx.sql, params.id)).map(({ id, code, message, errors }) => [
        ids.encode(type, caller.tenantId as number, id),
        code,
        message,
        errors.map((one) => `${one.field}: ${one.message}`).join('; '),
      ]);
      return {
        body: Readable.from([toCsv([['id', 'code', 'message', 'fields'], ...lines])]),
        type: 'text/csv; charset=utf-8',
        disposition: { kind: 'attachment', filename: 'errors.csv' },
      };
    },
  };
}

interface Parts {
  jobs: ReturnType<typeof backgroundJobs>;
  ids: IdCodec;
  log: Log;
}

/** The context that turns errors of single records into the form that clients see. */
function about(row: Operation, { tenantId }: Caller, { ids, log }: Parts) {
  const codeOf = (type: ResourceType, id: number) => ids.encode(type, tenantId as number, id);
  return { row, log, codeOf };
}

function itemHandlerOf<Tx>({ row, check, prepare, write }: BulkItemOperation<Tx>, parts: Parts) {
  return {
    check: async ({ body, caller, tx, under }: Any) => check?.({ body, caller, tx, under }),
    async run(context: Pick<Context<Operation, Tx>, 'caller'> & { body: Any; tx: Tx; emit: Emit; found: unknown }) {
      const { body, caller, tx, emit, found } = context;
      const prepared = await prepare?.({ tx, body, caller, found });
      const results = [];
      for (const item of (body as { items: unknown[] }).items) {
        const { value, error = null } = await attempt(
          () => write({ tx, emit, caller, item, body, found, prepared }),
          about(row, caller, parts),
        );
        results.push({ id: value?.id ?? null, success: !error, outcome: value?.outcome ?? null, error });
      }
      const failed = results.filter(({ success }) => !success).length;
      return { succeeded: results.length - failed, failed, results };
    },
  };
}

interface Checked {
  found: unknown;
  /** The records that the filter matches; undefined for a selection by ids. */
  matching?: number[];
}

type BulkContext<Tx> = Pick<Context<Operation, Tx>, 'caller' | 'schedule'> & {
  body: SelectionBody;
  tx: Tx;
  emit: Emit;
  found: Checked;
};

function handlerOf<Tx extends { sql: Sql }>(operation: BulkOperation<Tx>, parts: Parts) {
  const { row, type, model, listed, readPermission } = operation;
  return {
    async check({ body, caller, tx, under }: Any): Promise<Checked> {
      const selection = readSelection(body);
      await operation.checkRequest?.({ body, tx, under });
      const found = await operation.check?.({ body, caller });
      if ('ids' in selection) return { found };
      const query = selection.filter;
      const matching = await under(readPermission, async () =>
        listedIds(model(tx), await listed(query, tx), { query, max: bulkFilterMax }),
      );
      if (matching.length > bulkFilterMax)
        throw failField('filter', `Matches more than ${bulkFilterMax} records; add filters`);
      return { found, matching };
    },
    async run(context: BulkContext<Tx>) {
      if (context.found.matching) return { job: await startJob(context, context.found.matching) };
      const { body, caller, tx, emit, schedule, found } = context;
      const sent = body.ids ?? [];
      const records = sent.map((one) => parts.ids.decode(type, caller.tenantId, one));
      await operation.prepare?.({ tx, ids: records.filter((one) => one !== undefined) });
      const change = (id: number) => operation.change({ tx, emit, schedule, id, body, found: found.found });
      const errors = await changeEach(records, change, about(row, caller, parts));
      const failed = errors.filter(Boolean).length;
      const results = sent.map((id, index) => ({ id, success: !errors[index], error: errors[index] ?? null }));
      return { succeeded: sent.length - failed, failed, results };
    },
  };

  async function startJob({ body, caller, tx, schedule }: BulkContext<Tx>, matching: number[]) {
    // Read again within the transaction: under the narrowing of the permission to change.
    const rows = await model(tx).findMany({ where: { id: { in: matching } }, select: { id: true } });
    if (rows.length !== body.expectedCount)
      throw fail('count_changed', [{ field: 'expectedCount', message: `The filter matches ${rows.length} records` }]);
    const { permissions, features, narrow, teamIds, usage, performed, ...actor } = caller;
    const input: BulkInput = {
      operation: row.id,
      ids: rows.map(({ id }) => id).sort((one, other) => one - other),
      body: z.encode(row.body as z.ZodType, body),
      caller: actor,
    };
    const kind = row.id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const start = { kind, permission: row.permission as string, caller, input, total: rows.length };
    const job = await parts.jobs.start(tx.sql, start);
    await schedule(bulkChangeJob, [{ jobId: job.jobId }]);
    return job;
  }
}
