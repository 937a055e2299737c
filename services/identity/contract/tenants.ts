import {
  amount,
  currency,
  event,
  FeatureKey,
  id,
  name,
  operations,
  PlanCode,
  planCodes,
  planCurrency,
  planFeatures,
  plans,
  timestamp,
  timeZone,
} from '@tandem/contract';
import { z } from 'zod';
import { InstalledAddon } from './addon.ts';
import { AuthSession, Password } from './auth.ts';
import { Email, User, userCreated } from './users.ts';

export const TimeZone = timeZone();
export const Locale = z
  .string()
  .refine(isLocale, { error: 'Must be a language tag (BCP 47), such as en or pt-BR' })
  .meta({ description: 'Language (BCP 47)', examples: ['en'] });

/** The settings that other services read and events carry. */
export const TenantDefaults = z.object({ timezone: TimeZone, locale: Locale, currency: currency() });

export const TenantSettings = TenantDefaults.extend({
  requireTotp: z
    .boolean()
    .describe(
      'Whether users need a second factor. Who has none sets it up at the next sign-in; sessions of such users end at their next refresh. API keys and single sign-on are not affected',
    ),
});

/** The status of a tenant. */
export const TenantStatus = z.enum(['active', 'suspended']).describe('The status of the tenant');

export const Tenant = z.object({
  id: id('tenant'),
  name: name().meta({ examples: ['Analytical Engines'] }),
  slug: z.string().meta({ description: 'The name of the tenant in URLs', examples: ['analytical-engines'] }),
  plan: PlanCode,
  status: TenantStatus,
  settings: TenantSettings.describe('Defaults for new records'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The tenant in events; the public settings have fields that older events lack. */
const TenantRecord = Tenant.extend({ settings: TenantDefaults });

/** A tenant with its addons. */
export const TenantLookup = Tenant.extend({
  installedAddons: z.array(InstalledAddon).describe('The installed addons of the tenant'),
});

export const PlanOffer = z.object({
  code: PlanCode,
  name: z.string().meta({ examples: ['Free'] }),
  monthlyCalls: z
    .int()
    .nullable()
    .meta({ description: 'The number of calls per month; null if custom', examples: [1000] }),
  ratePerMinute: z
    .int()
    .nullable()
    .meta({ description: 'The number of calls per minute; null if custom', examples: [60] }),
  burst: z
    .int()
    .nullable()
    .meta({ description: 'The number of calls accepted above the limit per minute; null if custom', examples: [10] }),
  engagementDays: z
    .int()
    .nullable()
    .meta({
      description: 'The number of days after which engagement events are removed; null if they are kept',
      examples: [90],
    }),
  person: z
    .object({
      ratePerMinute: z.int().meta({ description: 'The number of calls per minute', examples: [600] }),
      burst: z.int().meta({ description: 'The number of calls accepted above that', examples: [100] }),
    })
    .describe('The allowance of each signed-in person, apart from the limits of API keys'),
  monthlyPrice: amount()
    .nullable()
    .meta({ description: 'The list price per month; null if it is agreed with sales', examples: [0] }),
  currency: currency(),
  features: z.array(FeatureKey).meta({ description: 'The keys of the included features', examples: [['webhooks']] }),
});

export const tenantCreated = event('tenant.created', {
  description: 'A tenant signs up',
  action: 'tenant.create',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant'), plan: PlanCode }),
  record: TenantRecord,
});

export const tenantUpdated = event('tenant.updated', {
  description: 'The name or settings of a tenant are updated',
  action: 'tenant.update',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant') }),
  record: TenantRecord,
});

export const tenantPlanChanged = event('tenant.plan_changed', {
  description: 'The plan or the limits of a tenant change',
  action: 'tenant.change_plan',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant'), from: PlanCode, to: PlanCode }),
  record: TenantRecord,
});

export const tenants = operations({
  createTenant: {
    method: 'POST',
    path: '/v1/tenants',
    audience: 'public',
    summary: 'Sign up',
    description:
      'Creates a tenant on the Free plan with its owner, and signs the owner in. An Idempotency-Key applies together with the body: a repeated request with the same body returns the first response including its tokens; a different body is a new sign-up.',
    body: z.object({
      name: name().meta({ examples: ['Analytical Engines'] }),
      owner: z
        .object({
          email: Email,
          password: Password,
          firstName: name().meta({ examples: ['Ada'] }),
          lastName: name().meta({ examples: ['Lovelace'] }),
        })
        .describe('The first user of the tenant, its owner'),
    }),
    reply: AuthSession.extend({
      tenant: Tenant.describe('The new tenant'),
      user: User.describe('The owner of the tenant'),
    }),
    status: 201,
    message: 'Tenant created',
    emits: [tenantCreated, userCreated],
  },
  getCurrentTenant: {
    method: 'GET',
    path: '/v1/tenants/current',
    permission: 'tenant:read',
    summary: 'Retrieve the current tenant',
    reply: TenantLookup,
    message: 'Tenant retrieved',
  },
  updateCurrentTenant: {
    method: 'PATCH',
    path: '/v1/tenants/current',
    permission: 'tenant:manage',
    summary: 'Update the current tenant',
    description: 'Changes the name or the settings.',
    body: z.object({
      name: name().optional(),
      settings: TenantSettings.partial().describe('Defaults for new records').optional(),
    }),
    reply: Tenant,
    message: 'Tenant updated',
    emits: [tenantUpdated],
  },
  getTenant: {
    method: 'GET',
    path: '/v1/tenants/:id',
    permission: 'tenant:read',
    summary: 'Retrieve a tenant',
    description: 'Returns the tenant of the caller; other tenants return 404.',
    params: z.object({ id: id('tenant') }),
    reply: TenantLookup,
    message: 'Tenant retrieved',
  },
  listPlans: {
    method: 'GET',
    path: '/v1/plans',
    audience: 'public',
    summary: 'List plans',
    reply: z.array(PlanOffer),
    message: 'Plans retrieved',
  },
});

/** The plans, as GET /v1/plans returns them. */
export const planOffers = planCodes.map((code) => ({
  code,
  ...plans[code],
  currency: planCurrency,
  features: planFeatures[code],
}));

function isLocale(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
