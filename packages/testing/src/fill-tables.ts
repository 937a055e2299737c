import type pg from 'pg';

// More than a page reads one by one (`exactMax` in packages/tenant-db), so that other indexes are asked.
const records = 10_050;

/** The id of the first record in each table. */
export const firstId = 100_001;

// Records of all tables belong to the first record of these.
const parents = new Set(['webhook_id', 'partner_id', 'course_id', 'user_id']);

interface Column {
  name: string;
  type: string;
}

/**
 * Adds records of one tenant to every table that has ids, with values of the right types and no meaning.
 * @param texts values that handlers depend on, by `table.column`
 */
export async function addRecords(
  client: pg.Client,
  tenantId: number,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  // Without foreign keys and checks: the values have no meaning.
  await client.query('SET session_replication_role = replica');
  await client.query(`DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
      WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.name, one.conname); END LOOP;
  END $$`);
  const { rows: tables } = await client.query<{ table: string; columns: Column[] }>(
    `SELECT relname AS table, json_agg(json_build_object('name', attname, 'type', format_type(atttypid, NULL))) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       AND (attnotnull OR attname = 'user_id')
     GROUP BY relname HAVING bool_or(attname = 'tenant_id') AND bool_or(attname = 'id')`,
  );
  for (const { table, columns } of tables) {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns
      .map((column) => {
        const text = texts[`${table}.${column.name}`];
        return text === undefined ? sampleOf(column, tenantId) : `'${text}'`;
      })
      .join(', ');
    await client.query(
      `INSERT INTO "${table}" (${names}) SELECT ${values} FROM generate_series(0, ${records - 1}) n ON CONFLICT DO NOTHING`,
    );
    await client.query(`ANALYZE "${table}"`);
  }
}

function sampleOf({ name, type }: Column, tenantId: number): string {
  if (name === 'tenant_id') return String(tenantId);
  if (name === 'environment') return `'live'`;
  if (name === 'id') return `${firstId} + n`;
  if (name === 'confidence') return 'n % 100 / 100.0';
  if (parents.has(name)) return String(firstId);
  switch (type) {
    case 'boolean':
      return 'false';
    case 'timestamp with time zone':
      return `now() - n * interval '1 second'`;
    case 'uuid':
      return 'gen_random_uuid()';
    case 'jsonb':
      return `'{}'`;
    case 'text[]':
      return `'{}'`;
    case 'bytea':
      return `int4send(n)`;
    case 'text':
      return `'value ' || n`;
    default:
      return 'n + 1';
  }
}
