import { dataExportLimits, ExportStatus } from '@tandem/analytics-contract';
import type { Inside } from '@tandem/jobs';
import { lockNamed } from '@tandem/tenant-db';
import { z } from 'zod';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readTimezone } from '../counting/index.ts';
import { countOpen, exportsLock, insertExport, isStorageFull, openStatuses } from '../exports/export.ts';
import type { Ended, Failure } from './ended.ts';
import { datesOf } from './periods.ts';
import { type ListReport, queries } from './report-query.ts';
import { type StoredReport, StoredRun } from './report-run.ts';

// The delay of a run while the tenant has the maximum number of open exports.
const roomMs = 10_000;
const storageFull = {
  code: 'export_storage_full',
  message: 'The files of earlier exports use the whole storage for exports; wait until some expire',
  isFinal: false,
};
const stored = StoredRun.extend({ format: z.enum(['csv', 'json']), requester: StoredRun.shape.requester.unwrap() });

/** Starts the export of a run; returns when the run looks for its end, or why there is none. */
export async function startExport(
  inside: Inside<Tx>,
  { run, report }: { run: ReportRun; report: StoredReport },
): Promise<Date | Failure> {
  const { tx } = inside;
  await lockNamed(tx, exportsLock);
  if ((await countOpen(tx)) >= dataExportLimits.open) return new Date(Date.now() + roomMs);
  if (await isStorageFull(tx)) return storageFull;
  const { wireQuery, format, requester } = stored.parse(run);
  const { filters, columns = [], period } = queries.list.parse(wireQuery);
  const { timezone } = await readTimezone(tx);
  const moving = period ? datesOf(period, timezone, run.scheduledFor ?? run.createdAt) : {};
  const { id: exportId } = await insertExport(inside, {
    source: report.type as ListReport,
    format,
    columns,
    filters: { ...publicFilters(run, report), ...moving },
    wireFilters: { ...filters, ...moving },
    requester,
    createdBy: run.createdBy,
  });
  await tx.reportRun.updateMany({ where: { id: run.id }, data: { exportId } });
  return new Date();
}

/** The filters with the ids that clients know, which the export shows. */
function publicFilters({ params }: ReportRun, { query }: StoredReport): Record<string, unknown> {
  return queries.list
    .pick({ filters: true })
    .loose()
    .parse({ ...query, ...(params as object) }).filters;
}

/** How the export of a run ended; undefined while it waits or runs. */
export async function endOfExport(tx: Tx, { exportId }: ReportRun): Promise<Ended | undefined> {
  const row = await tx.export.findFirst({ where: { id: exportId as number } });
  const status = row && ExportStatus.parse(row.status);
  if (row && openStatuses.some((open) => open === status)) return undefined;
  if (row && status === 'completed') return { result: null, rowCount: row.rowCount };
  const code = row?.errorCode ?? `export_${status ?? 'removed'}`;
  return { code, message: row?.errorMessage ?? 'The export of the report ended without a file', isFinal: true };
}
