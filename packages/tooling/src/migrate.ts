import type pg from 'pg';
import { type Migration, readMigrations } from './migration-files.ts';
import {
  databaseName,
  quoteName,
  quoteText,
  type RoleKind,
  roleKinds,
  roleName,
  rolePassword,
  roleSettings,
  type ServiceDatabase,
  serviceDatabase,
  withClient,
} from './roles.ts';
import { applyMigrations } from './runner.ts';
import { findServices, type ServiceSource, workspaceRoot } from './services.ts';

/** What all of this package needs to know about the server and the workspace. */
export interface DatabaseOptions {
  /** A connection string whose user may create databases and roles. */
  adminUrl: string;
  /** The passwords of the roles are derived from it. */
  roleSecret: string;
  root?: string;
  services?: ServiceSource[];
  log?: (line: string) => void;
}

// Any number will do as long as nobody else on the server uses it.
const lockKey = 7_263_361;
const authenticationFailed = '28P01';

/**
 * Brings every service's database up to date: the database, its three roles, the platform's migrations, its own.
 * Changes nothing when nothing is missing, and a second one at the same time waits for the first.
 */
export async function migrate(options: DatabaseOptions): Promise<ServiceDatabase[]> {
  const { adminUrl, root = workspaceRoot, services = findServices(root), log } = options;
  return underLock(adminUrl, async (admin) => {
    for (const { name } of services) await createDatabase(admin, { ...options, service: name });
    return Promise.all(
      services.map(async (service) => {
        const { name } = service;
        const database = serviceDatabase(name, options);
        const applied = await applyAll(admin, { ...options, database }, await readMigrations(root, service));
        if (applied.length > 0) log?.(`${name}: ${applied.length} migration${applied.length === 1 ? '' : 's'} applied`);
        return database;
      }),
    );
  });
}

/** Runs `work` while no other process changes databases or roles on this server. */
export async function underLock<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  return withClient(adminUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [lockKey]);
    return work(admin);
  });
}

/** Creates a service's roles, and an empty database that only they and the administrator may enter. */
export async function createDatabase(
  admin: pg.Client,
  { service, database = databaseName(service), roleSecret }: { service: string; database?: string; roleSecret: string },
): Promise<void> {
  await createRoles(admin, service, roleSecret);
  const found = await admin.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (found.rowCount === 0)
    await admin.query(`CREATE DATABASE ${quoteName(database)} OWNER ${quoteName(roleName(service, 'owner'))}`);
  if (found.rowCount === 0) await limitEntry(admin, service, database);
}

/** Rights on a database are not copied from its template, so a clone needs this as well. */
export async function limitEntry(admin: pg.Client, service: string, database: string): Promise<void> {
  const [name, app, relay] = [database, roleName(service, 'app'), roleName(service, 'relay')].map(quoteName);
  await admin.query(
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${app}, ${relay}`,
  );
}

/** Creates a service's roles, as far as they are missing, and gives them their settings. */
export async function createRoles(admin: pg.Client, service: string, roleSecret: string): Promise<void> {
  const names = roleKinds.map((kind) => roleName(service, kind));
  const found = await admin.query<{ rolname: string }>('SELECT rolname FROM pg_roles WHERE rolname = ANY($1)', [names]);
  const missing = names.filter((name) => !found.rows.some((row) => row.rolname === name));
  for (const role of missing) {
    const password = quoteText(rolePassword(roleSecret, role));
    await admin.query(`CREATE ROLE ${quoteName(role)} LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${password}`);
  }
  for (const [kind, settings] of Object.entries(roleSettings))
    for (const [setting, value] of Object.entries(settings))
      await admin.query(
        `ALTER ROLE ${quoteName(roleName(service, kind as RoleKind))} SET ${setting} = ${quoteText(value)}`,
      );
  const owner = quoteName(roleName(service, 'owner'));
  // An administrator that is no superuser, as managed servers have, may only give a database to a role it belongs to.
  if (missing.includes(roleName(service, 'owner'))) await admin.query(`GRANT ${owner} TO CURRENT_USER`);
}

/** Applies what is missing in one database, as its owner. Returns the names of what was applied. */
export async function applyAll(
  admin: pg.Client,
  { database, roleSecret }: { database: ServiceDatabase; roleSecret: string },
  migrations: readonly Migration[],
): Promise<string[]> {
  const { service, ownerUrl } = database;
  await withCurrentPasswords(admin, { database, roleSecret });
  return withClient(ownerUrl, (client) => applyMigrations(client, { service, migrations }));
}

/** The roles outlive the secret their passwords came from, when the data folder was kept and the secrets were not. */
async function withCurrentPasswords(
  admin: pg.Client,
  { database, roleSecret }: { database: ServiceDatabase; roleSecret: string },
): Promise<void> {
  const refused = await withClient(database.ownerUrl, async () => false).catch((error) => {
    if (error.code === authenticationFailed) return true;
    throw error;
  });
  if (!refused) return;
  for (const role of roleKinds.map((kind) => roleName(database.service, kind))) {
    await admin.query(`ALTER ROLE ${quoteName(role)} PASSWORD ${quoteText(rolePassword(roleSecret, role))}`);
  }
}
