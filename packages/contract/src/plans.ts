import { z } from 'zod';

/**
 * The five plans of the spec. Limits are per tenant; null means negotiated with the customer and stored with the
 * tenant.
 */
export const plans = {
  free: { name: 'Free', monthlyCalls: 1_000, ratePerMinute: 60, burst: 10 },
  starter: { name: 'Starter', monthlyCalls: 10_000, ratePerMinute: 300, burst: 30 },
  pro: { name: 'Pro', monthlyCalls: 100_000, ratePerMinute: 1_000, burst: 100 },
  team: { name: 'Team', monthlyCalls: 500_000, ratePerMinute: 5_000, burst: 500 },
  enterprise: { name: 'Enterprise', monthlyCalls: null, ratePerMinute: null, burst: null },
} as const;

export type Plan = keyof typeof plans;

export const planCodes = Object.keys(plans) as [Plan, ...Plan[]];

/** The two data sets of a tenant. */
export const Environment = z
  .enum(['live', 'sandbox'], { error: 'Must be live or sandbox' })
  .describe('The environment: live or sandbox');

/** The code of a plan, such as `pro`. */
export const PlanCode = z.enum(planCodes).describe('The code of the plan');
