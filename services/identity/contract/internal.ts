import { currency, id, name, operations, planCodes, sharedErrors, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { notificationCreated } from './notification.ts';
import { DateFormat } from './preferences.ts';
import { SubscriptionStatus, subscriptionCanceled, subscriptionUpdated } from './subscriptions.ts';
import { tenantPlanChanged } from './tenants.ts';
import { usageThresholdReached } from './usage-alerts.ts';
import { userStatuses } from './users.ts';

/** The limits of a tenant; null means unlimited. */
export const Limits = z.object({
  plan: z.enum(planCodes),
  monthlyCalls: z.int().nullable(),
  ratePerMinute: z.int().nullable(),
  burst: z.int().nullable(),
});

/** The owner of a key or a session, which the gateway needs for every request. */
export const Principal = z.object({
  tenantId: id('tenant'),
  /** The environment of a key or portal session; user sessions choose it per request. */
  environment: z.enum(['live', 'sandbox']).nullable(),
  keyId: id('api_key').nullable(),
  sessionId: id('session').nullable(),
  /** The signed-in user or the owner of the key; null in the portal. */
  userId: id('user').nullable(),
  /** In the portal: the partner and the portal user. */
  partnerId: id('partner').nullable(),
  portalUserId: id('portal_user').nullable(),
  name: z.string(),
  permissions: z.array(z.string()),
  /** The features of the tenant, from its plan and addons; absent in the previous release. */
  features: z.array(z.string()).optional(),
  teamIds: z.array(id('team')),
  limits: Limits,
  allowedIps: z.array(z.string()).nullable(),
  expiresAt: timestamp().nullable(),
  /** The credential is valid, but its tenant is suspended. */
  suspended: z.boolean().optional(),
});

export const InternalUser = z.object({
  id: id('user'),
  status: z.enum(userStatuses),
  name: z.string(),
  teamIds: z.array(id('team')),
  /** The successor of a user who is not active. */
  successorId: id('user').nullish(),
  /** The currency that the user chose for new records. */
  defaultCurrency: currency().nullish(),
  /** How the user writes dates; null for the usual form of the locale. */
  dateFormat: DateFormat.nullish(),
  /** Absent in the previous release. */
  roleId: id('role').nullish(),
});

/** Users of the caller's tenant, for services that store a user's id. */
export const internalUsers = operations({
  findUser: {
    method: 'GET',
    path: '/internal/users/:id',
    audience: 'internal',
    summary: 'Retrieve a user of the tenant with any status',
    params: z.object({ id: id('user') }),
    reply: InternalUser,
    message: 'User retrieved',
  },
  findUserPermissions: {
    method: 'GET',
    path: '/internal/users/:id/permissions',
    audience: 'internal',
    summary: 'Retrieve the current permissions of a user; none if the user does not exist or is not active',
    params: z.object({ id: id('user') }),
    reply: z.object({ permissions: z.array(z.string()) }),
    message: 'Permissions retrieved',
  },
});

/** Maximum number of users in a reply of `findAssignees`. */
export const assigneesMax = 1_000;

/** Active users, for services that choose an assignee. */
export const internalAssignees = operations({
  findAssignees: {
    method: 'POST',
    path: '/internal/users/assignees',
    audience: 'internal',
    summary: 'Retrieve active users of the tenant by their ids or addresses, and the active members of teams',
    body: z.object({
      userIds: z.array(id('user')).max(assigneesMax),
      teamIds: z.array(id('team')).max(assigneesMax),
      emails: z.array(z.string()).max(assigneesMax).optional(),
    }),
    // Address and name are absent in the previous release.
    reply: z.array(
      InternalUser.pick({ id: true, teamIds: true }).extend({
        email: z.string().nullish(),
        name: z.string().nullish(),
        roleId: id('role').nullish(),
      }),
    ),
    message: 'Assignees found',
    emits: [],
  },
  listActiveUsers: {
    method: 'POST',
    path: '/internal/users/active',
    audience: 'internal',
    summary: 'Retrieve active users of the tenant with ids greater than `after`, in the order of their ids',
    body: z.object({ after: id('user').nullable(), limit: z.int().min(1).max(assigneesMax) }),
    reply: z.array(z.object({ id: id('user') })),
    message: 'Active users retrieved',
    emits: [],
  },
});

/** Teams of the caller's tenant, for services that store a team's id. */
export const internalTeams = operations({
  findTeam: {
    method: 'GET',
    path: '/internal/teams/:id',
    audience: 'internal',
    summary: 'Retrieve a team of the tenant',
    params: z.object({ id: id('team') }),
    reply: z.object({ id: id('team'), name: name(), leadId: id('user').nullish() }),
    message: 'Team retrieved',
  },
});

/** Roles of the caller's tenant, for services that store a role's id. */
export const internalRoles = operations({
  findRole: {
    method: 'GET',
    path: '/internal/roles/:id',
    audience: 'internal',
    summary: 'Retrieve a role of the tenant',
    params: z.object({ id: id('role') }),
    reply: z.object({ id: id('role'), name: name() }),
    message: 'Role retrieved',
  },
});

/** A calendar month, in UTC. */
const Month = z.string().regex(/^2\d{3}-(0[1-9]|1[0-2])$/);

const KeyHash = z.string().length(64);

/** Null for a pepper without an id. */
const PepperId = z.string().max(32).nullable();

/** Credentials and usage, for the gateway. */
export const internalAccess = operations({
  resolveKey: {
    method: 'POST',
    path: '/internal/keys/resolve',
    audience: 'internal',
    summary: 'Resolve an API key to its tenant and owner; 404 if it is unknown, revoked or expired',
    body: z.object({
      /** The hash of the key under the gateway's current pepper. */
      hash: KeyHash,
      /** The id of that pepper. */
      pepper: PepperId.optional(),
      /** The hashes under the other listed peppers. */
      previous: z.array(KeyHash).max(4).optional(),
    }),
    reply: Principal,
    message: 'Key resolved',
    emits: [],
  },
  resolveSession: {
    method: 'POST',
    path: '/internal/sessions/resolve',
    audience: 'internal',
    summary: 'Resolve a session to its tenant and user; 404 if it has ended or its user is not active',
    body: z.object({ tenantId: id('tenant'), sessionId: id('session') }),
    reply: Principal,
    message: 'Session resolved',
    emits: [],
  },
  readUsage: {
    method: 'POST',
    path: '/internal/usage/read',
    audience: 'internal',
    summary: 'Retrieve the recorded calls of a tenant and month, in total and by gateway process',
    body: z.object({ tenantId: id('tenant'), month: Month }),
    reply: z.object({ calls: z.int(), recorded: z.array(z.object({ gateway: z.string(), calls: z.int() })) }),
    message: 'Usage read',
    emits: [],
  },
  reportUsage: {
    method: 'POST',
    path: '/internal/usage/report',
    audience: 'internal',
    summary: 'Record the calls per tenant and month that a gateway process has served since it started',
    body: z.object({
      /** The id of the gateway process, constant for its lifetime. */
      gateway: z.string().min(1).max(64),
      /** Totals instead of increments, so that a repeated or late report has no effect. */
      served: z.array(z.object({ tenantId: id('tenant'), month: Month, calls: z.int().nonnegative() })).max(10_000),
      /** The same calls by hour (hours since 1970), key, operation and user; 0 and '' for calls above a bound. */
      parts: z
        .array(
          z.object({
            tenantId: id('tenant'),
            hour: z.int().positive(),
            keyId: z.int().nonnegative(),
            operation: z.string().max(200),
            userId: z.int().nonnegative(),
            calls: z.int().nonnegative(),
          }),
        )
        .max(5_000)
        .optional(),
    }),
    // 10,000 tenants and 5,000 parts.
    bodyMax: 2 * 1024 * 1024,
    reply: z.object({}),
    message: 'Usage recorded',
    emits: [usageThresholdReached, notificationCreated],
  },
  /** For gateways of the release without `reportUsage`, during a rolling update. */
  recordUsage: {
    method: 'POST',
    path: '/internal/usage/record',
    audience: 'internal',
    summary: 'Add calls to tenants and months; a batch number that is already recorded has no effect',
    body: z.object({
      /** The id of the gateway process, constant for its lifetime. Its batches are numbered from 1. */
      gateway: z.string().max(64),
      batch: z.int().positive(),
      calls: z.array(z.object({ tenantId: id('tenant'), month: Month, calls: z.int() })).max(10_000),
    }),
    reply: z.object({ recorded: z.boolean() }),
    message: 'Usage recorded',
    emits: [],
  },
});

/** For operators: `npm run admin`. */
export const internalAdmin = operations({
  setTenantPlan: {
    method: 'POST',
    path: '/internal/tenants/plan',
    audience: 'internal',
    summary: 'Set the plan of a tenant, with its limits for the plan enterprise',
    body: z.object({
      tenantId: id('tenant'),
      plan: z.enum(planCodes),
      monthlyCalls: z.int().positive().nullish(),
      ratePerMinute: z.int().positive().nullish(),
      burst: z.int().nonnegative().nullish(),
    }),
    reply: Limits,
    message: 'Plan set',
    emits: [tenantPlanChanged, subscriptionUpdated],
  },
  setSubscriptionStatus: {
    method: 'POST',
    path: '/internal/subscriptions/status',
    audience: 'internal',
    summary: 'Start a trial, record that a payment is due or was made, or end a subscription',
    body: z.object({
      tenantId: id('tenant'),
      status: SubscriptionStatus,
      /** The plan of a trial. */
      plan: z.enum(planCodes).nullish(),
      /** The days until a trial ends, or until an unpaid subscription does. */
      days: z.int().min(1).max(365).default(14),
    }),
    reply: z.object({ planCode: z.enum(planCodes), status: SubscriptionStatus, endsAt: timestamp().nullable() }),
    message: 'Status set',
    emits: [subscriptionUpdated, subscriptionCanceled, tenantPlanChanged, notificationCreated],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  verifyAuditChain: {
    method: 'POST',
    path: '/internal/audit/verify',
    audience: 'internal',
    summary: 'Recalculate the hash chain of a tenant’s audit log',
    body: z.object({ tenantId: id('tenant') }),
    reply: z.object({
      entries: z.int(),
      /** The number of expired entries that were removed before them. */
      purged: z.int(),
      intact: z.boolean(),
      firstBroken: id('audit_log').nullable(),
      reason: text(200).nullable(),
    }),
    message: 'Audit chain verified',
    // Verifying a hundred thousand entries takes seconds.
    timeoutMs: 600_000,
    emits: [],
  },
  listTenants: {
    method: 'POST',
    path: '/internal/tenants/list',
    audience: 'internal',
    summary: 'List all tenants with their plans',
    body: z.object({ after: id('tenant').nullish() }),
    reply: z.array(z.object({ id: id('tenant'), name: name(), plan: z.enum(planCodes), status: z.string() })),
    message: 'Tenants listed',
    emits: [],
  },
});

/** The Redis channel for credential changes, on which identity tells gateways to drop cached credentials. */
export const credentialChannel = 'tandem:credentials';

/**
 * A message on that channel: invalidates one key, one session, the credentials of some users, or those of a whole
 * tenant. Ids are plain numbers.
 */
export const CredentialChange = z.union([
  z.object({ keyId: z.int() }),
  z.object({ sessionId: z.int() }),
  z.object({ tenantId: z.int(), userIds: z.array(z.int()) }),
  z.object({ tenantId: z.int() }),
]);
