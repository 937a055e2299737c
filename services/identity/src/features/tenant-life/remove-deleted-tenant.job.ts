import { tenantDeletionDue, timestamp } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { removeTenantJob } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { missingServices } from './life.ts';

// A service that has not answered after this time is told again.
const repeatMs = 600_000;
// Lets consumers finish with the last events of the tenant.
const settleMs = 5_000;

/** Job that deletes a tenant at the end of its grace period. */
export const removeDeletedTenantJob = {
  name: 'remove-deleted-tenant',
  payload: z.object({ dueAt: timestamp() }),
};

/** Asks all services to remove their data, again until each has, and then removes that of identity. */
export const removeDeletedTenant = job({
  ...removeDeletedTenantJob,
  whileSuspended: true,
  async run({ payload, finish }: JobContext<z.output<typeof removeDeletedTenantJob.payload>, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const tenant = await tx.tenant.lockFirst({ where: {} });
      if (!tenant) return;
      const { tenantId, version } = tenant;
      const deletion = await tx.tenantDeletion.findFirst({ where: { tenantNumber: tenantId } });
      // Canceled, or scheduled again for another time.
      if (deletion?.dueAt.getTime() !== payload.dueAt.getTime()) return;
      if (deletion.state !== 'scheduled' && deletion.state !== 'removing') return;
      if (deletion.state === 'removing' && !missingServices(deletion).length) {
        await tx.sql`INSERT INTO platform.tenant_state (state, version) VALUES ('removing', ${version})
          ON CONFLICT (tenant_id) DO UPDATE SET state = 'removing', version = excluded.version`;
        await schedule(removeTenantJob, [{}], new Date(Date.now() + settleMs));
        return;
      }
      await tx.tenantDeletion.updateMany({ where: { tenantNumber: tenantId }, data: { state: 'removing' } });
      // Later than every version that the tenant had.
      emit(tenantDeletionDue, { data: { tenantId }, record: { id: tenantId, version: version + 1 } });
      return new Date(Date.now() + repeatMs);
    });
  },
});
