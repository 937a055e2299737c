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
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { oneOf } from './fields.ts';
import { leadConverted, leadUpdated } from './leads.ts';

export const opportunityStatuses = ['open', 'won', 'lost'] as const;
export const forecastCategories = ['omitted', 'pipeline', 'best_case', 'commit', 'closed'] as const;

const OpportunityStatus = oneOf(opportunityStatuses);
/** The code of a stage; each tenant defines its own. */
const Stage = code();
const Competitor = name(200);

/** How a deal ended. */
const Outcome = z.object({
  result: z.enum(['won', 'lost']),
  reasonCode: code().nullable(),
  note: text(2000).nullable(),
  competitor: Competitor.nullable(),
  byUserId: id('user').nullable(),
});

export const Opportunity = z.object({
  id: id('opportunity'),
  tenantId: id('tenant'),
  name: name(200),
  leadId: id('lead').nullable(),
  /** Major units of the currency. */
  value: amount(),
  currency: currency(),
  status: OpportunityStatus,
  /** The statuses that this opportunity may move to now. */
  allowedTransitions: z.array(OpportunityStatus),
  stage: Stage,
  stageId: id('status_definition'),
  /** How likely it is won, in percent. */
  probability: z.int(),
  forecastCategory: z.enum(forecastCategories),
  expectedCloseAt: timestamp().nullable(),
  closedAt: timestamp().nullable(),
  ownerId: id('user').nullable(),
  teamId: id('team').nullable(),
  outcome: Outcome.nullable(),
  /** Whole days since it entered the stage. */
  daysInStage: z.int(),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('opportunity') });
const exampleId = 'Fz6HmT1wYd83KsPc';
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
  data: z.object({ opportunityId: id('opportunity'), reason: text(500) }),
  record: Opportunity,
  example: { opportunityId: exampleId, reason: 'price' },
});

const closed = { opportunity_closed: [409, 'The opportunity is closed already'] } as const;
const amountQuery = () => {
  const error = 'Must be a number that is not negative';
  return z.codec(z.string({ error }).regex(/^\d{1,12}(\.\d{1,4})?$/, { error }), amount(), {
    decode: Number,
    encode: String,
  });
};

const closedAt = () =>
  timestamp()
    .describe('From the creation of the opportunity until now, with a tolerance of a minute; default now')
    .optional();

export const opportunities = operations({
  convertLead: {
    method: 'POST',
    path: '/v1/opportunities/convert',
    // The record that exists is the lead; the opportunity is made by the caller, and so is their own.
    permission: 'leads:write',
    also: ['opportunities:write'],
    narrows: true,
    summary: 'Convert a lead into an opportunity',
    description:
      'The lead becomes qualified and names the opportunity in convertedOpportunityId; its status stays as it is from then on. Without value it is 0, without stageId the opportunity starts in the default stage, without currency it has that of the tenant, without ownerId it belongs to who converts it, without teamId to the team of the lead, or to the only team of who converts it.',
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
    errors: { lead_converted: [409, 'The lead has been converted already'] },
  },
  listOpportunities: {
    method: 'GET',
    path: '/v1/opportunities',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'List opportunities',
    description:
      '`search` looks into the name. valueMin and valueMax compare amounts as they stand, whatever their currency. closeFrom and closeTo are about expectedCloseAt.',
    query: listQuery(['createdAt', 'updatedAt', 'value', 'name', 'probability', 'expectedCloseAt']).extend({
      stage: Stage.optional(),
      stageId: id('status_definition').optional(),
      status: OpportunityStatus.optional(),
      ownerId: id('user').optional(),
      teamId: id('team').optional(),
      leadId: id('lead').optional(),
      currency: currency().optional(),
      valueMin: amountQuery().optional(),
      valueMax: amountQuery().optional(),
      closeFrom: timestamp().optional(),
      closeTo: timestamp().optional(),
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
    summary: 'Mark a deal won',
    description: 'It moves to the first stage that is won, and counts with 100 %.',
    params: withId,
    body: z.object({
      value: amount().optional(),
      closedAt: closedAt(),
      reasonCode: code().nullish(),
      note: text(2000).nullish(),
    }),
    reply: Opportunity,
    message: 'Opportunity won',
    emits: [opportunityStageChanged, opportunityWon],
    errors: closed,
  },
  loseOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/lose',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Mark a deal lost',
    description: 'It moves to the first stage that is closed and not won, and counts with 0 %.',
    params: withId,
    body: z.object({
      reasonCode: code(),
      note: text(2000).nullish(),
      competitor: Competitor.nullish(),
      closedAt: closedAt(),
    }),
    reply: Opportunity,
    message: 'Opportunity lost',
    emits: [opportunityStageChanged, opportunityLost],
    errors: closed,
  },
});
