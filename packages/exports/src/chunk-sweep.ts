import { addressPattern, type Erasing, type Sweep } from '@tandem/service';
import { type Fragment, fragment, type Sql } from '@tandem/tenant-db';

// Each chunk holds up to a thousand rows, so that a part of a sweep takes less than a second.
const chunksMax = 10;

interface Chunks {
  /** The name of the removed rows in the report of an erasure. */
  kind: string;
  table: Fragment;
  /** The column with the id of the file. */
  owner: Fragment;
  /** The column with an array of rows. */
  column: Fragment;
  /** The column with an array of texts, by each of which its row is found too. */
  traces?: Fragment;
  /** The public ids whose rows are removed too. */
  codesOf?(inside: Pick<Erasing<unknown>, 'person' | 'tenantId'>): readonly string[];
}

const noTraces = fragment`NULL::jsonb`;

/** Removes the rows with an address of the person from files that are stored in chunks. */
export function chunkSweep<Tx extends { sql: Sql }>(chunks: Chunks): Sweep<Tx> {
  const { kind, table, owner, column, traces, codesOf = () => [] } = chunks;
  const traced = traces ?? noTraces;
  const removeTraces = traces ? fragment`, ${traces} = kept.traces, row_count = NULL` : fragment``;
  return async ({ tx, person, tenantId, after: [ownerId = 0, number = -1] }) => {
    const pattern = addressPattern(person, codesOf({ person, tenantId }));
    const read = await tx.sql<{ ownerId: number; number: number; isFound: boolean }>`
      WITH part AS MATERIALIZED (
        SELECT ${owner} AS owner_id, number, ${column} AS stored, ${traced} AS traces FROM ${table}
        WHERE (${owner}, number) > (${ownerId}, ${number}) ORDER BY ${owner}, number LIMIT ${chunksMax}::int),
      found AS MATERIALIZED (
        SELECT owner_id, number, stored, traces FROM part WHERE stored::text ~* ${pattern} OR traces::text ~* ${pattern}),
      -- Rows of releases without traces have none.
      kept AS MATERIALIZED (
        SELECT owner_id, number, coalesce(jsonb_agg(row ORDER BY place) FILTER (WHERE NOT is_about), '[]') AS rows,
          jsonb_agg(trace ORDER BY place) FILTER (WHERE NOT is_about) AS traces
        FROM found CROSS JOIN LATERAL (
          SELECT row, place, trace, row::text ~* ${pattern} OR coalesce(trace::text ~* ${pattern}, false) AS is_about
          FROM jsonb_array_elements(stored) WITH ORDINALITY AS row (row, place)
            LEFT JOIN jsonb_array_elements(traces) WITH ORDINALITY AS trace (trace, place) USING (place)) AS line
        GROUP BY owner_id, number),
      changed AS (
        UPDATE ${table} SET ${column} = kept.rows${removeTraces} FROM kept
        WHERE ${table}.${owner} = kept.owner_id AND ${table}.number = kept.number RETURNING 1)
      SELECT owner_id AS "ownerId", number, (owner_id, number) IN (SELECT owner_id, number FROM found) AS "isFound"
      FROM part ORDER BY 1, 2`;
    const end = read.length === chunksMax ? read.at(-1) : undefined;
    return {
      erased: { [kind]: read.filter(({ isFound }) => isFound).length },
      next: end ? [end.ownerId, end.number] : null,
    };
  };
}
