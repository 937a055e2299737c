import { dataExportLimits, Export, exportCompleted, exportFailed } from '@tandem/analytics-contract';
import { Requester, rowWriter, type Written, writePages } from '@tandem/exports';
import type { IdCodec } from '@tandem/ids';
import { type GiveUpContext, type Inside, type JobContext, job } from '@tandem/jobs';
import { storedObject } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Export as ExportRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { countOpen, exportsLock, fileTooLarge, removeExportRowsJob, runExportsJob, whileRunning } from './export.ts';
import type { Source, Sources } from './sources.ts';

type Payload = z.output<typeof runExportsJob.payload>;
type Failure = { code: string; message: string };

const pageRows = 1_000;
// Then other tenants get the slot, and requests that wait for the database their turn.
const portionMs = 5_000;
const dayMs = 86_400_000;

const stored = Export.pick({ source: true, format: true }).extend({ requester: Requester, wireFilters: storedObject });

/** The filters of an export are not valid any more. */
class FilterError extends Error {}

/**
 * Runs the exports of a tenant, one after the other and each in portions. A run after a crash continues after the last page
 * that was stored.
 */
export const runExports = ({ sources, ids }: { sources: Sources; ids: IdCodec }) =>
  job({
    ...runExportsJob,
    lane: 'exports',
    rests: true,
    async run({ scope, tx, finish }: JobContext<Payload, Tx>) {
      const row = await nextExport(tx);
      if (!row) return finish(endOfExports);
      const { requester, ...input } = stored.parse(row);
      const source = sources[input.source];
      const { tenantId } = scope;
      const isTable = input.format === 'csv' || input.format === 'xlsx';
      const portionEnd = performance.now() + portionMs;
      const isTooLarge = (bytes: number) => row.bytes + bytes > dataExportLimits.fileBytes;
      try {
        const written = await writePages({
          sql: tx.sql,
          exportId: row.id,
          read: (after) => readRecords(source, { filters: input.wireFilters, after }, { ...requester, scope, tx }),
          toRow: rowWriter(source, { columns: row.columns, isTable, ids, tenantId }),
          rowsMax: source.rowsMax,
          onPage: async ({ done, bytes }) => {
            await tx.export.updateMany({ where: { id: row.id }, data: { rowCount: done, bytes: row.bytes + bytes } });
          },
          onlyIf: whileRunning,
          isOver: (bytes) => performance.now() > portionEnd || isTooLarge(bytes),
        });
        const failure = failureOf(written, source);
        return finish((inside) => endPortion(inside, row.id, { ...written, failure }), requester.actor);
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        const failure = { code: 'filters_invalid', message: error.message };
        return finish((inside) => endPortion(inside, row.id, { end: 'stopped', done: 0, failure }), requester.actor);
      }
    },
    async giveUp({ tx, emit, schedule }: GiveUpContext<Payload, Tx>) {
      const running = await tx.export.lockFirst({ where: { status: 'running' } });
      const message = 'The export failed repeatedly; request it again';
      if (running) await failExport({ tx, emit, schedule }, running, { code: 'export_failed', message });
      await schedule(runExportsJob, [{}]);
    },
  });

/** The export that runs, or else the oldest one that waits. */
async function nextExport(tx: Tx): Promise<ExportRow | undefined> {
  const running = await tx.export.findFirst({ where: { status: 'running' } });
  if (running) return running;
  const queued = await tx.export.findFirst({ where: { status: 'queued' }, orderBy: { id: 'asc' } });
  if (!queued) return undefined;
  const data = { status: 'running', startedAt: new Date(), version: queued.version + 1 };
  const { count } = await tx.export.updateMany({ where: { id: queued.id, status: 'queued' }, data });
  return count ? { ...queued, ...data } : nextExport(tx);
}

/** Ends the job, unless an export was created meanwhile, which then relies on it. */
async function endOfExports({ tx }: Inside<Tx>): Promise<Date | undefined> {
  await lockNamed(tx, exportsLock);
  return (await countOpen(tx)) ? new Date() : undefined;
}

async function readRecords(
  source: Source,
  { filters, after }: { filters: Record<string, unknown>; after: number },
  reading: Parameters<Source['read']>[1],
) {
  const { records, next, errors } = await source.read({ filters, after, limit: pageRows }, reading);
  if (errors?.length) throw new FilterError(errors.map(({ field, message }) => `${field}: ${message}`).join('; '));
  return { rows: records, next };
}

function failureOf({ end }: Written, { rowsMax }: Source): Failure | undefined {
  if (end !== 'too_many') return undefined;
  return { code: 'too_many_records', message: `More than ${rowsMax} records match; add filters` };
}

/** Records how a portion ended. The job then continues with the rest of the export, or with the next one. */
async function endPortion(
  inside: Inside<Tx>,
  id: number,
  { end, done, failure }: Written & { failure: Failure | undefined },
): Promise<Date> {
  const row = await inside.tx.export.lockFirst({ where: { id } });
  if (row?.status !== 'running') return new Date();
  if (failure) await failExport(inside, row, failure);
  else if (end === 'complete') await completeExport(inside, row, done);
  else if (row.bytes > dataExportLimits.fileBytes) await failExport(inside, row, fileTooLarge);
  return new Date();
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
