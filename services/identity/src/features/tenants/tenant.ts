import { plans } from '@tandem/contract';
import { type Limits, Tenant } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Tenant as TenantRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type TenantRecord = z.output<typeof Tenant>;

const columns = Tenant.pick({ plan: true, status: true });

/** Converts a row to the API resource. */
export function asTenant(row: TenantRow): TenantRecord {
  const { tenantId: id, timezone, locale, currency, requireTotp } = row;
  return { ...row, ...columns.parse(row), id, settings: { timezone, locale, currency, requireTotp } };
}

/** Loads the current tenant. */
export async function readTenant(tx: Tx): Promise<TenantRow> {
  const row = await tx.tenant.findFirst({});
  if (!row) throw fail('not_found');
  return row;
}

/** Limits of a tenant: fixed per plan, custom for enterprise. */
export function limitsOf(
  row: Pick<TenantRow, 'plan' | 'monthlyCalls' | 'ratePerMinute' | 'burst'>,
): z.output<typeof Limits> {
  const plan = columns.shape.plan.parse(row.plan);
  const { monthlyCalls, ratePerMinute, burst } = plan === 'enterprise' ? row : plans[plan];
  return { plan, monthlyCalls, ratePerMinute, burst };
}
