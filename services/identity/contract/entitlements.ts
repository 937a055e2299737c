import { freeForm, id, operations, text } from '@tandem/contract';
import { z } from 'zod';

/** A feature or limit of a tenant. */
export const Entitlement = z.object({
  featureKey: z.string().meta({ description: 'The key of the feature or the limit', examples: ['ai_generation'] }),
  type: z.enum(['boolean', 'metered', 'static']).meta({
    description: 'A feature (`boolean`), a limit of use per month (`metered`), or a fixed limit (`static`)',
    examples: ['boolean'],
  }),
  hasAccess: z.boolean().meta({ description: 'Whether the feature can be used now', examples: [true] }),
  source: z
    .enum(['plan', 'addon'])
    .nullable()
    .meta({ description: 'The source of the feature: the plan or an addon; null without access', examples: ['addon'] }),
  addonId: id('addon').nullable().describe('The addon that includes the feature; null if the plan does'),
  usage: z.int().optional().meta({ description: 'The use in the current month. Only for `metered`' }),
  limit: z.int().nullable().optional().meta({
    description: 'The limit; null for no limit. Only for `metered` and `static`',
  }),
  balance: z
    .int()
    .nullable()
    .optional()
    .meta({ description: 'The remaining amount; null for no limit. Only for `metered`' }),
  config: freeForm()
    .optional()
    .meta({ description: 'The configuration of the active addon', examples: [{ tone: 'neutral' }] }),
  reason: z.string().meta({
    description: 'The reason why the feature can or cannot be used, and how to get it',
    examples: ['Enabled by the addon AI Generation'],
  }),
});

export const entitlements = operations({
  listEntitlements: {
    method: 'GET',
    path: '/v1/addons/entitlements',
    permission: 'addons:read',
    summary: 'List entitlements',
    description: 'Every feature and limit of the tenant, from its plan and its active addons.',
    reply: z.array(Entitlement),
    message: 'Entitlements retrieved',
  },
  getEntitlement: {
    method: 'GET',
    path: '/v1/addons/entitlements/:featureKey',
    permission: 'addons:read',
    summary: 'Retrieve an entitlement',
    description: 'For a key that does not exist, `hasAccess` is false.',
    params: z.object({
      featureKey: text(64).meta({ description: 'The key of the feature or the limit', examples: ['ai_generation'] }),
    }),
    reply: Entitlement,
    message: 'Entitlement retrieved',
  },
});
