import {
  amount,
  code,
  currency,
  event,
  id,
  listQuery,
  name,
  operations,
  page,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { leadConverted, leadUpdated } from './leads.ts';

export const opportunityStatuses = ['open', 'won', 'lost'] as const;
export const forecastCategories = ['omitted', 'pipeline', 'best_case', 'commit', 'closed'] as const;

export const OpportunityStatus = z.enum(opportunityStatuses).describe('Whether the opportunity is open, won or lost');
export const ForecastCategory = z
  .enum(forecastCategories)
  .describe('The forecast category of the opportunity, from `omitted` (not at all) to `commit` (certain) and `closed`');
// Not an enum, because each tenant defines its own stages.
const Stage = code().meta({ description: 'The code of the stage', examples: ['prospecting'] });
const Competitor = name(200).meta({ description: 'The competitor that won the deal', examples: ['Difference Ltd'] });
const ReasonCode = code().meta({
  description: 'The reason for the outcome, as a custom code: lower-case letters, digits and underscores',
  examples: ['price'],
});
const Note = text(2000).meta({
  description: 'A note about the outcome',
  examples: ['Signed for two years'],
});
export const DealResult = z.enum(['won', 'lost']).describe('Whether the deal was won or lost');

export const Outcome = z.object({
  result: DealResult,
  reasonCode: ReasonCode.nullable(),
  note: Note.nullable(),
  competitor: Competitor.nullable(),
  byUserId: id('user').nullable().describe('The user who closed the deal'),
});

export const opportunityStates = stateTable<(typeof opportunityStatuses)[number]>('Opportunity', {
  created: { open: 'convertLead' },
  changes: { open: { won: 'winOpportunity', lost: 'loseOpportunity' }, won: {}, lost: {} },
});

export const Opportunity = z.object({
  id: id('opportunity'),
  tenantId: id('tenant'),
  name: name(200).meta({ examples: ['Analytical Engines, rollout'] }),
  leadId: id('lead').nullable().describe('The lead that was converted'),
  accountId: id('account').nullable().describe('The account (company) that the opportunity belongs to'),
  value: amount(),
  currency: currency(),
  status: OpportunityStatus.meta({ examples: ['open'] }),
  allowedTransitions: z
    .array(OpportunityStatus)
    .meta({ description: 'The statuses that this opportunity can currently change to', examples: [['won', 'lost']] }),
  // Null only in events of the previous release.
  pipelineId: id('pipeline').nullable().describe('The pipeline of the stage'),
  stage: Stage,
  stageId: id('status_definition').describe('The definition of the stage'),
  probability: z.int().meta({ description: 'The probability of winning the deal, in percent', examples: [10] }),
  forecastCategory: ForecastCategory.meta({ examples: ['pipeline'] }),
  expectedCloseAt: timestamp()
    .nullable()
    .meta({ description: 'When the deal is expected to close', examples: ['2026-06-30T00:00:00.000Z'] }),
  closedAt: timestamp()
    .nullable()
    .meta({ description: 'When the deal was won or lost', examples: [null] }),
  ownerId: id('user').nullable().describe('The user who owns the opportunity'),
  teamId: id('team').nullable().describe('The team that the opportunity belongs to'),
  outcome: Outcome.nullable().meta({ description: 'The outcome of the deal; null while it is open', examples: [null] }),
  daysInStage: z
    .int()
    .meta({ description: 'The number of whole days since the opportunity entered its stage', examples: [4] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('opportunity') });
const exampleId = 'v578tejzVOHTvRhl';
// Events of an earlier release that still wait in a queue have no currency.
const EventCurrency = currency().optional();

export const opportunityCreated = event('opportunity.created', {
  group: 'opportunities',
  readPermission: 'opportunities:read',
  description: 'A new opportunity is opened',
  action: 'opportunity.create',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), value: amount(), currency: EventCurrency, stage: Stage }),
  record: Opportunity,
  example: { opportunityId: exampleId, value: 4800, currency: 'EUR', stage: 'prospecting' },
});

export const opportunityUpdated = event('opportunity.updated', {
  description: 'Opportunity fields are modified',
  action: 'opportunity.update',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), fields: z.array(z.string()) }),
  record: Opportunity,
});

export const opportunityStageChanged = event('opportunity.stage_changed', {
  group: 'opportunities',
  readPermission: 'opportunities:read',
  description: 'An opportunity moves to a new stage',
  action: 'opportunity.change_stage',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), from: Stage, to: Stage }),
  record: Opportunity,
  example: { opportunityId: exampleId, from: 'prospecting', to: 'proposal' },
});

export const opportunityWon = event('opportunity.won', {
  group: 'opportunities',
  readPermission: 'opportunities:read',
  description: 'A deal is marked won',
  action: 'opportunity.win',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), value: amount(), currency: EventCurrency }),
  record: Opportunity,
  example: { opportunityId: exampleId, value: 4800, currency: 'EUR' },
});

export const opportunityLost = event('opportunity.lost', {
  group: 'opportunities',
  readPermission: 'opportunities:read',
  description: 'A deal is marked lost',
  action: 'opportunity.lose',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), reason: text(500).describe('The reason why the deal was lost') }),
  record: Opportunity,
  example: { opportunityId: exampleId, reason: 'price' },
});

