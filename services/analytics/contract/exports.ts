import {
  event,
  freeForm,
  id,
  listQuery,
  media,
  operations,
  page,
  secret,
  sharedErrors,
  stateTable,
  text,
  timestamp,
  withOrderedRanges,
} from '@tandem/contract';
import { z } from 'zod';

/** Limits of exports. Open exports and bytes are those of a tenant in one environment. */
export const dataExportLimits = {
  rows: 1_000_000,
  events: 10_000_000,
  // A sheet has 1,048,576 rows; the first one has the names of the columns.
  xlsxRows: 1_048_575,
  columns: 100,
  open: 10,
  fileBytes: 4_000_000_000,
  keptBytes: 10_000_000_000,
  days: 7,
} as const;

export const exportSources = [
  'events',
  'leads',
  'accounts',
  'opportunities',
  'tasks',
  'activities',
  'calendar_events',
  'partners',
  'referrals',
  'deal_registrations',
  'commissions',
  'payouts',
  'campaigns',
  'recipients',
  'messages',
  'segments',
  'templates',
  'forms',
  'form_submissions',
  'landing_pages',
  'workflows',
  'workflow_executions',
  'suppressions',
  'courses',
  'enrollments',
  'certificates',
  'attempts',
  'files',
  'webhook_deliveries',
  'agent_executions',
  'agent_recommendations',
  'users',
  'teams',
  'audit',
  'report',
] as const;
export const ExportSource = z
  .enum(exportSources)
  .describe('The list whose records the export has; `report`: the rows of the last run of a report');
export type ExportSource = z.output<typeof ExportSource>;

export const ExportFormat = z.enum(['csv', 'json', 'ndjson', 'xlsx']).describe('The format of the file');

const statuses = ['queued', 'running', 'completed', 'failed', 'cancelled', 'expired'] as const;
export const ExportStatus = z.enum(statuses).describe('The status of the export');

/** How the status of an export changes. */
export const exportStates = stateTable<(typeof statuses)[number]>('Export', {
  created: { queued: 'createExport' },
  changes: {
    queued: { cancelled: 'cancelExport' },
    running: { cancelled: 'cancelExport' },
    completed: {},
    failed: {},
    cancelled: {},
    expired: {},
  },
  automatic: {
    queued: { running: 'run-export.job' },
    running: { completed: 'run-export.job', failed: 'run-export.job' },
    completed: { expired: 'remove-export-rows.job' },
  },
});

const filters = freeForm().meta({
  description:
    'Exports only matching records: the filters of the list of the source, with the same names, and `cohortId` of a saved cohort for records of leads. The list of a form, campaign or workflow needs its id: `formId`, `campaignId` or `workflowId`. Numbers and booleans are JSON values.',
  examples: [{ status: 'qualified' }],
});
const Columns = z
  .array(text(100))
  .min(1, 'Must contain at least 1 column')
  .max(dataExportLimits.columns, `Must contain at most ${dataExportLimits.columns} columns`)
  .meta({
    description:
      'The columns of the file, in their order: fields of the record, and `customFields.<key>` for a custom field. By default all fields.',
    examples: [['id', 'email', 'status']],
  });

export const Export = z.object({
  id: id('export'),
  tenantId: id('tenant'),
  source: ExportSource,
  format: ExportFormat,
  filters,
  columns: Columns,
  status: ExportStatus,
  allowedTransitions: z.array(ExportStatus).meta({
    description: 'The statuses that you can change the export to',
    examples: [[]],
  }),
  rowCount: z.int().meta({ description: 'The number of records in the file', examples: [1250] }),
  progress: z
    .object({
      done: z.int().meta({ description: 'The number of records that are exported', examples: [1250] }),
      total: z
        .int()
        .nullable()
        .meta({ description: 'The number of records of the whole export; null until it is known', examples: [1250] }),
    })
    .describe('The progress of the export'),
  error: z
    .object({
      code: z.string().meta({ description: 'The reason, for programs', examples: ['too_many_records'] }),
      message: z.string().meta({ description: 'The reason, for people', examples: ['Too many records match'] }),
    })
    .nullable()
    .meta({ description: 'Why the export failed; null otherwise', examples: [null] }),
  downloadUrl: secret(
    z
      .url()
      .nullable()
      .meta({
        description:
          'A new link to the file at each request, which works for an hour without credentials, as long as the user who requested the link may read the records; null while there is no file',
        examples: ['https://api.example.com/v1/public/analytics/exports/ThisIsOnlyAnExample'],
      }),
  ),
  createdBy: id('user').nullable().describe('The user who requested the export, or the owner of the API key'),
  createdAt: timestamp(),
  startedAt: timestamp().nullable().describe('When the first records were read'),
  completedAt: timestamp().nullable().describe('When the export ended'),
  expiresAt: timestamp().nullable().describe('When the file is removed: 7 days after the export was completed'),
  version: z.int(),
});

