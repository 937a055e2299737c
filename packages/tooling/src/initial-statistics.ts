import type pg from 'pg';

// The first version with pg_restore_attribute_stats (PostgreSQL documentation 18, 9.28.5).
const serverVersion = 180_000;

/**
 * Gives tables without statistics initial ones: all rows are of one tenant and environment. Without statistics, PostgreSQL
 * takes a condition on the tenant for so selective that every index which begins with the tenant looks equally good. Until
 * the first ANALYZE, it then may read all rows of the tenant for one row, in foreign keys too. ANALYZE replaces them.
 * Servers before version 18 cannot be given statistics.
 * @param client signed in as the owner of the tables
 */
export async function setInitialStatistics(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  if ((rows[0]?.version ?? 0) < serverVersion) return;
  // reltuples is -1 until a table is analyzed.
  await client.query(
    `SELECT pg_restore_attribute_stats('schemaname', nspname::text, 'relname', relname::text, 'attname', attname::text,
       'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real)
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE nspname IN ('public', 'platform') AND relkind = 'r' AND reltuples = -1
       AND attname IN ('tenant_id', 'environment') AND NOT attisdropped`,
  );
}
