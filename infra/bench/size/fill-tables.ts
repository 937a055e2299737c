import pg from 'pg';

/**
 * Fills tables with millions of rows: without triggers and secondary indexes, which are built afterwards.
 * @param fill inserts the rows
 * @param options.also tables without many new rows, which are analysed too
 */
export async function fillTables(
  url: string,
  tables: readonly string[],
  fill: (client: pg.Client) => Promise<void>,
  { log, also = [] }: { log: (line: string) => void; also?: readonly string[] },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `SET session_replication_role = replica; SET maintenance_work_mem = '512MB'; SET statement_timeout = 0`,
    );
    const restore = await withoutIndexes(client, tables);
    await fill(client);
    log('building indexes');
    await restore();
    for (const table of [...tables, ...also]) await client.query(`VACUUM (ANALYZE) ${table}`);
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/**
 * Drops all indexes except primary keys and returns a function that rebuilds them, which is faster than updating them.
 */
async function withoutIndexes(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid::regclass::text = ANY($1) AND NOT indisprimary`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    // The definition of an index of a partitioned table leaves the partitions out.
    for (const { definition } of rows) await client.query(definition.replace(' ON ONLY ', ' ON '));
  };
}
