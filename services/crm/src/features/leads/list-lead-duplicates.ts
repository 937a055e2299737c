import { DuplicatePair, type leadDuplicates } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { DuplicatePair as PairRow } from '../../generated/client.ts';
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
  return { ...page, items: page.items.map(asPair) };
};

const columns = DuplicatePair.pick({ matchedOn: true, status: true });

/** Converts a row to the contract's `DuplicatePair`. */
function asPair(row: PairRow): z.output<typeof DuplicatePair> {
  return { ...row, ...columns.parse(row), leadIds: [row.firstLeadId, row.secondLeadId] };
}
