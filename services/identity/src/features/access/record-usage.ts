import type { internalAccess } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

const keptDays = 7;

/** A single statement applies the whole batch and its batch number atomically (D4). */
export const recordUsage: Handler<typeof internalAccess.recordUsage> = async ({ body, tx }) => {
  const { gateway, batch, calls } = body;
  const [tenantIds, months, counts] = [
    calls.map((c) => c.tenantId),
    calls.map((c) => c.month),
    calls.map((c) => c.calls),
  ];
  const [done] = await tx.sql<{ recorded: boolean }>`
    WITH given AS (
      SELECT tenant_id, month, sum(calls) AS calls FROM unnest(${tenantIds}::bigint[], ${months}::text[], ${counts}::bigint[]) AS c (tenant_id, month, calls)
      JOIN tenant_directory ON id = tenant_id
      -- The directory keeps the ids of deleted tenants.
      WHERE NOT EXISTS (SELECT FROM tenant_deletion WHERE tenant_number = tenant_id AND state IN ('removing', 'completed'))
      GROUP BY tenant_id, month
    ), fresh AS (
      INSERT INTO usage_batch (gateway, batch) VALUES (${gateway}, ${batch})
      ON CONFLICT (gateway) DO UPDATE SET batch = excluded.batch, updated_at = now() WHERE usage_batch.batch < excluded.batch
      RETURNING batch
    ), added AS (
      -- In one order for everybody: two gateways that bring the same tenants must not wait for each other.
      INSERT INTO usage_month (owner_tenant_id, month, calls)
      SELECT tenant_id, month, calls FROM given WHERE EXISTS (SELECT FROM fresh) ORDER BY tenant_id, month
      ON CONFLICT (owner_tenant_id, month) DO UPDATE SET calls = usage_month.calls + excluded.calls
    ), added_days AS (
      -- Calls come here within seconds: they count for today, or for the nearest day of their own month.
      INSERT INTO usage_day (owner_tenant_id, day, calls)
      SELECT tenant_id, to_char(greatest(month_begin, least(today, (month_begin + interval '1 month - 1 day')::date)), 'YYYY-MM-DD'), calls
      FROM given CROSS JOIN LATERAL (SELECT (month || '-01')::date AS month_begin, (now() AT TIME ZONE 'UTC')::date AS today) AS dates
      WHERE EXISTS (SELECT FROM fresh) ORDER BY tenant_id, month
      ON CONFLICT (owner_tenant_id, day) DO UPDATE SET calls = usage_day.calls + excluded.calls
    )
    SELECT EXISTS (SELECT FROM fresh) AS recorded`;
  // The first batch of a new gateway process deletes the rows of earlier processes.
  if (batch === 1)
    await tx.sql`DELETE FROM usage_batch WHERE updated_at < now() - make_interval(days => ${keptDays}::int)`;
  return { recorded: done?.recorded ?? false };
};
