import type { Caller } from '@tandem/caller';
import { exportLimits } from '@tandem/crm-contract';
import { rowWriter, writePages } from '@tandem/exports';
import type { IdCodec } from '@tandem/ids';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { type ListFilter, listedIds } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { ExportInput, type ExportPayload, type ExportTarget, exportJobs, exportRecordsJob } from './export.ts';

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
      const toRow = rowWriter(target, { columns: input.columns, isTable: true, ids, tenantId: scope.tenantId });
      const { end, done } = await writePages({
        sql: tx.sql,
        exportId: jobId,
        read: await pageReader(target, input, { tx, caller }),
        toRow: (row) => toRow(target.read(row) as Record<string, unknown>),
        rowsMax: exportLimits.rows,
        onPage: (progress) => exportJobs.progress(tx.sql, jobId, { done: progress.done, total: 0 }),
      });
      if (end === 'too_many') {
        const message = `More than ${exportLimits.rows} records match; add filters`;
        await finish(async ({ tx: inside }) =>
          exportJobs.fail(inside.sql, jobId, { code: 'too_many_records', message }),
        );
        return;
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

/** Reads the records after an id, in the order of their ids. */
async function pageReader(
  target: ExportTarget,
  { body, narrow }: ExportInput,
  { tx, caller }: { tx: Tx; caller: Caller },
) {
  const { filter = {} } = z.decode(target.row.body as z.ZodType, body) as { filter?: Record<string, unknown> };
  const listed = await target.listed(filter, { tx, caller });
  const own = narrow ? [{ OR: ownedBy(target, narrow) }] : [];
  const model = target.model(tx);
  return async (last: number): Promise<{ rows: { id: number }[]; next: number | null }> => {
    const after: ListFilter = { ...listed, and: [...(listed.and ?? []), ...own, { id: { gt: last } }] };
    const found = await listedIds(model, after, { query: filter, max: pageRows - 1 });
    if (!found.length) return { rows: [], next: null };
    const rows = await model.findMany({ where: { id: { in: found } }, orderBy: { id: 'asc' } });
    return { rows, next: found.at(-1) as number };
  };
}

/** The records of a caller who is narrowed to own or team records. */
function ownedBy({ owners }: ExportTarget, { userId, teamIds }: { userId: number; teamIds: number[] }) {
  return [...owners.map((field) => ({ [field]: userId })), ...(teamIds.length ? [{ teamId: { in: teamIds } }] : [])];
}
