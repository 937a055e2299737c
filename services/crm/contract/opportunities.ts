import {
  amount,
  currency,
  flag,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  sharedErrors,
  timestamp,
  wholeNumber,
} from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors, customFieldFilters } from './custom-fields.ts';
import { leadConverted, leadUpdated } from './lead.ts';
import {
  ForecastCategory,
  Opportunity,
  OpportunityStatus,
  opportunityCreated,
  opportunityDeleted,
  opportunityLost,
  opportunityReopened,
  opportunityRestored,
  opportunityStageChanged,
  opportunityUpdated,
  opportunityWon,
} from './opportunity.ts';
import {
  Competitor,
  closedAt,
  MoveReason,
  Note,
  Notes,
  Probability,
  ReasonCode,
  StageCode,
} from './opportunity-fields.ts';
import { moveErrors } from './pipelines.ts';

const withId = z.object({ id: id('opportunity') });

const amountQuery = () => {
  const error = 'Must be a non-negative number with at most 4 decimals, such as 4800.5';
  return z.codec(z.string({ error }).regex(/^\d{1,12}(\.\d{1,4})?$/, { error }), amount(), {
    decode: Number,
    encode: String,
  });
};

/** The filters of the list of opportunities that its sums have too. */
export const opportunityFilters = {
  ...customFieldFilters,
  stage: StageCode.optional(),
  stageId: id('status_definition').optional(),
  pipelineId: id('pipeline').optional(),
  status: OpportunityStatus.optional(),
  ownerId: id('user').optional(),
  teamId: id('team').optional(),
  leadId: id('lead').optional(),
  accountId: id('account').optional(),
  partnerId: id('partner').optional(),
  valueMin: amountQuery()
    .describe('Return only opportunities with this value or a higher one, in one currency')
    .optional(),
  valueMax: amountQuery()
    .describe('Return only opportunities with this value or a lower one, in one currency')
    .optional(),
  closeFrom: timestamp().describe('Return only opportunities expected to close at this time or later').optional(),
  closeTo: timestamp().describe('Return only opportunities expected to close at this time or earlier').optional(),
  closedFrom: timestamp().describe('Return only opportunities won or lost at this time or later').optional(),
  closedTo: timestamp().describe('Return only opportunities won or lost at this time or earlier').optional(),
  staleDays: wholeNumber(1, 3650)
    .describe('Return only open opportunities that entered their stage at least this many days ago')
    .optional(),
};

/** The forecast category of an open deal; `closed` is set by winning it. */
export const OpenForecastCategory = ForecastCategory.exclude(['closed'], {
  error: 'Must be one of omitted, pipeline, best_case, commit; winning the deal sets closed',
}).meta({ description: 'The forecast category of the open deal', examples: ['pipeline'] });

/** The fields of an opportunity that a request can set, without those that a move to another stage changes. */
const writable = z.object({
  name: name(200),
  value: amount().optional(),
  currency: currency().optional(),
  probability: Probability.nullish().describe(
    'The probability of winning the deal, in percent. It then no longer follows the stage, until it is set to null.',
  ),
  forecastCategory: OpenForecastCategory.optional(),
  expectedCloseAt: timestamp().nullish().describe('When the deal is expected to close'),
  ownerId: id('user').nullish(),
  teamId: id('team').nullish(),
  accountId: id('account').nullish(),
  partnerId: id('partner').nullish(),
  customFields: freeForm().optional(),
  notes: Notes.nullish(),
});

const inAccount = { permission: 'accounts:read', for: 'accountId' } as const;
const ofPartner = { permission: 'partners:read', for: 'partnerId' } as const;

const hasLeadErrors = { opportunity_has_lead: [409, 'The opportunity belongs to a lead already'] } as const;

export const closedErrors = { opportunity_closed: [409, 'The opportunity is already closed'] } as const;

