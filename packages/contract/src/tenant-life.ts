import { z } from 'zod';
import { event } from './event.ts';
import { timestamp } from './fields.ts';
import { id } from './id.ts';

const life = {
  target: 'tenant',
  data: z.object({ tenantId: id('tenant') }),
  /** The version orders these events. */
  record: z.object({ id: id('tenant'), version: z.int() }),
} as const;

/** Events that every service follows (packages/service); identity emits them. */
export const tenantSuspended = event('tenant.suspended', {
  ...life,
  description: 'An operator suspends a tenant',
  action: 'tenant.suspend',
});
export const tenantResumed = event('tenant.resumed', {
  ...life,
  description: 'An operator resumes a suspended tenant',
  action: 'tenant.resume',
});
export const tenantDeletionScheduled = event('tenant.deletion_scheduled', {
  ...life,
  description: 'An operator schedules the deletion of a tenant',
  action: 'tenant.schedule_deletion',
  data: life.data.extend({ dueAt: timestamp() }),
});
// Not audited, because the audit log is removed too. The record of the deletion is kept elsewhere.
export const tenantDeletionDue = event('tenant.deletion_due', {
  ...life,
  description: 'The grace period of a deletion ended; every service removes its data of the tenant',
  action: 'tenant.delete',
  audited: false,
});
/** Every service emits it when it has removed its data. */
export const tenantDataRemoved = event('tenant.data_removed', {
  description: 'A service removed its data of a deleted tenant',
  action: 'tenant.remove_data',
  target: 'tenant',
  audited: false,
  data: z.object({ tenantId: id('tenant'), service: z.string(), rows: z.int() }),
  record: z.object({ id: id('tenant') }),
});
