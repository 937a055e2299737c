import { type Erasing, mentionsOf } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

// Each chunk holds up to a thousand rows.
const chunksMax = 20;

/** The JSON columns of imported and exported files: arrays of rows. */
const columns = {
  importRows: { table: fragment`import_chunk`, column: fragment`rows`, key: fragment`import_id, number` },
  importErrors: { table: fragment`import_chunk`, column: fragment`errors`, key: fragment`import_id, number` },
  importResults: { table: fragment`import_chunk`, column: fragment`results`, key: fragment`import_id, number` },
  importPreviews: { table: fragment`import`, column: fragment`preview`, key: fragment`id` },
  exportRows: { table: fragment`export_chunk`, column: fragment`rows`, key: fragment`job_id, number` },
} as const satisfies Record<string, { table: Fragment; column: Fragment; key: Fragment }>;

/** Removes the rows that mention the person from imported and exported files, which are kept for some days. */
export async function eraseFileRows({ tx, person }: Erasing<Tx>): Promise<Record<string, number>> {
  const patterns = mentionsOf(person);
  const counts: Record<string, number> = {};
  for (const [kind, { table, column, key }] of Object.entries(columns)) {
    const changed = await tx.sql`
      WITH found AS MATERIALIZED (
        SELECT * FROM ${table} WHERE ${column}::text ILIKE ANY(${patterns}::text[]) LIMIT ${chunksMax}::int FOR UPDATE)
      UPDATE ${table} SET ${column} = (
        SELECT coalesce(jsonb_agg(row ORDER BY place) FILTER (WHERE NOT row::text ILIKE ANY(${patterns}::text[])), '[]')
        FROM jsonb_array_elements(${table}.${column}) WITH ORDINALITY AS stored (row, place))
      WHERE (${key}) IN (SELECT ${key} FROM found) RETURNING 1 AS changed`;
    counts[kind] = changed.length;
  }
  return counts;
}
