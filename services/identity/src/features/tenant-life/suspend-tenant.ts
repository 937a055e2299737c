import { type internalTenantLife, tenantSuspended } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { lockTenant, readLife, setStatus } from './life.ts';

export const suspendTenant =
  (tools: Tools): Handler<typeof internalTenantLife.suspendTenant> =>
  async ({ body: { tenantId, reason }, inTenant, afterCommit }) => {
    const life = await inTenant({ tenantId, environment: 'live' }, async ({ tx, emit }) => {
      const tenant = await lockTenant(tx);
      if (tenant.status === 'active') {
        const record = await setStatus(tx, tenant, { status: 'suspended', reason });
        const changes = { status: { from: tenant.status, to: record.status } };
        emit(tenantSuspended, { data: { tenantId }, record, changes });
      } else if (reason !== undefined) {
        await tx.tenant.updateMany({ where: { tenantId }, data: { suspendReason: reason } });
      }
      return readLife(tx, tenantId);
    });
    // Also for a tenant that was suspended before: an operator repeats the command when in doubt.
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return life;
  };
