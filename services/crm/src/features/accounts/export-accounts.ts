import { exportPageMax } from '@tandem/contract';
import type { internalExports } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asAccount } from './account.ts';

export const exportAccounts: Handler<typeof internalExports.exportAccounts> = async ({ body, caller, tx }) => {
  if (caller.tenantId === undefined) return [];
  const rows = await tx.account.findMany({
    where: { id: { gt: body.after ?? 0 } },
    orderBy: { id: 'asc' },
    take: exportPageMax,
  });
  return rows.map((row) => ({ record: asAccount(row), isDeleted: row.deletedAt !== null }));
};
