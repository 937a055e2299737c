import type { recommendations } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asRecommendation } from './recommendation.ts';

export const listRecommendations: Handler<typeof recommendations.listRecommendations> = async ({ query, tx, list }) => {
  const { leadId, status } = query;
  const where = { ...(leadId !== undefined && { leadId }), ...(status && { status }) };
  const page = await list({ model: tx.recommendation, where });
  return { ...page, items: page.items.map(asRecommendation) };
};
