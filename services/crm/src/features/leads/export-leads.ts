import { exportPageMax } from '@tandem/contract';
import type { internalExports } from '@tandem/crm-contract';
import type { Lead, LeadStatusChange } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { asLead, type LeadStatus } from './lead.ts';

export const exportLeads: Handler<typeof internalExports.exportLeads> = async ({ body, caller, tx }) => {
  if (caller.tenantId === undefined) return [];
  const rows = await tx.lead.findMany({
    where: { id: { gt: body.after ?? 0 } },
    orderBy: { id: 'asc' },
    take: exportPageMax,
  });
  const changes = await tx.leadStatusChange.findMany({
    where: { leadId: { in: rows.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
    select: { leadId: true, from: true, to: true, at: true },
  });
  const byLead = Map.groupBy(changes, ({ leadId }) => leadId);
  return rows.map((row) => ({
    record: asLead(row),
    isDeleted: row.deletedAt !== null,
    referredAt: row.referralCode ? (row.referralCodeAt ?? row.createdAt) : null,
    statuses: statusesOf(row, byLead.get(row.id) ?? []),
  }));
};

/** The first status is the one before the first change. */
function statusesOf(
  { status, createdAt }: Pick<Lead, 'status' | 'createdAt'>,
  changes: readonly Pick<LeadStatusChange, 'from' | 'to' | 'at'>[],
) {
  const first = { status: changes[0]?.from ?? status, at: createdAt };
  return [first, ...changes.map(({ to, at }) => ({ status: to, at }))] as { status: LeadStatus; at: Date }[];
}
