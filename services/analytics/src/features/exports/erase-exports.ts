import type { ExportSource } from '@tandem/analytics-contract';
import { chunkSweep } from '@tandem/exports';
import type { IdCodec } from '@tandem/ids';
import { addressPattern, type Erasing, type Sweep } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import { endCancelled } from './export.ts';

const exportsMax = 1_000;

/** Removes the rows about the person from files, and the filters that name the person. */
export const exportSweeps = (ids: IdCodec): readonly Sweep<Tx>[] => [
  // An export that is still to be read would have all records without its filters, so it is cancelled.
  async ({ tx, emit, schedule, person, tenantId, after: [last = 0] }) => {
    const pattern = addressPattern(person, codesOf({ person, tenantId }, ids));
    const read = await tx.sql<{ id: number; isFound: boolean; cancelled: ExportSource | null }>`
      WITH part AS MATERIALIZED (
        SELECT id, filters::text ~* ${pattern} AS is_found, status IN ('queued', 'running') AS is_open FROM export
        WHERE id > ${last} ORDER BY id LIMIT ${exportsMax}::int FOR UPDATE),
      changed AS (
        UPDATE export SET filters = '{}', wire_filters = '{}', version = version + 1,
          status = CASE WHEN is_open THEN 'cancelled' ELSE status END,
          completed_at = CASE WHEN is_open THEN now() ELSE completed_at END
        FROM part WHERE part.id = export.id AND is_found
        RETURNING export.id, CASE WHEN is_open THEN source END AS cancelled)
      SELECT id, is_found AS "isFound", cancelled FROM part LEFT JOIN changed USING (id) ORDER BY id`;
    for (const { id, cancelled } of read) if (cancelled) await endCancelled({ emit, schedule }, id, cancelled);
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
