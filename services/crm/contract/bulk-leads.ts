import { BulkReply, bulkErrors, bulkSelection, id, operations } from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors } from './custom-fields.ts';
import { leadAssigned, leadChanges, leadDeleted, leads, leadUpdated, statusErrors } from './leads.ts';

const selection = bulkSelection(leads.listLeads.query);
// A response to a filter reveals how many leads match it.
const also = [{ permission: leads.listLeads.permission, for: 'filter' }] as const;
const exampleIds = ['khzasVT5ZxaVtyRs', '1djJZs2banxN2kyX'];
const inBackground =
  'With `ids`, the leads are changed at once and the response has one result per id; a lead that cannot be changed does not stop the others. With `filter` and `expectedCount`, the response is 202: the leads that match now are changed by a background job. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the leads that could not be changed.';

/** The fields that many leads can share; the others identify one lead. */
const change = leads.updateLead.body.pick({
  source: true,
  status: true,
  statusCode: true,
  score: true,
  assignedTo: true,
  teamId: true,
  customFields: true,
  tags: true,
});

// A request changes up to 250 leads, in one transaction.
const timeoutMs = 30_000;

export const bulkLeads = operations({
  bulkUpdateLeads: {
    method: 'POST',
    path: '/v1/leads:bulk-update',
    permission: 'leads:write',
    narrows: true,
    also,
    timeoutMs,
    summary: 'Update many leads',
    description: `Makes the same change to many leads, each as PATCH /v1/leads/:id does, with an event and an entry in the audit log each. ${inBackground}`,
    body: z
      .object({ ...selection, change: change.describe('The fields to change, with their new values') })
      .meta({ examples: [{ ids: exampleIds, change: { score: 70, tags: ['fair-2026'] } }] }),
    reply: BulkReply,
    message: 'Leads updated',
    emits: leadChanges,
    errors: { ...statusErrors, ...customFieldErrors, ...bulkErrors },
  },
  bulkAssignLeads: {
    method: 'POST',
    path: '/v1/leads:bulk-assign',
    permission: 'leads:write',
    narrows: true,
    also,
    timeoutMs,
    summary: 'Assign many leads',
    description: `Assigns many leads to one user, or to nobody. The leads follow the user into their team, unless \`teamId\` names another. ${inBackground}`,
    body: z
      .object({
        ...selection,
        assignedTo: id('user').nullable().describe('The user to assign the leads to; null for nobody'),
        teamId: id('team').nullish().describe('The team of the leads; by default that of the user'),
      })
      .meta({ examples: [{ ids: exampleIds, assignedTo: null }] }),
    reply: BulkReply,
    message: 'Leads assigned',
    emits: [leadUpdated, leadAssigned],
    errors: bulkErrors,
  },
  bulkDeleteLeads: {
    method: 'POST',
    path: '/v1/leads:bulk-delete',
    permission: 'leads:delete',
    narrows: true,
    also,
    timeoutMs,
    summary: 'Delete many leads',
    description: `Deletes many leads. You can restore each of them for 30 days. ${inBackground}`,
    body: z.object(selection).meta({ examples: [{ filter: { tag: 'fair-2024' }, expectedCount: 2 }] }),
    reply: BulkReply,
    message: 'Leads deleted',
    emits: [leadDeleted],
    errors: bulkErrors,
  },
});
