import type { Purge } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Days for which usage by hour, key, operation and user is kept. */
export const usageHourDays = 90;

/** Gateway name reported for the merged calls in usage_month. */
const merged = 'folded';

/**
 * Recorded calls of a tenant in a month, by gateway process. A single statement, so that calls merged concurrently are
 * counted exactly once.
 */
export async function readMonth(tx: Tx, ownerTenantId: number, month: string) {
  const recorded = await tx.sql<{ gateway: string; calls: number }>`
    SELECT gateway, calls::float8 AS calls FROM usage_gateway WHERE owner_tenant_id = ${ownerTenantId} AND month = ${month}
    UNION ALL
    SELECT ${merged}::text, calls::float8 FROM usage_month WHERE owner_tenant_id = ${ownerTenantId} AND month = ${month}`;
  return { recorded, calls: recorded.reduce((sum, { calls }) => sum + calls, 0) };
}

/**
 * Merges the gateway rows of a month into usage_month a week after the month ends, when no gateway reports it any more.
 */
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