/** Example of a closed opportunity. */
function closedAs(result: 'won' | 'lost', outcome: Record<string, string>) {
  return {
    status: result,
    allowedTransitions: ['open'],
    stage: `closed_${result}`,
    probability: result === 'won' ? 100 : 0,
    forecastCategory: 'closed',
    closedAt: '2026-03-04T16:40:00.000Z',
    daysInStage: 0,
    outcome: { result, reasonCode: null, note: null, competitor: null, byUserId: null, ...outcome },
  };
}

const closed = { opportunity_closed: [409, 'The opportunity is already closed'] } as const;
const amountQuery = () => {
  const error = 'Must be a non-negative number with at most 4 decimals, such as 4800.5';
  return z.codec(z.string({ error }).regex(/^\d{1,12}(\.\d{1,4})?$/, { error }), amount(), {
    decode: Number,
    encode: String,
  });
};

const closedAt = () =>
  timestamp()
    .describe(
      'When the deal was closed. Must be between the creation of the opportunity and now, with a tolerance of one minute. Defaults to now.',
    )
    .optional();

export const opportunities = operations({
  convertLead: {
    method: 'POST',
    path: '/v1/opportunities/convert',
    // A narrowed permission is checked on the lead only, because the caller owns the opportunity that they create.
    permission: 'leads:write',
    also: ['opportunities:write', 'leads:read'],
    narrows: true,
    summary: 'Convert a lead into an opportunity',
    description:
      'Creates an opportunity, sets the status of the lead to qualified, and sets its `convertedOpportunityId`. The status of a converted lead cannot change. Defaults: `value` 0, the default stage, the currency of the tenant, the caller as owner, and the team of the lead or else the only team of the caller. The opportunity belongs to the account of the lead.',
    body: z.object({
      leadId: id('lead'),
      value: amount().optional(),
      currency: currency().optional(),
      stageId: id('status_definition').optional(),
      name: name(200).optional(),
      expectedCloseAt: timestamp().nullish(),
      ownerId: id('user').nullish(),
      teamId: id('team').nullish(),
    }),
    reply: Opportunity,
    status: 201,
    message: 'Lead converted',
    emits: [opportunityCreated, leadUpdated, leadConverted],
    errors: { lead_converted: [409, 'The lead is already converted'] },
  },
  listOpportunities: {
    method: 'GET',
    path: '/v1/opportunities',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'List opportunities',
    description:
      '`search` covers the name. `valueMin` and `valueMax` compare amounts regardless of their currency. `closeFrom` and `closeTo` apply to `expectedCloseAt`.',
    query: listQuery(['createdAt', 'updatedAt', 'value', 'name', 'probability', 'expectedCloseAt']).extend({
      stage: Stage.optional(),
      stageId: id('status_definition').optional(),
      status: OpportunityStatus.optional(),
      ownerId: id('user').optional(),
      teamId: id('team').optional(),
      leadId: id('lead').optional(),
      accountId: id('account').optional(),
      currency: currency().optional(),
      valueMin: amountQuery()
        .describe('Return only opportunities with this value or a higher one, in any currency')
        .optional(),
      valueMax: amountQuery()
        .describe('Return only opportunities with this value or a lower one, in any currency')
        .optional(),
      closeFrom: timestamp().describe('Return only opportunities expected to close at this time or later').optional(),
      closeTo: timestamp().describe('Return only opportunities expected to close at this time or earlier').optional(),
    }),
    reply: page(Opportunity),
    message: 'Opportunities retrieved',
  },
  getOpportunity: {
    method: 'GET',
    path: '/v1/opportunities/:id',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'Retrieve an opportunity',
    params: withId,
    reply: Opportunity,
    message: 'Opportunity retrieved',
  },
  winOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/win',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Mark an opportunity as won',
    description: 'Moves the opportunity to the first won stage and sets its probability to 100 %.',
    params: withId,
    body: z
      .object({
        value: amount().optional(),
        closedAt: closedAt(),
        reasonCode: ReasonCode.nullish(),
        note: Note.nullish(),
      })
      .meta({ examples: [{ reasonCode: 'price', note: 'Signed for two years' }] }),
    reply: Opportunity,
    example: closedAs('won', { reasonCode: 'price', note: 'Signed for two years' }),
    message: 'Opportunity won',
    emits: [opportunityStageChanged, opportunityWon],
    errors: closed,
  },
  loseOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/lose',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Mark an opportunity as lost',
    description: 'Moves the opportunity to the first lost stage (closed and not won) and sets its probability to 0 %.',
    params: withId,
    body: z
      .object({
        reasonCode: ReasonCode,
        note: Note.nullish(),
        competitor: Competitor.nullish(),
        closedAt: closedAt(),
      })
      .meta({ examples: [{ reasonCode: 'price', competitor: 'Difference Ltd' }] }),
    reply: Opportunity,
    example: closedAs('lost', { reasonCode: 'price', competitor: 'Difference Ltd' }),
    message: 'Opportunity lost',
    emits: [opportunityStageChanged, opportunityLost],
    errors: closed,
  },
});
