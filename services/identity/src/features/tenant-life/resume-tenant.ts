import { type internalTenantLife, tenantResumed } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockTenant, readLife, setStatus } from './life.ts';

export const resumeTenant =
  (tools: Tools): Handler<typeof internalTenantLife.resumeTenant> =>
  async ({ body: { tenantId }, inTenant, afterCommit }) => {
    const life = await inTenant({ tenantId, environment: 'live' }, async ({ tx, emit }) => {
      if ((await readLife(tx, tenantId)).status === 'deleted') throw fail('deletion_started');
      const tenant = await lockTenant(tx);
      const deletion = await tx.tenantDeletion.findFirst({ where: { tenantNumber: tenantId } });
      if (deletion?.state === 'removing' || deletion?.state === 'completed') throw fail('deletion_started');
      if (deletion?.state === 'scheduled')
        await tx.tenantDeletion.updateMany({ where: { tenantNumber: tenantId }, data: { state: 'canceled' } });
      if (tenant.status === 'suspended') {
        const record = await setStatus(tx, tenant, { status: 'active' });
        const changes = { status: { from: tenant.status, to: record.status } };
        emit(tenantResumed, { data: { tenantId }, record, changes });
      }
      return readLife(tx, tenantId);
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return life;
  };
