import { chunkSweep } from '@tandem/exports';
import { addressPattern, type Sweep } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

const exportsMax = 1_000;

/** Removes the rows about the person from files, and the filters that name the person. */
export const exportSweeps: readonly Sweep<Tx>[] = [
  // An export that is still to be read would have all records without its filters, so it is cancelled.
  async ({ tx, person, after: [last = 0] }) => {
    const pattern = addressPattern(person, person.leadCodes);
    const read = await tx.sql<{ id: number; isFound: boolean }>`
      WITH part AS MATERIALIZED (
        SELECT id, filters::text ~* ${pattern} AS is_found FROM export
        WHERE id > ${last} ORDER BY id LIMIT ${exportsMax}::int),
      changed AS (
        UPDATE export SET filters = '{}', wire_filters = '{}', version = version + 1,
          status = CASE WHEN status IN ('queued', 'running') THEN 'cancelled' ELSE status END
        WHERE id IN (SELECT id FROM part WHERE is_found) RETURNING 1)
      SELECT id, is_found AS "isFound" FROM part ORDER BY id`;
    return {
      erased: { exportFilters: read.filter(({ isFound }) => isFound).length },
      next: read.length === exportsMax ? [read.at(-1)?.id as number] : null,
    };
  },
  chunkSweep({
    kind: 'exportRows',
    table: fragment`export_chunk`,
    owner: fragment`job_id`,
    column: fragment`rows`,
    byLeadIds: true,
  }),
];
