import { z } from 'zod';
import { type Plan, planCodes, plans } from './plans.ts';

/**
 * The features that plans and addons enable. The row of an operation names the feature that the tenant needs, unless
 * every plan includes it.
 */
export const features = {
  webhooks: { name: 'Webhooks', description: 'Signed events sent to your endpoints' },
  sandbox: { name: 'Sandbox', description: 'A second data set for tests' },
  audit_log: { name: 'Audit log', description: 'The tamper-evident record of every change' },
  custom_roles: { name: 'Custom roles', description: 'Roles with permissions of your choice' },
  workflows: { name: 'Workflows', description: 'Automated sequences for leads' },
  landing_pages: { name: 'Landing pages', description: 'Pages for campaigns' },
  co_marketing: { name: 'Co-marketing', description: 'Marketing material that partners share' },
  training: { name: 'Training', description: 'Courses and lessons for teams and partners' },
  ai_generation: { name: 'AI generation', description: 'Sequences, pages, statuses and stages from a prompt' },
  agents: { name: 'AI agents', description: 'Agents that call leads and recommend the next step' },
  audit_export: { name: 'Audit export', description: 'The audit log as a file' },
  sso: { name: 'Single sign-on', description: 'Sign-in through your identity provider' },
  custom_limits: { name: 'Custom limits', description: 'Call limits by agreement' },
  partner_automation: { name: 'Partner automation', description: 'Partners that are approved on registration' },
  search_settings: { name: 'Search settings', description: 'How searches of the whole tenant treat misspelt words' },
} as const satisfies Record<string, { name: string; description: string }>;

/** The key of a feature, such as `workflows`. */
export type Feature = keyof typeof features;

/** The keys of all features. */
export const featureKeys = Object.keys(features) as [Feature, ...Feature[]];

/** The schema of `Feature`. */
export const FeatureKey = z.enum(featureKeys).describe('The key of the feature');

/** Features that no plan includes, only addons. */
export const addonFeatures: readonly Feature[] = ['partner_automation', 'search_settings'];

// Each plan includes the features of the plans before it.
const added: Record<Plan, readonly Feature[]> = {
  free: ['webhooks', 'sandbox', 'audit_log'],
  starter: ['custom_roles', 'workflows', 'landing_pages', 'co_marketing', 'training'],
  pro: ['ai_generation', 'agents', 'audit_export'],
  team: ['sso'],
  enterprise: ['custom_limits'],
};

/** The features of each plan. */
export const planFeatures = Object.fromEntries(
  planCodes.map((code, index) => [code, planCodes.slice(0, index + 1).flatMap((lower) => added[lower])]),
) as Record<Plan, Feature[]>;

/** The lowest plan that includes a feature; undefined if only addons do. */
export function lowestPlanWith(feature: Feature): Plan | undefined {
  return planCodes.find((code) => added[code].includes(feature));
}

/** The error for a tenant that lacks a feature. It names the feature, and the plan or addon that includes it. */
export function missingFeature(feature: Feature): { message: string; errors: { field: string; message: string }[] } {
  const { name } = features[feature];
  const lowest = lowestPlanWith(feature);
  if (!lowest)
    return {
      message: `${name}: not included in any plan. Install and activate an addon with this feature.`,
      errors: [{ field: 'plan', message: `The feature ${feature} needs an addon with it` }],
    };
  const plan = plans[lowest].name;
  return {
    message: `${name}: not included in your plan. Change to the plan ${plan} or higher, or install an addon with this feature.`,
    errors: [
      { field: 'plan', message: `The feature ${feature} needs the plan ${plan} or higher, or an addon with it` },
    ],
  };
}
