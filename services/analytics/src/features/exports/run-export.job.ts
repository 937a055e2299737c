import { dataExportLimits, Export, exportCompleted, exportFailed } from '@tandem/analytics-contract';
import { Requester, rowWriter, type Written, writePages } from '@tandem/exports';
import type { IdCodec } from '@tandem/ids';
import { type GiveUpContext, type Inside, type JobContext, job } from '@tandem/jobs';
import { storedObject } from '@tandem/service';
import type { Export as ExportRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { cohortFilter } from './cohort-source.ts';
import { type ExportPayload, fileTooLarge, removeExportRowsJob, runExportJob, whileRunning } from './export.ts';
import { rowLimitOf } from './row-limit.ts';
import type { Source, Sources } from './source.ts';

type Failure = { code: string; message: string };

const pageRows = 1_000;
// Then other tenants get the slot, and requests that wait for the database their turn.
const portionMs = 5_000;
// How often an export that waits looks whether it is its turn.
const turnMs = 1_000;
const dayMs = 86_400_000;

const stored = Export.pick({ source: true, format: true }).extend({ requester: Requester, wireFilters: storedObject });

/** The filters of an export are not valid any more. */
class FilterError extends Error {
  readonly code: string;
  constructor(errors: readonly { field: string; message: string }[]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join('; '));
    this.code = errors.some(({ field }) => field === cohortFilter) ? 'cohort_unavailable' : 'filters_invalid';
  }
}

/**
 * Runs an export in portions, when it is its turn: those of a tenant run one after the other. A run after a crash continues
 * after the last page that was stored.
 */
export const runExport = ({ sources, ids }: { sources: Sources; ids: IdCodec }) =>
  job({
    ...runExportJob,
    lane: 'exports',
    rests: true,
    async run({ payload: { exportId }, scope, tx, finish }: JobContext<ExportPayload, Tx>) {
      await startInTurn(tx, exportId);
      const row = await tx.export.findFirst({ where: { id: exportId } });
      if (row?.status === 'queued') return finish(async () => new Date(Date.now() + turnMs));
      if (row?.status !== 'running') return;
      const { requester, ...input } = stored.parse(row);
      const source = sources[input.source];
      const { tenantId } = scope;
      const limit = rowLimitOf(source, input.format);
      const isTable = input.format === 'csv' || input.format === 'xlsx';
      const portionEnd = performance.now() + portionMs;
      const isTooLarge = (bytes: number) => row.bytes + bytes > dataExportLimits.fileBytes;
      try {
        const written = await writePages({
          sql: tx.sql,
          exportId: row.id,
          read: (after) => readRecords(source, { filters: input.wireFilters, after }, { ...requester, scope, tx }),
          toRow: rowWriter(source, { columns: row.columns, isTable, ids, tenantId }),
          rowsMax: limit.rowsMax,
          onPage: async ({ done, bytes }) => {
            await tx.export.updateMany({ where: { id: row.id }, data: { rowCount: done, bytes: row.bytes + bytes } });
          },
          onlyIf: whileRunning,
          isOver: (bytes) => performance.now() > portionEnd || isTooLarge(bytes),
        });
        const failure = written.end === 'too_many' ? { code: 'too_many_records', message: limit.message } : undefined;
        return finish((inside) => endPortion(inside, row.id, { ...written, failure }), requester.actor);
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        const failure = { code: error.code, message: error.message };
        return finish((inside) => endPortion(inside, row.id, { end: 'stopped', done: 0, failure }), requester.actor);
      }
    },
    async giveUp({ payload: { exportId }, ...inside }: GiveUpContext<ExportPayload, Tx>) {
      const row = await inside.tx.export.lockFirst({ where: { id: exportId, status: { in: ['queued', 'running'] } } });
      const message = 'The export failed repeatedly; request it again';
      if (row) await failExport(inside, row, { code: 'export_failed', message });
    },
  });

/** Starts an export that waits, if none runs and no earlier one waits. */
async function startInTurn({ sql }: Tx, id: number): Promise<void> {
  await sql`UPDATE export SET status = 'running', started_at = now(), version = version + 1
    WHERE id = ${id}::bigint AND status = 'queued' AND NOT EXISTS (SELECT FROM export AS other
      WHERE other.status = 'running' OR (other.status = 'queued' AND other.id < ${id}::bigint))`;
}

async function readRecords(
  source: Source,
  { filters, after }: { filters: Record<string, unknown>; after: number },
  reading: Parameters<Source['read']>[1],
) {
  const { records, next, errors } = await source.read({ filters, after, limit: pageRows }, reading);
  if (errors?.length) throw new FilterError(errors);
  return { rows: records, next };
}

/** Records how a portion ended; returns when the next one is due. */
async function endPortion(
  inside: Inside<Tx>,
  id: number,
  { end, done, failure }: Written & { failure: Failure | undefined },
): Promise<Date | undefined> {
  const row = await inside.tx.export.lockFirst({ where: { id } });
  if (row?.status !== 'running') return undefined;
  const error = failure ?? (row.bytes > dataExportLimits.fileBytes ? fileTooLarge : undefined);
  if (error) await failExport(inside, row, error);
  else if (end === 'complete') await completeExport(inside, row, done);
  else return new Date();
  return undefined;
}

async function completeExport(
  { tx, emit, schedule }: Inside<Tx>,
  { id, version, ...row }: ExportRow,
  rowCount: number,
) {
  const completedAt = new Date();
  const expiresAt = new Date(completedAt.getTime() + dataExportLimits.days * dayMs);
  const data = { status: 'completed', rowCount, completedAt, expiresAt, version: version + 1 };
  await tx.export.updateMany({ where: { id }, data });
  await schedule(removeExportRowsJob, [{ exportId: id }], expiresAt);
  const { source } = stored.parse(row);
  emit(exportCompleted, { data: { exportId: id, source, rowCount }, record: { id } });
}

async function failExport({ tx, emit, schedule }: Inside<Tx>, row: ExportRow, { code, message }: Failure) {
  const { id, version } = row;
  const ended = { completedAt: new Date(), version: version + 1 };
  const data = { ...ended, status: 'failed', errorCode: code, errorMessage: message };
  await tx.export.updateMany({ where: { id }, data });
  await schedule(removeExportRowsJob, [{ exportId: id }]);
  emit(exportFailed, { data: { exportId: id, source: stored.parse(row).source, code }, record: { id } });
}
