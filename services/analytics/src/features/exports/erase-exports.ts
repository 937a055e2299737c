import { chunkSweep } from '@tandem/exports';
import type { IdCodec } from '@tandem/ids';
import { addressPattern, type Erasing, type Sweep } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

const exportsMax = 1_000;

/** Removes the rows about the person from files, and the filters that name the person. */
export const exportSweeps = (ids: IdCodec): readonly Sweep<Tx>[] => [
  // An export that is still to be read would have all records without its filters, so it is cancelled.
  async ({ tx, person, tenantId, after: [last = 0] }) => {
    const pattern = addressPattern(person, codesOf({ person, tenantId }, ids));
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
    traces: fragment`traces`,
    codesOf: (inside) => codesOf(inside, ids),
  }),
];

/** The public ids of the person's records: their entries in the audit log can have its name without an address. */
function codesOf({ person, tenantId }: Pick<Erasing<Tx>, 'person' | 'tenantId'>, ids: IdCodec): string[] {
  const { leadCodes, recordCodes, opportunityIds } = person;
  return [...leadCodes, ...recordCodes, ...opportunityIds.map((id) => ids.encode('opportunity', tenantId, id))];
}
