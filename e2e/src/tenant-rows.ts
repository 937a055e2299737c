import type { Tables } from '@tandem/testing';

/** A column of a table that contains the number of a tenant. */
interface TenantColumn {
  table: string;
  column: string;
  hasEnvironment: boolean;
}

interface Column {
  name: string;
  type: string;
}

type Environment = 'live' | 'sandbox';

/** Every column that contains the number of a tenant, by its name, and the id of the directory of tenants. */
export function tenantColumns(tables: Tables): Promise<TenantColumn[]> {
  return tables.sql<TenantColumn>(`
    SELECT format('%I.%I', nspname, relname) AS table, attname AS column,
      EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'environment') AS "hasEnvironment"
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE nspname IN ('public', 'platform') AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
      AND atttypid IN ('bigint'::regtype, 'integer'::regtype)
      AND (attname LIKE '%tenant%' OR (relname = 'tenant_directory' AND attname = 'id'))
    ORDER BY 1, 2`);
}

/** The number of rows of a tenant by table and column. Tables without rows are left out. */
export async function rowsOf(tables: Tables, tenantId: number): Promise<Record<string, number>> {
  const counts = (await tenantColumns(tables)).map(
    ({ table, column }) =>
      `SELECT '${table}.${column}' AS name, count(*)::int AS rows FROM ${table} WHERE ${column} = ${tenantId}`,
  );
  const found = await tables.sql<{ name: string; rows: number }>(counts.join(' UNION ALL '));
  return Object.fromEntries(found.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows]));
}

/**
 * Adds a row with arbitrary values to every table that has no row of the tenant yet, in both environments, so that a
 * table that the test creates no record for is not empty.
 * @param except the columns that keep the number of a deleted tenant, as table and column
 */
export async function fillEmptyTables(
  tables: Tables,
  tenantId: number,
  except: (name: string) => boolean,
): Promise<void> {
  // Disables foreign keys and triggers, because the values are arbitrary.
  await tables.sql('SET session_replication_role = replica');
  for (const { table, column, hasEnvironment } of await tenantColumns(tables)) {
    if (except(`${table}.${column}`)) continue;
    const environments: (Environment | undefined)[] = hasEnvironment ? ['live', 'sandbox'] : [undefined];
    for (const environment of environments) {
      const own = `${column} = ${tenantId}${environment ? ` AND environment = '${environment}'` : ''}`;
      const [isFilled] = await tables.sql(`SELECT FROM ${table} WHERE ${own} LIMIT 1`);
      if (!isFilled) await insertSample(tables, { table, column, environment }, tenantId);
    }
  }
  await tables.sql('SET session_replication_role = DEFAULT');
}

async function insertSample(
  tables: Tables,
  { table, column, environment }: { table: string; column: string; environment: Environment | undefined },
  tenantId: number,
): Promise<void> {
  const checks = await tables.sql<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c'`,
  );
  for (const { name } of checks) await tables.sql(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  const columns = await tables.sql<Column>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''
       AND (attname IN ('${column}', 'environment') OR (attnotnull AND NOT atthasdef)
         -- The relay publishes no parked event.
         OR attname = 'parked_at')`,
  );
  const sampleFor = ({ name, type }: Column) => {
    if (name === column) return `${tenantId}`;
    if (name === 'environment') return `'${environment}'`;
    return sampleOf(type);
  };
  await tables.sql(
    `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')}) VALUES (${columns.map(sampleFor).join(', ')})`,
  );
}

function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `'{}'`;
  const samples: Record<string, string> = {
    boolean: 'false',
    // Far in the future, so that nothing is due.
    'timestamp with time zone': `now() + interval '1 year'`,
    date: 'current_date',
    uuid: 'gen_random_uuid()',
    jsonb: `'{}'`,
    bytea: `'\\x00'`,
    text: 'md5(random()::text)',
    'character varying': 'md5(random()::text)',
  };
  return samples[type] ?? '(random() * 1000000000)::int + 1';
}
