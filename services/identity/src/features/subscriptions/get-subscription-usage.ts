import type { subscriptions } from '@tandem/identity-contract';
import type { Handler, Tx } from '../../handler.ts';
import { limitsOf, readTenant } from '../tenants/tenant.ts';
import { currentPeriod, periodOf, readSubscription } from './subscription.ts';

const dayMs = 86_400_000;

export const getSubscriptionUsage: Handler<typeof subscriptions.getSubscriptionUsage> = async ({
  params,
  caller,
  tx,
}) => {
  const period = currentPeriod(await readSubscription(tx, params.id));
  const tenant = await readTenant(tx);
  const { monthlyCalls: limit } = limitsOf(tenant);
  const now = new Date();
  const isNow = period.start.getTime() === periodOf(now).start.getTime();
  // The gateway counts ahead of what it has brought here: with a key, its number is the newest.
  const counted = isNow ? caller.usage : undefined;
  const used = counted ?? (await recorded(tx, tenant.tenantId, period.start));
  const until = new Date(Math.min(now.getTime(), period.end.getTime()));
  const passed = (until.getTime() - period.start.getTime()) / (period.end.getTime() - period.start.getTime());
  return {
    period,
    apiCalls: {
      used,
      limit,
      remaining: limit === null ? null : Math.max(0, limit - used),
      percent: limit === null ? null : Math.round((used / limit) * 10_000) / 100,
      projected: Math.max(used, Math.round(used / passed)),
    },
    series: await series(tx, tenant.tenantId, { from: period.start, until }),
  };
};

async function recorded(tx: Tx, ownerTenantId: number, start: Date): Promise<number> {
  const month = start.toISOString().slice(0, 7);
  const row = await tx.usageMonth.findFirst({ where: { ownerTenantId, month } });
  return row?.calls ?? 0;
}

/** Every day of the period until now, also those without a call. */
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
