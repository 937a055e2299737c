import type { leads } from '@tandem/crm-contract';
import type { ListFilter } from '@tandem/service';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { type CustomList, listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { asLead } from './lead.ts';

export const listLeads: Handler<typeof leads.listLeads> = async ({ query, tx, list }) => {
  const { conditions, sortColumn } = await listByCustomFields(tx, 'lead', query);
  const page = await list({ model: tx.lead, ...listedLeads(query, conditions), sortColumn });
  return { ...page, items: page.items.map(asLead) };
};

type Filters = Partial<z.output<typeof leads.listLeads.query>>;

/**
 * The leads that the list has for its filters.
 * @param conditions the conditions of `listByCustomFields`
 */
export function listedLeads(filters: Filters, conditions: CustomList['conditions']): ListFilter {
  const {
    status,
    statusCode,
    source,
    assignedTo,
    teamId,
    accountId,
    scoreMin,
    scoreMax,
    externalId,
    tag,
    converted,
    convertedFrom,
    convertedTo,
    deleted,
  } = filters;
  return {
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(status && { status }),
      ...(statusCode && { statusCode }),
      ...(source && { source }),
      ...(assignedTo !== undefined && { assignedTo }),
      ...(teamId !== undefined && { teamId }),
      ...(accountId !== undefined && { accountId }),
      ...((scoreMin !== undefined || scoreMax !== undefined) && {
        score: { gte: scoreMin ?? 0, lte: scoreMax ?? 100 },
      }),
      ...(converted !== undefined && { convertedAt: converted ? { not: null } : null }),
      ...(externalId !== undefined && { externalId }),
      ...(tag && { tags: { has: tag } }),
    },
    and: [
      ...conditions,
      ...(convertedFrom ? [{ convertedAt: { gte: convertedFrom } }] : []),
      ...(convertedTo ? [{ convertedAt: { lte: convertedTo } }] : []),
    ],
    searchIn: ['email', 'firstName', 'lastName', 'externalId'],
  };
}
