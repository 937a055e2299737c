import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { quoteName, roleKinds, roleName } from './roles.ts';

/** The packages that keep tables of their own in each service's database, in the order their files build on each other. */
const packages = ['tenant-db', 'events', 'service', 'jobs'];

/** A migration of one of our packages, which every service's database gets in its schema `platform`. */
export interface PlatformMigration {
  name: string;
  sql: string;
  checksum: string;
}

/** The platform migrations in the order they are applied. */
export async function readPlatformMigrations(root: string): Promise<PlatformMigration[]> {
  const found = await Promise.all(packages.map((name) => readPackage(root, name)));
  return found.flat();
}

async function readPackage(root: string, name: string): Promise<PlatformMigration[]> {
  const home = join(root, 'packages', name, 'migrations');
  const files = (await readdir(home).catch(() => [])).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(home, file), 'utf8');
      return { name: `${name}/${file}`, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Applies what is missing, each file in its own transaction. The client is the owner's. Returns the names applied. */
export async function applyPlatformMigrations(
  client: pg.Client,
  { service, migrations }: { service: string; migrations: PlatformMigration[] },
): Promise<string[]> {
  const known = await appliedOf(client);
  if (!known) await layFoundation(client, service);
  const applied: string[] = [];
  for (const migration of migrations) {
    const checksum = known?.get(migration.name);
    if (checksum === migration.checksum) continue;
    if (checksum !== undefined) throw new Error(changedMessage(migration.name));
    await applyOne(client, service, migration);
    applied.push(migration.name);
  }
  return applied;
}

async function appliedOf(client: pg.Client): Promise<Map<string, string> | undefined> {
  const exists = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('platform.migration') IS NOT NULL AS exists`,
  );
  if (!exists.rows[0]?.exists) return undefined;
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM platform.migration',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** What stands before the first migration: who may come in, and what the service may do with tables made later. */
async function layFoundation(client: pg.Client, service: string): Promise<void> {
  const [owner, app] = [roleName(service, 'owner'), roleName(service, 'app')].map(quoteName);
  await client.query(`BEGIN;
    ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${app};
    ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${app};
    CREATE SCHEMA platform;
    CREATE TABLE platform.migration (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    );
    COMMIT`);
}

async function applyOne(client: pg.Client, service: string, { name, sql, checksum }: PlatformMigration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(withRoles(sql, service));
    await client.query('INSERT INTO platform.migration (name, checksum) VALUES ($1, $2)', [name, checksum]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`packages/${name.replace('/', '/migrations/')}: ${(error as Error).message}`, { cause: error });
  }
}

/** The platform's part of a service's database as one script, for a database that only the administrator ever sees. */
export function platformScript(service: string, migrations: PlatformMigration[]): string {
  return ['CREATE SCHEMA platform;', ...migrations.map(({ sql }) => withRoles(sql, service))].join('\n');
}

/** Puts a service's role names in for `:owner`, `:app` and `:relay`. A cast such as `x::app` is none of them. */
function withRoles(sql: string, service: string): string {
  return sql.replace(new RegExp(`(?<![:\\w]):(${roleKinds.join('|')})\\b`, 'g'), (_, kind) =>
    quoteName(roleName(service, kind)),
  );
}

function changedMessage(name: string): string {
  const file = `packages/${name.replace('/', '/migrations/')}`;
  return `${file} was changed after it had been applied. Put it back and add a new file; on a machine whose data may go: npm stop, then delete .local/postgres.`;
}
