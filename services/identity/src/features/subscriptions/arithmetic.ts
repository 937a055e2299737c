import { fromMinor, type Plan, planCurrency, plans, toMinor } from '@tandem/contract';
import type { PlanChange } from '@tandem/identity-contract';
import type { z } from 'zod';
import { periodOf } from './subscription.ts';

const dayMs = 86_400_000;

interface Options {
  from: Plan;
  to: Plan;
  now: Date;
  when: 'now' | 'period_end';
  /** Whether the current period of the old plan was paid for: not in a trial, and not after a cancellation. */
  isPaid: boolean;
}

/**
 * Explains what a change of the plan costs, by list prices. The rest of the month counts by days, today included: the
 * old plan is credited and the new one charged for them. At the end of a period nothing is left to credit or charge.
 */
export function explainChange({ from, to, now, when, isPaid }: Options): z.output<typeof PlanChange> {
  const { start, end } = periodOf(now);
  const daysInPeriod = (end.getTime() - start.getTime()) / dayMs;
  const daysLeft = when === 'now' ? Math.ceil((end.getTime() - now.getTime()) / dayMs) : 0;
  const share = (plan: Plan) => shareOf(minorPrice(plan), daysLeft, daysInPeriod);
  const credit = isPaid ? share(from) : 0;
  const charge = share(to);
  const amount = (minor: number) => fromMinor(minor, planCurrency);
  return {
    from,
    to,
    effectiveAt: when === 'now' ? now : end,
    periodStart: start,
    periodEnd: end,
    daysLeft,
    daysInPeriod,
    credit: amount(credit),
    charge: amount(charge),
    due: amount(charge - credit),
    currency: planCurrency,
  };
}

/** A share of a price in minor units, rounded half up. */
export function shareOf(minor: number, daysLeft: number, daysInPeriod: number): number {
  return Math.floor((2 * minor * daysLeft + daysInPeriod) / (2 * daysInPeriod));
}

function minorPrice(plan: Plan): number {
  return toMinor(plans[plan].monthlyPrice ?? 0, planCurrency);
}
