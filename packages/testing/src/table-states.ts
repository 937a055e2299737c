import pg from 'pg';

/** A fingerprint of the rows of each table of one database, by schema and table. */
export type TableStates = Readonly<Record<string, string>>;

/** Reads the tables of one database as a superuser, so across all tenants and environments. */
export interface Tables {
  /** The state of each table, and of the sequences that number events and jobs. */
  states(): Promise<TableStates>;
  /** Runs SQL. */
  sql<Row>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** Connects to the database of `url` with the superuser of the test stores. */
export async function openTables(url: string): Promise<Tables> {
  const admin = new URL(process.env['TEST_DATABASE_URL'] as string);
  admin.pathname = new URL(url).pathname;
  const client = new pg.Client({ connectionString: admin.href });
  // The database is dropped when a test file ends.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ kind: 'r' | 'S'; name: string }>(
    `SELECT relkind AS kind, format('%I.%I', nspname, relname) AS name
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind = 'r' AND nspname IN ('public', 'platform') OR relkind = 'S' AND nspname = 'platform'`,
  );
  const query = rows
    .map(({ kind, name }) => (kind === 'r' ? stateOfTable(name) : stateOfSequence(name)))
    .join(' UNION ALL ');
  return {
    async states() {
      const { rows } = await client.query<{ name: string; state: string }>(query);
      return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
    },
    sql: async <Row>(text: string) => (await client.query(text)).rows as Row[],
    close: () => client.end(),
  };
}

function stateOfTable(table: string): string {
  return `SELECT '${table}' AS name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) AS state FROM ${table} t`;
}

// The relay deletes rows of the outbox within milliseconds, and a job that runs at once disappears as fast. What
// remains is the number that the row took from its sequence.
function stateOfSequence(sequence: string): string {
  return `SELECT '${sequence}', last_value || ' ' || is_called FROM ${sequence}`;
}
