import type { leads } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asLead } from './lead.ts';

export const getLead: Handler<typeof leads.getLead> = async ({ params, tx }) => {
  const row = await tx.lead.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return { ...asLead(row), duplicateCount: row.isPaired ? await countDuplicates(tx, row.id) : 0 };
};

/** Counts leads instead of pairs, because a pair with a deleted lead is not a duplicate. */
async function countDuplicates(tx: Tx, id: number): Promise<number> {
  const pairs = await tx.duplicatePair.findMany({
    where: { status: 'open', OR: [{ firstLeadId: id }, { secondLeadId: id }] },
    select: { firstLeadId: true, secondLeadId: true },
  });
  const otherIds = pairs.map((pair) => (pair.firstLeadId === id ? pair.secondLeadId : pair.firstLeadId));
  return otherIds.length ? tx.lead.count({ where: { id: { in: otherIds }, deletedAt: null } }) : 0;
}
