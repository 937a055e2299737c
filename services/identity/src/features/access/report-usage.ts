import type { internalAccess } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

/**
 * Each gateway process has its own rows and reports totals that only grow, so GREATEST makes repeated and late reports
 * idempotent. The same statement adds the difference to the daily counters.
 */
export const reportUsage: Handler<typeof internalAccess.reportUsage> = async ({ body, tx }) => {
  const { gateway, served } = body;
  const [tenantIds, months, counts] = [
    served.map((row) => row.tenantId),
    served.map((row) => row.month),
    served.map((row) => row.calls),
  ];
  await tx.sql`
    WITH reported AS (
      SELECT tenant_id, month, max(calls) AS calls FROM unnest(${tenantIds}::bigint[], ${months}::text[], ${counts}::bigint[]) AS c (tenant_id, month, calls)
      JOIN tenant_directory ON id = tenant_id GROUP BY tenant_id, month
    ), raised AS (
      INSERT INTO usage_gateway AS held (owner_tenant_id, month, gateway, calls, added)
      SELECT tenant_id, month, ${gateway}, calls, calls FROM reported ORDER BY tenant_id, month
      ON CONFLICT (owner_tenant_id, month, gateway) DO UPDATE
      SET calls = greatest(held.calls, excluded.calls), added = greatest(0, excluded.calls - held.calls)
      RETURNING owner_tenant_id, month, added
    )
    -- Calls are reported within seconds: they count for today, or for the nearest day of their own month. The order is the
    -- same for every gateway, so that two that report the same tenants cannot deadlock.
    INSERT INTO usage_day (owner_tenant_id, day, calls)
    SELECT owner_tenant_id, to_char(greatest(month_begin, least(today, (month_begin + interval '1 month - 1 day')::date)), 'YYYY-MM-DD') AS day, sum(added)
    FROM raised CROSS JOIN LATERAL (SELECT (month || '-01')::date AS month_begin, (now() AT TIME ZONE 'UTC')::date AS today) AS dates
    WHERE added > 0 GROUP BY owner_tenant_id, day ORDER BY owner_tenant_id, day
    ON CONFLICT (owner_tenant_id, day) DO UPDATE SET calls = usage_day.calls + excluded.calls`;
  return {};
};
