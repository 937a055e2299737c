import type { accounts } from '@tandem/crm-contract';
import type { ListFilter } from '@tandem/service';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { type CustomList, listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { asAccount } from './account.ts';

export const listAccounts: Handler<typeof accounts.listAccounts> = async ({ query, tx, list }) => {
  const { conditions, sortColumn } = await listByCustomFields(tx, 'account', query);
  const page = await list({
    model: tx.account,
    ...listedAccounts(query, conditions),
    nullable: ['domain'],
    sortColumn,
  });
  return { ...page, items: page.items.map(asAccount) };
};

type Filters = Partial<z.output<typeof accounts.listAccounts.query>>;

/**
 * The accounts that the list has for its filters.
 * @param conditions the conditions of `listByCustomFields`
 */
export function listedAccounts(filters: Filters, conditions: CustomList['conditions']): ListFilter {
  const { ownerId, teamId, domain, industry, parentAccountId, externalId, tag, deleted } = filters;
  return {
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
      ...(domain && { domain }),
      ...(industry && { industry }),
      ...(parentAccountId !== undefined && { parentAccountId }),
      ...(externalId !== undefined && { externalId }),
      ...(tag && { tags: { has: tag } }),
    },
    and: conditions,
    searchIn: ['name', 'domain', 'externalId'],
  };
}
