import { BulkReply, bulkErrors, bulkSelection, id, operations } from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors } from './custom-fields.ts';
import { closedErrors, opportunities } from './opportunities.ts';
import {
  opportunityDeleted,
  opportunityLost,
  opportunityReopened,
  opportunityStageChanged,
  opportunityUpdated,
  opportunityWon,
} from './opportunity.ts';
import { moveErrors } from './pipelines.ts';

const selection = bulkSelection(opportunities.listOpportunities.query);
// A response to a filter reveals how many opportunities match it.
const ofFilter = { permission: opportunities.listOpportunities.permission, for: 'filter' } as const;
const exampleIds = ['I9Lchl0YhMgLRmeX', '5KAlh9Hk9DKHf5cM'];
const inBackground =
  'With `ids`, the opportunities are changed at once and the response has one result per id; one that cannot be changed does not stop the others. With `filter` and `expectedCount`, the response is 202: the opportunities that match now are changed by a background job. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the opportunities that could not be changed.';

/** The fields that many opportunities can share; the others belong to one deal. */
const change = opportunities.updateOpportunity.body.omit({
  name: true,
  value: true,
  currency: true,
  notes: true,
  leadId: true,
});

// A request changes up to 250 opportunities, in one transaction.
const common = {
  method: 'POST',
  permission: 'opportunities:write',
  narrows: true,
  timeoutMs: 30_000,
  reply: BulkReply,
} as const;

export const bulkOpportunities = operations({
  bulkUpdateOpportunities: {
    ...common,
    path: '/v1/opportunities:bulk-update',
    also: [
      ofFilter,
      { permission: 'accounts:read', for: 'change.accountId' },
      { permission: 'partners:read', for: 'change.partnerId' },
    ],
    summary: 'Update many opportunities',
    description: `Makes the same change to many opportunities, each as PATCH /v1/opportunities/:id does, with an event and an entry in the audit log each. A move to another stage, and a result, are such changes too. ${inBackground}`,
    body: z
      .object({ ...selection, change: change.describe('The fields to change, with their new values') })
      .meta({ examples: [{ ids: exampleIds, change: { forecastCategory: 'commit' } }] }),
    message: 'Opportunities updated',
    emits: [opportunityUpdated, opportunityStageChanged, opportunityWon, opportunityLost, opportunityReopened],
    errors: { ...bulkErrors, ...closedErrors, ...moveErrors, ...customFieldErrors },
  },
  bulkAssignOpportunities: {
    ...common,
    path: '/v1/opportunities:bulk-assign',
    also: [ofFilter],
    summary: 'Assign many opportunities',
    description: `Gives many open opportunities to one owner, or to nobody. The opportunities follow the owner into their team, unless \`teamId\` names another. ${inBackground}`,
    body: z
      .object({
        ...selection,
        ownerId: id('user').nullable().describe('The user to give the opportunities to; null for nobody'),
        teamId: id('team').nullish().describe('The team of the opportunities; by default that of the owner'),
      })
      .meta({ examples: [{ ids: exampleIds, ownerId: null }] }),
    message: 'Opportunities assigned',
    emits: [opportunityUpdated],
    errors: { ...bulkErrors, ...closedErrors },
  },
  bulkDeleteOpportunities: {
    ...common,
    path: '/v1/opportunities:bulk-delete',
    permission: 'opportunities:delete',
    also: [ofFilter],
    summary: 'Delete many opportunities',
    description: `Deletes many opportunities, each as DELETE /v1/opportunities/:id does. You can restore each of them for 30 days. ${inBackground}`,
    body: z.object(selection).meta({ examples: [{ filter: { status: 'lost' }, expectedCount: 2 }] }),
    message: 'Opportunities deleted',
    emits: [opportunityDeleted],
    errors: bulkErrors,
  },
});
