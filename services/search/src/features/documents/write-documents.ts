import type { Schedule } from '@tandem/jobs';
import type { SearchDriver, WriteOptions } from '../../driver/driver.ts';
import { pairDocumentsJob } from '../../driver/postgres/duplicate-checks.ts';
import type { Tx } from '../../handler.ts';
import type { Writing } from './document.ts';

/** Writes or removes documents; those whose compared fields changed are compared with possible duplicates afterwards. */
export async function writeDocuments(
  driver: SearchDriver,
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  writings: Writing[],
  options: WriteOptions = {},
): Promise<void> {
  if (await driver.write(tx, writings, options)) await schedule(pairDocumentsJob, [{}]);
}
