import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { setInitialStatistics } from './initial-statistics.ts';
import type { Migration } from './migration-files.ts';
import { quoteName, roleName } from './roles.ts';
import { isConcurrentIndex, readStatements, type Statement, tablesIn } from './statements.ts';

// Later queries on a table queue behind a migration that waits for a lock, so it gives up soon and retries.
const lockTimeout = '2s';
const lockAttemptsMax = 30;
const lockPauseMs = 1_000;
const lockNotAvailable = '55P03';
const backfillPolicy = 'backfill';

/**
 * How a file is applied:
 * - `schema`: all statements in one transaction.
 * - `indexes`: only `CREATE INDEX CONCURRENTLY IF NOT EXISTS` and `DROP INDEX CONCURRENTLY IF EXISTS`, one statement after the
 *   other without a transaction.
 * - `backfill`: begins with the comment `-- backfill` and has one statement that changes a limited number of rows. It is
 *   repeated until it changes none, each time in a transaction of its own, and sees the rows of all tenants.
 */
export type MigrationKind = 'schema' | 'indexes' | 'backfill';

/**
 * Applies the missing migrations to one database and records each in `platform.migration`.
 * @param client signed in as the owner of the database
 * @returns the names of the applied migrations
 * @throws when an applied migration has changed since, or when one fails; the message names the file
 */
export async function applyMigrations(
  client: pg.Client,
  { service, migrations }: { service: string; migrations: readonly Migration[] },
): Promise<string[]> {
  const history = await readHistory(client, service);
  const isNew = history.size === 0;
  if (isNew) await createFoundation(client, service);
  const missing = migrations.filter((migration) => {
    const checksum = history.get(migration.name);
    if (checksum !== undefined && checksum !== migration.checksum) throw new Error(changedMessage(migration.file));
    return checksum === undefined;
  });
  for (const migration of missing) {
    try {
      await apply(client, migration, { isNew, owner: roleName(service, 'owner') });
    } catch (error) {
      throw new Error(`${migration.file}: ${(error as Error).message}`, { cause: error });
    }
  }
  if (missing.length) await setInitialStatistics(client);
  return missing.map(({ name }) => name);
}

/**
 * Determines how a file is applied, by its first comment and its statements.
 * @throws for a file that mixes the kinds
 */
export function kindOf(statements: readonly Statement[]): MigrationKind {
  if (/^-- backfill\b/.test(statements[0]?.comment ?? '')) {
    if (statements.length !== 1) throw new Error('A backfill must contain exactly one statement');
    return 'backfill';
  }
  if (!statements.some(isConcurrentIndex)) return 'schema';
  if (!statements.every(isConcurrentIndex))
    throw new Error('CONCURRENTLY cannot run in a transaction: move these indexes to a separate migration');
  return 'indexes';
}

/** The SQL of a migration for an unused database: without CONCURRENTLY, so that it can run in a transaction. */
export function inOneTransaction(sql: string): string {
  return sql.replace(/\b(INDEX)\s+CONCURRENTLY\b/gi, '$1');
}

async function apply(
  client: pg.Client,
  migration: Migration,
  { isNew, owner }: { isNew: boolean; owner: string },
): Promise<void> {
  // The database is unused and its tables are empty.
  if (isNew) return inTransaction(client, migration, [inOneTransaction(migration.sql)]);
  const statements = await readStatements(migration.sql);
  const kind = kindOf(statements);
  if (kind === 'schema') return withLockRetries(() => inTransaction(client, migration, [migration.sql]));
  if (kind === 'indexes') for (const statement of statements) await changeIndex(client, statement);
  else await backfill(client, statements[0] as Statement, owner);
  await inTransaction(client, migration, []);
}

