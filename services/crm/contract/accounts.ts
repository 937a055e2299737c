import {
  domain,
  event,
  flag,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  sharedErrors,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { customFieldErrors, customFieldFilters } from './custom-fields.ts';
import { Lead, LeadStatus } from './lead.ts';
import { Opportunity, OpportunityStatus } from './opportunity.ts';

const Tags = z
  .array(name(50))
  .max(50, 'Must contain at most 50 tags')
  .meta({ description: 'Custom labels, at most 50', examples: [['key-account']] });
const Industry = name(100).meta({ description: 'The industry of the company', examples: ['engineering'] });
const Size = z
  .int('Must be a whole number')
  .min(0, 'Must be at least 0')
  .max(100_000_000, 'Must be at most 100000000')
  .meta({ description: 'The number of employees', examples: [250] });
const Website = z
  .url({ protocol: /^https?$/, error: 'Must be a URL that begins with http:// or https://' })
  .max(2048, 'Must be at most 2048 characters')
  .meta({ description: 'The address of the website', examples: ['https://www.example.com'] });
const ExternalId = text(255)
  .min(1, 'Must not be empty')
  .meta({ description: 'The id of the account in your own system; unique', examples: ['crm-884'] });
const part = (max: number, description: string, example: string) =>
  text(max)
    .nullable()
    .meta({ description, examples: [example] });

export const Address = z
  .object({
    street: part(500, 'The street and the number', '12 St James Square'),
    city: part(200, 'The city', 'London'),
    postalCode: part(32, 'The postal code', 'SW1Y 4JH'),
    region: part(200, 'The region or the state', 'Greater London'),
    country: part(100, 'The country', 'GB'),
  })
  .describe('The postal address');

export const Account = z.object({
  id: id('account'),
  tenantId: id('tenant'),
  name: name(200).meta({ description: 'The name of the company', examples: ['Analytical Engines'] }),
  domain: domain().nullable(),
  industry: Industry.nullable(),
  size: Size.nullable(),
  website: Website.nullable(),
  phone: phone().nullable(),
  address: Address,
  ownerId: id('user').nullable().describe('The user who owns the account'),
  teamId: id('team').nullable().describe('The team that the account belongs to'),
  parentAccountId: id('account').nullable().describe('The account of the parent company'),
  customFields: freeForm(),
  tags: Tags,
  externalId: ExternalId.nullable(),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The fields that a client sets. */
export const writableAccount = Account.pick({ name: true }).extend({
  domain: domain().nullish(),
  industry: Industry.nullish(),
  size: Size.nullish(),
  website: Website.nullish(),
  phone: phone().nullish(),
  address: Address.partial().describe('The postal address').nullish(),
  ownerId: id('user').nullish(),
  teamId: id('team').nullish(),
  parentAccountId: id('account').nullish(),
  customFields: freeForm().optional(),
  tags: Tags.optional(),
  externalId: ExternalId.nullish(),
});

const withId = z.object({ id: id('account') });
const subject = { target: 'account', record: Account } as const;

export const accountCreated = event('account.created', {
  ...subject,
  description: 'A new account is created',
  action: 'account.create',
  data: z.object({ accountId: id('account') }),
});

export const accountUpdated = event('account.updated', {
  ...subject,
  description: 'Account fields are modified',
  action: 'account.update',
  data: z.object({ accountId: id('account'), fields: z.array(z.string()) }),
});

export const accountDeleted = event('account.deleted', {
  ...subject,
  description: 'An account is removed, or merged into another one',
  action: 'account.delete',
  data: z.object({ accountId: id('account'), mergedIntoId: id('account').nullable() }),
});

export const accountRestored = event('account.restored', {
  ...subject,
  description: 'A deleted account is restored',
  action: 'account.restore',
  data: z.object({ accountId: id('account') }),
});

/** Errors of a field that must be unique or must not form a loop. */
export const accountErrors = {
  domain_taken: [409, 'Another account has this domain'],
  external_id_taken: [409, 'Another account has this externalId'],
  parent_loop: [409, 'The parent company cannot be the account itself or one of its subsidiaries'],
} as const;

/** Maximum number of levels of parent companies. */
export const accountLevelsMax = 10;

export const accounts = operations({
  createAccount: {
    method: 'POST',
    path: '/v1/accounts',
    permission: 'accounts:write',
    also: [{ permission: 'accounts:read', for: 'parentAccountId' }],
    narrows: true,
    summary: 'Create an account',
    description: `An account is a company that leads and opportunities belong to. \`domain\` is stored in lower case and punycode, and is unique. Leads without an account whose e-mail address has this domain are moved to the account in the background, except for domains of public mail providers. \`ownerId\` defaults to the acting user; \`teamId\` to the only team of the owner. At most ${accountLevelsMax} levels of parent companies.`,
    body: writableAccount,
    reply: Account,
    status: 201,
    message: 'Account created',
    emits: [accountCreated],
    errors: { ...accountErrors, ...customFieldErrors },
  },
  listAccounts: {
    method: 'GET',
    path: '/v1/accounts',
    permission: 'accounts:read',
    narrows: true,
    summary: 'List accounts',
    description: '`search` covers the name, the domain and `externalId`.',
    query: listQuery(['createdAt', 'updatedAt', 'name', 'domain'], '-createdAt', { byCustomFields: true }).extend({
      ownerId: id('user').optional(),
      teamId: id('team').optional(),
      domain: domain().optional(),
      industry: Industry.optional(),
      parentAccountId: id('account').optional(),
      externalId: text(255).describe('Return only the account with this `externalId`').optional(),
      tag: text(50)
        .meta({ description: 'Return only accounts with this tag', examples: ['key-account'] })
        .optional(),
      deleted: flag()
        .describe('Return only deleted records (`true`), or only records that are not deleted (`false`, the default)')
        .optional(),
      ...customFieldFilters,
    }),
    reply: page(Account),
    message: 'Accounts retrieved',
  },
  getAccount: {
    method: 'GET',
    path: '/v1/accounts/:id',
    permission: 'accounts:read',
    narrows: true,
    summary: 'Retrieve an account',
    params: withId,
    reply: Account,
    message: 'Account retrieved',
  },
  updateAccount: {
    method: 'PATCH',
    path: '/v1/accounts/:id',
    permission: 'accounts:write',
    also: [{ permission: 'accounts:read', for: 'parentAccountId' }],
    narrows: true,
    summary: 'Update an account',
    description:
      'Changes the given fields. `address` and `customFields` are replaced as a whole. The account follows a new owner into their team, unless `teamId` names another. A new domain takes the leads without an account, as at the creation; leads that already belong to the account stay.',
    params: withId,
    body: writableAccount.partial(),
    reply: Account,
    message: 'Account updated',
    emits: [accountUpdated],
    errors: { ...accountErrors, ...customFieldErrors },
  },
  deleteAccount: {
    method: 'DELETE',
    path: '/v1/accounts/:id',
    permission: 'accounts:delete',
    narrows: true,
    summary: 'Delete an account',
    description:
      'You can restore the account for 30 days. Its leads, opportunities and subsidiaries keep its id. An account with open opportunities cannot be deleted.',
    params: withId,
    reply: z.object({ id: id('account'), deleted: z.literal(true).describe('Always true') }),
    message: 'Account deleted',
    emits: [accountDeleted],
    errors: { open_opportunities: [409, 'The account has open opportunities; close them or move them first'] },
  },
  restoreAccount: {
    method: 'POST',
    path: '/v1/accounts/:id/restore',
    permission: 'accounts:write',
    narrows: true,
    summary: 'Restore a deleted account',
    description:
      'Restores an account that was deleted within the last 30 days. Its domain and `externalId` must still be free.',
    params: withId,
    reply: Account,
    message: 'Account restored',
    emits: [accountRestored],
    errors: {
      not_deleted: sharedErrors.not_deleted,
      already_merged: [409, 'The account was merged into another one'],
      ...accountErrors,
      ...customFieldErrors,
    },
  },
  listAccountLeads: {
    method: 'GET',
    path: '/v1/accounts/:id/leads',
    permission: 'leads:read',
    also: ['accounts:read'],
    narrows: true,
    summary: 'List the leads of an account',
    description: 'GET /v1/leads with `accountId` has further filters and sorts.',
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: LeadStatus.optional() }),
    reply: page(Lead),
    message: 'Leads retrieved',
  },
  listAccountOpportunities: {
    method: 'GET',
    path: '/v1/accounts/:id/opportunities',
    permission: 'opportunities:read',
    also: ['accounts:read'],
    narrows: true,
    summary: 'List the opportunities of an account',
    description: 'GET /v1/opportunities with `accountId` has further filters and sorts.',
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: OpportunityStatus.optional() }),
    reply: page(Opportunity),
    message: 'Opportunities retrieved',
  },
});
