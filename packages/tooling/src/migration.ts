import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { diffToSchema, type MigrationFolder, readMigrations } from './engine.ts';
import { createRoles, underLock } from './migrate.ts';
import { platformScript, readPlatformMigrations } from './platform.ts';
import { findServices, workspaceRoot } from './services.ts';

/** What to write down, and a server where the existing migrations can be played. */
export interface NewMigration {
  service: string;
  /** What the migration does, in a few words. */
  name: string;
  /** A connection string whose user may create databases: the engine plays the existing migrations into a fresh one. */
  adminUrl: string;
  root?: string;
  now?: Date;
}

/**
 * Writes the migration that leads from a service's existing ones to its schema, and returns its folder; nothing when
 * they already agree. Tables that are new get their row-level security in the same file.
 */
export async function createMigration(options: NewMigration): Promise<string | undefined> {
  const { service: serviceName, name, adminUrl, root = workspaceRoot, now = new Date() } = options;
  const service = findServices(root).find((candidate) => candidate.name === serviceName);
  if (!service) throw new Error(`no service "${serviceName}" with a prisma/schema.prisma; there are: ${namesIn(root)}`);
  const [migrations, platform, schema] = await Promise.all([
    readMigrations(service.dir),
    readPlatformMigrations(root),
    readFile(join(service.dir, 'prisma/schema.prisma'), 'utf8'),
  ]);
  // Roles belong to the whole server and the platform's SQL names them; nobody signs in as them here.
  await underLock(adminUrl, (admin) => createRoles(admin, service.name, randomUUID()));
  const foundation = platformScript(service.name, platform);
  const sql = await diffToSchema({ url: adminUrl, migrations, foundation, schema });
  if (isEmpty(sql)) return undefined;
  const policies = await policiesFor(root, { schema, sql });
  return write(service.dir, { migrations, title: folderName(name, now), sql: [sql.trim(), ...policies].join('\n\n') });
}

function namesIn(root: string): string {
  const names = findServices(root).map(({ name }) => name);
  return names.length > 0 ? names.join(', ') : 'none yet';
}

/** The engine answers "nothing to do" with a comment. */
function isEmpty(sql: string): boolean {
  return sql.split('\n').every((line) => line.trim() === '' || line.startsWith('--'));
}

/** Row-level security for the new tables, by the package that owns the rule. */
async function policiesFor(root: string, { schema, sql }: { schema: string; sql: string }): Promise<string[]> {
  const file = join(root, 'packages/tenant-db/src/policies.ts');
  const created = [...sql.matchAll(/^CREATE TABLE (?:"public"\.)?"([^"]+)"/gm)].map((match) => match[1]);
  if (created.length === 0 || !existsSync(file)) return [];
  const { tenantPolicies } = (await import(pathToFileURL(file).href)) as {
    tenantPolicies(schema: string, tables?: string[]): string;
  };
  const policies = tenantPolicies(schema, created as string[]).trim();
  return policies === '' ? [] : [policies];
}

function folderName(name: string, now: Date): string {
  const stamp = now.toISOString().replace(/\D/g, '').slice(0, 14);
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return `${stamp}_${words}`;
}

async function write(
  dir: string,
  file: { migrations: MigrationFolder[]; title: string; sql: string },
): Promise<string> {
  const home = join(dir, 'prisma/migrations');
  const folder = join(home, file.title);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), `${file.sql}\n`);
  // Prisma's own command line looks for it.
  if (file.migrations.length === 0) await writeFile(join(home, 'migration_lock.toml'), 'provider = "postgresql"\n');
  return folder;
}
