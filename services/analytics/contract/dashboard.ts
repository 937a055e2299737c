import { currency, id, operations, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { Day, ListOfRecords, PeriodOfNumbers } from './fields.ts';
import { limitErrors } from './funnels.ts';

const count = (description: string) => z.int().meta({ description, examples: [12] });
const rate = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}, in percent; null if there is nothing to divide by`, examples: [25] });
const counts = (description: string, example: string) =>
  z.record(z.string(), z.int()).meta({ description, examples: [{ [example]: 12 }] });

const Money = z.object({
  currency: currency(),
  // Not `amount()`: sums may exceed the largest amount of one record.
  amount: z.number().meta({ description: 'The sum in major units of the currency', examples: [48_000] }),
});
const money = (description: string) => z.array(Money).describe(`${description}, one entry per currency`);

/** Numbers of a period; those of the present are in the dashboard only. */
const LeadNumbers = z.object({
  new: count('Leads created in the period'),
  converted: count('Leads created in the period that are converted'),
  conversionRate: rate('`converted` of `new`'),
  conversions: count('Leads converted in the period, whenever they were created'),
});
const OpportunityNumbers = z.object({
  new: count('Opportunities created in the period'),
  won: count('Deals won in the period'),
  lost: count('Deals lost in the period'),
  wonValue: money('The value of the deals won in the period'),
  winRate: rate('Deals won of those closed in the period'),
  avgCycleDays: z
    .number()
    .nullable()
    .meta({
      description:
        'The average time from the creation of a deal to its win, in days, of the deals won in the period; null without any',
      examples: [18.5],
    }),
});
const PartnerNumbers = z.object({
  commissions: z
    .object({
      count: count('Commissions, adjustments and clawbacks recorded in the period, without cancelled ones'),
      amounts: money('Their sum'),
    })
    .describe('Commissions recorded in the period'),
});
const EngagementNumbers = z.object({
  sent: count('E-mails sent'),
  opens: count('Opens, including those caused by software'),
  humanOpens: count('Opens by people'),
  uniqueOpens: count('Messages that a person opened at least once; a click counts as an open'),
  clicks: count('Clicks by people'),
  uniqueClicks: count('Messages with a click by a person'),
  replies: count('Messages with a reply by a person'),
  bounces: count('E-mails that bounced'),
  complaints: count('E-mails reported as spam'),
  smsSent: count('Text messages sent'),
  formSubmissions: count('Submitted forms'),
  pageVisits: count('Visits of pages by people'),
  openRate: rate('`uniqueOpens` of `sent`'),
  clickRate: rate('`uniqueClicks` of `sent`'),
  replyRate: rate('`replies` of `sent`'),
  bounceRate: rate('`bounces` of `sent`'),
});
const TaskNumbers = z.object({ completed: count('Tasks completed in the period') });

const Previous = z.object({
  period: PeriodOfNumbers.describe('The days of the period'),
  leads: LeadNumbers.describe('Numbers of leads'),
  opportunities: OpportunityNumbers.describe('Numbers of opportunities'),
  partners: PartnerNumbers.describe('Numbers of partners'),
  engagement: EngagementNumbers.describe('What happened with messages, forms and pages'),
  tasks: TaskNumbers.describe('Numbers of tasks'),
});

const Point = z.object({
  from: timestamp().describe('The beginning of the day, week or month'),
  newLeads: count('Leads created'),
  conversions: count('Leads converted'),
  newOpportunities: count('Opportunities created'),
  won: count('Deals won'),
  lost: count('Deals lost'),
  sent: count('E-mails sent'),
  humanOpens: count('Opens by people'),
  clicks: count('Clicks by people'),
  completedTasks: count('Tasks completed'),
});

export const Dashboard = z.object({
  period: PeriodOfNumbers.describe('The days that are counted'),
  leads: LeadNumbers.extend({
    total: count('All leads, now'),
    byStatus: counts('All leads by status, now', 'new'),
    bySource: counts('All leads by source, now; `none` for leads without a source', 'web'),
  }).describe('Numbers of leads'),
  opportunities: OpportunityNumbers.extend({
    open: count('Open opportunities, now'),
    pipelineValue: money('The value of the open opportunities, now'),
  }).describe('Numbers of opportunities'),
  partners: PartnerNumbers.extend({
    active: count('Approved partners, now'),
    pending: count('Partners that wait for approval, now'),
  }).describe('Numbers of partners'),
  engagement: EngagementNumbers.describe('What happened with messages, forms and pages in the period'),
  tasks: TaskNumbers.extend({
    open: count('Tasks that are pending or in progress, now'),
    overdue: count('Open tasks past their due time'),
  }).describe('Numbers of tasks'),
  interval: z.enum(['day', 'week', 'month']).describe('The length of the steps of `series`'),
  series: z
    .array(Point)
    .describe('The numbers of each day; of each week or month for a period of more than 92 or 366 days'),
  previous: Previous.nullable().describe(
    'The numbers of the period of the same length before; null with `compare=none`',
  ),
  lists: z
    .array(ListOfRecords)
    .describe(
      'The lists with the records that numbers count, by the path of the number in this response; without lists that you cannot read in full',
    ),
  generatedAt: timestamp().describe('When the numbers were read'),
});

export const dashboards = operations({
  getDashboard: {
    method: 'GET',
    path: '/v1/analytics/dashboard',
    permission: 'analytics:read',
    summary: 'Retrieve the dashboard',
    description:
      'Counts what happened in a period of whole days, and what there is now. Changes are counted within seconds. With `teamId` or `userId`, leads, opportunities and tasks are those of the team or the user now, and engagement is that of the leads that belonged to them at the time; partners belong to nobody, so their numbers stay those of the tenant. With `cohortId`, leads are those of the cohort, and opportunities and engagement those of its leads; tasks and partners have no leads there, so their numbers do not change, and only they have `lists`.',
    query: z.object({
      dateFrom: Day.describe(
        'The first day of the period, as a date or as a time on that day; by default the day 29 days before the last one',
      ).optional(),
      dateTo: Day.describe('The last day of the period; today by default').optional(),
      timezone: timeZone().describe('The time zone of the days; that of the tenant by default').optional(),
      compare: z
        .enum(['previous', 'none'])
        .describe('Whether the numbers of the period before are included; `none` by default')
        .optional(),
      teamId: id('team').describe('Count only what belongs to this team').optional(),
      userId: id('user').describe('Count only what belongs to this user').optional(),
      cohortId: id('cohort_definition')
        .describe('Count only the leads of this saved cohort, with their opportunities and events')
        .optional(),
    }),
    reply: Dashboard,
    message: 'Dashboard retrieved',
    errors: limitErrors,
  },
});
