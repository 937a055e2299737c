import type { recommendations } from '@tandem/agents-contract';
import { fragment } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { asRecommendation } from './recommendation.ts';

export const listRecommendations = (
  tools: Tools,
): Handler<typeof recommendations.listRecommendations, number[] | undefined> => ({
  check: ({ query: { leadId }, caller, tx }) =>
    readableLeadsOf(tools, { caller, tx, table: fragment`recommendation`, leadId }),
  async run({ query, list, tx, found: readable }) {
    const { leadId, status } = query;
    const page = await list({
      model: tx.recommendation,
      where: { ...(leadId !== undefined && { leadId }), ...(status && { status }) },
      and: readable ? [{ leadId: { in: readable } }] : [],
    });
    return { ...page, items: page.items.map(asRecommendation) };
  },
});
