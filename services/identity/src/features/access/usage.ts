import type { Purge } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** The name under which calls stand that are in usage_month and belong to no gateway process any more. */
const folded = 'folded';

/**
 * The recorded calls of a tenant's month, by the gateway process that served them. One statement, so that calls which are
 * folded meanwhile are read in the old place or in the new one.
 */
export async function readMonth(tx: Tx, ownerTenantId: number, month: string) {
  const recorded = await tx.sql<{ gateway: string; calls: number }>`
    SELECT gateway, calls::float8 AS calls FROM usage_gateway WHERE owner_tenant_id = ${ownerTenantId} AND month = ${month}
    UNION ALL
    SELECT ${folded}::text, calls::float8 FROM usage_month WHERE owner_tenant_id = ${ownerTenantId} AND month = ${month}`;
  return { recorded, calls: recorded.reduce((sum, { calls }) => sum + calls, 0) };
}

/** Folds the rows of a month's gateway processes into one a week after the end of the month, when none of them reports it. */
export const usageRetention: Purge = {
  table: 'usage_gateway',
  days: 7,
  statement: `
    WITH due AS (
      SELECT owner_tenant_id, month, gateway FROM usage_gateway
      WHERE month < to_char((now() AT TIME ZONE 'UTC') - make_interval(days => $1), 'YYYY-MM') LIMIT $2),
    gone AS (
      DELETE FROM usage_gateway AS held USING due
      WHERE (held.owner_tenant_id, held.month, held.gateway) = (due.owner_tenant_id, due.month, due.gateway)
      RETURNING held.owner_tenant_id, held.month, held.calls),
    kept AS (
      INSERT INTO usage_month (owner_tenant_id, month, calls)
      SELECT owner_tenant_id, month, sum(calls) FROM gone GROUP BY owner_tenant_id, month ORDER BY owner_tenant_id, month
      ON CONFLICT (owner_tenant_id, month) DO UPDATE SET calls = usage_month.calls + excluded.calls)
    SELECT FROM gone`,
};
