import { dataServices, type internalTenantLife, SubscriptionStatus, TenantStatus } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { TenantDeletion } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asTenant, type TenantRecord } from '../tenants/tenant.ts';

type TenantLife = z.output<typeof internalTenantLife.showTenant.reply>;

const Removed = z.record(z.string(), z.object({ at: z.coerce.date(), rows: z.number() }));

/** Locks the current tenant. */
export async function lockTenant(tx: Tx): Promise<TenantRecord> {
  const row = await tx.tenant.lockFirst({ where: {} });
  if (!row) throw fail('not_found');
  return asTenant(row);
}

/** Sets the status of the locked tenant. */
export async function setStatus(
  tx: Tx,
  { id }: TenantRecord,
  { status, reason = null }: { status: 'active' | 'suspended'; reason?: string | null | undefined },
): Promise<TenantRecord> {
  const suspendedAt = status === 'suspended' ? new Date() : null;
  const [row] = await tx.tenant.updateManyAndReturn({
    where: { tenantId: id },
    data: { status, suspendedAt, suspendReason: reason, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asTenant(row);
}

/** The services that have not removed their data. */
export function missingServices({ removed }: Pick<TenantDeletion, 'removed'>): string[] {
  return dataServices.filter((service) => !(service in Removed.parse(removed)));
}

/** The status of a tenant and its deletion, which is known after the tenant is gone. */
export async function readLife(tx: Tx, tenantId: number): Promise<TenantLife> {
  const row = await tx.tenant.findFirst({});
  const found = await tx.tenantDeletion.findFirst({ where: { tenantNumber: tenantId } });
  const deletion = found?.state === 'canceled' ? null : found;
  if (!row && !deletion) throw fail('not_found');
  const tenant = row && asTenant(row);
  const subscription = row && (await tx.subscription.findFirst({}));
  return {
    id: tenantId,
    name: tenant?.name ?? null,
    plan: tenant?.plan ?? null,
    status: tenant ? TenantStatus.parse(tenant.status) : 'deleted',
    // A tenant that was suspended by an earlier release has no time.
    suspension:
      row?.status === 'suspended' ? { since: row.suspendedAt ?? row.updatedAt, reason: row.suspendReason } : null,
    subscription: subscription && {
      status: SubscriptionStatus.parse(subscription.status),
      endsAt: subscription.endsAt,
    },
    deletion: deletion && {
      state: z.enum(['scheduled', 'removing', 'completed']).parse(deletion.state),
      requestedAt: deletion.requestedAt,
      dueAt: deletion.dueAt,
      completedAt: deletion.completedAt,
      removed: Object.entries(Removed.parse(deletion.removed)).map(([service, one]) => ({ service, ...one })),
      waitingFor: deletion.state === 'removing' ? missingServices(deletion) : [],
    },
  };
}
