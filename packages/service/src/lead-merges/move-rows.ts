import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Place, WithSql } from './merged-leads.ts';

/** A row that was moved, with the lead that it had and the one that it has now, as the table stores them. */
export interface MovedRow {
  id: number;
  from: number | string;
  to: number | string;
}

/** A table whose rows belong to leads, and follow them when they are merged. */
export interface RowsOfLeads<Inside> {
  table: Fragment;
  /** The column that identifies a row; `id` by default. */
  key?: Fragment;
  /** The column of the lead; `lead_id` by default. */
  lead?: Fragment;
  /** The column of the lead for which a moved row was stored, null in other rows; `merged_from_lead_id` by default. */
  mergedFrom?: Fragment;
  /** For a table that stores public ids of leads in text columns. */
  publicId?: (tenantId: number, leadId: number) => string;
  /** The condition of the rows that belong to leads, about `record`; all by default. */
  only?: Fragment;
  /** When two rows, `record` and `other`, cannot have the same lead. Of such rows the survivor keeps its own, else gets the oldest. */
  conflict?: Fragment;
  /** For a conflict that passes: rows that it holds back are tried again after this time. */
  retryMs?: number;
  /** Further assignments of a moved row, such as `fragment`, version = version + 1``. */
  set?: Fragment;
  /** Runs before rows are moved. */
  before?(inside: Inside, places: Place[]): Promise<unknown>;
  /** Announces moved rows. */
  moved?(inside: Inside, rows: MovedRow[]): Promise<unknown>;
}

// Rows that are changed in one transaction; their locks last until its end.
const rowsMax = 500;
// Rows with a conflict are looked at besides those that can move.
const lookedAtMax = 5_000;

/**
 * Moves the next rows to the leads to which they belong by now.
 * @returns after how many ms to continue; undefined if nothing is left
 */
export async function moveRows<Inside extends { tx: WithSql }>(
  inside: Inside,
  rows: RowsOfLeads<Inside>,
  { tenantId, places }: { tenantId: number; places: Place[] },
): Promise<number | undefined> {
  const { publicId = (_: number, id: number) => id, table, conflict, retryMs } = rows;
  const { key = fragment`id`, lead = fragment`lead_id`, mergedFrom = fragment`merged_from_lead_id` } = rows;
  const { only = fragment`true`, set = fragment`` } = rows;
  const ids = rows.publicId ? fragment`text[]` : fragment`bigint[]`;
  const origins = places.map(({ origin }) => publicId(tenantId, origin));
  const currents = places.map(({ current }) => publicId(tenantId, current));
  const moved = await inside.tx.sql<MovedRow>`
    WITH place AS (SELECT * FROM unnest(${origins}::${ids}, ${currents}::${ids}) AS place (origin, current)),
    misplaced AS (
      SELECT record.${key} AS key, record.${lead} AS before, place.* FROM place
        JOIN ${table} AS record ON record.${mergedFrom} = place.origin WHERE record.${lead} <> place.current AND ${only}
      UNION ALL
      SELECT record.${key} AS key, record.${lead} AS before, place.* FROM place
        JOIN ${table} AS record ON record.${lead} = place.origin
        WHERE record.${mergedFrom} IS NULL AND place.origin <> place.current AND ${only}
      LIMIT ${conflict ? lookedAtMax : rowsMax}),
    found AS (SELECT misplaced.* FROM misplaced ${conflict ? withoutConflict(rows, conflict) : fragment``} LIMIT ${rowsMax})
    UPDATE ${table} AS record SET ${lead} = found.current, ${mergedFrom} = nullif(found.origin, found.current)${set}
    FROM found WHERE record.${key} = found.key
    RETURNING record.${key} AS id, found.before AS "from", found.current AS "to"`;
  if (moved.length) await rows.moved?.(inside, moved);
  // A moved row can make room for one that had a conflict with it.
  if (moved.length === rowsMax || (conflict && moved.length)) return 0;
  if (retryMs === undefined) return undefined;
  const [held] = await inside.tx.sql`
    SELECT FROM unnest(${origins}::${ids}, ${currents}::${ids}) AS place (origin, current)
    JOIN ${table} AS record ON record.${lead} = place.origin
    WHERE record.${mergedFrom} IS NULL AND place.origin <> place.current AND ${only} LIMIT 1`;
  return held && retryMs;
}

/** Leaves out rows in conflict with one that the lead has, or with an older one that it gets. */
function withoutConflict<Inside>(rows: RowsOfLeads<Inside>, conflict: Fragment): Fragment {
  const { table, key = fragment`id`, lead = fragment`lead_id` } = rows;
  return fragment`JOIN ${table} AS record ON record.${key} = misplaced.key
    WHERE NOT EXISTS (SELECT FROM ${table} AS other
        WHERE other.${lead} = misplaced.current AND other.${key} <> record.${key} AND ${conflict})
      AND NOT EXISTS (SELECT FROM misplaced AS older JOIN ${table} AS other ON other.${key} = older.key
        WHERE older.current = misplaced.current AND older.key < misplaced.key AND ${conflict})`;
}
