import { type internalApprovalCounts, pendingLeadsMax } from '@tandem/agents-contract';
import { reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';

/** The caller asks crm which of the leads the acting user may read: services call each other one level deep only. */
export const countPendingApprovals: Handler<typeof internalApprovalCounts.countPendingApprovals> = async ({
  body,
  caller,
  tx,
}) => {
  if (caller.tenantId === undefined || reachOf(caller, 'agents:read') !== 'all') return null;
  const where = { status: 'pending', expiresAt: { gt: new Date() } };
  if (!body.withLeads) return { pending: await tx.approval.count({ where }), leadIds: [] };
  const rows = await tx.approval.findMany({
    where,
    select: { leadId: true },
    orderBy: { id: 'desc' },
    take: pendingLeadsMax,
  });
  return { pending: rows.length, leadIds: rows.map(({ leadId }) => leadId) };
};
