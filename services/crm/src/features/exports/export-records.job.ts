import type { Caller } from '@tandem/caller';
import { exportLimits } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { inTurns } from '@tandem/process';
import { type JsonObject, type ListFilter, listedIds } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import {
  cellWriter,
  ExportInput,
  type ExportPayload,
  type ExportTarget,
  exportJobs,
  exportRecordsJob,
} from './export.ts';

const pageRows = 1_000;
const dayMs = 86_400_000;

/** Stores the records of an export page by page; a run after a crash continues after the last page. */
export const exportRecords = (targets: readonly ExportTarget[], ids: IdCodec) =>
  job({
    ...exportRecordsJob,
    lane: 'exports',
    async run({ payload: { jobId }, scope, tx, finish }: JobContext<ExportPayload, Tx>) {
      const found = await exportJobs.find(tx.sql, jobId);
      if (!found || found.completedAt) return;
      const input = ExportInput.parse(found.input);
      const target = targets.find(({ type }) => type === input.entityType) as ExportTarget;
      const caller = { ...input.actor, permissions: [], ...scope } as Caller;
      const toCells = cellWriter(target, { columns: input.columns, ids, tenantId: scope.tenantId });
      const readPage = await pageReader(target, input, { tx, caller });
      let { number, last, done } = await storedPages(tx, jobId);
      for (; ; number++) {
        const rows = await readPage(last);
        if (!rows.length) break;
        if (done + rows.length > exportLimits.rows) {
          const message = `More than ${exportLimits.rows} records match; add filters`;
          await finish(async ({ tx: inside }) =>
            exportJobs.fail(inside.sql, jobId, { code: 'too_many_records', message }),
          );
          return;
        }
        const cells = await inTurns(rows, (row) => toCells(target.read(row) as Record<string, unknown>));
        last = rows.at(-1)?.id as number;
        done += rows.length;
        await tx.exportChunk.create({ data: { jobId, number, rows: cells as unknown as JsonObject, last } });
        await exportJobs.progress(tx.sql, jobId, { done, total: 0 });
      }
      const expiresAt = new Date(Date.now() + exportLimits.days * dayMs);
      const result = { format: input.format, rows: done, expiresAt };
      await finish(async ({ tx: inside }) =>
        exportJobs.complete(inside.sql, jobId, { result, total: done, expiresAt }),
      );
    },
    async giveUp({ payload: { jobId }, tx }: GiveUpContext<ExportPayload, Tx>) {
      const message = 'The export failed repeatedly; request it again';
      await exportJobs.fail(tx.sql, jobId, { code: 'export_failed', message });
    },
  });

interface Pages {
  /** The number of the next page. */
  number: number;
  /** The last record that is stored. */
  last: number;
  /** How many records are stored. The progress of the job may lack the last page after a crash. */
  done: number;
}

async function storedPages(tx: Tx, jobId: number): Promise<Pages> {
  const [stored] = await tx.sql<Pages>`SELECT number + 1 AS number, last,
      (sum(jsonb_array_length(rows)) OVER ())::int AS done
    FROM export_chunk WHERE job_id = ${jobId}::bigint ORDER BY export_chunk.number DESC LIMIT 1`;
  return stored ?? { number: 0, last: 0, done: 0 };
}

/** Reads the records after an id, in the order of their ids. */
async function pageReader(
  target: ExportTarget,
  { body, narrow }: ExportInput,
  { tx, caller }: { tx: Tx; caller: Caller },
): Promise<(last: number) => Promise<{ id: number }[]>> {
  const { filter = {} } = z.decode(target.row.body as z.ZodType, body) as { filter?: Record<string, unknown> };
  const listed = await target.listed(filter, { tx, caller });
  const own = narrow ? [{ OR: ownedBy(target, narrow) }] : [];
  const model = target.model(tx);
  return async (last) => {
    const after: ListFilter = { ...listed, and: [...(listed.and ?? []), ...own, { id: { gt: last } }] };
    const found = await listedIds(model, after, { query: filter, max: pageRows - 1 });
    if (!found.length) return [];
    return model.findMany({ where: { id: { in: found } }, orderBy: { id: 'asc' } });
  };
}

/** The records of a caller who is narrowed to own or team records. */
function ownedBy({ owners }: ExportTarget, { userId, teamIds }: { userId: number; teamIds?: number[] | undefined }) {
  return [...owners.map((field) => ({ [field]: userId })), ...(teamIds?.length ? [{ teamId: { in: teamIds } }] : [])];
}
