import type { Sql } from '@tandem/tenant-db';

const batchRows = 1_000;

interface Table {
  name: string;
  /** The column that names the tenant of a row. */
  column: string;
}

/**
 * Deletes all rows of the current tenant and environment: of every table of the service and of the platform that has a
 * column for the tenant, found in the catalogue of the database, so that no table can be forgotten. Small batches, each
 * a statement of its own; a repetition continues where the last one ended.
 * @param options.ownJob the name of the job that runs this, whose row is kept
 * @param options.until when to stop, in milliseconds; some rows may be left then
 * @returns the number of deleted rows
 * @throws when foreign keys prevent the removal of the remaining rows
 */
export async function removeTenantRows(sql: Sql, options: { ownJob: string; until: number }): Promise<number> {
  const { ownJob, until } = options;
  const tables = await readTables(sql);
  let rows = await removeJobs(sql, ownJob);
  for (let left = tables; left.length && Date.now() < until; ) {
    const refused: Table[] = [];
    let removed = 0;
    for (const table of left) {
      const outcome = await removeAll(sql, table, until);
      removed += outcome.rows;
      if (outcome.isRefused) refused.push(table);
    }
    rows += removed;
    if (refused.length && !removed)
      throw new Error(`rows that refer to each other remain in ${refused.map(({ name }) => name).join(', ')}`);
    left = refused;
  }
  return rows;
}

/** Tables with the rows of tenants; a table that refers to another one comes before it. */
async function readTables(sql: Sql): Promise<Table[]> {
  const tables = await sql<Table>`
    SELECT format('%I.%I', nspname, relname) AS name, attname AS column
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE nspname IN ('public', 'platform') AND relkind IN ('r', 'p') AND NOT relispartition
      AND attname IN ('tenant_id', 'owner_tenant_id') AND NOT attisdropped
      AND relname NOT IN ('job', 'tenant_state') ORDER BY 1`;
  const references = await sql<{ child: string; parent: string }>`
    SELECT format('%I.%I', child_space.nspname, child.relname) AS child, format('%I.%I', parent_space.nspname, parent.relname) AS parent
    FROM pg_constraint JOIN pg_class AS child ON child.oid = conrelid JOIN pg_namespace AS child_space ON child_space.oid = child.relnamespace
    JOIN pg_class AS parent ON parent.oid = confrelid JOIN pg_namespace AS parent_space ON parent_space.oid = parent.relnamespace
    WHERE contype = 'f' AND conrelid <> confrelid`;
  const sorted: Table[] = [];
  const visited = new Set<string>();
  const visit = (table: Table) => {
    if (visited.has(table.name)) return;
    visited.add(table.name);
    for (const { child } of references.filter(({ parent }) => parent === table.name))
      for (const one of tables.filter(({ name }) => name === child)) visit(one);
    sorted.push(table);
  };
  for (const table of tables) visit(table);
  return sorted;
}

async function removeAll(
  sql: Sql,
  { name, column }: Table,
  until: number,
): Promise<{ rows: number; isRefused: boolean }> {
  for (let rows = 0; ; ) {
    const [batch] = await sql<{
      removed: number;
    }>`SELECT platform.remove_tenant_rows(${name}::text::regclass, ${column}, ${batchRows}::int) AS removed`;
    const removed = batch?.removed ?? 0;
    if (removed <= 0) return { rows, isRefused: removed < 0 };
    rows += removed;
    if (Date.now() >= until) return { rows, isRefused: false };
  }
}

async function removeJobs(sql: Sql, ownJob: string): Promise<number> {
  for (let rows = 0; ; ) {
    const removed = await sql`DELETE FROM platform.job WHERE id = ANY(ARRAY(SELECT id FROM platform.job
      WHERE name <> ${ownJob} OR state = 'waiting' LIMIT ${batchRows}::int)) RETURNING id`;
    rows += removed.length;
    if (removed.length < batchRows) return rows;
  }
}
