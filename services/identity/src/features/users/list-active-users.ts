import type { internalAssignees } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

export const listActiveUsers: Handler<typeof internalAssignees.listActiveUsers> = async ({ body, caller, tx }) => {
  // Without a tenant, the tenant guard would reject the query as an internal error.
  if (caller.tenantId === undefined) return [];
  return tx.user.findMany({
    where: { status: 'active', id: { gt: body.after ?? 0 } },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: body.limit,
  });
};
