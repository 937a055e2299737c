import { currency, id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { opportunityFilters } from './opportunities.ts';
import { OpportunityStatus } from './opportunity.ts';

const Count = z.int().meta({ description: 'The number of opportunities', examples: [12] });
// Not `amount()`: sums may exceed the largest amount of one opportunity, and a gap may be negative.
const sum = (description: string, example: number) => z.number().meta({ description, examples: [example] });

/** How amounts of other currencies were converted. */
const Converted = z.object({
  currency: currency().describe('The currency of all sums'),
  rates: z
    .array(
      z.object({
        currency: currency(),
        rate: z.number().meta({ description: 'What one unit is worth', examples: [0.92] }),
      }),
    )
    .describe('The exchange rates that were used: the value of one unit in `currency`'),
  unconverted: z
    .array(z.object({ currency: currency(), count: Count, value: sum('The sum in this currency', 300) }))
    .meta({
      description: 'Opportunities that no sum contains, because PUT /v1/config/exchange-rates has no rate for them',
      examples: [[]],
    }),
});

const StageSum = z.object({
  stageId: id('status_definition').describe('The stage'),
  stage: z.string().meta({ description: 'The code of the stage', examples: ['proposal'] }),
  name: z.string().meta({ description: 'The name of the stage', examples: ['Proposal'] }),
  status: OpportunityStatus,
  count: Count,
  value: sum('The sum of the values', 48_000),
  weightedValue: sum('The sum of the values times their probability', 24_000),
});

/** The sums of opportunities per stage. */
export const OpportunitySummary = Converted.extend({
  stages: z.array(StageSum).describe('One entry per stage with opportunities, in the order of the stages'),
  total: StageSum.pick({ count: true, value: true, weightedValue: true }).describe('The sums over all stages'),
});

const ForecastSums = z.object({
  count: Count.describe('The number of open and won opportunities'),
  openValue: sum('The sum of the open opportunities', 96_000),
  weightedValue: sum('The sum of the open opportunities times their probability, without omitted ones', 41_000),
  commit: sum('The sum of the open opportunities with the category commit', 20_000),
  bestCase: sum('The sum of the open opportunities with the category best_case', 30_000),
  closedWon: sum('The sum of the opportunities that were won', 18_000),
  quota: z
    .number()
    .nullable()
    .meta({
      description:
        'The quota of the owner, the team or the tenant that the sums are of; null if none is set, with `pipelineId`, and for a quota that the caller cannot read. Callers who can access own or team opportunities only get their own quota and those of their teams.',
      examples: [60_000],
    }),
  gap: z
    .number()
    .nullable()
    .meta({ description: 'The quota without what is won; negative when it is exceeded', examples: [42_000] }),
});

const ForecastGroup = ForecastSums.extend({
  ownerId: id('user').nullish().describe('The owner, with `groupBy=owner`'),
  teamId: id('team').nullish().describe('The team, with `groupBy=team`'),
  stageId: id('status_definition').nullish().describe('The stage, with `groupBy=stage`'),
});

const ForecastBucket = ForecastSums.extend({
  kind: z.enum(['period', 'earlier', 'undated']).meta({
    description:
      '`period`; `earlier` for open opportunities that are expected to close before the first period, which are overdue if it is the current one; `undated` for those without `expectedCloseAt`',
    examples: ['period'],
  }),
  period: z
    .string()
    .nullable()
    .meta({ description: 'The month or quarter; null unless `kind` is `period`', examples: ['2026-03'] }),
  from: timestamp().nullable().describe('The beginning of the period in the time zone of the tenant'),
  to: timestamp()
    .nullable()
    .describe('The end of the period, which is the beginning of the next one; for `earlier` that of the first one'),
  groups: z
    .array(ForecastGroup)
    .meta({ description: 'The sums per owner, team or stage, with `groupBy`', examples: [[]] }),
});

/** The expected and won amounts per period. */
export const Forecast = Converted.extend({
  timezone: z.string().meta({ description: 'The time zone of the periods', examples: ['Europe/Berlin'] }),
  buckets: z
    .array(ForecastBucket)
    .describe('One entry per period, then one for earlier opportunities and one for those without a date'),
});

const owner = id('user').describe('Return only opportunities of this owner').optional();
const team = id('team').describe('Return only opportunities of this team').optional();
const pipeline = id('pipeline').describe('Return only opportunities of this pipeline').optional();
const target = currency().describe('The currency of the sums; that of the tenant by default').optional();

export const forecast = operations({
  getOpportunitySummary: {
    method: 'GET',
    path: '/v1/opportunities/summary',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'Sum opportunities per stage',
    description:
      'Sums the opportunities that the caller can read. Other currencies are converted. The filters are those of GET /v1/opportunities; with `valueMin` or `valueMax`, only opportunities in `currency` are summed.',
    query: z.object({
      ...opportunityFilters,
      createdFrom: timestamp().describe('Return only records created at this time or later').optional(),
      createdTo: timestamp().describe('Return only records created at this time or earlier').optional(),
      currency: target,
      groupBy: z.literal('stage').describe('The sums are always per stage').optional(),
    }),
    reply: OpportunitySummary,
    message: 'Summary retrieved',
  },
  getForecast: {
    method: 'GET',
    path: '/v1/opportunities/forecast',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'Forecast opportunities',
    description:
      'Sums open opportunities by `expectedCloseAt` and won ones by `closedAt`, per month or quarter in the time zone of the tenant. `from` is now by default; without `to`, the forecast has 12 months or 4 quarters. At most 24 periods. Without `ownerId` and `teamId`, callers limited to their own opportunities get the forecast of those that they own, and callers limited to one team get that of the team. With `groupBy`, owners and teams that have a quota for a period have a group, also without opportunities.',
    query: z.object({
      period: z.enum(['month', 'quarter']).describe('The length of the periods').default('month'),
      from: timestamp().describe('The forecast begins with the period of this time').optional(),
      to: timestamp().describe('The forecast ends with the period of this time').optional(),
      ownerId: owner,
      teamId: team,
      pipelineId: pipeline,
      currency: target,
      groupBy: z.enum(['owner', 'team', 'stage']).describe('Adds sums per owner, team or stage').optional(),
    }),
    reply: Forecast,
    message: 'Forecast retrieved',
  },
});
