import type { Plan } from '@tandem/contract';
import { type Limits, tenantPlanChanged } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { z } from 'zod';
import type { Tenant as TenantRow } from '../../generated/client.ts';
import { asTenant, limitsOf } from '../tenants/tenant.ts';
import type { Inside } from './subscription.ts';

/** The limits of an enterprise tenant; null means unlimited. */
export type CustomLimits = Pick<TenantRow, 'monthlyCalls' | 'ratePerMinute' | 'burst'>;

const noCustomLimits: CustomLimits = { monthlyCalls: null, ratePerMinute: null, burst: null };

/**
 * Puts a locked tenant on a plan, which determines its limits and features. The one way for customers, operators and
 * jobs. The caller invalidates the credentials of the tenant after the commit, so that gateways use the new limits.
 */
export async function setPlan(
  { tx, emit }: Inside,
  tenant: TenantRow,
  plan: Plan,
  customLimits: CustomLimits = noCustomLimits,
): Promise<z.output<typeof Limits>> {
  const previous = limitsOf(tenant);
  const current = limitsOf({ plan, ...customLimits });
  const { isEmpty, audit } = diff(previous, current);
  if (isEmpty) return current;
  const { tenantId } = tenant;
  const [row] = await tx.tenant.updateManyAndReturn({
    where: { tenantId },
    data: { plan, ...customLimits, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  // The levels of the usage alerts depend on the limit.
  await tx.sql`DELETE FROM usage_watch WHERE owner_tenant_id = ${tenantId}`;
  emit(tenantPlanChanged, {
    data: { tenantId, from: previous.plan, to: plan },
    record: asTenant(row),
    changes: audit,
  });
  return current;
}
