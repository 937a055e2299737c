import type { Allowance, Verdict } from './allowance.ts';

const windowMs = 60_000;

/** The limits of one process for as long as Redis does not answer. */
export interface LocalWindows {
  /** Notes a call that Redis admitted: it uses up this process's share too. */
  count(allowance: Allowance): void;
  /** Decides about a call without Redis. */
  take(allowance: Allowance): Verdict;
}

/**
 * Fixed minutes by our own clock, each gateway with its share of the limit. Never off, so an outage of Redis opens
 * nothing; and what was admitted with Redis counts, so an outage in the middle of a minute does not begin a new one.
 */
export function localWindows(gateways: () => number): LocalWindows {
  let window = 0;
  const used = new Map<string, number>();
  const roll = (now: number) => {
    if (now - window < windowMs) return;
    window = now - (now % windowMs);
    used.clear();
  };
  const add = (key: string) => used.set(key, (used.get(key) ?? 0) + 1);
  const count = ({ subject, pair }: Allowance) => {
    roll(Date.now());
    add(subject);
    add(pair);
  };

  return {
    count,
    take(allowance) {
      const { subject, pair, perMinute, burst } = allowance;
      const now = Date.now();
      roll(now);
      const share = Math.max(1, Math.floor(perMinute / gateways()));
      const cap = share + Math.floor(burst / gateways());
      const before = Math.max(used.get(subject) ?? 0, used.get(pair) ?? 0);
      const allowed = before < cap;
      if (allowed) count(allowance);
      const reset = Math.floor((window + windowMs) / 1_000);
      return {
        allowed,
        ...(!allowed && { reason: 'rate_limited' as const }),
        limit: perMinute,
        remaining: Math.max(0, share - before - (allowed ? 1 : 0)),
        reset,
        resetIn: Math.max(1, reset - Math.floor(now / 1_000)),
        usage: undefined,
        degraded: true,
      };
    },
  };
}
