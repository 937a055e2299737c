import type { usage } from '@tandem/identity-contract';
import type { Handler, Tx } from '../../handler.ts';
import { readMonth } from '../access/usage.ts';
import { limitsOf, readTenant } from '../tenants/tenant.ts';
import { currentPeriod, periodOf, readSubscription } from './subscription.ts';
import { breakdownOf } from './usage-breakdown.ts';
import { rangeOf, seriesOf } from './usage-series.ts';

const hourMs = 3_600_000;

export const getSubscriptionUsage: Handler<typeof usage.getSubscriptionUsage> = async ({
  params,
  query,
  caller,
  tx,
}) => {
  const period = currentPeriod(await readSubscription(tx, params.id));
  const tenant = await readTenant(tx);
  const { monthlyCalls: limit } = limitsOf(tenant);
  const now = new Date();
  const range = rangeOf(query, { period, now });
  const isCurrent = period.start.getTime() === periodOf(now).start.getTime();
  // Gateways report every few seconds, so the count that the gateway sends with a key is more recent.
  const gatewayCount = isCurrent ? caller.usage : undefined;
  const used = gatewayCount ?? (await recorded(tx, tenant.tenantId, period.start));
  const until = new Date(Math.min(now.getTime(), period.end.getTime()));
  return {
    period,
    apiCalls: {
      used,
      limit,
      remaining: limit === null ? null : Math.max(0, limit - used),
      percent: limit === null ? null : Math.round((used / limit) * 10_000) / 100,
      projected: projected(used, period, until),
    },
    series: await seriesOf(tx, tenant.tenantId, range),
    breakdown: query.groupBy
      ? await breakdownOf(tx, { ...range, tenantId: tenant.tenantId, by: query.groupBy, caller })
      : [],
  };
};

/**
 * Linear projection of calls to the end of the period. At least one hour counts as elapsed, because a few calls in the
 * first seconds predict nothing about a month.
 */
export function projected(used: number, { start, end }: { start: Date; end: Date }, until: Date): number {
  const passedMs = Math.max(hourMs, until.getTime() - start.getTime());
  return Math.max(used, Math.round((used * (end.getTime() - start.getTime())) / passedMs));
}

async function recorded(tx: Tx, ownerTenantId: number, start: Date): Promise<number> {
  const month = start.toISOString().slice(0, 7);
  return (await readMonth(tx, ownerTenantId, month)).calls;
}
