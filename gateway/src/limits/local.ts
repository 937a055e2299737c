import { type Account, addressOf, type Count, monthOf, rollTo, windowOf } from './account.ts';
import type { Allowance, Verdict } from './allowance.ts';

/**
 * Decides on a call while Redis is unavailable. Each gateway may serve its share of the calls that remained when Redis
 * last answered, so an outage within a window does not reset the limit.
 * @param options.now the estimate of Redis' clock in milliseconds
 */
export function decideLocally(
  account: Account,
  { pair, perMinute, burst, quota }: Allowance,
  { gateways, now, windowMs }: { gateways: number; now: number; windowMs: number },
): Verdict {
  rollTo(account, windowOf(now, windowMs));
  const window = [account.tenant, addressOf(account, pair)];
  const month = quota?.counts ? monthOf(account, quota) : undefined;
  const left = (limit: number) => Math.min(...window.map((count) => share(count, limit, gateways)));
  const isMinuteLeft = left(Math.max(perMinute + burst, gateways)) > 0;
  const isMonthLeft = !month?.isKnown || quota?.limit == null || share(month, quota.limit, gateways) > 0;
  const allowed = isMinuteLeft && isMonthLeft;
  if (allowed) {
    for (const count of [...window, ...(month ? [month] : [])]) count.own++;
    account.unreported.window = true;
    account.unreported.addresses.add(pair);
    if (month) account.unreported.months.add(month);
  }
  const end = account.window + windowMs;
  return {
    allowed,
    ...(!allowed && { reason: isMinuteLeft ? 'quota_exceeded' : 'rate_limited' }),
    limit: perMinute,
    remaining: Math.max(0, left(perMinute)),
    reset: Math.ceil(end / 1_000),
    resetIn: Math.max(1, Math.ceil((end - now) / 1_000)),
    usage: undefined,
    degraded: true,
  };
}

/**
 * The calls of a limit that this gateway may still serve: its share, minus the calls served since Redis last answered.
 */
function share({ own, acknowledged, total }: Count, limit: number, gateways: number): number {
  return Math.floor((limit - total) / gateways) - (own - acknowledged);
}
