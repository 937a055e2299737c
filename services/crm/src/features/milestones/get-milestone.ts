import type { milestones } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asMilestone } from './milestone.ts';

export const getMilestone: Handler<typeof milestones.getMilestone> = async ({ params, tx }) => {
  const where = { id: params.mid, opportunityId: params.oid, opportunity: { deletedAt: null } };
  const row = await tx.milestone.findFirst({ where });
  if (!row) throw fail('not_found');
  return asMilestone(row);
};
