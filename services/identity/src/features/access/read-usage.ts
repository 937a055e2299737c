import type { internalAccess } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

export const readUsage: Handler<typeof internalAccess.readUsage> = async ({ body, tx }) => {
  const row = await tx.usageMonth.findFirst({ where: { ownerTenantId: body.tenantId, month: body.month } });
  return { calls: row?.calls ?? 0 };
};