const change = {
  target: 'export',
  data: z.object({ exportId: id('export'), source: ExportSource }),
  record: z.object({ id: id('export') }),
} as const;
export const exportCreated = event('export.created', {
  ...change,
  description: 'An export is requested',
  action: 'export.create',
});
export const exportCancelled = event('export.cancelled', {
  ...change,
  description: 'An export is cancelled',
  action: 'export.cancel',
});
export const exportCompleted = event('export.completed', {
  ...change,
  group: 'analytics',
  readPermission: 'analytics:read',
  description: 'The file of an export is ready',
  action: 'export.complete',
  data: change.data.extend({ rowCount: z.int().describe('The number of records in the file') }),
  example: { exportId: 'Koy64dVTlqa3OcG9', source: 'leads', rowCount: 1250 },
});
export const exportFailed = event('export.failed', {
  ...change,
  description: 'An export fails',
  action: 'export.fail',
  outcome: 'failure',
  data: change.data.extend({ code: z.string() }),
});
export const exportExpired = event('export.expired', {
  ...change,
  description: 'The file of an export is removed because it expired',
  action: 'export.expire',
});
export const exportFileDownloaded = event('export.file_downloaded', {
  ...change,
  description: 'The file of an export is downloaded',
  action: 'export.download',
});

const withId = z.object({ id: id('export') });

export const dataExports = operations({
  createExport: {
    method: 'POST',
    path: '/v1/analytics/exports',
    permission: 'analytics:read',
    // Those of the list of the source.
    checksPermissions: true,
    summary: 'Export records',
    description: `Starts a job that writes the records that the list of the source shows to the caller into a file, the oldest first: at most 1,000,000 records, or 10,000,000 events, of which an XLSX file has at most 1,048,575. The caller also needs the permission to read the list. If that covers only own or team records, the file has only these. Exports of a tenant run one after the other; at most ${dataExportLimits.open} can wait. In a CSV file, text that a spreadsheet would run as a formula begins with an apostrophe.`,
    body: z
      .object({
        source: ExportSource.meta({ examples: ['leads'] }),
        format: ExportFormat.meta({ examples: ['csv'] }),
        filters: filters.optional(),
        reportId: id('report')
          .describe('The report, for the source `report`; that of a list is exported as its list')
          .optional(),
        columns: Columns.optional(),
      })
      .meta({
        examples: [{ source: 'leads', format: 'csv', filters: { status: 'qualified' }, columns: ['id', 'email'] }],
      }),
    reply: Export,
    example: { status: 'queued', allowedTransitions: ['cancelled'], rowCount: 0, downloadUrl: null },
    status: 202,
    message: 'Export started',
    emits: [exportCreated],
    errors: {
      too_many_exports: [
        409,
        `${dataExportLimits.open} exports wait or run already; wait for one of them or cancel it`,
      ],
      export_storage_full: [
        409,
        'The files of earlier exports use the whole storage for exports; wait until some expire',
      ],
      no_run: [409, 'The report has no completed run; run it first'],
    },
  },
  listExports: {
    method: 'GET',
    path: '/v1/analytics/exports',
    permission: 'analytics:read',
    checksPermissions: true,
    summary: 'List exports',
    description:
      'Returns exports that the caller requested, and all exports of lists whose records the caller can read completely. Exports are kept for 90 days, their files for 7.',
    query: withOrderedRanges(
      listQuery(['createdAt'])
        .omit({ search: true })
        .extend({ status: ExportStatus.optional(), source: ExportSource.optional() }),
    ),
    reply: page(Export),
    message: 'Exports retrieved',
  },
  getExport: {
    method: 'GET',
    path: '/v1/analytics/exports/:id',
    permission: 'analytics:read',
    checksPermissions: true,
    summary: 'Retrieve an export',
    params: withId,
    reply: Export,
    message: 'Export retrieved',
  },
  cancelExport: {
    method: 'POST',
    path: '/v1/analytics/exports/:id/cancel',
    permission: 'analytics:read',
    checksPermissions: true,
    summary: 'Cancel an export',
    description: 'Stops an export that waits or runs, and removes the records that it has read.',
    params: withId,
    reply: Export,
    message: 'Export cancelled',
    emits: [exportCancelled],
    errors: { wrong_status: [409, 'The export has ended'] },
  },
  downloadExportFile: {
    method: 'GET',
    path: '/v1/public/analytics/exports/:token',
    audience: 'public',
    summary: 'Download the file of an export',
    description:
      'Returns the file. `downloadUrl` of an export is the URL of this operation, which works while the user who requested the link has the permission to read the records. Each download is in the audit log.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media(
      'text/csv',
      'application/json',
      'application/x-ndjson',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ),
    message: 'The file',
    emits: [exportFileDownloaded],
    errors: { link_expired: sharedErrors.link_expired },
  },
});
