import { z } from 'zod';

// The allowance of each signed-in person (rule 20), apart from the limits of the tenant's keys.
const person = { ratePerMinute: 600, burst: 100 } as const;

const gigabyte = 1_000_000_000;

/**
 * The five plans of the spec. Limits are per tenant; null means negotiated with the customer and stored with the
 * tenant, and for `engagementDays`, after which engagement events are removed, that they are kept. Prices are list prices in major units.
 */
export const plans = {
  free: {
    name: 'Free',
    monthlyCalls: 1_000,
    ratePerMinute: 60,
    burst: 10,
    storageBytes: gigabyte,
    engagementDays: 90,
    person,
    monthlyPrice: 0,
  },
  starter: {
    name: 'Starter',
    monthlyCalls: 10_000,
    ratePerMinute: 300,
    burst: 30,
    storageBytes: 10 * gigabyte,
    engagementDays: 365,
    person,
    monthlyPrice: 29,
  },
  pro: {
    name: 'Pro',
    monthlyCalls: 100_000,
    ratePerMinute: 1_000,
    burst: 100,
    storageBytes: 100 * gigabyte,
    engagementDays: 730,
    person,
    monthlyPrice: 99,
  },
  team: {
    name: 'Team',
    monthlyCalls: 500_000,
    ratePerMinute: 5_000,
    burst: 500,
    storageBytes: 500 * gigabyte,
    engagementDays: 1_095,
    person,
    monthlyPrice: 499,
  },
  enterprise: {
    name: 'Enterprise',
    monthlyCalls: null,
    ratePerMinute: null,
    burst: null,
    storageBytes: null,
    engagementDays: null,
    person,
    monthlyPrice: null,
  },
} as const;

/** The currency of the list prices. */
export const planCurrency = 'USD';

export type Plan = keyof typeof plans;

export const planCodes = Object.keys(plans) as [Plan, ...Plan[]];

/** The two data sets of a tenant. */
export const Environment = z
  .enum(['live', 'sandbox'], { error: 'Must be live or sandbox' })
  .describe('The environment: live or sandbox');

/** The code of a plan, such as `pro`. */
export const PlanCode = z.enum(planCodes).describe('The code of the plan');
