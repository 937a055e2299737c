import type { internalRoles } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const findRole: Handler<typeof internalRoles.findRole> = async ({ params, caller, tx }) => {
  // Without a tenant, the tenant guard would reject the query as an internal error.
  const row = caller.tenantId === undefined ? null : await tx.role.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return row;
};
