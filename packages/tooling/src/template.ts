import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { applyAll, createDatabase, createRoles, type DatabaseOptions, limitEntry, underLock } from './migrate.ts';
import { type Migration, readMigrations } from './migration-files.ts';
import { databaseName, quoteName, type ServiceDatabase, serviceDatabase, withClient } from './roles.ts';
import { findServices, type ServiceSource, workspaceRoot } from './services.ts';

const minuteMs = 60_000;

/** The database of a test, and how to drop it. */
export interface TestDatabase extends ServiceDatabase {
  drop(): Promise<void>;
}

/**
 * Creates a migrated template database per service and content of its migrations; later runs reuse it. Drops outdated
 * templates and clones older than `clonesKeptMinutes` (killed tests leave theirs behind).
 */
export async function testDatabases(options: DatabaseOptions & { clonesKeptMinutes?: number }): Promise<void> {
  const { adminUrl, root = workspaceRoot, services = findServices(root), clonesKeptMinutes = 180, log } = options;
  await underLock(adminUrl, async (admin) => {
    const names = await databases(admin);
    const wanted: string[] = [];
    for (const service of services) {
      const { template, migrations } = await templateOf(service, root);
      await createRoles(admin, service.name, options.roleSecret);
      wanted.push(template);
      if (names.includes(template)) continue;
      await makeTemplate(admin, { ...options, service: service.name, template }, migrations);
      log?.(`${service.name}: template database created`);
    }
    const oldest = Date.now() - clonesKeptMinutes * minuteMs;
    const isOfThese = (name: string) => services.some((service) => isOf(service, name));
    const stale = names.filter((name) => isOfThese(name) && !wanted.includes(name) && isStale(name, oldest));
    for (const name of stale) await dropDatabase(admin, name);
  });
}

/** Creates a database of one service for one test file, copied from its template; `testDatabases` must have run. */
export async function cloneDatabase(
  serviceName: string,
  options: Partial<DatabaseOptions> = {},
): Promise<TestDatabase> {
  const { root = workspaceRoot, services = findServices(root) } = options;
  const adminUrl = options.adminUrl ?? setting('TEST_DATABASE_URL');
  const roleSecret = options.roleSecret ?? setting('TEST_ROLE_SECRET');
  const service = services.find(({ name }) => name === serviceName);
  if (!service) throw new Error(`no service "${serviceName}" with a prisma/schema.prisma`);
  const { template } = await templateOf(service, root);
  const database = `tandem_test_${service.name.replaceAll('-', '_')}_${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`;
  const owner = serviceDatabase(service.name, { adminUrl, roleSecret, database });
  await withClient(adminUrl, async (admin) => {
    const ownerName = quoteName(`${databaseName(service.name)}_owner`);
    // A template has hundreds of small files. Copying them takes half as long as writing their pages to the log.
    const source = `TEMPLATE ${quoteName(template)} STRATEGY file_copy`;
    await admin.query(`CREATE DATABASE ${quoteName(database)} ${source} OWNER ${ownerName}`);
    await limitEntry(admin, service.name, database);
  });
  return { ...owner, drop: () => withClient(adminUrl, (admin) => dropDatabase(admin, database)) };
}

async function templateOf(
  service: ServiceSource,
  root: string,
): Promise<{ template: string; migrations: Migration[] }> {
  const migrations = await readMigrations(root, service);
  const hash = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 8);
  return { template: `tandem_tmpl_${service.name.replaceAll('-', '_')}_${hash}`, migrations };
}

/**
 * Builds the template under a draft name and renames it when complete, so that a killed run leaves no partial template.
 */
async function makeTemplate(
  admin: pg.Client,
  options: { service: string; template: string; adminUrl: string; roleSecret: string },
  migrations: Migration[],
): Promise<void> {
  const { service, template, roleSecret } = options;
  const draft = `${template}_draft`;
  await dropDatabase(admin, draft);
  await createDatabase(admin, { service, database: draft, roleSecret });
  const database = serviceDatabase(service, { ...options, database: draft });
  await applyAll(admin, { database, roleSecret }, migrations);
  await admin.query(`ALTER DATABASE ${quoteName(draft)} WITH ALLOW_CONNECTIONS false`);
  // A database in use cannot be renamed.
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [draft]);
  await admin.query(`ALTER DATABASE ${quoteName(draft)} RENAME TO ${quoteName(template)}`);
}

async function databases(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>('SELECT datname AS name FROM pg_database');
  return rows.map((row) => row.name);
}

/** Whether a template or clone belongs to this service, and not to one whose name has the same prefix. */
function isOf(service: ServiceSource, name: string): boolean {
  const own = service.name.replaceAll('-', '_');
  return new RegExp(`^tandem_(tmpl_${own}_[0-9a-f]{8}|test_${own}_[0-9a-z]+_[0-9a-f]{8})$`).test(name);
}

function isStale(name: string, oldest: number): boolean {
  const madeAt = /^tandem_test_.+_([0-9a-z]+)_[0-9a-f]{8}$/.exec(name)?.[1];
  return madeAt === undefined || Number.parseInt(madeAt, 36) <= oldest;
}

async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with "npm test", which starts their stores`);
  return value;
}
