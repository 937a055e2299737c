import type { leadDuplicates } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { asPair } from './duplicate.ts';

export const listLeadDuplicates: Handler<typeof leadDuplicates.listLeadDuplicates> = async ({ query, tx, list }) => {
  const page = await list({ model: tx.duplicatePair, where: listedPairs(query) });
  return { ...page, items: page.items.map(asPair) };
};

/** The pairs that a list of duplicates has for its filters. */
export function listedPairs({
  minConfidence,
  status,
}: Partial<z.output<typeof leadDuplicates.listLeadDuplicates.query>>): Record<string, unknown> {
  return {
    ...(status && { status }),
    ...(minConfidence !== undefined && { confidence: { gte: minConfidence } }),
    // A pair with a deleted lead needs no decision. One of the leads of a merged pair is deleted.
    ...(status !== 'merged' && { firstLead: { deletedAt: null }, secondLead: { deletedAt: null } }),
  };
}
