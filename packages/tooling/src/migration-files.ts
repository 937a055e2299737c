import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteName, roleKinds, roleName } from './roles.ts';
import type { ServiceSource } from './services.ts';

/** Packages with tables in each service's database, ordered by dependency. */
const packages = ['tenant-db', 'events', 'service', 'jobs', 'mail'];

/** One SQL file, with the names of the service's roles filled in. */
export interface Migration {
  /** Its key in the migration history. */
  name: string;
  /** Its path in the repository. */
  file: string;
  sql: string;
  /** SHA-256 of the file as it is in the repository. */
  checksum: string;
}

/** All migrations of a service's database in order: first those of our packages, then its own. */
export async function readMigrations(root: string, service: ServiceSource): Promise<Migration[]> {
  return [...(await readPackageMigrations(root, service.name)), ...(await readOwnMigrations(service))];
}

/** The migrations of our packages, whose tables are in the schema `platform` of each service's database. */
export async function readPackageMigrations(root: string, service: string): Promise<Migration[]> {
  const files = await Promise.all(
    packages.map(async (name) => {
      const home = join(root, 'packages', name, 'migrations');
      const found = (await readdir(home).catch(() => [])).filter((file) => file.endsWith('.sql')).sort();
      return found.map((file) => ({ name: `${name}/${file}`, path: join(home, file) }));
    }),
  );
  return Promise.all(
    files
      .flat()
      .map(({ name, path }) => read(path, service, { name, file: `packages/${name.replace('/', '/migrations/')}` })),
  );
}

/** The migrations of a service's own tables; empty before the first one is written. */
export async function readOwnMigrations({ name: service, dir }: ServiceSource): Promise<Migration[]> {
  const home = join(dir, 'prisma/migrations');
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    folders.sort().map((folder) =>
      read(join(home, folder, 'migration.sql'), service, {
        name: `${service}/${folder}`,
        file: `services/${service}/prisma/migrations/${folder}/migration.sql`,
      }),
    ),
  );
}

async function read(path: string, service: string, { name, file }: { name: string; file: string }): Promise<Migration> {
  const text = await readFile(path, 'utf8');
  return { name, file, sql: withRoles(text, service), checksum: createHash('sha256').update(text).digest('hex') };
}

/** Replaces `:owner`, `:app` and `:relay` by the names of the service's roles, except in a cast such as `x::app`. */
function withRoles(sql: string, service: string): string {
  return sql.replace(new RegExp(`(?<![:\\w]):(${roleKinds.join('|')})\\b`, 'g'), (_, kind) =>
    quoteName(roleName(service, kind)),
  );
}
