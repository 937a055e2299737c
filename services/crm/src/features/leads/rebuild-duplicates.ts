import type { internalRebuilds } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { pairLeads } from './duplicate-pairs.ts';

// Each lead is compared with up to 20 others, and all of them are locked until the commit.
const leadsMax = 50;

/**
 * Rebuilds the duplicate pairs of one page of leads in the same way as `detectDuplicates`: it reads the current leads under
 * their locks, so events may be handled at the same time.
 */
export const rebuildDuplicates: Handler<typeof internalRebuilds.rebuildDuplicates> = async ({ body, caller, tx }) => {
  if (caller.tenantId === undefined) throw fail('not_found');
  const leads = await tx.lead.findMany({
    where: { id: { gt: body.after ?? 0 }, deletedAt: null },
    orderBy: { id: 'asc' },
    take: leadsMax,
    select: { id: true },
  });
  const leadIds = leads.map(({ id }) => id);
  const { written, removed } = await pairLeads(tx, leadIds);
  return { read: leadIds.length, written, removed, next: leadIds.at(-1) ?? null };
};
