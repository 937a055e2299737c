import type { AddonDetail } from '@tandem/identity-contract';
import type { z } from 'zod';

export type CatalogueEntry = z.output<typeof AddonDetail>;

const free = { type: 'free', monthlyPrice: 0, currency: 'USD' } as const;

function perMonth(monthlyPrice: number) {
  return { type: 'flat', monthlyPrice, currency: 'USD' } as const;
}

/** JSON Schema of an addon's settings. Unknown settings are rejected, so that a misspelled name is reported. */
function settingsSchema(properties: Record<string, object>) {
  return { type: 'object', additionalProperties: false, properties };
}

function integerSetting(limits: { min: number; max: number; default: number }) {
  return { type: 'integer', minimum: limits.min, maximum: limits.max, default: limits.default };
}

function booleanSetting(value: boolean) {
  return { type: 'boolean', default: value };
}

/** Addons without `version`, which is the last of their `versions`. */
const addons: readonly Omit<CatalogueEntry, 'version'>[] = [
  {
    id: 1,
    key: 'partner_program',
    name: 'Partner Program',
    description: 'Partner registration with referral codes and tiers, and commissions with statements.',
    category: 'partners',
    versions: ['1.0.0', '1.1.0', '1.2.0'],
    pricing: perMonth(49),
    features: ['partners', 'commissions', 'statements'],
    requiresPlan: 'starter',
    configSchema: settingsSchema({
      commissionPercent: { type: 'number', minimum: 0, maximum: 100, default: 10 },
      autoApprove: booleanSetting(false),
    }),
  },
  {
    id: 2,
    key: 'co_marketing_library',
    name: 'Co-Marketing Library',
    description: 'Marketing material that partners share with their own links.',
    category: 'partners',
    versions: ['1.0.0', '1.1.0'],
    pricing: perMonth(19),
    features: ['co_marketing'],
    requiresPlan: 'starter',
    configSchema: settingsSchema({
      publicSharing: booleanSetting(true),
      linkDays: integerSetting({ min: 1, max: 365, default: 90 }),
    }),
  },
  {
    id: 3,
    key: 'training_academy',
    name: 'Training Academy',
    description: 'Courses and lessons for teams and partners, with progress tracking and certificates.',
    category: 'training',
    versions: ['1.0.0', '1.0.1'],
    pricing: perMonth(29),
    features: ['courses', 'certificates'],
    requiresPlan: 'starter',
    configSchema: settingsSchema({
      passPercent: integerSetting({ min: 1, max: 100, default: 80 }),
      partnerAccess: booleanSetting(true),
    }),
  },
  {
    id: 4,
    key: 'ai_generation',
    name: 'AI Generation',
    description: 'Generates sequences, landing pages, statuses and stages from a prompt.',
    category: 'ai',
    versions: ['1.0.0', '2.0.0'],
    pricing: perMonth(39),
    features: ['ai_generation'],
    requiresPlan: 'pro',
    configSchema: settingsSchema({
      tone: { type: 'string', enum: ['neutral', 'friendly', 'formal'], default: 'neutral' },
      language: { type: 'string', pattern: '^[a-z]{2}(-[A-Z]{2})?$', default: 'en' },
    }),
  },
  {
    id: 5,
    key: 'ai_agents',
    name: 'AI Agents',
    description: 'AI agents that call leads and recommend the next step, individually or in bulk.',
    category: 'ai',
    versions: ['1.0.0', '1.1.0'],
    pricing: perMonth(99),
    features: ['agents', 'agent_bulk_runs'],
    requiresPlan: 'pro',
    configSchema: settingsSchema({
      runsPerDay: integerSetting({ min: 1, max: 100_000, default: 500 }),
      needsApproval: booleanSetting(true),
    }),
  },
  {
    id: 6,
    key: 'campaign_automation',
    name: 'Campaign Automation',
    description: 'E-mail and SMS campaigns, and automated workflows for leads.',
    category: 'marketing',
    versions: ['1.2.0', '1.3.0'],
    pricing: perMonth(59),
    features: ['campaigns', 'workflows'],
    requiresPlan: 'starter',
    configSchema: settingsSchema({
      dailySendLimit: integerSetting({ min: 1, max: 1_000_000, default: 10_000 }),
      trackOpens: booleanSetting(true),
    }),
  },
  {
    id: 7,
    key: 'landing_pages',
    name: 'Landing Pages',
    description: 'Published pages with forms; submissions become leads.',
    category: 'marketing',
    versions: ['1.0.0'],
    pricing: perMonth(15),
    features: ['landing_pages', 'forms'],
    requiresPlan: null,
    configSchema: settingsSchema({ leadSource: { type: 'string', minLength: 1, maxLength: 50, default: 'web' } }),
  },
  {
    id: 8,
    key: 'advanced_search',
    name: 'Advanced Search',
    description: 'Typo-tolerant full-text search over leads, opportunities and partners.',
    category: 'data',
    versions: ['1.3.0', '1.4.0'],
    pricing: free,
    features: ['search', 'hybrid_ranking'],
    requiresPlan: null,
    configSchema: settingsSchema({ typoTolerance: booleanSetting(true) }),
  },
  {
    id: 9,
    key: 'engagement_analytics',
    name: 'Engagement Analytics',
    description: 'Opens, clicks, replies and visits of each lead, with a dashboard.',
    category: 'data',
    versions: ['1.0.0', '1.1.0'],
    pricing: perMonth(25),
    features: ['engagement_events', 'dashboard'],
    requiresPlan: 'starter',
    configSchema: settingsSchema({ retentionDays: integerSetting({ min: 30, max: 730, default: 365 }) }),
  },
  {
    id: 10,
    key: 'webhook_integrations',
    name: 'Webhook Integrations',
    description: 'Signed events sent to your endpoints, with automatic retries.',
    category: 'integrations',
    versions: ['1.2.0', '1.2.1'],
    pricing: free,
    features: ['webhooks', 'event_log'],
    requiresPlan: null,
    configSchema: settingsSchema({ warnAfterFailures: integerSetting({ min: 1, max: 100, default: 5 }) }),
  },
  {
    id: 11,
    key: 'file_library',
    name: 'File Library',
    description: 'Files of leads, deals and partners, with expiring download links.',
    category: 'data',
    versions: ['1.0.0'],
    pricing: perMonth(9),
    features: ['files'],
    requiresPlan: null,
    configSchema: settingsSchema({ linkMinutes: integerSetting({ min: 1, max: 1_440, default: 15 }) }),
  },
  {
    id: 12,
    key: 'duplicate_detection',
    name: 'Duplicate Detection',
    description: 'Finds and merges duplicate leads.',
    category: 'data',
    versions: ['1.0.0'],
    pricing: free,
    features: ['duplicates', 'merge'],
    requiresPlan: null,
    configSchema: settingsSchema({ minConfidence: { type: 'number', minimum: 0.5, maximum: 1, default: 0.8 } }),
  },
];

/** All addons. Their ids are part of public ids: append, never renumber. */
export const catalogue: readonly CatalogueEntry[] = addons.map((addon) => ({
  ...addon,
  version: addon.versions.at(-1) as string,
}));
