import { exportPageMax } from '@tandem/contract';
import type { internalPartners } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asPartner } from './partner.ts';

export const exportPartners: Handler<typeof internalPartners.exportPartners> = async ({ body, caller, tx }) => {
  if (caller.tenantId === undefined) return [];
  const rows = await tx.partner.findMany({
    where: { id: { gt: body.after ?? 0 } },
    orderBy: { id: 'asc' },
    take: exportPageMax,
  });
  return rows.map((row) => ({ record: asPartner(row), isDeleted: false }));
};
