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
import { accountCreated, accountDeleted, accountErrors, accounts, accountUpdated } from './accounts.ts';
import { customFieldErrors } from './custom-fields.ts';

const selection = bulkSelection(accounts.listAccounts.query);
// A response to a filter reveals how many accounts match it.
const ofFilter = { permission: accounts.listAccounts.permission, for: 'filter' } as const;
const exampleIds = ['khzasVT5ZxaVtyRs', '1djJZs2banxN2kyX'];
const inBackground =
  'With `ids`, the accounts are changed at once and the response has one result per id; an account that cannot be changed does not stop the others. With `filter` and `expectedCount`, the response is 202: the accounts that match now are changed by a background job. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the accounts that could not be changed.';
const itemResults =
  'The response has one result per item; an item that cannot be stored does not stop the others. A malformed item rejects the whole request.';

/** The fields that many accounts can share; the others identify one account. */
const change = accounts.updateAccount.body.pick({
  industry: true,
  ownerId: true,
  teamId: true,
  customFields: true,
  tags: true,
});
// Without the parent company, which could form a loop within the request.
const item = accounts.createAccount.body.omit({ parentAccountId: true });

// A request changes up to 250 accounts, in one transaction.
const timeoutMs = 30_000;

export const bulkAccounts = operations({
  bulkUpdateAccounts: {
    method: 'POST',
    path: '/v1/accounts:bulk-update',
    permission: 'accounts:write',
    also: [ofFilter],
    narrows: true,
    timeoutMs,
    summary: 'Update many accounts',
    description: `Makes the same change to many accounts, each as PATCH /v1/accounts/:id does, with an event and an entry in the audit log each. ${inBackground}`,
    body: z
      .object({ ...selection, change: change.describe('The fields to change, with their new values') })
      .meta({ examples: [{ ids: exampleIds, change: { industry: 'engineering' } }] }),
    reply: BulkReply,
    message: 'Accounts updated',
    emits: [accountUpdated],
    errors: { ...customFieldErrors, ...bulkErrors },
  },
  bulkAssignAccounts: {
    method: 'POST',
    path: '/v1/accounts:bulk-assign',
    permission: 'accounts:write',
    also: [ofFilter],
    narrows: true,
    timeoutMs,
    summary: 'Assign many accounts',
    description: `Gives many accounts to one owner, or to nobody. The accounts follow the owner into their team, unless \`teamId\` names another. ${inBackground}`,
    body: z
      .object({
        ...selection,
        ownerId: id('user').nullable().describe('The user to give the accounts to; null for nobody'),
        teamId: id('team').nullish().describe('The team of the accounts; by default that of the owner'),
      })
      .meta({ examples: [{ ids: exampleIds, ownerId: null }] }),
    reply: BulkReply,
    message: 'Accounts assigned',
    emits: [accountUpdated],
    errors: bulkErrors,
  },
  bulkDeleteAccounts: {
    method: 'POST',
    path: '/v1/accounts:bulk-delete',
    permission: 'accounts:delete',
    also: [ofFilter],
    narrows: true,
    timeoutMs,
    summary: 'Delete many accounts',
    description: `Deletes many accounts; those with open opportunities stay. You can restore each of them for 30 days. ${inBackground}`,
    body: z.object(selection).meta({ examples: [{ filter: { tag: 'fair-2024' }, expectedCount: 2 }] }),
    reply: BulkReply,
    message: 'Accounts deleted',
    emits: [accountDeleted],
    errors: { ...bulkErrors, ...accounts.deleteAccount.errors },
  },
  bulkCreateAccounts: {
    method: 'POST',
    path: '/v1/accounts:bulk-create',
    permission: 'accounts:write',
    narrows: true,
    timeoutMs,
    bodyMax: bulkItemsBodyMax,
    summary: 'Create many accounts',
    description: `Creates many accounts, each as POST /v1/accounts does, with an event and an entry in the audit log each. ${itemResults}`,
    body: z.object(bulkItems(item)).meta({ examples: [{ items: [{ name: 'Analytical Engines' }] }] }),
    reply: bulkItemsReply('account'),
    message: 'Accounts created',
    emits: [accountCreated],
    errors: { ...accountErrors, ...customFieldErrors },
  },
  bulkUpsertAccounts: {
    method: 'POST',
    path: '/v1/accounts:bulk-upsert',
    permission: 'accounts:write',
    narrows: true,
    timeoutMs,
    bodyMax: bulkItemsBodyMax,
    summary: 'Create or update many accounts',
    description: `Updates the account that has the key of the item, as PATCH /v1/accounts/:id does, or creates it. Concurrent requests with the same key create one account. ${itemResults}`,
    body: z
      .object({
        key: z.enum(['domain', 'externalId']).describe('The field that identifies an account; every item needs it'),
        ...bulkItems(item.partial()),
      })
      .meta({ examples: [{ key: 'domain', items: [{ domain: 'example.com', name: 'Analytical Engines' }] }] }),
    reply: bulkItemsReply('account'),
    message: 'Accounts stored',
    emits: [accountCreated, accountUpdated],
    errors: { ...accountErrors, ...customFieldErrors, ...bulkItemErrors },
  },
});
