import { amount, currency, event, freeForm, id, name, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Competitor, Note, Notes, ReasonCode, StageCode } from './opportunity-fields.ts';

export const opportunityStatuses = ['open', 'won', 'lost'] as const;
export const forecastCategories = ['omitted', 'pipeline', 'best_case', 'commit', 'closed'] as const;

export const OpportunityStatus = z.enum(opportunityStatuses).describe('Whether the opportunity is open, won or lost');
export const ForecastCategory = z
  .enum(forecastCategories)
  .describe('The forecast category of the opportunity, from `omitted` (not at all) to `commit` (certain) and `closed`');
export const DealResult = z.enum(['won', 'lost']).describe('Whether the deal was won or lost');

export const Outcome = z.object({
  result: DealResult,
  reasonCode: ReasonCode.nullable(),
  note: Note.nullable(),
  competitor: Competitor.nullable(),
  byUserId: id('user').nullable().describe('The user who closed the deal'),
});

export const opportunityStates = stateTable<(typeof opportunityStatuses)[number]>('Opportunity', {
  created: { open: 'createOpportunity' },
  changes: {
    open: { won: 'winOpportunity', lost: 'loseOpportunity' },
    won: { open: 'reopenOpportunity' },
    lost: { open: 'reopenOpportunity' },
  },
});

export const Opportunity = z.object({
  id: id('opportunity'),
  tenantId: id('tenant'),
  name: name(200).meta({ examples: ['Analytical Engines, rollout'] }),
  leadId: id('lead').nullable().describe('The lead that the deal is about'),
  accountId: id('account').nullable().describe('The account (company) that the opportunity belongs to'),
  value: amount(),
  currency: currency(),
  status: OpportunityStatus.meta({ examples: ['open'] }),
  allowedTransitions: z
    .array(OpportunityStatus)
    .meta({ description: 'The statuses that this opportunity can currently change to', examples: [['won', 'lost']] }),
  // Null only in events of the previous release.
  pipelineId: id('pipeline').nullable().describe('The pipeline of the stage'),
  stage: StageCode,
  stageId: id('status_definition').describe('The definition of the stage'),
  probability: z.int().meta({ description: 'The probability of winning the deal, in percent', examples: [10] }),
  probabilityOverridden: z.boolean().meta({
    description: 'Whether the probability was set by a user; otherwise it follows the stage',
    examples: [false],
  }),
  forecastCategory: ForecastCategory.meta({ examples: ['pipeline'] }),
  expectedCloseAt: timestamp()
    .nullable()
    .meta({ description: 'When the deal is expected to close', examples: ['2026-06-30T00:00:00.000Z'] }),
  closedAt: timestamp()
    .nullable()
    .meta({ description: 'When the deal was won or lost', examples: [null] }),
  ownerId: id('user').nullable().describe('The user who owns the opportunity'),
  teamId: id('team').nullable().describe('The team that the opportunity belongs to'),
  partnerId: id('partner').nullable().describe('The partner that the deal belongs to'),
  customFields: freeForm(),
  notes: Notes.nullable(),
  outcome: Outcome.nullable().meta({ description: 'The outcome of the deal; null while it is open', examples: [null] }),
  daysInStage: z
    .int()
    .meta({ description: 'The number of whole days since the opportunity entered its stage', examples: [4] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const exampleId = 'v578tejzVOHTvRhl';
// Events of an earlier release that still wait in a queue have no currency.
const EventCurrency = currency().optional();
// Records in events of an earlier release lack these fields.
const whenMissing = { record: { probabilityOverridden: false, customFields: {} } };

export const opportunityCreated = event('opportunity.created', {
  group: 'opportunities',
  readPermission: 'opportunities:read',
  description: 'A new opportunity is opened',
  action: 'opportunity.create',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), value: amount(), currency: EventCurrency, stage: StageCode }),
  record: Opportunity,
  whenMissing,
  example: { opportunityId: exampleId, value: 4800, currency: 'EUR', stage: 'prospecting' },
});

export const opportunityUpdated = event('opportunity.updated', {
  description: 'Opportunity fields are modified',
  action: 'opportunity.update',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), fields: z.array(z.string()) }),
  record: Opportunity,
  whenMissing,
});

export const opportunityStageChanged = event('opportunity.stage_changed', {
  group: 'opportunities',
  readPermission: 'opportunities:read',
  description: 'An opportunity moves to a new stage',
  action: 'opportunity.change_stage',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), from: StageCode, to: StageCode }),
  record: Opportunity,
  whenMissing,
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
  whenMissing,
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
  whenMissing,
  example: { opportunityId: exampleId, reason: 'price' },
});

export const opportunityReopened = event('opportunity.reopened', {
  description: 'A won or lost deal is opened again',
  action: 'opportunity.reopen',
  target: 'opportunity',
  data: z.object({
    opportunityId: id('opportunity'),
    result: DealResult.describe('The result that no longer applies'),
    reason: text(500).nullable(),
  }),
  record: Opportunity,
  whenMissing,
});

export const opportunityDeleted = event('opportunity.deleted', {
  description: 'An opportunity is removed',
  action: 'opportunity.delete',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity'), reason: text(500).nullable() }),
  record: Opportunity,
});

export const opportunityRestored = event('opportunity.restored', {
  description: 'A deleted opportunity is restored',
  action: 'opportunity.restore',
  target: 'opportunity',
  data: z.object({ opportunityId: id('opportunity') }),
  record: Opportunity,
});
