import type { Allowance, Verdict } from './allowance.ts';

const windowMs = 60_000;

/** The limits of one process for as long as Redis does not answer. */
export interface LocalWindows {
  /** Notes how many calls of this minute all gateways had taken when Redis was last asked. */
  saw(allowance: Allowance, taken: { tenant: number; address: number }): void;
  /** Decides about a call without Redis. */
  take(allowance: Allowance): Verdict;
}

interface Count {
  /** Taken by all gateways while Redis answered. */
  seen: number;
  /** Served by this process since. */
  alone: number;
}

/**
 * Fixed minutes by our own clock. Of what was left when Redis was last seen each gateway serves its share, so an outage
 * opens nothing, and one in the middle of a minute does not begin a new one.
 */
export function localWindows(gateways: () => number): LocalWindows {
  let window = 0;
  const counts = new Map<string, Count>();
  const countOf = (key: string) => {
    const count = counts.get(key) ?? { seen: 0, alone: 0 };
    counts.set(key, count);
    return count;
  };
  const roll = (now: number) => {
    if (now - window < windowMs) return;
    window = now - (now % windowMs);
    counts.clear();
  };

  return {
    saw({ subject, pair }, { tenant, address }) {
      roll(Date.now());
      countOf(subject).seen = tenant;
      countOf(pair).seen = address;
    },
    take({ subject, pair, perMinute, burst }) {
      const now = Date.now();
      roll(now);
      const both = [countOf(subject), countOf(pair)];
      const left = (limit: number) =>
        Math.min(...both.map(({ seen, alone }) => Math.floor((limit - seen) / gateways()) - alone));
      const allowed = left(Math.max(perMinute + burst, gateways())) > 0;
      if (allowed) for (const count of both) count.alone++;
      const reset = Math.floor((window + windowMs) / 1_000);
      return {
        allowed,
        ...(!allowed && { reason: 'rate_limited' as const }),
        limit: perMinute,
        remaining: Math.max(0, left(perMinute)),
        reset,
        resetIn: Math.max(1, reset - Math.floor(now / 1_000)),
        usage: undefined,
        degraded: true,
      };
    },
  };
}
