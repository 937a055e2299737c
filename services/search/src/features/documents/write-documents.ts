import type { Schedule } from '@tandem/jobs';
import type { WriteOptions } from '../../driver/driver.ts';
import { pairDocumentsJob } from '../../driver/postgres/duplicate-checks.ts';
import type { Tools, Tx } from '../../handler.ts';
import { wakeEmbedding } from '../embeddings/state.ts';
import type { Writing } from './document.ts';

/**
 * Writes or removes documents. Afterwards those whose compared fields changed are compared with possible duplicates, and
 * those whose text changed are embedded.
 */
export async function writeDocuments(
  { driver, embedding }: Pick<Tools, 'driver' | 'embedding'>,
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  writings: Writing[],
  options: WriteOptions = {},
): Promise<void> {
  if (await driver.write(tx, writings, options)) await schedule(pairDocumentsJob, [{}]);
  if (writings.some(({ document }) => document)) await wakeEmbedding({ tx, schedule }, embedding?.name);
}
