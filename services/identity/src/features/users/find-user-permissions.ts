import type { internalUsers } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

export const findUserPermissions: Handler<typeof internalUsers.findUserPermissions> = async ({
  params,
  caller,
  tx,
}) => {
  // Without a tenant, the tenant guard would reject the query as an internal error.
  const where = { id: params.id };
  const row = caller.tenantId === undefined ? null : await tx.user.findFirst({ where, include: { role: true } });
  return { permissions: row?.status === 'active' ? row.role.permissions : [] };
};
