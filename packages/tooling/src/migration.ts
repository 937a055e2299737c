import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { diffToSchema } from './engine.ts';
import { createRoles, underLock } from './migrate.ts';
import { type Migration, readOwnMigrations, readPackageMigrations } from './migration-files.ts';
import { inOneTransaction } from './runner.ts';
import { findServices, workspaceRoot } from './services.ts';
import { readStatements, type Statement } from './statements.ts';

/** The migration to create, and a server on which the existing migrations can be replayed. */
export interface NewMigration {
  service: string;
  /** A description of the migration in a few words. */
  name: string;
  /** A connection string whose user may create databases: the engine replays the existing migrations into a new one. */
  adminUrl: string;
  root?: string;
  now?: Date;
}

/**
 * Writes the migrations from a service's existing ones to its schema, and returns their folders; empty when the schema
 * is up to date. New tables get their row-level security in the same file. Indexes of existing tables get a separate
 * file, which builds them while the tables are in use.
 */
export async function createMigration(options: NewMigration): Promise<string[]> {
  const { service: serviceName, name, adminUrl, root = workspaceRoot, now = new Date() } = options;
  const service = findServices(root).find((candidate) => candidate.name === serviceName);
  if (!service)
    throw new Error(`no service "${serviceName}" with a prisma/schema.prisma; available services: ${namesIn(root)}`);
  const [migrations, platform, schema] = await Promise.all([
    readOwnMigrations(service),
    readPackageMigrations(root, service.name),
    readFile(join(service.dir, 'prisma/schema.prisma'), 'utf8'),
  ]);
  // Roles are global to the server and the platform's SQL names them; nobody signs in as them here.
  await underLock(adminUrl, (admin) => createRoles(admin, service.name, randomUUID()));
  const foundation = ['CREATE SCHEMA platform;', ...platform.map(({ sql }) => inOneTransaction(sql))].join('\n');
  const sql = await diffToSchema({ url: adminUrl, migrations, foundation, schema });
  if (isEmpty(sql)) return [];
  const { schema: statements, indexes } = await separateIndexes(sql, await unexpressed(migrations));
  if (isEmpty(statements) && !indexes) return [];
  const policies = await policiesFor(root, { schema, sql });
  const folders: string[] = [];
  if (!isEmpty(statements))
    folders.push(await write(service.dir, folderName(name, now), [statements, ...policies].join('\n\n')));
  if (indexes)
    folders.push(await write(service.dir, folderName(`${name} indexes`, new Date(now.getTime() + 1_000)), indexes));
  return folders;
}

/** The names of indexes with included columns, which a Prisma schema cannot express: the engine would drop them. */
async function unexpressed(migrations: readonly Migration[]): Promise<Set<string | undefined>> {
  const sql = migrations.map((one) => one.sql).filter((one) => /\bINCLUDE\b/.test(one));
  const statements = (await Promise.all(sql.map(readStatements))).flat();
  return new Set(
    statements.flatMap(({ node }) =>
      'IndexStmt' in node && node.IndexStmt.indexIncludingParams?.length ? [node.IndexStmt.idxname] : [],
    ),
  );
}

/**
 * Moves the indexes of existing tables out of a script, and rewrites them to build without a lock.
 * @param kept indexes that are not dropped
 */
async function separateIndexes(
  sql: string,
  kept: ReadonlySet<string | undefined>,
): Promise<{ schema: string; indexes: string }> {
  const statements = (await readStatements(sql)).filter(
    ({ node }) => !droppedIndexes(node).some((name) => kept.has(name)),
  );
  const created = new Set(
    statements.flatMap(({ node }) => ('CreateStmt' in node ? [node.CreateStmt.relation?.relname] : [])),
  );
  const isOfExistingTable = ({ node }: Statement) =>
    ('IndexStmt' in node && !created.has(node.IndexStmt.relation?.relname)) ||
    ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_INDEX');
  const [indexes, others] = [true, false].map((isIndex) =>
    statements.filter((statement) => isOfExistingTable(statement) === isIndex),
  ) as [Statement[], Statement[]];
  const concurrent = indexes.map(({ text }) =>
    text
      .replace(/^CREATE (UNIQUE )?INDEX /, 'CREATE $1INDEX CONCURRENTLY IF NOT EXISTS ')
      .replace(/^DROP INDEX /, 'DROP INDEX CONCURRENTLY IF EXISTS '),
  );
  return {
    schema: others.map(({ comment, text }) => `${comment ? `${comment}\n` : ''}${text};`).join('\n\n'),
    indexes: concurrent.map((text) => `${text};`).join('\n'),
  };
}

function droppedIndexes(node: Statement['node']): (string | undefined)[] {
  if (!('DropStmt' in node) || node.DropStmt.removeType !== 'OBJECT_INDEX') return [];
  return (node.DropStmt.objects ?? []).map((object) => {
    const names = 'List' in object ? (object.List.items ?? []) : [];
    const last = names.at(-1);
    return last && 'String' in last ? last.String.sval : undefined;
  });
}

function namesIn(root: string): string {
  const names = findServices(root).map(({ name }) => name);
  return names.length > 0 ? names.join(', ') : 'none yet';
}

/** Whether a script is empty; the engine answers "nothing to do" with a comment. */
function isEmpty(sql: string): boolean {
  return sql.split('\n').every((line) => line.trim() === '' || line.startsWith('--'));
}

/** Row-level security policies for the new tables. */
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

async function write(serviceDir: string, title: string, sql: string): Promise<string> {
  const folder = join(serviceDir, 'prisma/migrations', title);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), `${sql.trim()}\n`);
  return folder;
}
