import type { subscriptions } from '@tandem/identity-contract';
import type { Handler, Tx } from '../../handler.ts';
import { readMonth } from '../access/usage.ts';
import { limitsOf, readTenant } from '../tenants/tenant.ts';
import { currentPeriod, periodOf, readSubscription } from './subscription.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const getSubscriptionUsage: Handler<typeof subscriptions.getSubscriptionUsage> = async ({
  params,
  caller,
  tx,
}) => {
  const period = currentPeriod(await readSubscription(tx, params.id));
  const tenant = await readTenant(tx);
  const { monthlyCalls: limit } = limitsOf(tenant);
  const now = new Date();
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
    series: await series(tx, tenant.tenantId, { from: period.start, until }),
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

/** Calls per day of the period until now, including days without calls. */
async function series(tx: Tx, ownerTenantId: number, { from, until }: { from: Date; until: Date }) {
  const days: string[] = [];
  for (let at = from.getTime(); at < until.getTime() || !days.length; at += dayMs) days.push(dayOf(at));
  const rows = await tx.usageDay.findMany({ where: { ownerTenantId, day: { in: days } } });
  const calls = new Map(rows.map((row) => [row.day, row.calls]));
  return days.map((date) => ({ date, calls: calls.get(date) ?? 0 }));
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
