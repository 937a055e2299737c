import { amount, currency, id, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { partnerTiers } from './partners.ts';

export const planTypes = ['percent', 'flat'] as const;
export const planLimits = {
  levels: 10,
  pipelines: 50,
  holdDays: 365,
  maxMonths: 120,
  attributionDays: 365,
  ownSales: 1_000_000,
} as const;
export const defaultAttributionDays = 90;

export const PlanType = z.enum(planTypes).describe('Whether the commission is a share of the deal or a fixed amount');
const rateText = 'Must be a number from 0 to 100';
// At most two decimals, so that a share is exact.
const Percentage = z
  .number({ error: rateText })
  .min(0, rateText)
  .max(100, rateText)
  .multipleOf(0.01, 'Must have at most 2 decimals');

function wholeNumber(min: number, max: number) {
  const error = `Must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, error).max(max, error);
}

/** A level above the partner who referred the lead. */
export const PlanLevel = z.object({
  level: wholeNumber(2, planLimits.levels).meta({
    description: 'The level: 2 for the parent of the partner who referred the lead',
    examples: [2],
  }),
  rate: Percentage.meta({
    description: 'The rate in percent of the value of the deal, or of the amount of a flat plan',
    examples: [2],
  }),
  minOwnSales: wholeNumber(0, planLimits.ownSales)
    .meta({
      description: 'The least number of won deals of leads that the partner of this level referred; 0 for none',
      examples: [1],
    })
    .default(0),
});

/** The terms of a plan. A change makes a new version; commissions keep theirs. */
export const PlanTerms = z.object({
  type: PlanType,
  rate: Percentage.nullable().meta({
    description: 'The rate in percent, unless the pipeline or the tier has its own; null in a flat plan',
    examples: [5],
  }),
  amount: amount()
    .positive('Must be greater than 0')
    .nullable()
    .meta({ description: 'The commission of a flat plan, in major units; null in a percent plan', examples: [null] }),
  currency: currency()
    .nullable()
    .meta({ description: 'The currency of `amount`; null in a percent plan', examples: [null] }),
  tierRates: z
    .object(
      Object.fromEntries(
        partnerTiers.map((tier) => [
          tier,
          Percentage.meta({ description: `The rate of the tier ${tier} in percent`, examples: [5] }).optional(),
        ]),
      ) as Record<(typeof partnerTiers)[number], z.ZodOptional<typeof Percentage>>,
    )
    .meta({
      description: 'The rates in percent by tier, which apply instead of `rate`',
      examples: [{ bronze: 5, silver: 7.5, gold: 10, platinum: 12.5 }],
    }),
  pipelineRates: z
    .array(
      z.object({
        pipelineId: id('pipeline'),
        rate: Percentage.meta({ description: 'The rate of the pipeline in percent', examples: [8] }),
      }),
    )
    .max(planLimits.pipelines, `Must contain at most ${planLimits.pipelines} pipelines`)
    .meta({ description: 'The rates in percent by pipeline, which apply instead of those by tier', examples: [[]] }),
  levels: z
    .array(PlanLevel)
    .max(planLimits.levels - 1, `Must contain at most ${planLimits.levels - 1} levels`)
    .meta({
      description:
        'The rates of the partners above the one who referred the lead. They are paid in addition, to approved partners only; the share of another partner is not paid',
      examples: [[{ level: 2, rate: 2, minOwnSales: 1 }]],
    }),
  holdDays: wholeNumber(0, planLimits.holdDays).meta({
    description: 'The days after the sale during which a commission cannot be approved without force',
    examples: [30],
  }),
  autoApprove: z
    .boolean()
    .meta({ description: 'Whether commissions are approved when their hold period is over', examples: [false] }),
  maxMonths: wholeNumber(1, planLimits.maxMonths)
    .nullable()
    .meta({
      description: 'For how many months after the first won deal of a lead its deals earn; null without a limit',
      examples: [12],
    }),
  cap: z
    .object({ amount: amount().positive('Must be greater than 0'), currency: currency() })
    .nullable()
    .meta({
      description:
        'The most that one commission is. A commission in another currency is put on hold, so that a person decides',
      examples: [{ amount: 1000, currency: 'EUR' }],
    }),
  attributionDays: wholeNumber(1, planLimits.attributionDays).meta({
    description:
      'For how many days a click or a code of a partner with this plan counts. Plans with another trigger than `opportunity.won` do not use it',
    examples: [90],
  }),
  activeFrom: timestamp()
    .nullable()
    .meta({ description: 'Sales before this time earn nothing; null without a start', examples: [null] }),
  activeTo: timestamp()
    .nullable()
    .meta({ description: 'Sales from this time on earn nothing; null without an end', examples: [null] }),
});
