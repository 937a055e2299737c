import type { reportRuns, reportSchedules, reports } from '@tandem/analytics-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import type { Handlers } from '@tandem/service';
import type { Documents } from '../../documents.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { AnalyticsSettings } from '../../settings.ts';
import type { LinkTo } from '../exports/export.ts';
import type { Sources } from '../exports/source.ts';
import { createReport } from './create-report.ts';
import { createReportSchedule } from './create-report-schedule.ts';
import { deleteReport } from './delete-report.ts';
import { deleteReportSchedule } from './delete-report-schedule.ts';
import { downloadReportFile } from './download-report-file.ts';
import { evaluateReport } from './evaluate-report.job.ts';
import { getReport } from './get-report.ts';
import { getReportRun } from './get-report-run.ts';
import { listReportRuns } from './list-report-runs.ts';
import { listReportSchedules } from './list-report-schedules.ts';
import { listReports } from './list-reports.ts';
import { runReport } from './run-report.ts';
import { startScheduledReport } from './start-scheduled-report.job.ts';
import type { ReportLink, ReportTools } from './tools.ts';
import { updateReport } from './update-report.ts';
import { updateReportSchedule } from './update-report-schedule.ts';

export { exportedReports } from './report-source.ts';

interface Given {
  tools: Tools;
  ids: IdCodec;
  settings: AnalyticsSettings;
  exported: { sources: Sources; linkTo: LinkTo };
  documents: Documents;
  mail: Mailer['queue'];
}

/** The handlers and the jobs of reports. */
export function reportsOf({ tools, ids, settings, exported: { sources, linkTo }, documents, mail }: Given) {
  const links = createLinkTokens<ReportLink>(createSeal(settings.ENCRYPTION_KEY), 'analytics report');
  const fileUrl: ReportTools['fileUrl'] = (link, expiresAt) =>
    `${settings.PUBLIC_URL}/v1/public/analytics/reports/${links.issue(link, expiresAt)}`;
  const all: ReportTools = { ...tools, ids, sources, links, fileUrl, linkTo, documents, mail };
  return {
    handlers: {
      createReport: createReport(all),
      listReports,
      getReport,
      updateReport: updateReport(all),
      deleteReport,
      runReport: runReport(all),
      listReportRuns,
      getReportRun: getReportRun(all),
      downloadReportFile: downloadReportFile(all),
      createReportSchedule: createReportSchedule(all),
      listReportSchedules,
      updateReportSchedule: updateReportSchedule(all),
      deleteReportSchedule,
    } satisfies Handlers<typeof reports & typeof reportRuns & typeof reportSchedules, Tx>,
    jobs: [evaluateReport(all), startScheduledReport(all)],
  };
}
