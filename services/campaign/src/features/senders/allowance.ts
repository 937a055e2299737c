import type { WarmupPlan } from '@tandem/campaign-contract';
import type { z } from 'zod';

const dayMs = 86_400_000;

interface Limits {
  dailyCap: number | null;
  warmupPlan: z.output<typeof WarmupPlan> | null;
  warmupFrom: Date | null;
}

/** How many messages a sender may send on a day (UTC); null without a limit. The warm-up begins with its first message. */
export function allowedOn(day: Date, { dailyCap, warmupPlan, warmupFrom }: Limits): number | null {
  if (!warmupPlan) return dailyCap;
  const days = warmupFrom ? Math.max(0, Math.round((day.getTime() - warmupFrom.getTime()) / dayMs)) : 0;
  const grown = Math.floor(warmupPlan.start * (1 + warmupPlan.growthPercent / 100) ** days);
  return Math.min(grown, dailyCap ?? Number.MAX_SAFE_INTEGER);
}

/** The first moment of a day in UTC, as dates are stored. */
export function dayOfUtc(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs);
}
