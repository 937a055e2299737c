import { addressPattern, type Erasing, type Sweep } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

// Each chunk holds up to a thousand rows, so that a part of a sweep takes less than a second.
const chunksMax = 10;

/** The columns of the chunks of imported and exported files: arrays of rows. */
const chunks = {
  importRows: { table: fragment`import_chunk`, owner: fragment`import_id`, column: fragment`rows` },
  importErrors: { table: fragment`import_chunk`, owner: fragment`import_id`, column: fragment`errors` },
  importResults: { table: fragment`import_chunk`, owner: fragment`import_id`, column: fragment`results` },
  exportRows: { table: fragment`export_chunk`, owner: fragment`job_id`, column: fragment`rows` },
} as const satisfies Record<string, { table: Fragment; owner: Fragment; column: Fragment }>;

/** Remove the rows with an address of the person from imported and exported files, which are kept for some days. */
export const fileSweeps: readonly Sweep<Tx>[] = Object.entries(chunks).map(([kind, { table, owner, column }]) => {
  const sweep: Sweep<Tx> = async ({ tx, person, after: [ownerId = 0, number = -1] }) => {
    const pattern = addressPattern(person);
    const read = await tx.sql<{ ownerId: number; number: number; isFound: boolean }>`
      WITH part AS MATERIALIZED (
        SELECT ${owner} AS owner_id, number, ${column} AS stored FROM ${table}
        WHERE (${owner}, number) > (${ownerId}, ${number}) ORDER BY ${owner}, number LIMIT ${chunksMax}::int),
      found AS MATERIALIZED (SELECT owner_id, number FROM part WHERE stored::text ~* ${pattern}),
      changed AS (
        UPDATE ${table} SET ${column} = (
          SELECT coalesce(jsonb_agg(row ORDER BY place) FILTER (WHERE NOT row::text ~* ${pattern}), '[]')
          FROM jsonb_array_elements(${table}.${column}) WITH ORDINALITY AS stored (row, place))
        WHERE (${owner}, number) IN (SELECT owner_id, number FROM found) RETURNING 1)
      SELECT owner_id AS "ownerId", number, (owner_id, number) IN (SELECT owner_id, number FROM found) AS "isFound"
      FROM part ORDER BY 1, 2`;
    const end = read.length === chunksMax ? read.at(-1) : undefined;
    return {
      erased: { [kind]: read.filter(({ isFound }) => isFound).length },
      next: end ? [end.ownerId, end.number] : null,
    };
  };
  return sweep;
});

/** Removes the rows with an address of the person from the previews of imports. */
export async function erasePreviews({ tx, person }: Erasing<Tx>): Promise<number> {
  const pattern = addressPattern(person);
  const changed = await tx.sql`UPDATE import SET preview = (
      SELECT coalesce(jsonb_agg(row ORDER BY place) FILTER (WHERE NOT row::text ~* ${pattern}), '[]')
      FROM jsonb_array_elements(preview) WITH ORDINALITY AS stored (row, place))
    WHERE preview::text ~* ${pattern} RETURNING id`;
  return changed.length;
}
