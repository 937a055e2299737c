import type { Emit } from '@tandem/events';
import { type notificationCreated, usageThresholdReached } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';
import { readMonth } from '../access/usage.ts';
import { notify } from '../notifications/notify.ts';
import { billingPeople } from '../subscriptions/billing-people.ts';
import { limitsOf } from '../tenants/tenant.ts';
import { readUsageAlerts } from './usage-alerts.ts';

const tenantsMax = 100;

interface Inside {
  tx: Tx;
  emit: Emit<typeof usageThresholdReached | typeof notificationCreated>;
}

/**
 * The tenants whose calls of a month have reached a level that was not handled yet, or whose levels are not known.
 * `usage_watch` has the levels as numbers of calls, so that this is one statement for all tenants of a report.
 */
export async function tenantsToAlert(tx: Tx, tenantIds: readonly number[], month: string): Promise<number[]> {
  const rows = await tx.sql<{ tenantId: number }>`
    WITH used AS (
      SELECT owner_tenant_id, sum(calls) AS calls FROM (
        SELECT owner_tenant_id, calls FROM usage_gateway WHERE owner_tenant_id = ANY(${tenantIds}::bigint[]) AND month = ${month}
        UNION ALL
        SELECT owner_tenant_id, calls FROM usage_month WHERE owner_tenant_id = ANY(${tenantIds}::bigint[]) AND month = ${month}
      ) AS recorded GROUP BY owner_tenant_id
    )
    SELECT used.owner_tenant_id AS "tenantId" FROM used LEFT JOIN usage_watch AS watch USING (owner_tenant_id)
    WHERE watch.owner_tenant_id IS NULL OR EXISTS (
      SELECT FROM unnest(watch.levels) AS level
      WHERE level <= used.calls AND (watch.handled_month < ${month} OR watch.handled_month = ${month} AND level > watch.handled_level))
    ORDER BY used.owner_tenant_id LIMIT ${tenantsMax}::int`;
  return rows.map(({ tenantId }) => tenantId);
}

/** All tenants with calls in a month. */
export async function tenantsWithCalls(tx: Tx, month: string): Promise<number[]> {
  const rows = await tx.sql<{ tenantId: number }>`
    SELECT owner_tenant_id AS "tenantId" FROM usage_gateway WHERE month = ${month}
    UNION SELECT owner_tenant_id FROM usage_month WHERE month = ${month}`;
  return rows.map(({ tenantId }) => tenantId);
}

/** Notifies of the thresholds that the tenant has reached: each once a month for the same limit. */
export async function fireUsageAlerts({ tx, emit }: Inside, month: string): Promise<void> {
  const tenant = await tx.tenant.findFirst({});
  const subscription = await tx.subscription.findFirst({});
  if (!tenant || !subscription) return;
  const { monthlyCalls: limit } = limitsOf(tenant);
  const { thresholds, channels, userIds } = await readUsageAlerts(tx);
  const { calls: used } = await readMonth(tx, tenant.tenantId, month);
  const levels =
    limit === null ? [] : thresholds.map((threshold) => ({ threshold, calls: Math.ceil((limit * threshold) / 100) }));
  const reached = levels.filter(({ calls }) => calls <= used);
  const handled = Math.max(0, ...reached.map(({ calls }) => calls));
  await tx.sql`INSERT INTO usage_watch (owner_tenant_id, levels, handled_month, handled_level)
    VALUES (${tenant.tenantId}, ${levels.map(({ calls }) => calls)}::bigint[], ${month}, ${handled})
    ON CONFLICT (owner_tenant_id) DO UPDATE
    SET levels = excluded.levels, handled_month = excluded.handled_month, handled_level = excluded.handled_level`;
  if (limit === null || !reached.length) return;
  const sent = await tx.sql<{ threshold: number }>`
    INSERT INTO usage_alert_sent (month, threshold, calls_limit)
    SELECT ${month}, threshold, ${limit}::int FROM unnest(${reached.map(({ threshold }) => threshold)}::int[]) AS threshold
    ON CONFLICT DO NOTHING RETURNING threshold`;
  const { id: subscriptionId } = subscription;
  for (const { threshold } of sent)
    emit(usageThresholdReached, {
      data: { subscriptionId, threshold, used, limit, month },
      record: { id: subscriptionId, threshold },
    });
  if (!sent.length) return;
  // One notification if several thresholds are reached at once.
  const highest = Math.max(...sent.map(({ threshold }) => threshold));
  await notify(tx, emit, {
    userIds: await recipientsOf(tx, userIds),
    title: {
      en: `${highest} % of this month's API calls are used`,
      de: `${highest} % der API-Aufrufe dieses Monats sind verbraucht`,
    },
    body: {
      en: `${used} of ${limit} calls were made in ${month}. ${used >= limit ? 'Further calls with API keys are refused until the month ends or the plan changes.' : 'When all are used, further calls with API keys are refused until the month ends.'}`,
      de: `${used} von ${limit} Aufrufen erfolgten in ${month}. ${used >= limit ? 'Weitere Aufrufe mit API-Schlüsseln werden abgelehnt, bis der Monat endet oder der Tarif wechselt.' : 'Sind alle verbraucht, werden weitere Aufrufe mit API-Schlüsseln bis zum Ende des Monats abgelehnt.'}`,
    },
    category: 'billing',
    channels,
    priority: highest === 100 ? 'high' : 'normal',
    data: { subscriptionId, threshold: highest, used, limit, month },
  });
}

/** The chosen users who are active. If there are none, those who manage billing, so that an alert always reaches somebody. */
async function recipientsOf(tx: Tx, chosen: readonly number[] | null): Promise<number[]> {
  if (!chosen) return billingPeople(tx);
  const active = await tx.user.findMany({ where: { id: { in: [...chosen] }, status: 'active' }, select: { id: true } });
  return active.length ? active.map(({ id }) => id) : billingPeople(tx);
}
