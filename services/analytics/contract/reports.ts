import {
  event,
  flag,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  timestamp,
  withOrderedRanges,
} from '@tandem/contract';
import { z } from 'zod';

/** Limits of reports: of a tenant in one environment, and of one report. */
export const reportLimits = {
  reports: 500,
  ofUser: 100,
  openRuns: 20,
  runDays: 90,
  attempts: 4,
  schedules: 10,
} as const;

/** The types whose result is JSON, and those whose result is the file of an export. */
export const numberReports = ['dashboard', 'funnel', 'cohort'] as const;
export const listReports = ['leads', 'opportunities', 'partners', 'campaigns', 'commissions'] as const;
export const ReportType = z
  .enum([...numberReports, ...listReports])
  .describe('What the report shows: numbers, or the records of a list');
export type ReportType = z.output<typeof ReportType>;
export type NumbersReport = (typeof numberReports)[number];

export const reportPeriods = [
  ...(['today', 'yesterday', 'last_7_days', 'last_30_days', 'last_90_days'] as const),
  ...(['this_week', 'last_week', 'this_month', 'last_month', 'this_year'] as const),
] as const;

export const ReportVisibility = z
  .enum(['private', 'team', 'tenant'])
  .describe('Who sees the report: its owner, also the members of its team, or every user of the tenant');

const Query = freeForm().meta({
  description: `What is counted or listed. \`dashboard\`: the parameters of \`GET /v1/analytics/dashboard\`. \`funnel\`: the body of \`POST /v1/analytics/funnels/query\`, or without \`steps\` the parameters of \`GET /v1/analytics/funnel\`. \`cohort\`: the parameters of \`GET /v1/analytics/cohorts\`. Lists: \`filters\` and \`columns\` of an export. Each can have a \`period\` instead of dates, which moves with the time and includes the current day, by the time zone of the query, else of the schedule, else of the tenant: ${reportPeriods.join(', ')}.`,
  examples: [{ period: 'last_month', compare: 'previous' }],
});

export const Report = z.object({
  id: id('report'),
  tenantId: id('tenant'),
  name: name().meta({ description: 'A name for the report', examples: ['Pipeline of the month'] }),
  type: ReportType,
  query: Query,
  visibility: ReportVisibility,
  teamId: id('team').nullable().describe('The team whose members see the report, with the visibility `team`'),
  ownerId: id('user').describe('The user who created the report'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const data = z.object({ reportId: id('report'), type: ReportType });
const change = { target: 'report', record: z.object({ id: id('report') }) } as const;
export const reportCreated = event('report.created', {
  ...change,
  data,
  description: 'A report is created',
  action: 'report.create',
});
export const reportUpdated = event('report.updated', {
  ...change,
  data: data.extend({ fields: z.array(z.string()) }),
  description: 'A report is updated',
  action: 'report.update',
});
export const reportDeleted = event('report.deleted', {
  ...change,
  data,
  description: 'A report is deleted',
  action: 'report.delete',
});

const withId = z.object({ id: id('report') });
const teamId = id('team').describe(
  'The team whose members see the report, with the visibility `team`: one of your teams, the only one by default. The report becomes private when you leave the team.',
);

export const reports = operations({
  createReport: {
    method: 'POST',
    path: '/v1/analytics/reports',
    permission: 'analytics:write',
    // Those of the list of the type.
    checksPermissions: true,
    summary: 'Create a report',
    description: `Saves a query under a name, to run it again. A report of a list also requires the permission to read the list. At most ${reportLimits.reports} reports.`,
    body: z.object({
      name: name(),
      type: ReportType.meta({ examples: ['dashboard'] }),
      query: Query.optional(),
      visibility: ReportVisibility.default('private'),
      teamId: teamId.nullish(),
    }),
    reply: Report,
    status: 201,
    message: 'Report created',
    emits: [reportCreated],
    errors: {
      too_many_reports: [409, `There are ${reportLimits.reports} reports; delete one first`],
      too_many_own_reports: [409, `You have ${reportLimits.ofUser} reports; delete one first`],
    },
  },
  listReports: {
    method: 'GET',
    path: '/v1/analytics/reports',
    permission: 'analytics:read',
    summary: 'List reports',
    // Private reports of others require analytics:manage.
    checksPermissions: true,
    description:
      'Returns the reports of the caller, of their teams, and of the tenant; with `includePrivate`, those of everybody.',
    query: withOrderedRanges(
      listQuery(['createdAt', 'name'])
        .omit({ search: true })
        .extend({
          type: ReportType.optional(),
          ownerId: id('user').describe('Return only reports of this user').optional(),
          includePrivate: flag()
            .describe(
              'Whether to include the private reports of others and those of other teams; requires the permission `analytics:manage`',
            )
            .optional(),
        }),
    ),
    reply: page(Report),
    message: 'Reports retrieved',
  },
  getReport: {
    method: 'GET',
    path: '/v1/analytics/reports/:id',
    permission: 'analytics:read',
    summary: 'Retrieve a report',
    description:
      'With the permission `analytics:manage`, also a private report of another user; its results stay private.',
    params: withId,
    reply: Report,
    message: 'Report retrieved',
  },
  updateReport: {
    method: 'PATCH',
    path: '/v1/analytics/reports/:id',
    permission: 'analytics:write',
    checksPermissions: true,
    summary: 'Update a report',
    description:
      'Only the owner can update a report, because its schedules send what the owner may read. `query` replaces the whole query.',
    params: withId,
    body: z.object({
      name: name().optional(),
      query: Query.optional(),
      visibility: ReportVisibility.optional(),
      teamId: teamId.nullish(),
    }),
    reply: Report,
    message: 'Report updated',
    emits: [reportUpdated],
  },
  deleteReport: {
    method: 'DELETE',
    path: '/v1/analytics/reports/:id',
    permission: 'analytics:delete',
    checksPermissions: true,
    summary: 'Delete a report',
    description:
      'Ends its schedules, and removes its runs from sight. The owner can delete a report, and everybody with the permission `analytics:manage`, also if it is private.',
    params: withId,
    reply: z.object({ id: id('report'), deleted: z.literal(true).describe('Always true') }),
    message: 'Report deleted',
    emits: [reportDeleted],
  },
});
