import type { internalAdmin } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asTenant } from './tenant.ts';

const pageSize = 100;

/** Row-level security shows one tenant at a time, so each is read within its own scope: for operators, not for load. */
export const listTenants: Handler<typeof internalAdmin.listTenants> = async ({ body, tx, inTenant }) => {
  const places = await tx.sql<{
    id: number;
  }>`SELECT id FROM tenant_directory WHERE id > ${body.after ?? 0} ORDER BY id LIMIT ${pageSize}`;
  const found = [];
  for (const { id } of places) {
    const row = await inTenant({ tenantId: id, environment: 'live' }, ({ tx: own }) => own.tenant.findFirst({}));
    // A sign-up that failed halfway leaves a number without a tenant.
    if (row) found.push(asTenant(row));
  }
  return found;
};
