import { background } from './scope.ts';
import type { TenantDb } from './tenant-db.ts';

/**
 * The same database for background work such as consumers and jobs. All of it together uses a bounded part of the pool,
 * so that requests always find a connection. It waits for a connection without a time limit: the wait of a busy service
 * must not use up the attempts of an event.
 * @param signal ends the waits with its reason when the process stops
 */
export function inBackground<Client>(db: TenantDb<Client>, signal?: AbortSignal): TenantDb<Client> {
  return {
    ...db,
    within: (scope, work) => background.run({ signal }, () => db.within(scope, work)),
    transaction: (scope, work, last) => background.run({ signal }, () => db.transaction(scope, work, last)),
  };
}
