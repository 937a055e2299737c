import { currency, event, id, name, operations, planCodes, plans, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { InstalledAddon } from './addons.ts';
import { AuthSession, Password } from './auth.ts';
import { Email, User, userCreated } from './users.ts';

const TimeZone = z
  .string()
  .refine(isTimeZone, { error: 'Must be a time zone of the IANA database, such as Europe/Berlin' });
const Locale = z.string().refine(isLocale, { error: 'Must be a language tag (BCP 47), such as en or pt-BR' });

export const TenantSettings = z.object({ timezone: TimeZone, locale: Locale, currency: currency() });

export const Tenant = z.object({
  id: id('tenant'),
  name: name(),
  slug: z.string(),
  plan: z.enum(planCodes),
  status: z.enum(['active', 'suspended']),
  settings: TenantSettings,
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A tenant as it is looked up. */
const TenantLookup = Tenant.extend({ installedAddons: z.array(InstalledAddon) });

export const PlanOffer = z.object({
  code: z.enum(planCodes),
  name: z.string(),
  /** null: agreed with the customer. */
  monthlyCalls: z.int().nullable(),
  ratePerMinute: z.int().nullable(),
  burst: z.int().nullable(),
  features: z.array(z.string()),
});

export const tenantCreated = event('tenant.created', {
  description: 'A tenant signs up',
  action: 'tenant.create',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant'), plan: z.enum(planCodes) }),
  record: Tenant,
});

export const tenantUpdated = event('tenant.updated', {
  description: 'Name or settings of a tenant change',
  action: 'tenant.update',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant') }),
  record: Tenant,
});

export const tenantPlanChanged = event('tenant.plan_changed', {
  description: 'A tenant moves to another plan or other limits',
  action: 'tenant.change_plan',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant'), from: z.enum(planCodes), to: z.enum(planCodes) }),
  record: Tenant,
});

export const tenants = operations({
  createTenant: {
    method: 'POST',
    path: '/v1/tenants',
    audience: 'public',
    summary: 'Sign up',
    description:
      'Makes a tenant on the Free plan with its owner, and signs the owner in. An Idempotency-Key counts together with the body: the same person’s repetition gets the first answer, tokens included; any other body is a sign-up of its own.',
    body: z.object({
      name: name(),
      owner: z.object({ email: Email, password: Password, firstName: name(), lastName: name() }),
    }),
    reply: AuthSession.extend({ tenant: Tenant, user: User }),
    status: 201,
    message: 'Tenant created',
    emits: [tenantCreated, userCreated],
  },
  getCurrentTenant: {
    method: 'GET',
    path: '/v1/tenants/current',
    permission: 'tenant:read',
    summary: 'Retrieve the tenant of the caller',
    reply: TenantLookup,
    message: 'Tenant retrieved',
  },
  updateCurrentTenant: {
    method: 'PATCH',
    path: '/v1/tenants/current',
    permission: 'tenant:manage',
    summary: 'Update name or settings of the tenant',
    body: z.object({ name: name().optional(), settings: TenantSettings.partial().optional() }),
    reply: Tenant,
    message: 'Tenant updated',
    emits: [tenantUpdated],
  },
  getTenant: {
    method: 'GET',
    path: '/v1/tenants/:id',
    permission: 'tenant:read',
    summary: 'Retrieve a tenant',
    description: 'Only the tenant of the caller is found.',
    params: z.object({ id: id('tenant') }),
    reply: TenantLookup,
    message: 'Tenant retrieved',
  },
  listPlans: {
    method: 'GET',
    path: '/v1/plans',
    audience: 'public',
    summary: 'List the plans with their limits',
    reply: z.array(PlanOffer),
    message: 'Plans retrieved',
  },
});

/** What every plan and some plans offer, as GET /v1/plans shows it. */
export const planOffers = planCodes.map((code) => ({
  code,
  ...plans[code],
  features: [
    'rest_api',
    'webhooks',
    'sandbox',
    'roles',
    'audit_log',
    ...(code === 'enterprise' ? ['custom_limits'] : []),
  ],
}));

// Intl also takes offsets such as +01:00, which know no summer time.
const zoneName = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

function isTimeZone(zone: string): boolean {
  try {
    return zoneName.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

function isLocale(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
