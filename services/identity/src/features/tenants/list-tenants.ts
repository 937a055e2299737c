import type { internalAdmin } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asTenant } from './tenant.ts';

const pageSize = 100;

/** For operators only: row-level security requires one transaction per tenant, which is slow. */
export const listTenants: Handler<typeof internalAdmin.listTenants> = async ({ body, tx, inTenant }) => {
  // The directory keeps the ids of deleted tenants.
  const places = await tx.sql<{ id: number }>`SELECT id FROM tenant_directory WHERE id > ${body.after ?? 0}
    AND NOT EXISTS (SELECT FROM tenant_deletion WHERE tenant_number = id AND state IN ('removing', 'completed'))
    ORDER BY id LIMIT ${pageSize}`;
  const found = [];
  for (const { id } of places) {
    const row = await inTenant({ tenantId: id, environment: 'live' }, ({ tx: tenantTx }) =>
      tenantTx.tenant.findFirst({}),
    );
    // A failed sign-up can leave a directory entry without a tenant.
    if (row) found.push(asTenant(row));
  }
  return found;
};
