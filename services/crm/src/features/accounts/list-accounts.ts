import type { accounts } from '@tandem/crm-contract';
import type { ListFilter } from '@tandem/service';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { jsonValuesOf } from '../leads/list-leads.ts';
import { asAccount } from './account.ts';

export const listAccounts: Handler<typeof accounts.listAccounts> = async ({ query, tx, list }) => {
  const page = await list({ model: tx.account, ...listedAccounts(query), nullable: ['domain'] });
  return { ...page, items: page.items.map(asAccount) };
};

/** The accounts that the list has for its filters. */
export function listedAccounts(filters: Partial<z.output<typeof accounts.listAccounts.query>>): ListFilter {
  const { ownerId, teamId, domain, industry, parentAccountId, tag, deleted, customFields } = filters;
  return {
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
      ...(domain && { domain }),
      ...(industry && { industry }),
      ...(parentAccountId !== undefined && { parentAccountId }),
      ...(tag && { tags: { has: tag } }),
    },
    and: Object.entries(customFields ?? {}).map(([key, text]) => ({
      OR: jsonValuesOf(text).map((value) => ({ customFields: { path: [key], equals: value } })),
    })),
    searchIn: ['name', 'domain', 'externalId'],
  };
}
