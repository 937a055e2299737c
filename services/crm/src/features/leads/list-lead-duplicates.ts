import type { leadDuplicates } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const listLeadDuplicates: Handler<typeof leadDuplicates.listLeadDuplicates> = async ({ query, tx, list }) => {
  const { minConfidence, status } = query;
  const page = await list({
    model: tx.duplicatePair,
    where: {
      ...(status && { status }),
      ...(minConfidence !== undefined && { confidence: { gte: minConfidence } }),
      // A pair with a deleted lead needs no decision.
      firstLead: { deletedAt: null },
      secondLead: { deletedAt: null },
    },
  });
  return {
    ...page,
    items: page.items.map((pair) => ({ ...pair, leadIds: [pair.firstLeadId, pair.secondLeadId] })) as never,
  };
};
