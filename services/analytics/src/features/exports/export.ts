import {
  dataExportLimits,
  Export,
  type ExportFormat,
  ExportSource,
  type ExportStatus,
  exportCancelled,
  exportCreated,
  exportStates,
} from '@tandem/analytics-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import type { Inside } from '@tandem/jobs';
import { type Reach, storedObject, toJsonColumn } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Export as ExportRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type CheckedExport, reachOfSource, type Sources } from './source.ts';

const payload = z.object({ exportId: id('export') });
export type ExportPayload = z.output<typeof payload>;
/** The job that runs an export. */
export const runExportJob = { name: 'run-export', payload };
/** The job that removes the rows of an export that has ended or expired. */
export const removeExportRowsJob = { name: 'remove-export-rows', payload };

/** The name of the lock under which exports of a tenant are counted. */
export const exportsLock = 'exports';

export const openStatuses = ['queued', 'running'] as const satisfies z.output<typeof ExportStatus>[];

const linkMs = 3_600_000;

/** The content of a download link. */
export interface ExportLink {
  tenantId: number;
  environment: 'live' | 'sandbox';
  exportId: number;
  /** The user who requested the link. */
  userId: number | null;
}

/** Issues the links to files. */
export type LinkTo = (link: ExportLink, expiresAt: Date) => string;

const columns = Export.pick({ source: true, format: true, status: true }).extend({ filters: storedObject });

/** Converts a row to the contract's `Export`, with a link for the caller if there is a file. */
export function asExport(row: ExportRow, { caller, linkTo }: { caller: Caller; linkTo: LinkTo }) {
  const { errorCode, errorMessage, rowCount } = row;
  const { status, ...read } = columns.parse(row);
  return {
    ...row,
    ...read,
    status,
    allowedTransitions: exportStates.next(status),
    progress: { done: rowCount, total: hasFile(row) ? rowCount : null },
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    downloadUrl: hasFile(row) ? linkTo(linkOf(row, caller), new Date(linkEnd(row))) : null,
  };
}

export function hasFile({ status, expiresAt }: Pick<ExportRow, 'status' | 'expiresAt'>): boolean {
  return status === 'completed' && expiresAt !== null && expiresAt.getTime() > Date.now();
}

function linkOf({ id: exportId }: ExportRow, caller: Caller): ExportLink {
  const { tenantId, environment } = caller;
  return { tenantId: tenantId as number, environment, exportId, userId: actingUserId(caller) ?? null };
}

function linkEnd({ expiresAt }: ExportRow): number {
  return Math.min(expiresAt?.getTime() ?? 0, Date.now() + linkMs);
}

/**
 * The exports that a caller may see: of lists that they can read completely, and their own of other lists and of reports. Own ones
 * were made within the reach that the caller has now: an API key of the user can have less than the user.
 */
export function visibleTo(caller: Caller, sources: Sources) {
  const createdBy = actingUserId(caller);
  const all: ExportSource[] = [];
  const own: object[] = [];
  for (const source of ExportSource.options) {
    const reach = reachOfSource(caller, sources[source]);
    if (reach === 'none') continue;
    if (reach === 'all' && !sources[source].isOwn) all.push(source);
    else if (createdBy !== undefined) own.push({ source, createdBy, ...(reach !== 'all' && madeWithin(reach)) });
  }
  return { OR: [{ source: { in: all } }, ...own] };
}

/** Exports whose records were limited to those of the user, or of the teams too if the caller reaches these. */
function madeWithin({ teamIds = [] }: Exclude<Reach, string>) {
  // An array contains the empty one; without narrowing there is none.
  return { requester: { path: ['narrow', 'teamIds'], ...(teamIds.length ? { array_contains: [] } : { equals: [] }) } };
}

/**
 * The condition under which a page is stored. The lock lets a cancellation wait for the statement, so that no page is stored
 * after it.
 */
export const whileRunning = fragment`EXISTS (
  SELECT FROM export WHERE export.id = page.job_id AND export.status = 'running' FOR SHARE)`;

/** Announces an export that was cancelled, and removes its rows. The job that runs it stops before the next page. */
export async function endCancelled(
  { emit, schedule }: Pick<Inside<Tx>, 'emit' | 'schedule'>,
  exportId: number,
  source: ExportSource,
): Promise<void> {
  await schedule(removeExportRowsJob, [{ exportId }]);
  emit(exportCancelled, { data: { exportId, source }, record: { id: exportId } });
}

/** The number of exports that wait or run, under the lock of the tenant's exports. */
export function countOpen(tx: Tx): PromiseLike<number> {
  return tx.export.count({ where: { status: { in: [...openStatuses] } } });
}

/** Why the bytes of a file or of all files are too many. */
export const fileTooLarge = {
  code: 'file_too_large',
  message: `The file would have more than ${dataExportLimits.fileBytes / 1e9} GB; add filters or request fewer columns`,
};

/** Whether the files of the tenant use the whole storage, under the lock of its exports. */
export async function isStorageFull({ sql }: Tx): Promise<boolean> {
  const [kept] = await sql<{ bytes: number }>`SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM export
    WHERE status IN ('completed', 'running')`;
  return (kept?.bytes ?? 0) >= dataExportLimits.keptBytes;
}

interface NewExport extends CheckedExport {
  format: z.output<typeof ExportFormat>;
  createdBy: number | null;
}

/** Stores an export that was checked, and schedules its job. */
export async function insertExport({ tx, emit, schedule }: Inside<Tx>, input: NewExport): Promise<ExportRow> {
  const { source, format, columns, filters, wireFilters, requester, createdBy } = input;
  const row = await tx.export.create({
    data: {
      source,
      format,
      columns,
      filters: toJsonColumn(filters),
      wireFilters: toJsonColumn(wireFilters),
      requester: toJsonColumn(requester),
      createdBy,
    },
  });
  await schedule(runExportJob, [{ exportId: row.id }]);
  emit(exportCreated, { data: { exportId: row.id, source }, record: { id: row.id } });
  return row;
}
