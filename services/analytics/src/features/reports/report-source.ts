import { dataExportLimits, reportRuns } from '@tandem/analytics-contract';
import { unknownId } from '@tandem/contract';
import { requesterOf, unknownColumns } from '@tandem/exports';
import { fail, failField, storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { readTimezone } from '../counting/index.ts';
import type { CheckedExport, ExportedReports, Source } from '../exports/source.ts';
import { datesOf } from './periods.ts';
import { asReport, visibleTo } from './report.ts';
import { queries } from './report-query.ts';
import { storedReport } from './report-run.ts';
import { columnsOfTables, isNumbers, type Table, tableOf } from './tables.ts';

const cell = z.union([z.string(), z.number()]).nullable();
const Stored = z.object({ reportRunId: z.int() });

/** The rows of a run as the source of an export; its filters name the run. */
const reportSource: Source = {
  list: reportRuns.listReportRuns,
  record: z.object(Object.fromEntries(columnsOfTables.map((name) => [name, cell]))),
  rowsMax: dataExportLimits.rows,
  // Users who see the exports of others must not see their private reports.
  isOwn: true,
  async read({ filters, after, limit }, { tx }) {
    const table = await tableOfRun(tx, Stored.parse(filters).reportRunId);
    if (!table) return { records: [], next: null, errors: [{ field: 'reportId', message: 'The report was deleted' }] };
    const { columns, rows } = table;
    const records = rows
      .slice(after, after + limit)
      .map((cells) => Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? null])));
    return { records, next: after + limit < rows.length ? after + limit : null };
  },
};

const read: ExportedReports['read'] = async (given, { caller, tx }) => {
  const { reportId: id, filters, columns } = given;
  if (id === undefined) throw failField('reportId', 'Is required for the source report');
  if (filters) throw failField('filters', 'Must not be sent for the source report');
  const row = await tx.report.findFirst({ where: { id, ...visibleTo(caller) } });
  if (!row) throw failField('reportId', unknownId('report'));
  const { type, query } = asReport(row);
  if (!isNumbers(type)) {
    const list = queries.list.parse(query);
    const { timezone } = await readTimezone(tx);
    const moving = list.period ? datesOf(list.period, timezone, new Date()) : {};
    return { list: { source: type, filters: { ...list.filters, ...moving }, columns: columns ?? list.columns } };
  }
  const where = { reportId: id, status: 'completed' };
  const run = await tx.reportRun.findFirst({ where, orderBy: { id: 'desc' }, select: { id: true } });
  if (!run) throw fail('no_run');
  const errors = unknownColumns(reportSource, columns ?? []);
  if (errors.length) throw fail('validation_failed', errors);
  const rows: CheckedExport = {
    source: 'report',
    filters: {},
    columns: columns ?? [...((await tableOfRun(tx, run.id))?.columns ?? [])],
    wireFilters: { reportRunId: run.id },
    requester: requesterOf(caller, 'all'),
  };
  return { rows };
};

/** Reports, as exports read them. */
export const exportedReports: ExportedReports = { source: reportSource, read };

/** The rows of a run; undefined if it or its report was deleted. */
async function tableOfRun(tx: Tx, id: number): Promise<Table | undefined> {
  const run = await tx.reportRun.findFirst({ where: { id } });
  const report = run && (await storedReport(tx, run.reportId));
  if (!report || !isNumbers(report.type)) return undefined;
  return tableOf(report.type, storedObject.parse(run.result));
}