export const opportunities = operations({
  convertLead: {
    method: 'POST',
    path: '/v1/opportunities/convert',
    // A new opportunity is not narrowed, because the caller owns it unless they name another owner.
    permission: 'leads:write',
    also: ['opportunities:write', 'leads:read', inAccount, ofPartner],
    narrows: true,
    summary: 'Convert a lead into an opportunity',
    description:
      'Creates an opportunity, sets the status of the lead to qualified, and sets its `convertedOpportunityId`. The status of a converted lead cannot change. Defaults: `value` 0, the pipeline of the team or else the default one, its default stage, the currency of the tenant, the caller as owner, the team of the lead or else the only team of the caller, and the account and the partner of the lead. A lead without an account gets that of the opportunity. With `linkOpportunityId`, no opportunity is created: the lead is converted to an open opportunity that has no lead or this one, and other fields of the opportunity cannot be sent.',
    body: z.object({
      leadId: id('lead'),
      value: amount().optional(),
      currency: currency().optional(),
      stageId: id('status_definition').optional(),
      pipelineId: id('pipeline').optional(),
      name: name(200).optional(),
      expectedCloseAt: timestamp().nullish(),
      ownerId: id('user').nullish(),
      teamId: id('team').nullish(),
      accountId: id('account').nullish(),
      partnerId: id('partner').nullish(),
      customFields: freeForm().optional(),
      linkOpportunityId: id('opportunity')
        .describe('The open opportunity to link instead of creating one, without a lead or with this one')
        .optional(),
    }),
    reply: Opportunity,
    status: 201,
    message: 'Lead converted',
    emits: [opportunityCreated, opportunityUpdated, leadUpdated, leadConverted],
    errors: {
      lead_converted: [409, 'The lead is already converted'],
      ...hasLeadErrors,
      ...closedErrors,
      ...moveErrors,
      ...customFieldErrors,
    },
  },
  createOpportunity: {
    method: 'POST',
    path: '/v1/opportunities',
    permission: 'opportunities:write',
    also: [{ permission: 'leads:read', for: 'leadId' }, inAccount, ofPartner],
    narrows: true,
    summary: 'Create an opportunity',
    description:
      'Creates a deal without a conversion; a lead that it is about is not changed. Defaults: `value` 0, the pipeline of the team or else the default one, its default stage and the probability of that, the currency of the acting user or else of the tenant, the caller as owner, the account and the partner of the lead, and the team of the lead or else the only team of the owner.',
    body: writable
      .extend({
        leadId: id('lead').nullish(),
        stageId: id('status_definition').optional(),
        pipelineId: id('pipeline').optional(),
      })
      .meta({ examples: [{ name: 'Analytical Engines, rollout', value: 4800, currency: 'EUR' }] }),
    reply: Opportunity,
    status: 201,
    message: 'Opportunity created',
    emits: [opportunityCreated],
    errors: { ...moveErrors, ...customFieldErrors },
  },
  listOpportunities: {
    method: 'GET',
    path: '/v1/opportunities',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'List opportunities',
    description:
      '`search` covers the name. Amounts are compared within one currency: with `valueMin`, `valueMax` or a sort by `value`, the list has only opportunities in `currency`, by default that of the acting user or else of the tenant, and `meta.warnings` names the default. `closeFrom` and `closeTo` apply to `expectedCloseAt`.',
    query: listQuery(['createdAt', 'updatedAt', 'value', 'name', 'probability', 'expectedCloseAt'], '-createdAt', {
      byCustomFields: true,
    }).extend({
      ...opportunityFilters,
      currency: currency().optional(),
      deleted: flag()
        .describe('Return only deleted records (`true`), or only records that are not deleted (`false`, the default)')
        .optional(),
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
  updateOpportunity: {
    method: 'PATCH',
    path: '/v1/opportunities/:id',
    permission: 'opportunities:write',
    also: [{ permission: 'leads:read', for: 'leadId' }, inAccount, ofPartner],
    narrows: true,
    summary: 'Update an opportunity',
    description:
      'Changes the given fields. `customFields` is replaced as a whole. Of a closed deal only `customFields` and `notes` can change. The lead that was converted to the deal stays its `leadId`; /unconvert releases it. A deal without a partner gets that of its new lead. `stageId`, `stage` and `status` follow the rules of POST /v1/opportunities/:id/stage, /win, /lose and /reopen; `reasonCode`, `note`, `competitor`, `closedAt` and `reason` apply to this move.',
    params: withId,
    body: writable
      .partial()
      .extend({
        leadId: id('lead').nullish(),
        stageId: id('status_definition').optional(),
        stage: StageCode.optional(),
        status: OpportunityStatus.optional(),
        reasonCode: ReasonCode.nullish(),
        note: Note.nullish(),
        competitor: Competitor.nullish(),
        closedAt: closedAt(),
        reason: MoveReason.nullish(),
      })
      .meta({ examples: [{ value: 5200, expectedCloseAt: '2026-07-31T00:00:00.000Z' }] }),
    reply: Opportunity,
    message: 'Opportunity updated',
    emits: [opportunityUpdated, opportunityStageChanged, opportunityWon, opportunityLost, opportunityReopened],
    errors: { ...closedErrors, ...hasLeadErrors, ...moveErrors, ...customFieldErrors },
  },
  deleteOpportunity: {
    method: 'DELETE',
    path: '/v1/opportunities/:id',
    permission: 'opportunities:delete',
    narrows: true,
    summary: 'Delete an opportunity',
    description:
      'You can restore the opportunity for 30 days. Its lead stays converted, and commissions of a won deal stay; reopen the deal first to take them back.',
    params: withId,
    reply: z.object({ id: id('opportunity'), deleted: z.literal(true).describe('Always true') }),
    message: 'Opportunity deleted',
    emits: [opportunityDeleted],
  },
  restoreOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/restore',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Restore a deleted opportunity',
    description: 'Restores an opportunity that was deleted within the last 30 days.',
    params: withId,
    reply: Opportunity,
    message: 'Opportunity restored',
    emits: [opportunityRestored],
    errors: { not_deleted: sharedErrors.not_deleted, ...customFieldErrors },
  },
});
