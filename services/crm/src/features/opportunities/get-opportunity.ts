import type { opportunities } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asOpportunity } from './opportunity.ts';

export const getOpportunity: Handler<typeof opportunities.getOpportunity> = async ({ params, tx }) => {
  const row = await tx.opportunity.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asOpportunity(row);
};
