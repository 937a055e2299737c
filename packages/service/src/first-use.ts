import type { Scope, TenantDb, Tx } from '@tandem/tenant-db';
import { fail } from './api-error.ts';
import { isRemoved } from './tenant-life.ts';

const knownMax = 100_000;

/**
 * Creates the default records of a tenant before its first request in an environment. Concurrent requests wait for the
 * same transaction, so this happens once, also for tenants older than the service.
 */
export function createFirstUse<Client>(
  db: TenantDb<Client>,
  prepare: (tx: Tx<Client>) => Promise<void>,
): (scope: Scope) => Promise<void> {
  const known = new Set<string>();
  return async ({ tenantId, environment }) => {
    const key = `${environment} ${tenantId}`;
    if (known.has(key)) return;
    await db.transaction({ tenantId, environment }, async () => {
      const { sql } = db.tx;
      // Reading a removed tenant must not insert its default rows again.
      if (await isRemoved(db.tx)) throw fail('tenant_suspended');
      const [isFirst] =
        await sql`INSERT INTO platform.first_use DEFAULT VALUES ON CONFLICT DO NOTHING RETURNING 1 AS one`;
      if (isFirst) await prepare(db.tx);
    });
    if (known.size >= knownMax) known.clear();
    known.add(key);
  };
}
