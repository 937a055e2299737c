import { id, operations, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { EngagementType } from './events.ts';
import { Day, LeadSourceCode, LeadStatusCode, ListOfRecords, PeriodOfNumbers } from './fields.ts';

const maxWindowDays = 366;
const unitDays = { minute: 1 / 1_440, hour: 1 / 24, day: 1, week: 7 } as const;

const StageCode = text(64)
  .regex(/^[a-z0-9_]+$/, 'Must be a code of lower-case letters, digits and underscores')
  .meta({ examples: ['proposal'] });

/** Conditions on an engagement event. */
export const EventFilters = z
  .strictObject({
    messageId: text(64)
      .meta({ description: 'Only events of this message', examples: ['msg-20260302-0017'] })
      .optional(),
    workflowExecutionId: text(64)
      .meta({ description: 'Only events of this workflow run', examples: ['welcome-0042'] })
      .optional(),
    url: text(2_000)
      .meta({ description: 'Only clicks and visits of this address', examples: ['https://example.com/pricing'] })
      .optional(),
    includeAutomated: z
      .boolean()
      .meta({ description: 'Whether events that software caused count too', examples: [false] })
      .optional(),
  })
  .describe('Conditions on an engagement event; only with `event`');

const kinds = ['event', 'leadStatus', 'stage', 'converted'] as const;

/** Something that happens to a lead: one of the four kinds. */
const Happening = {
  event: EngagementType.describe(
    'An engagement event of this type, as it was recorded: a click is not an open here, unlike in rates of opens',
  ).optional(),
  leadStatus: LeadStatusCode.describe('The lead changes to this status, or is created with it').optional(),
  stage: StageCode.describe('An opportunity of the lead enters this stage, which a pipeline has or had').optional(),
  converted: z.literal(true).describe('The lead is converted to an opportunity').optional(),
  filters: EventFilters.optional(),
};

function checkKind(step: { event?: unknown; filters?: unknown } & object, context: z.RefinementCtx): void {
  const given = kinds.filter((kind) => kind in step && (step as Record<string, unknown>)[kind] !== undefined);
  if (given.length !== 1) context.addIssue({ code: 'custom', message: `Must have exactly one of ${kinds.join(', ')}` });
  else if (step.filters !== undefined && step.event === undefined)
    context.addIssue({ code: 'custom', path: ['filters'], message: 'Only applies to steps with event' });
}

export const FunnelStep = z
  .strictObject({
    name: text(100)
      .meta({ description: 'A name for the step; by default what happens in it', examples: ['Opened'] })
      .optional(),
    ...Happening,
  })
  .superRefine(checkKind)
  .meta({ examples: [{ event: 'email_open' }] });

const FunnelWindow = z
  .object({
    value: z
      .int()
      .min(1, 'Must be at least 1')
      .meta({ description: 'The length in units', examples: [14] }),
    unit: z.enum(['minute', 'hour', 'day', 'week']).describe('The unit of the length'),
  })
  .refine(({ value, unit }) => value * unitDays[unit] <= maxWindowDays, {
    error: `Must be at most ${maxWindowDays} days`,
  });

/** Which leads are counted. */
const LeadFilter = z.strictObject({
  source: LeadSourceCode.describe('Only leads from this source').optional(),
  status: LeadStatusCode.describe('Only leads that have this status now').optional(),
  assignedTo: id('user').describe('Only leads that are assigned to this user now').optional(),
  teamId: id('team').describe('Only leads of this team now').optional(),
  partnerId: id('partner').describe('Only leads of this partner').optional(),
});

/** A saved cohort to whose leads numbers are limited. */
export const OfCohort = id('cohort_definition').describe('Count only the leads of this saved cohort').optional();

export const breakdowns = ['source', 'status', 'assignedTo', 'teamId', 'partnerId'] as const;

/** The query of a funnel, as it is also stored in reports. */
export const FunnelQuery = z.object({
  steps: z
    .array(FunnelStep)
    .min(2, 'Must contain at least 2 steps')
    .max(10, 'Must contain at most 10 steps')
    .meta({
      description: 'The steps, from 2 to 10',
      examples: [[{ event: 'email_open' }, { leadStatus: 'qualified' }]],
    }),
  dateFrom: Day.describe(
    'The first day on which leads begin; by default the day 29 days before the last one',
  ).optional(),
  dateTo: Day.describe('The last day on which leads begin; today by default').optional(),
  timezone: timeZone().describe('The time zone of the days; that of the tenant by default').optional(),
  window: FunnelWindow.describe(
    'How long after the first step a lead may reach the last one; 30 days by default',
  ).optional(),
  order: z
    .enum(['ordered', 'strict', 'any'])
    .describe(
      '`ordered`: the steps in their order, whatever happens between them. `strict`: no other step of the funnel between two steps. `any`: the steps in any order; the n-th count is that of leads with n of them. The default is `ordered`',
    )
    .optional(),
  exclude: z
    .array(
      z
        .strictObject(Happening)
        .superRefine(checkKind)
        .meta({ examples: [{ event: 'email_bounce' }] }),
    )
    .max(5, 'Must contain at most 5 entries')
    .describe('What ends an attempt: a lead then has to begin again')
    .optional(),
  filter: LeadFilter.describe('Which leads are counted').optional(),
  cohortId: OfCohort,
  breakdown: z
    .enum(breakdowns)
    .meta({
      description: 'Also count the leads of each value of this field apart: of the 50 values that most leads have',
      examples: ['source'],
    })
    .optional(),
});

const StepCount = z.object({
  name: z.string().meta({ description: 'The name of the step', examples: ['email_open'] }),
  count: z.int().meta({ description: 'The number of leads that reached the step', examples: [120] }),
  fromPrevious: z
    .number()
    .nullable()
    .meta({
      description: 'The part of the leads of the step before, in percent; null for the first step',
      examples: [42.5],
    }),
  fromStart: z
    .number()
    .nullable()
    .meta({
      description: 'The part of the leads of the first step, in percent; null if there are none',
      examples: [12.4],
    }),
  medianSeconds: z
    .number()
    .nullable()
    .meta({
      description: 'The median of the time since the step before, in seconds; null for the first step',
      examples: [86_400],
    }),
});

const stepExample = { name: 'email_open', count: 120, fromPrevious: null, fromStart: 100, medianSeconds: null };
const stepCounts = (description: string) => z.array(StepCount).meta({ description, examples: [[stepExample]] });

const Pending = z.int().meta({
  description: 'The leads that have begun, have not reached the last step, and still have time for it',
  examples: [8],
});

export const Funnel = z.object({
  period: PeriodOfNumbers.describe('The days on which leads begin'),
  steps: stepCounts('The steps'),
  pending: Pending,
  breakdown: z
    .array(
      z.object({
        value: z
          .string()
          .nullable()
          .meta({ description: 'The value; null for leads without one', examples: ['web'] }),
        userId: id('user').nullish().describe('The user, for `assignedTo`'),
        teamId: id('team').nullish().describe('The team, for `teamId`'),
        partnerId: id('partner').nullish().describe('The partner, for `partnerId`'),
        steps: stepCounts('The steps of these leads'),
        pending: Pending,
      }),
    )
    .meta({
      description: 'The leads of each value, with `breakdown`: the values with most leads first',
      examples: [[]],
    }),
  lists: z
    .array(ListOfRecords)
    .describe(
      'The lists with the records that a step counts, or the events of the first step, where one exists and you can read it in full',
    ),
  generatedAt: timestamp().describe('When the numbers were read'),
});

/** The errors of queries that read many events. */
export const limitErrors = {
  too_many_events: [422, 'More than 3,000,000 events match; choose a shorter period, or add filters'],
  busy: [503, 'Other numbers of the tenant are being calculated; try again in a few seconds'],
} as const;

export const funnels = operations({
  getFunnel: {
    method: 'GET',
    path: '/v1/analytics/funnel',
    permission: 'analytics:read',
    summary: 'Retrieve the funnel of leads or opportunities',
    description:
      'Of leads: how many of those created in the period were contacted, qualified and converted. Of opportunities: how far those created in the period came through the stages of a pipeline. A record that skips a step counts in it too. A deal that was won and reopened counts as won only if it is won now.',
    query: z.object({
      type: z.enum(['lead', 'opportunity']).describe('What is counted; `lead` by default').optional(),
      pipelineId: id('pipeline').describe('The pipeline, for opportunities; the default pipeline otherwise').optional(),
      dateFrom: Day.describe('The first day of creation; by default the day 29 days before the last one').optional(),
      dateTo: Day.describe('The last day of creation; today by default').optional(),
      timezone: timeZone().describe('The time zone of the days; that of the tenant by default').optional(),
      teamId: id('team').describe('Count only what belongs to this team').optional(),
      userId: id('user').describe('Count only what belongs to this user').optional(),
      cohortId: OfCohort,
    }),
    reply: Funnel,
    message: 'Funnel retrieved',
    errors: limitErrors,
  },
  queryFunnel: {
    method: 'POST',
    path: '/v1/analytics/funnels/query',
    permission: 'analytics:read',
    // Those of the lists that it names.
    checksPermissions: true,
    summary: 'Query a funnel',
    description:
      'Counts how many leads went through the steps. Each lead counts once, by the attempt that got furthest. The first step must be in the period; the other ones may follow after it, within the window.',
    body: FunnelQuery,
    example: { steps: [stepExample], breakdown: [] },
    reply: Funnel,
    message: 'Funnel retrieved',
    errors: limitErrors,
    emits: [],
  },
});
