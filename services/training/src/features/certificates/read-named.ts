import { setTimeout } from 'node:timers/promises';
import { fail } from '@tandem/service';
import { certificateTimes } from '@tandem/training-contract';
import type { Certificate as CertificateRow } from '../../generated/client.ts';

// A job adds the names within about 100 ms, and within a second when many certificates are issued together.
const pollMs = 50;

/**
 * Reads a certificate until it has its names, which a job adds after it was issued.
 * @param read reads it in a transaction of its own, so that no connection is held meanwhile
 * @throws 404 if there is none, 503 if the names are still missing after two seconds
 */
export async function readNamed(read: () => Promise<CertificateRow | null>): Promise<CertificateRow> {
  const end = performance.now() + certificateTimes.namesSeconds * 1_000;
  for (;;) {
    const row = await read();
    if (!row) throw fail('not_found');
    if (row.learnerName) return row;
    if (performance.now() >= end) throw fail('unavailable', undefined, { retryAfter: 2 });
    await setTimeout(pollMs);
  }
}
