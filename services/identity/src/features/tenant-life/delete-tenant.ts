import {
  deletionGraceDays,
  type internalTenantLife,
  tenantDeletionScheduled,
  tenantSuspended,
} from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockTenant, readLife, setStatus } from './life.ts';
import { removeDeletedTenantJob } from './remove-deleted-tenant.job.ts';

const dayMs = 86_400_000;

export const deleteTenant =
  (tools: Tools): Handler<typeof internalTenantLife.deleteTenant> =>
  async ({ body: { tenantId, graceDays = deletionGraceDays }, inTenant, afterCommit }) => {
    const dueAt = new Date(Date.now() + graceDays * dayMs);
    const life = await inTenant({ tenantId, environment: 'live' }, async ({ tx, emit, schedule }) => {
      if ((await readLife(tx, tenantId)).status === 'deleted') throw fail('deletion_started');
      let tenant = await lockTenant(tx);
      const deletion = await tx.tenantDeletion.findFirst({ where: { tenantNumber: tenantId } });
      if (deletion?.state === 'removing' || deletion?.state === 'completed') throw fail('deletion_started');
      if (tenant.status === 'active') {
        const record = await setStatus(tx, tenant, { status: 'suspended', reason: 'Its deletion is scheduled' });
        emit(tenantSuspended, {
          data: { tenantId },
          record,
          changes: { status: { from: tenant.status, to: record.status } },
        });
        tenant = record;
      }
      await tx.sql`INSERT INTO tenant_deletion (tenant_number, state, due_at) VALUES (${tenantId}, 'scheduled', ${dueAt})
        ON CONFLICT (tenant_number) DO UPDATE SET state = 'scheduled', requested_at = now(), due_at = ${dueAt}, removed = '{}'`;
      await schedule(removeDeletedTenantJob, [{ dueAt }], dueAt);
      emit(tenantDeletionScheduled, { data: { tenantId, dueAt }, record: tenant });
      return readLife(tx, tenantId);
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return life;
  };
