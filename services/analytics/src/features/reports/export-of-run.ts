import { dataExportLimits, ExportStatus } from '@tandem/analytics-contract';
import { type IdKind, walkIds } from '@tandem/contract';
import { compileRewriter } from '@tandem/ids';
import type { Inside } from '@tandem/jobs';
import { lockNamed } from '@tandem/tenant-db';
import { z } from 'zod';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { filtersOf } from '../exports/cohort-source.ts';
import { countOpen, exportsLock, insertExport, isStorageFull, openStatuses } from '../exports/export.ts';
import type { Ended, Failure } from './ended.ts';
import { datesOf } from './periods.ts';
import { type ListReport, queries } from './report-query.ts';
import { type StoredReport, StoredRun, zoneOf } from './report-run.ts';
import type { ReportTools } from './tools.ts';

// The delay of a run while the tenant has the maximum number of open exports.
const roomMs = 10_000;
const storageFull = {
  code: 'export_storage_full',
  message: 'The files of earlier exports use the whole storage for exports; wait until some expire',
  isFinal: false,
};
// Reading the records may succeed the next time. Other failures follow from the query, and a cancellation is somebody's decision.
const passingCodes = ['export_failed', 'export_expired', 'export_removed'];
const stored = StoredRun.extend({ format: z.enum(['csv', 'json']), requester: StoredRun.shape.requester.unwrap() });

/** Starts the export of a run; returns when the run looks for its end, or why there is none. */
export async function startExport(
  tools: ReportTools,
  inside: Inside<Tx>,
  { run, report, tenantId }: { run: ReportRun; report: StoredReport; tenantId: number },
): Promise<Date | Failure> {
  const { tx } = inside;
  await lockNamed(tx, exportsLock);
  if ((await countOpen(tx)) >= dataExportLimits.open) return new Date(Date.now() + roomMs);
  if (await isStorageFull(tx)) return storageFull;
  const { wireQuery, format, requester } = stored.parse(run);
  const { filters, columns = [], period } = queries.list.parse(wireQuery);
  const moving = period ? datesOf(period, await zoneOf(tx, run), run.scheduledFor ?? run.createdAt) : {};
  const source = report.type as ListReport;
  const { id: exportId } = await insertExport(inside, {
    source,
    format,
    columns,
    filters: { ...publicFilters(tools, filters, { source, tenantId }), ...moving },
    wireFilters: { ...filters, ...moving },
    requester,
    createdBy: run.createdBy,
  });
  await tx.reportRun.updateMany({ where: { id: run.id }, data: { exportId } });
  return new Date();
}

/** The filters of a run with the ids that clients know, which the export shows. The query of the report may be another one by now. */
function publicFilters(
  { sources, ids }: ReportTools,
  filters: Record<string, unknown>,
  { source, tenantId }: { source: ListReport; tenantId: number },
): Record<string, unknown> {
  const shown = structuredClone(filters);
  const codeOf = (type: IdKind, id: string) => (/^\d+$/.test(id) ? ids.encode(type, tenantId, Number(id)) : id);
  compileRewriter(walkIds(filtersOf(sources[source])))(shown, (type, found) =>
    String(found)
      .split(',')
      .map((id) => codeOf(type, id))
      .join(','),
  );
  return shown;
}

/** How the export of a run ended; undefined while it waits or runs. */
export async function endOfExport(tx: Tx, { exportId }: ReportRun): Promise<Ended | undefined> {
  const row = await tx.export.findFirst({ where: { id: exportId as number } });
  const status = row && ExportStatus.parse(row.status);
  if (row && openStatuses.some((open) => open === status)) return undefined;
  if (row && status === 'completed') return { result: null, rowCount: row.rowCount };
  const code = row?.errorCode ?? `export_${status ?? 'removed'}`;
  const message = row?.errorMessage ?? 'The export of the report ended without a file';
  return { code, message, isFinal: !passingCodes.includes(code), isOfExport: true };
}
