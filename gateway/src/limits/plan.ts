import { plans } from '@tandem/contract';
import type { Authenticated } from '../access/authenticate.ts';
import type { Allowance, Verdict } from './allowance.ts';

// Stands for a plan without a numeric rate limit.
const unlimited = 1_000_000_000;

/**
 * The limits that a call counts against. An API key uses the limits of the tenant's plan. A signed-in user has a
 * separate allowance, so that users and integrations do not starve each other. Calls without credentials are limited by
 * address.
 * @param address the client address or its network, from `countedAddress`
 */
export function allowanceOf(
  auth: Authenticated | undefined,
  address: string,
  anonymous: { perMinute: number; burst: number },
): Allowance {
  if (!auth) return { subject: `ip:${address}`, pair: `ip:${address}/${address}`, ...anonymous, quota: undefined };
  const { who, by, environment } = auth;
  const { tenantId, limits } = who;
  if (by !== 'key') {
    const { ratePerMinute, burst } = plans[limits.plan].person;
    const subject = personOf(who);
    return { subject, pair: `${subject}/${address}`, perMinute: ratePerMinute, burst, quota: undefined };
  }
  return {
    subject: `t:${tenantId}`,
    pair: `t:${tenantId}/${address}`,
    perMinute: limits.ratePerMinute ?? unlimited,
    burst: limits.burst ?? 0,
    quota: { tenantId, month: currentMonth(), limit: limits.monthlyCalls, counts: environment === 'live' },
  };
}

/** A user, in all of their sessions, or a user of a partner's portal. */
function personOf({ tenantId, userId, portalUserId }: Authenticated['who']): string {
  return userId === null ? `t:${tenantId}:portal:${portalUserId}` : `t:${tenantId}:user:${userId}`;
}

const month = { text: '', second: 0 };

/** The calendar month in UTC, computed at most once per second. */
function currentMonth(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== month.second) {
    month.second = second;
    month.text = new Date(now).toISOString().slice(0, 7);
  }
  return month.text;
}

/** Seconds until a rejected call may succeed: the end of the minute, or of the month. */
export function retryAfter(reason: Verdict['reason'], resetIn: number): number {
  if (reason !== 'quota_exceeded') return resetIn;
  const now = new Date();
  return Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1_000);
}
