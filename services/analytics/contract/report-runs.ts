import {
  event,
  freeForm,
  id,
  listQuery,
  media,
  operations,
  page,
  sharedErrors,
  stateTable,
  timestamp,
  withOrderedRanges,
} from '@tandem/contract';
import { z } from 'zod';
import { ReportType, reportLimits } from './reports.ts';

const statuses = ['queued', 'running', 'completed', 'failed'] as const;
export const ReportRunStatus = z.enum(statuses).describe('The status of the run');

/** How the status of a run changes. */
export const reportRunStates = stateTable<(typeof statuses)[number]>('ReportRun', {
  created: { queued: 'runReport' },
  changes: { queued: {}, running: {}, completed: {}, failed: {} },
  automatic: {
    queued: { running: 'evaluate-report.job', failed: 'evaluate-report.job' },
    running: { completed: 'evaluate-report.job', failed: 'evaluate-report.job' },
  },
});

export const ReportFormat = z.enum(['csv', 'json', 'pdf']).describe('The format of the file');
export type ReportFormat = z.output<typeof ReportFormat>;

const params = freeForm().meta({
  description: 'Fields of the query that this run has instead of those of the report',
  examples: [{ period: 'last_month' }],
});
const fileUrl = (format: string) =>
  z.url().meta({
    description: `A new link to the result as ${format} at each request, which works for an hour without credentials`,
    examples: ['https://api.example.com/v1/public/analytics/reports/ThisIsOnlyAnExample'],
  });

export const ReportRun = z.object({
  id: id('report_run'),
  tenantId: id('tenant'),
  reportId: id('report'),
  scheduleId: id('report_schedule').nullable().describe('The schedule that started the run; null for a person'),
  scheduledFor: timestamp().nullable().describe('The time of the schedule for which the run is'),
  status: ReportRunStatus,
  allowedTransitions: z
    .array(ReportRunStatus)
    .meta({ description: 'The statuses that you can change the run to', examples: [[]] }),
  params,
  result: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({
      description:
        'The numbers, in the form of `GET /v1/analytics/dashboard`, of a funnel or of `GET /v1/analytics/cohorts`; null before the end, and for reports of lists. Each group of a funnel with the breakdown `assignedTo` also has `userName`, null for a user who is not active.',
      examples: [null],
    }),
  exportId: id('export').nullable().describe('The export with the records, for a report of a list'),
  rowCount: z
    .int()
    .nullable()
    .meta({
      description: 'The number of rows of the file; 0 if nothing was found; null before the end',
      examples: [12],
    }),
  files: z
    .object({ csv: fileUrl('CSV'), json: fileUrl('JSON'), pdf: fileUrl('PDF') })
    .nullable()
    .describe('Links to the result as a file; null before the end, and for reports of lists'),
  attempts: z.int().meta({
    description: `How many attempts have failed, of at most ${reportLimits.attempts}`,
    examples: [0],
  }),
  error: z
    .object({
      code: z.string().meta({ description: 'The reason, for programs', examples: ['too_many_events'] }),
      message: z.string().meta({ description: 'The reason, for people', examples: ['Too many events match'] }),
    })
    .nullable()
    .meta({ description: 'Why the last attempt failed; null otherwise', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who started the run; for a schedule the owner of the report'),
  createdAt: timestamp(),
  startedAt: timestamp().nullable().describe('When the first attempt began'),
  completedAt: timestamp().nullable().describe('When the run ended'),
});

const ended = {
  target: 'report',
  group: 'analytics',
  readPermission: 'analytics:read',
  record: z.object({ id: id('report'), name: z.string(), ownerId: id('user') }),
} as const;
const data = z.object({
  reportId: id('report'),
  reportRunId: id('report_run'),
  scheduleId: id('report_schedule').nullable(),
  type: ReportType,
});
const example = {
  reportId: 'QYcKhOkjpzYAcO16',
  reportRunId: 'wX6VcKW9mTYdqGXI',
  scheduleId: null,
  type: 'dashboard',
} as const;
export const reportRunStarted = event('report.run_started', {
  ...change('A report is run'),
  action: 'report.run',
});
export const reportCompleted = event('report.completed', {
  ...ended,
  description: 'A run of a report is completed',
  action: 'report.complete',
  data: data.extend({ rowCount: z.int().describe('The number of rows of the file; 0 if nothing was found') }),
  example: { ...example, rowCount: 12 },
});
export const reportFailed = event('report.failed', {
  ...ended,
  description: 'A run of a report fails',
  action: 'report.fail',
  outcome: 'failure',
  data: data.extend({
    code: z.string().describe('The reason, for programs'),
    message: z.string().nullable().describe('The reason, for people'),
    createdBy: id('user').nullable().describe('The user who started the run; for a schedule the owner of the report'),
  }),
  example: { ...example, code: 'too_many_events', message: 'Too many events match', createdBy: null },
});
export const reportFileDownloaded = event('report.file_downloaded', {
  ...change('The result of a report is downloaded'),
  action: 'report.download',
});

function change(description: string) {
  return { target: 'report', description, data, record: z.object({ id: id('report') }) } as const;
}

const withId = z.object({ id: id('report') });

export const reportRuns = operations({
  runReport: {
    method: 'POST',
    path: '/v1/analytics/reports/:id/run',
    permission: 'analytics:read',
    // Those of the list of the type.
    checksPermissions: true,
    summary: 'Run a report',
    description: `Starts a job. A report of a list makes an export with the records that the caller may read. A failed attempt is repeated up to three times, after 1, 5 and 15 minutes; then the user who started the run gets a notification, in the inbox and by e-mail. Runs are kept for ${reportLimits.runDays} days.`,
    params: withId,
    body: z.object({
      params: params.optional(),
      format: ReportFormat.describe(
        'The format of the export, for a report of a list: `csv` or `json`; other reports have files of each format',
      ).default('csv'),
    }),
    reply: ReportRun,
    example: { status: 'queued', rowCount: null, files: null },
    status: 202,
    message: 'Report started',
    emits: [reportRunStarted],
    errors: { too_many_runs: [409, `${reportLimits.openRuns} runs wait or run already; wait for one of them`] },
  },
  listReportRuns: {
    method: 'GET',
    path: '/v1/analytics/reports/:id/runs',
    permission: 'analytics:read',
    checksPermissions: true,
    summary: 'List the runs of a report',
    params: withId,
    query: withOrderedRanges(
      listQuery(['createdAt']).omit({ search: true }).extend({ status: ReportRunStatus.optional() }),
    ),
    reply: page(ReportRun.omit({ result: true, files: true })),
    message: 'Runs retrieved',
  },
  getReportRun: {
    method: 'GET',
    path: '/v1/analytics/reports/:id/runs/:runId',
    permission: 'analytics:read',
    checksPermissions: true,
    summary: 'Retrieve a run of a report',
    params: z.object({ id: id('report'), runId: id('report_run') }),
    reply: ReportRun,
    message: 'Run retrieved',
  },
  downloadReportFile: {
    method: 'GET',
    path: '/v1/public/analytics/reports/:token',
    audience: 'public',
    summary: 'Download the result of a report',
    description:
      'Returns the file. The URLs in `files` of a run and in the messages of schedules are those of this operation. A link works while the user for whom it was made has the permission to read numbers. Each download is in the audit log.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('text/csv', 'application/json', 'application/pdf'),
    message: 'The file',
    emits: [reportFileDownloaded],
    errors: { link_expired: sharedErrors.link_expired },
  },
});
