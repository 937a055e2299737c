import { createShares, ShareTimeoutError } from '@tandem/process';
import { fail } from '@tandem/service';

// A request may write 250,000 rows: several at once would take the processors and the database from searches.
const atOnce = 2;
const waitingMax = 20;
const waitMs = 8_000;
const retryAfter = 5;

/** Lets bulk requests in: two at a time, one of each tenant. */
export function createBulkShare() {
  const ofTenants = createShares<number>(1, waitMs, waitingMax);
  const ofProcess = createShares<'bulk'>(atOnce, waitMs, waitingMax);
  /**
   * @returns the function that lets the next request in
   * @throws ApiError `busy` when too many requests wait, or this one has waited too long
   */
  return async function enter(tenantId: number | undefined): Promise<() => void> {
    try {
      const leaveTenant = await ofTenants.enter(tenantId);
      try {
        const leave = await ofProcess.enter('bulk');
        return () => {
          leave();
          leaveTenant();
        };
      } catch (error) {
        leaveTenant();
        throw error;
      }
    } catch (error) {
      if (error instanceof ShareTimeoutError) throw fail('busy', [], { retryAfter });
      throw error;
    }
  };
}
