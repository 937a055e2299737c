import { background } from './scope.ts';
import type { TenantDb } from './tenant-db.ts';

/**
 * The same database for background work such as consumers and jobs. All of it together uses a bounded part of the pool,
 * so that requests always find a connection. It waits for a connection without a time limit, because waiting in a busy
 * service must not use up the attempts of an event.
 * @param signal aborts the waits with its reason when the process stops
 */
export function inBackground<Client>(db: TenantDb<Client>, signal?: AbortSignal): TenantDb<Client> {
  return {
    ...db,
    within: (scope, work) => background.run({ signal }, () => db.within(scope, work)),
    transaction: (scope, work, last) => background.run({ signal }, () => db.transaction(scope, work, last)),
  };
}

/** Whether the current asynchronous context is background work. */
export function isInBackground(): boolean {
  return background.getStore() !== undefined;
}
