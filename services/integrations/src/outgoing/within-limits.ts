import { ShareTimeoutError } from '@tandem/process';
import { fail } from '@tandem/service';
import type { Tools } from '../handler.ts';

const retryAfterSeconds = 5;

/**
 * Limits tests in flight, per tenant and in total, because each one holds a gateway connection until it ends.
 */
export async function withinLimits<T>(
  { tenant, all }: Tools['testLimits'],
  { tenantId }: { tenantId: number },
  work: () => Promise<T>,
): Promise<T> {
  const releases: (() => void)[] = [];
  try {
    releases.push(await tenant.enter(tenantId));
    releases.push(await all.enter('all'));
  } catch (error) {
    for (const release of releases) release();
    throw error instanceof ShareTimeoutError ? fail('too_many_tests', [], { retryAfter: retryAfterSeconds }) : error;
  }
  try {
    return await work();
  } finally {
    for (const release of releases) release();
  }
}
