import type { internalAccess } from '@tandem/identity-contract';
import type { Context } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { fireUsageAlerts, tenantsToAlert, tenantsWithCalls } from '../usage-alerts/fire-usage-alerts.ts';

type InTenant = Context<typeof internalAccess.reportUsage, Tx>['inTenant'];
type Body = z.output<typeof internalAccess.reportUsage.body>;
type Part = NonNullable<Body['parts']>[number];

const sweepEveryMs = 60_000;
const lateMs = 10 * 60_000;

export const reportUsage = (): Handler<typeof internalAccess.reportUsage> => {
  let sweptAt = 0;
  return async ({ body, tx, inTenant, afterCommit }) => {
    const { gateway, parts = [] } = body;
    await recordTotals(tx, body);
    if (parts.length) await recordParts(tx, gateway, parts);
    const isSweepDue = Date.now() - sweptAt > sweepEveryMs;
    // Parts come every 2 s, the totals of busy tenants more often.
    if (!isSweepDue && !parts.length) return {};
    if (isSweepDue) sweptAt = Date.now();
    const reported = isSweepDue ? undefined : [...new Set(parts.map(({ tenantId }) => tenantId))];
    afterCommit(() => sendAlerts(tx, inTenant, reported));
    return {};
  };
};

/**
 * Alerts the tenants of a report, or all of them. Each process looks at all tenants once a minute: the alerts of a report
 * are lost when the process ends right after its commit, and a tenant whose calls are refused has no further report.
 */
async function sendAlerts(tx: Tx, inTenant: InTenant, reported: number[] | undefined): Promise<void> {
  // Includes calls that were reported just before the month ended.
  const months = new Set([monthOf(Date.now() - lateMs), monthOf(Date.now())]);
  const failures: unknown[] = [];
  for (const month of months)
    for (const tenantId of await tenantsToAlert(tx, reported ?? (await tenantsWithCalls(tx, month)), month))
      await inTenant({ tenantId, environment: 'live' }, (inside) => fireUsageAlerts(inside, month)).catch((error) => {
        // One tenant must not keep the others from their alerts.
        failures.push(error);
      });
  if (failures.length) throw failures[0];
}

const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7);

/**
 * Each gateway process has its own rows and reports totals that only grow, so GREATEST makes repeated and late reports
 * idempotent. The same statement adds the difference to the daily counters. A late report of a deleted tenant adds nothing.
 */
async function recordTotals(tx: Tx, { gateway, served }: Body): Promise<void> {
  const [tenantIds, months, counts] = [
    served.map((row) => row.tenantId),
    served.map((row) => row.month),
    served.map((row) => row.calls),
  ];
  await tx.sql`
    WITH reported AS (
      SELECT tenant_id, month, max(calls) AS calls FROM unnest(${tenantIds}::bigint[], ${months}::text[], ${counts}::bigint[]) AS c (tenant_id, month, calls)
      JOIN tenant_directory ON id = tenant_id
      -- The directory keeps the ids of deleted tenants.
      WHERE NOT EXISTS (SELECT FROM tenant_deletion WHERE tenant_number = tenant_id AND state IN ('removing', 'completed'))
      GROUP BY tenant_id, month
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
}

/** Like the totals, the numbers of a process only grow, and its rows are its own. */
async function recordParts(tx: Tx, gateway: string, parts: Part[]): Promise<void> {
  const column = <Field extends keyof Part>(field: Field) => parts.map((part) => part[field]);
  await tx.sql`
    INSERT INTO usage_hour AS held (owner_tenant_id, hour, gateway, key_id, operation, user_id, calls)
    SELECT tenant_id, to_timestamp(hour * 3600), ${gateway}, key_id, operation, user_id, max(calls)
    FROM unnest(${column('tenantId')}::bigint[], ${column('hour')}::bigint[], ${column('keyId')}::bigint[],
      ${column('operation')}::text[], ${column('userId')}::bigint[], ${column('calls')}::bigint[])
      AS part (tenant_id, hour, key_id, operation, user_id, calls)
    JOIN tenant_directory ON id = tenant_id
    WHERE NOT EXISTS (SELECT FROM tenant_deletion WHERE tenant_number = tenant_id AND state IN ('removing', 'completed'))
    GROUP BY tenant_id, hour, key_id, operation, user_id ORDER BY tenant_id, hour, key_id, operation, user_id
    ON CONFLICT (owner_tenant_id, hour, gateway, key_id, operation, user_id)
    DO UPDATE SET calls = greatest(held.calls, excluded.calls)`;
}