/** Runs the given SQL and records the migration in the same transaction. */
async function inTransaction(client: pg.Client, migration: Migration, sql: string[]): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
    for (const text of sql) await client.query(text);
    await client.query('INSERT INTO platform.migration (name, checksum) VALUES ($1, $2)', [
      migration.name,
      migration.checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Retries work that failed because of a lock timeout. */
async function withLockRetries(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || attempt === lockAttemptsMax) throw error;
      await pause(lockPauseMs);
    }
  }
}

/**
 * Creates or drops an index. Drops an invalid index of an interrupted build first, which `IF NOT EXISTS` would keep.
 */
async function changeIndex(client: pg.Client, { text, node }: Statement): Promise<void> {
  if ('IndexStmt' in node) {
    const { rows } = await client.query(
      'SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = $1 AND NOT indisvalid',
      [node.IndexStmt.idxname],
    );
    if (rows.length)
      await client.query(
        `DROP INDEX CONCURRENTLY ${schemaOf(node.IndexStmt.relation)}${quoteName(node.IndexStmt.idxname as string)}`,
      );
  }
  await client.query(text);
}

function schemaOf(relation: { schemaname?: string } | undefined): string {
  return relation?.schemaname ? `${quoteName(relation.schemaname)}.` : '';
}

/**
 * Repeats a statement until it changes no row. The tables get a temporary policy, because row-level security is forced.
 */
async function backfill(client: pg.Client, { text, node }: Statement, owner: string): Promise<void> {
  const tables = await protectedTables(client, tablesIn(node));
  const withPolicies = (change: (table: string) => string) =>
    withLockRetries(async () => {
      await client.query(`SET lock_timeout = '${lockTimeout}'`);
      await client.query([...tables].map(change).join('; '));
    });
  const drop = (table: string) => `DROP POLICY IF EXISTS ${backfillPolicy} ON ${table}`;
  await withPolicies(
    (table) => `${drop(table)}; CREATE POLICY ${backfillPolicy} ON ${table} TO ${quoteName(owner)} USING (true)`,
  );
  try {
    while ((await client.query(text)).rowCount) {
      // Each repetition is a separate transaction, so that row locks are short.
    }
  } finally {
    await withPolicies(drop);
    await client.query('RESET lock_timeout');
  }
}

async function protectedTables(client: pg.Client, tables: ReadonlySet<string>): Promise<string[]> {
  const names = [...tables].map((table) => table.split('.').map(quoteName).join('.'));
  const { rows } = await client.query<{ name: string }>(
    'SELECT oid::regclass::text AS name FROM pg_class WHERE oid = ANY($1::text[]::regclass[]) AND relforcerowsecurity',
    [names],
  );
  return rows.map(({ name }) => name);
}

/** Names and checksums of the applied migrations; empty for a new database. */
async function readHistory(client: pg.Client, service: string): Promise<Map<string, string>> {
  if (!(await exists(client, 'platform.migration'))) return new Map();
  if (await exists(client, 'public._prisma_migrations')) await adoptPrismaHistory(client, service);
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM platform.migration',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
  return rows[0]?.exists === true;
}

/** Takes over the history of the service's own tables that the Prisma CLI recorded. */
async function adoptPrismaHistory(client: pg.Client, service: string): Promise<void> {
  await client.query(
    `INSERT INTO platform.migration (name, checksum, applied_at)
     SELECT $1 || '/' || migration_name, checksum, finished_at FROM public._prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ON CONFLICT DO NOTHING`,
    [service],
  );
}

/** Creates what the first migration requires: the migration history, and the service's default grants. */
async function createFoundation(client: pg.Client, service: string): Promise<void> {
  const [owner, app] = [roleName(service, 'owner'), roleName(service, 'app')].map(quoteName);
  await client.query(`BEGIN;
    ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${app};
    ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${app};
    CREATE SCHEMA IF NOT EXISTS platform;
    CREATE TABLE IF NOT EXISTS platform.migration (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    );
    COMMIT`);
}

function changedMessage(file: string): string {
  return `${file} was changed after it was applied. Restore it and add a new migration. If the local data may be lost: run npm stop, then delete .local/postgres.`;
}
