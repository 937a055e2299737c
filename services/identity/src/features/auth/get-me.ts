import { actingUserId } from '@tandem/caller';
import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asTenant } from '../tenants/tenant.ts';
import { withTeams } from '../users/user.ts';

export const getMe: Handler<typeof signIn.getMe> = async ({ caller, tx }) => {
  const id = actingUserId(caller);
  const row =
    id === undefined ? null : await tx.user.findFirst({ where: { id }, include: { role: true, tenant: true } });
  if (!row) throw fail('not_found');
  const { keyId = null, permissions, environment } = caller;
  return {
    user: await withTeams(tx, row),
    tenant: asTenant(row.tenant),
    role: row.role,
    permissions: [...permissions],
    keyId,
    environment,
  };
};
