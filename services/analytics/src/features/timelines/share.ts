import { createShares, ShareTimeoutError } from '@tandem/process';
import { fail } from '@tandem/service';

// Of the ten connections of the pool (packages/tenant-db): the others are left to short requests.
const connections = 2;
const waitingMax = 20;
const waitingOfTenant = 3;
const waitMs = 8_000;

/** Runs queries that read many rows: two at a time, one of each tenant. */
export function createHeavyQueries() {
  const ofTenants = createShares<number>(1, waitMs, waitingOfTenant);
  const ofProcess = createShares<'connection'>(connections, waitMs, waitingMax);
  /** @throws ApiError `busy` when too many queries wait, or this one has waited too long */
  return async function run<T>(tenantId: number | undefined, query: () => Promise<T>): Promise<T> {
    try {
      const leaveTenant = await ofTenants.enter(tenantId);
      try {
        const leave = await ofProcess.enter('connection');
        try {
          return await query();
        } finally {
          leave();
        }
      } finally {
        leaveTenant();
      }
    } catch (error) {
      if (error instanceof ShareTimeoutError) throw fail('busy');
      throw error;
    }
  };
}
export type HeavyQueries = ReturnType<typeof createHeavyQueries>;
