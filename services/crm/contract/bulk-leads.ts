import {
  BulkReply,
  bulkErrors,
  bulkItemErrors,
  bulkItems,
  bulkItemsBodyMax,
  bulkItemsReply,
  bulkSelection,
  id,
  operations,
} from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors } from './custom-fields.ts';
import { leadAssigned, leadChanges, leadCreated, leadDeleted, leadUpdated } from './lead.ts';
import { externalIdErrors, leads, statusErrors } from './leads.ts';

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
  accountId: true,
  customFields: true,
  tags: true,
});

const itemResults =
  'The response has one result per item, in the order of the request: an item that breaks a rule, such as an `externalId` that another lead has, does not stop the others. A malformed item rejects the request, and nothing changes.';

// A request changes up to 250 leads, in one transaction.
const timeoutMs = 30_000;

export const bulkLeads = operations({
  bulkUpdateLeads: {
    method: 'POST',
    path: '/v1/leads:bulk-update',
    permission: 'leads:write',
    narrows: true,
    also: [...also, { permission: 'accounts:read', for: 'change.accountId' }],
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
  bulkCreateLeads: {
    method: 'POST',
    path: '/v1/leads:bulk-create',
    permission: 'leads:write',
    narrows: true,
    timeoutMs,
    bodyMax: bulkItemsBodyMax,
    // accounts:read, for items with an account.
    checksPermissions: true,
    summary: 'Create many leads',
    description: `Creates many leads, each as POST /v1/leads does, with an event and an entry in the audit log each. ${itemResults}`,
    body: z
      .object(bulkItems(leads.createLead.body))
      .meta({ examples: [{ items: [{ email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }] }] }),
    reply: bulkItemsReply('lead'),
    message: 'Leads created',
    emits: [leadCreated],
    errors: { ...customFieldErrors, ...externalIdErrors },
  },
  bulkUpsertLeads: {
    method: 'POST',
    path: '/v1/leads:bulk-upsert',
    permission: 'leads:write',
    narrows: true,
    timeoutMs,
    bodyMax: bulkItemsBodyMax,
    // accounts:read, for items with an account.
    checksPermissions: true,
    summary: 'Create or update many leads',
    description: `Updates the lead that has the key of the item, as PATCH /v1/leads/:id does, or creates it. The key \`email\` ignores case; an item is refused if several leads have its address. Concurrent requests with the same key create one lead. ${itemResults}`,
    body: z
      .object({
        key: z.enum(['email', 'externalId']).describe('The field that identifies a lead; every item needs it'),
        ...bulkItems(leads.updateLead.body),
      })
      .meta({
        examples: [{ key: 'email', items: [{ email: 'ada@example.com', firstName: 'Ada', lastName: 'King' }] }],
      }),
    reply: bulkItemsReply('lead'),
    message: 'Leads stored',
    emits: [leadCreated, ...leadChanges],
    errors: {
      ...statusErrors,
      ...externalIdErrors,
      ...bulkItemErrors,
      ...customFieldErrors,
      key_ambiguous: [409, 'Several leads have this key; merge them, or change them by id'],
    },
  },
});
