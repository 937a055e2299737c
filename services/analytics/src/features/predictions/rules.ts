import type { EngagementFeature } from './columns.ts';
import type { Model } from './model.ts';

// Assumed, not learned: log-odds of common experience. Ten engagement events weigh more than three times as much as one,
// because columns of counts are logarithmic.
const recent: Record<EngagementFeature, number> = { opens: 0.2, clicks: 0.5, replies: 1, forms: 0.9, visits: 0.2 };
const traits = { hasPhone: 0.3, hasAccount: 0.4, hasPartner: 0.6, hasOwner: 0.2 };
const quietDays = -0.2;
/** About 14 percent for a new lead of which nothing is known. */
const base = -1.8;

/** The model of tenants without a trained one: the same features with fixed weights. */
export const rulesModel: Model = {
  base,
  columns: [
    ...Object.entries(traits).map(([name, weight]) => ({ name, weight, mean: 0 })),
    { name: 'quietDays', weight: quietDays, mean: 0 },
    ...Object.entries(recent).flatMap(([kind, weight]) => [
      { name: `${kind}Recent`, weight, mean: 0 },
      { name: `${kind}Earlier`, weight: weight / 2, mean: 0 },
    ]),
  ],
};

/** The version of the rules in predictions: trained models have versions from 1. */
export const rulesVersion = 0;
