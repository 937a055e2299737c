import type pg from 'pg';

// More than a page reads one by one (`exactMax` in packages/tenant-db), so that the queries use other indexes too.
const records = 10_050;

/** The id of the first record in each table. */
export const firstId = 100_001;

// Records of all tables refer to the first record of these parent tables.
const parents = new Set(['webhook_id', 'partner_id', 'course_id', 'user_id']);

interface Column {
  name: string;
  type: string;
}

/** The records that a test adds. */
export interface Records {
  /** Values that handlers depend on, by `table.column`. */
  texts?: Readonly<Record<string, string>>;
  /** Tables of which a rule of the service admits only this many records. */
  recordsMax?: Readonly<Record<string, number>>;
}

/**
 * Adds records of one tenant to every table that has ids or joins two other tables, with arbitrary values of the right
 * types. PostgreSQL plans as if there were a hundred times as many, because some plans are good for small tables only.
 */
export async function addRecords(
  client: pg.Client,
  tenantId: number,
  { texts = {}, recordsMax = {} }: Records,
): Promise<void> {
  // Disables foreign keys and triggers, because the values are arbitrary.
  await client.query('SET session_replication_role = replica');
  await client.query(`DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
      WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.name, one.conname); END LOOP;
  END $$`);
  const { rows: tables } = await client.query<{ table: string; columns: Column[] }>(
    `SELECT relname AS table, json_agg(json_build_object('name', attname, 'type', format_type(atttypid, NULL))) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       AND (attnotnull OR attname = 'user_id')
     GROUP BY relname HAVING bool_or(attname = 'tenant_id')
       AND (bool_or(attname = 'id') OR count(*) FILTER (WHERE attname LIKE '%\\_id') > 2)`,
  );
  for (const { table, columns } of tables) {
    const isJoin = !columns.some(({ name }) => name === 'id');
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns
      .map((column) => {
        const text = texts[`${table}.${column.name}`];
        if (text !== undefined) return `'${text}'`;
        const isOther = isJoin && column.type === 'bigint' && column.name !== 'tenant_id';
        return isOther ? `${firstId} + n` : sampleOf(column, tenantId);
      })
      .join(', ');
    const max = recordsMax[table];
    await client.query(
      `INSERT INTO "${table}" (${names}) SELECT ${values} FROM generate_series(0, ${(max ?? records) - 1}) n
       ON CONFLICT DO NOTHING`,
    );
    // Vacuuming moves the pending entries of GIN indexes into their trees.
    await client.query(`VACUUM ANALYZE "${table}"`);
    if (max === undefined)
      await client.query(
        `UPDATE pg_class SET reltuples = reltuples * 100
         WHERE oid = $1::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::regclass)`,
        [`"${table}"`],
      );
  }
}

function sampleOf({ name, type }: Column, tenantId: number): string {
  if (name === 'tenant_id') return String(tenantId);
  if (name === 'environment') return `'live'`;
  if (name === 'id') return `${firstId} + n`;
  if (name === 'confidence') return 'n % 100 / 100.0';
  if (parents.has(name)) return String(firstId);
  // Refers to each record of the other table once, in another order. The factor has no common divisor with the count.
  if (name.endsWith('_id') && type === 'bigint') return `${firstId} + n * 7919 % ${records}`;
  switch (type) {
    case 'boolean':
      return 'false';
    case 'timestamp with time zone':
      return `now() - n * interval '1 second'`;
    case 'date':
      return 'current_date - n::int';
    case 'uuid':
      return 'gen_random_uuid()';
    case 'jsonb':
      return `'{}'`;
    case 'text[]':
    case 'integer[]':
    case 'bigint[]':
      return `'{}'`;
    case 'tsvector':
      return `to_tsvector('simple', 'value ' || n)`;
    case 'bytea':
      return `int4send(n)`;
    case 'text':
      return `'value ' || n`;
    // Scores and the like: filters have bounds from 0 to 100.
    case 'integer':
    case 'smallint':
    case 'double precision':
      return '1 + n % 99';
    default:
      return 'n + 1';
  }
}
