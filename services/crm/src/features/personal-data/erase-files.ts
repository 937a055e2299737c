import { chunkSweep } from '@tandem/exports';
import { addressPattern, type Erasing, type Sweep } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

/** The columns of the chunks of imported files: arrays of rows. */
const chunks = {
  importRows: { table: fragment`import_chunk`, owner: fragment`import_id`, column: fragment`rows` },
  importErrors: { table: fragment`import_chunk`, owner: fragment`import_id`, column: fragment`errors` },
  importResults: { table: fragment`import_chunk`, owner: fragment`import_id`, column: fragment`results` },
} as const satisfies Record<string, { table: Fragment; owner: Fragment; column: Fragment }>;

/** Remove the rows about the person from imported and exported files, which are kept for some days. */
export const fileSweeps: readonly Sweep<Tx>[] = [
  ...Object.entries(chunks).map(([kind, columns]) => chunkSweep<Tx>({ kind, ...columns })),
  chunkSweep({
    kind: 'exportRows',
    table: fragment`export_chunk`,
    owner: fragment`job_id`,
    column: fragment`rows`,
    traces: fragment`traces`,
    // A file may lack the columns with addresses.
    codesOf: ({ person: { leadCodes, recordCodes } }) => [...leadCodes, ...recordCodes],
  }),
];

/** Removes the rows with an address of the person from the previews of imports. */
export async function erasePreviews({ tx, person }: Erasing<Tx>): Promise<number> {
  const pattern = addressPattern(person);
  const changed = await tx.sql`UPDATE import SET preview = (
      SELECT coalesce(jsonb_agg(row ORDER BY place) FILTER (WHERE NOT row::text ~* ${pattern}), '[]')
      FROM jsonb_array_elements(preview) WITH ORDINALITY AS stored (row, place))
    WHERE preview::text ~* ${pattern} RETURNING id`;
  return changed.length;
}
