import {
  id,
  name,
  operations,
  planCodes,
  tenantDeletionScheduled,
  tenantResumed,
  tenantSuspended,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { SubscriptionStatus } from './subscriptions.ts';

// Every service declares or consumes these; identity decides about tenants.
export {
  tenantDataRemoved,
  tenantDeletionDue,
  tenantDeletionScheduled,
  tenantResumed,
  tenantSuspended,
} from '@tandem/contract';

const TenantLife = z.object({
  id: id('tenant'),
  /** Null after the deletion. */
  name: name().nullable(),
  plan: z.enum(planCodes).nullable(),
  status: z.enum(['active', 'suspended', 'deleted']),
  /** Null while the tenant is active, and after its deletion; absent from services of the previous release. */
  suspension: z.object({ since: timestamp(), reason: text(500).nullable() }).nullish(),
  /** Null after the deletion; absent as above. */
  subscription: z.object({ status: SubscriptionStatus, endsAt: timestamp().nullable() }).nullish(),
  deletion: z
    .object({
      state: z.enum(['scheduled', 'removing', 'completed']),
      requestedAt: timestamp(),
      dueAt: timestamp(),
      completedAt: timestamp().nullable(),
      removed: z.array(z.object({ service: z.string(), at: timestamp(), rows: z.int() })),
      /** The services that have not removed their data yet. */
      waitingFor: z.array(z.string()),
    })
    .nullable(),
});

/** The services that hold data of tenants; the deletion of a tenant waits for each. Identity removes its own part last. */
export const dataServices = [
  'agents',
  'analytics',
  'campaign',
  'crm',
  'files',
  'integrations',
  'partner',
  'search',
  'training',
] as const;

/** Days during which the deletion of a tenant can be canceled. */
export const deletionGraceDays = 30;

const deletionStarted = [409, 'The data of this tenant is being deleted or was deleted'] as const;

/** Suspends, resumes and deletes tenants, for operators: `npm run admin -- tenant`. */
export const internalTenantLife = operations({
  suspendTenant: {
    method: 'POST',
    path: '/internal/tenants/suspend',
    audience: 'internal',
    summary: 'Suspend a tenant: its credentials are refused, its jobs and webhooks wait',
    body: z.object({ tenantId: id('tenant'), reason: text(500).optional() }),
    reply: TenantLife,
    message: 'Tenant suspended',
    emits: [tenantSuspended],
  },
  resumeTenant: {
    method: 'POST',
    path: '/internal/tenants/resume',
    audience: 'internal',
    summary: 'Resume a suspended tenant, and cancel its deletion',
    body: z.object({ tenantId: id('tenant') }),
    reply: TenantLife,
    message: 'Tenant resumed',
    emits: [tenantResumed],
    errors: { deletion_started: deletionStarted },
  },
  deleteTenant: {
    method: 'POST',
    path: '/internal/tenants/delete',
    audience: 'internal',
    summary: 'Suspend a tenant, and delete it after a grace period',
    body: z.object({ tenantId: id('tenant'), graceDays: z.int().min(0).max(deletionGraceDays).optional() }),
    reply: TenantLife,
    message: 'Deletion scheduled',
    emits: [tenantSuspended, tenantDeletionScheduled],
    errors: { deletion_started: deletionStarted },
  },
  showTenant: {
    method: 'POST',
    path: '/internal/tenants/show',
    audience: 'internal',
    summary: 'Retrieve the status of a tenant, and the progress of its deletion',
    body: z.object({ tenantId: id('tenant') }),
    reply: TenantLife,
    message: 'Tenant retrieved',
    emits: [],
  },
});
