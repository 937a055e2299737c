import {
  email,
  event,
  id,
  listQuery,
  operations,
  page,
  text,
  timestamp,
  timeZone,
  withOrderedRanges,
} from '@tandem/contract';
import { z } from 'zod';
import { ReportFormat, ReportRunStatus } from './report-runs.ts';
import { reportLimits } from './reports.ts';

const recipientsMax = 20;

export const ReportFrequency = z.enum(['daily', 'weekly', 'monthly']).describe('How often the report is sent');
const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time of the day such as 08:00')
  .meta({ description: 'The time of the day, with `frequency`', examples: ['08:00'] });
const Weekday = z
  .int()
  .min(1)
  .max(7)
  .meta({
    description: 'The day of the week from 1 (Monday) to 7 (Sunday), with the frequency `weekly`',
    examples: [1],
  });
const DayOfMonth = z
  .int()
  .min(1)
  .max(31)
  .meta({
    description: 'The day of the month, with the frequency `monthly`; the last day of a month that is shorter',
    examples: [1],
  });
const Cron = text(100).meta({
  description:
    'Instead of `frequency`: a cron expression of five fields (minute, hour, day of month, month, day of week). The minute is one number, so that the report is sent at most once an hour',
  examples: ['30 7 * * 1-5'],
});
const Recipients = z
  .object({
    userIds: z
      .array(id('user'))
      .max(recipientsMax, `Must contain at most ${recipientsMax} users`)
      .default([])
      .describe('Active users who get the report. They must be able to read all that it shows'),
    emails: z
      .array(email())
      .max(recipientsMax, `Must contain at most ${recipientsMax} addresses`)
      .default([])
      .meta({ description: 'Addresses of other people who get the report', examples: [['board@example.com']] }),
  })
  .describe('Who gets the report. Links to the file work for a week');

