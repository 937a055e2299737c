import { type tenants, tenantUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asTenant, readTenant } from './tenant.ts';

export const updateCurrentTenant: Handler<typeof tenants.updateCurrentTenant> = async ({ body, tx, emit, ifMatch }) => {
  await tx.sql`SELECT tenant_id FROM tenant FOR UPDATE`;
  const before = await readTenant(tx);
  ifMatch(before);
  const { isEmpty, values, audit } = diff(before, { name: body.name, ...body.settings });
  if (isEmpty) return asTenant(before);
  const { tenantId } = before;
  const [row] = await tx.tenant.updateManyAndReturn({
    where: { tenantId },
    data: { ...values, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const tenant = asTenant(row);
  emit(tenantUpdated, { data: { tenantId: tenant.id }, record: tenant, changes: audit });
  return tenant;
};
