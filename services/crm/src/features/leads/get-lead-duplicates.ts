import type { leadDuplicates } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asPair } from './duplicate.ts';
import { listedPairs } from './list-lead-duplicates.ts';

// Each comparison keeps the best 20 matches of a lead; more pairs come from the comparisons of other leads.
const pairsMax = 1_000;

export const getLeadDuplicates: Handler<typeof leadDuplicates.getLeadDuplicates> = async ({
  params,
  query,
  tx,
  list,
}) => {
  if (!(await tx.lead.count({ where: { id: params.id, deletedAt: null } }))) throw fail('not_found');
  const where = { ...listedPairs(query), id: { in: await findPairsOf(tx, params.id) } };
  const page = await list({ model: tx.duplicatePair, where });
  return { ...page, items: page.items.map(asPair) };
};

/** The pairs of a lead, by one index for each side, which a condition with OR would not use. */
async function findPairsOf(tx: Tx, leadId: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    (SELECT id FROM duplicate_pair WHERE first_lead_id = ${leadId} LIMIT ${pairsMax})
    UNION ALL (SELECT id FROM duplicate_pair WHERE second_lead_id = ${leadId} LIMIT ${pairsMax})`;
  return rows.map(({ id }) => id);
}