export const ReportSchedule = z.object({
  id: id('report_schedule'),
  tenantId: id('tenant'),
  reportId: id('report'),
  frequency: ReportFrequency.nullable(),
  time: Time.nullable(),
  weekday: Weekday.nullable(),
  dayOfMonth: DayOfMonth.nullable(),
  cron: Cron.nullable(),
  timezone: timeZone(),
  format: ReportFormat,
  recipients: Recipients,
  active: z.boolean().meta({ description: 'Whether the report is sent', examples: [true] }),
  nextRunAt: timestamp().nullable().describe('When the report runs next; null unless the schedule is active'),
  lastRunAt: timestamp().nullable().describe('When the last run began'),
  lastStatus: ReportRunStatus.nullable().describe('The status of the last run'),
  lastError: z
    .string()
    .nullable()
    .meta({
      description:
        'Why the last run failed or did not reach all recipients, or why the schedule stopped; null otherwise',
      examples: [null],
    }),
  stoppedReason: z
    .enum(['owner_inactive', 'query_erased'])
    .nullable()
    .describe(
      'Why the platform stopped the schedule: the owner of the report is not active any more, or its query named a person who was erased',
    ),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const data = z.object({ reportId: id('report'), reportScheduleId: id('report_schedule') });
const change = { target: 'report_schedule', data, record: z.object({ id: id('report_schedule') }) } as const;
export const reportScheduleCreated = event('report_schedule.created', {
  ...change,
  description: 'A schedule of a report is created',
  action: 'report_schedule.create',
});
export const reportScheduleUpdated = event('report_schedule.updated', {
  ...change,
  data: data.extend({ fields: z.array(z.string()) }),
  description: 'A schedule of a report is updated',
  action: 'report_schedule.update',
});
export const reportScheduleDeleted = event('report_schedule.deleted', {
  ...change,
  description: 'A schedule of a report is deleted',
  action: 'report_schedule.delete',
});
export const reportScheduleStopped = event('report_schedule.stopped', {
  ...change,
  data: data.extend({
    reason: z.string(),
    // The earlier release does not send these.
    message: z.string().optional(),
    reportName: z.string().optional(),
    ownerId: id('user').optional(),
  }),
  description: 'The platform stops a schedule of a report',
  action: 'report_schedule.stop',
});

const example = {
  ...{ frequency: 'weekly', time: '07:30', weekday: 1, dayOfMonth: null, cron: null, format: 'pdf' },
  ...{ recipients: { userIds: [], emails: ['board@example.com'] }, lastStatus: 'completed', stoppedReason: null },
} as const;
const withId = z.object({ id: id('report') });
const withScheduleId = z.object({ id: id('report'), scheduleId: id('report_schedule') });
const fields = {
  frequency: ReportFrequency.nullish(),
  time: Time.nullish().describe('The time of the day; 08:00 by default'),
  weekday: Weekday.nullish().describe('The day of the week from 1 (Monday) to 7 (Sunday); 1 by default'),
  dayOfMonth: DayOfMonth.nullish().describe(
    'The day of the month, or the last day of a month that is shorter; 1 by default',
  ),
  cron: Cron.nullish(),
};
const rule = 'Either `frequency` or `cron` is required.';

export const reportSchedules = operations({
  createReportSchedule: {
    method: 'POST',
    path: '/v1/analytics/reports/:id/schedules',
    permission: 'analytics:write',
    checksPermissions: true,
    summary: 'Schedule a report',
    description: `Runs the report with the permissions of its owner, who is the only one who can schedule it, and sends a link to the file. ${rule} A time that the clocks skip is the first one after the gap; a time that they show twice counts once. A failed attempt is repeated up to three times; then the owner gets a notification, in the inbox and by e-mail. A report without rows is sent as a message that says so. The sandbox sends no mail. At most ${reportLimits.schedules} schedules per report.`,
    params: withId,
    body: z
      .object({
        ...fields,
        timezone: timeZone(),
        format: ReportFormat.meta({ examples: ['pdf'] }),
        recipients: Recipients,
        active: z.boolean().default(true),
      })
      .meta({
        examples: [
          {
            frequency: 'weekly',
            time: '07:30',
            weekday: 1,
            timezone: 'Europe/Berlin',
            format: 'pdf',
            recipients: { userIds: [], emails: ['board@example.com'] },
          },
        ],
      }),
    reply: ReportSchedule,
    example,
    status: 201,
    message: 'Schedule created',
    emits: [reportScheduleCreated],
    errors: {
      too_many_schedules: [409, `The report has ${reportLimits.schedules} schedules; delete one first`],
    },
  },
  listReportSchedules: {
    method: 'GET',
    path: '/v1/analytics/reports/:id/schedules',
    permission: 'analytics:read',
    summary: 'List the schedules of a report',
    params: withId,
    query: withOrderedRanges(listQuery(['createdAt']).omit({ search: true })),
    reply: page(ReportSchedule),
    message: 'Schedules retrieved',
  },
  updateReportSchedule: {
    method: 'PATCH',
    path: '/v1/analytics/reports/:id/schedules/:scheduleId',
    permission: 'analytics:write',
    checksPermissions: true,
    summary: 'Update a schedule of a report',
    description: `Only the owner of the report can update its schedules; everybody with the permission \`analytics:manage\` can pause one, with \`active: false\` alone. \`frequency\` replaces \`cron\`, and \`cron\` replaces \`frequency\` with time and day. \`active\` restarts a schedule that was stopped.`,
    params: withScheduleId,
    body: z.object({
      ...fields,
      timezone: timeZone().optional(),
      format: ReportFormat.optional(),
      recipients: Recipients.optional(),
      active: z.boolean().optional(),
    }),
    reply: ReportSchedule,
    example,
    message: 'Schedule updated',
    emits: [reportScheduleUpdated],
  },
  deleteReportSchedule: {
    method: 'DELETE',
    path: '/v1/analytics/reports/:id/schedules/:scheduleId',
    permission: 'analytics:delete',
    checksPermissions: true,
    summary: 'Delete a schedule of a report',
    description:
      'The owner of the report can delete its schedules, and everybody with the permission `analytics:manage`.',
    params: withScheduleId,
    ifMatch: true,
    reply: z.object({ id: id('report_schedule'), deleted: z.literal(true).describe('Always true') }),
    message: 'Schedule deleted',
    emits: [reportScheduleDeleted],
  },
});
