import {
  type NumbersReport,
  type ReportFormat,
  reportFileDownloaded,
  type reportRuns,
} from '@tandem/analytics-contract';
import { mayReceive, recipientReader } from '@tandem/exports';
import { fail, storedObject, toCsv } from '@tandem/service';
import { dayOf } from '@tandem/time-zones';
import type { Handler } from '../../handler.ts';
import { type StoredReport, storedReport } from './report-run.ts';
import { isNumbers, tableOf } from './tables.ts';
import type { ReportTools } from './tools.ts';

const permission = 'analytics:read';
const types: Record<ReportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  pdf: 'application/pdf',
};

export const downloadReportFile = (tools: ReportTools): Handler<typeof reportRuns.downloadReportFile> => {
  const readRecipient = recipientReader(tools.identity);
  return async ({ params, caller, inTenant }) => {
    const link = tools.links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, reportRunId, format } = link;
    const recipient = await readRecipient(link, caller.requestId);
    if (!mayReceive(recipient, { narrow: null, permission, requestedBy: null })) throw fail('not_found');
    const actor = { type: 'user' as const, userId: recipient.userId };
    const found = await inTenant({ tenantId, environment, actor }, async ({ tx, emit }) => {
      const run = await tx.reportRun.findFirst({ where: { id: reportRunId, status: 'completed' } });
      const report = run && (await storedReport(tx, run.reportId));
      if (!report || run.result === null || !isNumbers(report.type)) throw fail('link_expired');
      const { id: reportId, type } = report;
      const data = { reportId, reportRunId, scheduleId: run.scheduleId, type };
      emit(reportFileDownloaded, { data, record: { id: reportId } });
      return { report, type, result: storedObject.parse(run.result), at: run.completedAt ?? run.createdAt };
    });
    return {
      body: await fileOf(tools, { ...found, format, tenantId }),
      type: types[format],
      disposition: { kind: 'attachment', filename: `${found.type}-report-${dayOf(found.at, 'UTC')}.${format}` },
    };
  };
};

interface Found {
  report: StoredReport;
  type: NumbersReport;
  result: Record<string, unknown>;
  format: ReportFormat;
  tenantId: number;
}

async function fileOf(
  tools: ReportTools,
  { report, type, result, format, tenantId }: Found,
): Promise<string | Uint8Array> {
  if (format === 'json') {
    // Not every recipient can read the lists in full.
    const { lists, ...numbers } = result;
    return JSON.stringify(numbers);
  }
  if (format === 'pdf') return tools.documents.run('report', { name: report.name, type, result }, tenantId);
  const { columns, rows } = tableOf(type, result);
  return toCsv([columns, ...rows]);
}
