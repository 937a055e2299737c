import type { TenantRemoval } from '@tandem/service';
import type { PrismaClient } from '../../generated/client.ts';

/** Identity removes its own data after all other services, and keeps the proof of the deletion. */
export const tenantRemoval: TenantRemoval<PrismaClient> = {
  isLast: true,
  async done({ tx, tenantId, rows }) {
    const entry = JSON.stringify({ identity: { at: new Date(), rows } });
    await tx.sql`UPDATE tenant_deletion SET state = 'completed', completed_at = now(), removed = removed || ${entry}::jsonb
      WHERE tenant_number = ${tenantId} AND state = 'removing'`;
    // The entry keeps the number from being used again; the slug is made from the tenant's name.
    await tx.sql`UPDATE tenant_directory SET slug = 'deleted-' || id WHERE id = ${tenantId}`;
  },
};
