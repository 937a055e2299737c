import type { recommendations } from '@tandem/agents-contract';
import type { List } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { asRecommendation } from './recommendation.ts';

export const listRecommendations = (
  tools: Tools,
): Handler<typeof recommendations.listRecommendations, number[] | undefined> => ({
  check: ({ query: { leadId }, caller, tx }) =>
    readableLeadsOf(tools, { caller, tx, table: fragment`recommendation`, leadId }),
  run: ({ query, found: readable, ...context }) => recommendationsPage(context, query, readable),
});

/**
 * A page of recommendations.
 * @param readable the leads to which the list is limited; undefined without a limit
 */
export async function recommendationsPage(
  { tx, list }: { tx: Tx; list: List },
  { leadId, status }: z.output<typeof recommendations.listRecommendations.query>,
  readable: number[] | undefined,
) {
  const page = await list({
    model: tx.recommendation,
    where: { ...(leadId !== undefined && { leadId }), ...(status && { status }) },
    and: readable ? [{ leadId: { in: readable } }] : [],
  });
  return { ...page, items: page.items.map(asRecommendation) };
}
