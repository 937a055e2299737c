import { exportPageMax } from '@tandem/contract';
import type { internalExports } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asLead } from './lead.ts';

export const exportLeads: Handler<typeof internalExports.exportLeads> = async ({ body, caller, tx }) => {
  if (caller.tenantId === undefined) return [];
  const rows = await tx.lead.findMany({
    where: { id: { gt: body.after ?? 0 } },
    orderBy: { id: 'asc' },
    take: exportPageMax,
  });
  return rows.map((row) => ({
    record: asLead(row),
    isDeleted: row.deletedAt !== null,
    referredAt: row.referralCode ? (row.referralCodeAt ?? row.createdAt) : null,
  }));
};
