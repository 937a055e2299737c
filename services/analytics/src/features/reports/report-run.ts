import { ReportFormat, ReportRun, ReportType, reportRunStates } from '@tandem/analytics-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import { Requester } from '@tandem/exports';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { ReportRun as RunRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readTimezone } from '../counting/index.ts';
import { readableLists } from '../dashboard/readable-lists.ts';
import type { ReportTools } from './tools.ts';

const payload = z.object({ reportRunId: id('report_run') });
export type RunPayload = z.output<typeof payload>;
/** The job that evaluates a run. */
export const evaluateReportJob = { name: 'evaluate-report', payload };

const linkMs = 3_600_000;

// With public ids, so that only those whose permission reaches all records read them.
const storedLists = z.object({ lists: z.array(z.looseObject({ path: z.string(), query: storedObject })).optional() });

const columns = ReportRun.pick({ status: true }).extend({ params: storedObject, result: storedObject.nullable() });

/** The columns of a run that its jobs read. */
export const StoredRun = z.object({
  wireQuery: storedObject,
  format: ReportFormat,
  requester: Requester.nullable(),
});
const storedColumns = z.object({ type: ReportType, query: storedObject });

/** The report of a run; undefined if it was deleted. */
export async function storedReport(tx: Tx, reportId: number) {
  const row = await tx.report.findFirst({ where: { id: reportId } });
  return row ? { ...row, ...storedColumns.parse(row) } : undefined;
}
export type StoredReport = NonNullable<Awaited<ReturnType<typeof storedReport>>>;

/** How a run ends whose report is deleted: it counts as open no longer. */
export const endOfDeleted = {
  status: 'failed',
  errorCode: 'report_deleted',
  errorMessage: 'The report was deleted',
} as const;

/** The time zone by which a run reads a moving period, unless its query has one. */
export async function zoneOf(tx: Tx, { timezone }: RunRow): Promise<string> {
  return timezone ?? (await readTimezone(tx)).timezone;
}

/** Converts a row to the contract's `ReportRun`, without the result. */
export function asListedRun(row: RunRow) {
  const { status, params } = columns.parse(row);
  const { errorCode, errorMessage, wireQuery, requester, format, timezone, result, ...shown } = row;
  return {
    ...shown,
    status,
    params,
    allowedTransitions: reportRunStates.next(status),
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  };
}

/** Converts a row to the contract's `ReportRun`, with links for the caller if there is a result. */
export function asRun(row: RunRow, { caller, fileUrl }: { caller: Caller; fileUrl: ReportTools['fileUrl'] }) {
  const { result } = columns.parse(row);
  const url = (format: ReportFormat) => {
    const { tenantId, environment } = caller;
    const link = { tenantId: tenantId as number, environment, userId: actingUserId(caller) ?? null };
    return fileUrl({ ...link, reportRunId: row.id, format }, new Date(Date.now() + linkMs));
  };
  return {
    ...asListedRun(row),
    result: result && withReadableLists(result, caller),
    files: result && { csv: url('csv'), json: url('json'), pdf: url('pdf') },
  };
}

/** Removes the lists that the caller cannot read in full: everybody who sees the report reads the same result. */
function withReadableLists(result: Record<string, unknown>, caller: Caller): Record<string, unknown> {
  const { lists } = storedLists.parse(result);
  return lists ? { ...result, lists: readableLists(lists, caller) } : result;
}
