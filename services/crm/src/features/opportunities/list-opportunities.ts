import { misfit, toMinor } from '@tandem/contract';
import type { opportunities } from '@tandem/crm-contract';
import { failField, type ListFilter } from '@tandem/service';
import type { z } from 'zod';
import { defaultCurrency } from '../../default-currency.ts';
import type { Handler, Peers } from '../../handler.ts';
import { type CustomList, listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { asOpportunity } from './opportunity.ts';

const dayMs = 86_400_000;

type Query = z.output<typeof opportunities.listOpportunities.query>;

export const listOpportunities = (
  peers: Peers,
): Handler<typeof opportunities.listOpportunities, { currency: string | undefined }> => ({
  async check({ query, caller }) {
    const isByAmount = isValueSort(query) || hasBounds(query);
    return { currency: query.currency ?? (isByAmount ? await defaultCurrency(peers, caller) : undefined) };
  },
  async run({ query, found: { currency }, tx, list, missing }) {
    if (currency !== query.currency)
      missing('currency', `Amounts are compared within one currency: only opportunities in ${currency} are listed`);
    const { conditions, sortColumn } = await listByCustomFields(tx, 'opportunity', query);
    const page = await list({
      model: tx.opportunity,
      ...listedOpportunities({ ...query, currency }, conditions),
      nullable: ['expectedCloseAt'],
      sortColumn: isValueSort(query) ? 'valueMinor' : sortColumn,
    });
    return { ...page, items: page.items.map(asOpportunity) };
  },
});

function isValueSort({ sort }: Pick<Query, 'sort'>): boolean {
  return sort === 'value' || sort === '-value';
}

function hasBounds({ valueMin, valueMax }: Partial<Query>): boolean {
  return valueMin !== undefined || valueMax !== undefined;
}

/**
 * The opportunities that the list has for its filters.
 * @param ranges the conditions of `listByCustomFields`
 */
export function listedOpportunities(filters: Partial<Query>, ranges: CustomList['conditions']): ListFilter {
  const { stage, stageId, status, ownerId, teamId, leadId, accountId, partnerId, pipelineId } = filters;
  const { currency, deleted, closeFrom, closeTo, closedFrom, closedTo, staleDays } = filters;
  return {
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(stage && { stage }),
      ...(stageId !== undefined && { stageId }),
      ...(status && { status }),
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
      ...(leadId !== undefined && { leadId }),
      ...(accountId !== undefined && { accountId }),
      ...(partnerId !== undefined && { partnerId }),
      ...(pipelineId !== undefined && { pipelineId }),
      ...(currency && { currency }),
    },
    and: [
      ...ranges,
      ...amountConditions(filters),
      ...(closeFrom ? [{ expectedCloseAt: { gte: closeFrom } }] : []),
      ...(closeTo ? [{ expectedCloseAt: { lte: closeTo } }] : []),
      ...(closedFrom ? [{ closedAt: { gte: closedFrom } }] : []),
      ...(closedTo ? [{ closedAt: { lte: closedTo } }] : []),
      ...(staleDays === undefined ? [] : staleConditions(staleDays)),
    ],
    searchIn: ['name'],
  };
}

function amountConditions({ valueMin, valueMax, currency }: Partial<Query>): Record<string, unknown>[] {
  const minor = (field: 'valueMin' | 'valueMax', value: number) => {
    // Only a filter of a bulk operation comes without one.
    if (!currency) throw failField('filter.currency', `Is required with ${field}`);
    const error = misfit(value, currency);
    if (error) throw failField(field, error);
    return toMinor(value, currency);
  };
  return [
    ...(valueMin === undefined ? [] : [{ valueMinor: { gte: minor('valueMin', valueMin) } }]),
    ...(valueMax === undefined ? [] : [{ valueMinor: { lte: minor('valueMax', valueMax) } }]),
  ];
}

function staleConditions(days: number): Record<string, unknown>[] {
  return [{ status: 'open' }, { stageEnteredAt: { lte: new Date(Date.now() - days * dayMs) } }];
}
