import { tenantDataRemoved } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { missingServices } from './life.ts';
import { removeDeletedTenantJob } from './remove-deleted-tenant.job.ts';

/** Records which services have removed their data of a deleted tenant. */
export const collectRemovals = consumer({
  name: 'collect-removals',
  on: [tenantDataRemoved],
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    for (const { data, occurredAt } of events) {
      const entry = JSON.stringify({ [data.service]: { at: occurredAt, rows: data.rows } });
      // The first answer counts: a service that was asked again finds nothing.
      const [row] = await tx.sql<{
        removed: object;
        due_at: Date;
      }>`UPDATE tenant_deletion SET removed = removed || ${entry}::jsonb
        WHERE tenant_number = ${data.tenantId} AND state = 'removing' AND NOT removed ? ${data.service} RETURNING removed, due_at`;
      if (row && !missingServices({ removed: row.removed as never }).length)
        await schedule(removeDeletedTenantJob, [{ dueAt: row.due_at }]);
    }
  },
});
