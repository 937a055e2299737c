import type { leads } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asLead } from './lead.ts';

export const getLead: Handler<typeof leads.getLead> = async ({ params, tx }) => {
  const row = await tx.lead.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  const pairs = await tx.duplicatePair.findMany({
    where: { status: 'open', OR: [{ firstLeadId: row.id }, { secondLeadId: row.id }] },
    select: { firstLeadId: true, secondLeadId: true },
  });
  // Counted as leads: a pair has no owner, and a caller may not learn of a lead that is not theirs to see.
  const others = pairs.map((pair) => (pair.firstLeadId === row.id ? pair.secondLeadId : pair.firstLeadId));
  const duplicateCount = others.length ? await tx.lead.count({ where: { id: { in: others }, deletedAt: null } }) : 0;
  return { ...asLead(row), duplicateCount };
};
