import type { AddonDetail, AddonKey } from '@tandem/identity-contract';
import type { z } from 'zod';
import { configSchemaOf } from './settings-schema.ts';

export type CatalogueEntry = z.output<typeof AddonDetail> & { key: AddonKey };

const free = { type: 'free', monthlyPrice: 0, currency: 'USD' } as const;

function perMonth(monthlyPrice: number) {
  return { type: 'flat', monthlyPrice, currency: 'USD' } as const;
}

/** Addons without the derived fields: `version`, the last of `versions`, and `configSchema`. */
const addons: readonly Omit<CatalogueEntry, 'version' | 'configSchema'>[] = [
  {
    id: 1,
    key: 'partner_program',
    name: 'Partner Program',
    description:
      'Your terms for partners who apply, their approval, what they see of leads and deals, and the account that pays them.',
    category: 'partners',
    versions: ['1.0.0', '1.1.0', '1.2.0', '1.3.0'],
    pricing: perMonth(9),
    features: ['partner_automation'],
    requiresPlan: 'starter',
  },
  {
    id: 2,
    key: 'co_marketing_library',
    name: 'Co-Marketing Library',
    description: 'Marketing material that partners share, on public pages with your name.',
    category: 'partners',
    versions: ['1.0.0', '1.1.0'],
    pricing: perMonth(19),
    features: ['co_marketing'],
    requiresPlan: null,
  },
  {
    id: 3,
    key: 'training_academy',
    name: 'Training Academy',
    description: 'Courses and lessons for teams and partners, with enrolments.',
    category: 'training',
    versions: ['1.0.0', '1.0.1'],
    pricing: perMonth(19),
    features: ['training'],
    requiresPlan: null,
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
    requiresPlan: 'starter',
  },
  {
    id: 5,
    key: 'ai_agents',
    name: 'AI Agents',
    description: 'AI agents that call leads and recommend the next step, individually or in bulk.',
    category: 'ai',
    versions: ['1.0.0', '1.1.0'],
    pricing: perMonth(99),
    features: ['agents'],
    requiresPlan: 'starter',
  },
  {
    id: 8,
    key: 'advanced_search',
    name: 'Advanced Search',
    description: 'Whether searches tolerate misspelt words, for all users and keys of the tenant.',
    category: 'data',
    versions: ['1.3.0', '1.4.0'],
    pricing: free,
    features: ['search_settings'],
    requiresPlan: null,
  },
];

/** All addons. Their ids are part of public ids: append, never renumber, and never use the id of a discontinued one. */
export const catalogue: readonly CatalogueEntry[] = addons.map((addon) => {
  const version = addon.versions.at(-1) as string;
  return { ...addon, version, configSchema: configSchemaOf(addon, version) };
});

/**
 * Addons of earlier releases whose features are in every plan or do not exist. They cannot be installed. Their
 * installations enable nothing, and stay visible until they are uninstalled.
 */
export const discontinuedAddons: ReadonlyMap<number, string> = new Map([
  [6, 'Campaign Automation'],
  [7, 'Landing Pages'],
  [9, 'Engagement Analytics'],
  [10, 'Webhook Integrations'],
  [11, 'File Library'],
  [12, 'Duplicate Detection'],
]);
