import type { Scope, TenantDb, Tx } from '@tandem/tenant-db';
import { fail } from './api-error.ts';
import { isRemoved } from './tenant-life.ts';

const knownMax = 100_000;

/**
 * Creates the default records of a tenant before its first request in an environment. Concurrent requests of a process
 * wait for the same transaction, and other processes for its commit, so this happens once, also for tenants older than
 * the service.
 */
export function createFirstUse<Client>(
  db: TenantDb<Client>,
  prepare: (tx: Tx<Client>) => Promise<void>,
): (scope: Scope) => Promise<void> {
  const known = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const use = ({ tenantId, environment }: Scope) =>
    db.transaction({ tenantId, environment }, async () => {
      const { sql } = db.tx;
      // Another process may need longer than the lock timeout of the role; the statement timeout (5 s) bounds the wait.
      await sql`SET LOCAL lock_timeout = 0`;
      // Reading a removed tenant must not insert its default rows again.
      if (await isRemoved(db.tx)) throw fail('tenant_suspended');
      const [isFirst] =
        await sql`INSERT INTO platform.first_use DEFAULT VALUES ON CONFLICT DO NOTHING RETURNING 1 AS one`;
      if (isFirst) await prepare(db.tx);
    });
  return async ({ tenantId, environment }) => {
    const key = `${environment} ${tenantId}`;
    if (known.has(key)) return;
    const first = running.get(key) ?? use({ tenantId, environment }).finally(() => running.delete(key));
    running.set(key, first);
    await first;
    if (known.size >= knownMax) known.clear();
    known.add(key);
  };
}
