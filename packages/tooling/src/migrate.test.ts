import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@tandem/until';
import { migrate } from './migrate.ts';
import { createMigration } from './migration.ts';
import { quoteName, type ServiceDatabase, withClient } from './roles.ts';
import { cloneDatabase, testDatabases } from './template.ts';

const adminUrl = process.env['TEST_DATABASE_URL'] as string;
const roleSecret = process.env['TEST_ROLE_SECRET'] as string;

const schema = `datasource db {
  provider = "postgresql"
}
model Note {
  id   Int    @id @default(autoincrement())
  text String
  @@map("note")
}
`;
const table =
  'CREATE TABLE "note" ("id" SERIAL NOT NULL, "text" TEXT NOT NULL, CONSTRAINT "note_pkey" PRIMARY KEY ("id"));\n';
const platform = `CREATE TABLE platform.thing (id int);
GRANT USAGE ON SCHEMA platform TO :app, :relay;
GRANT SELECT ON platform.thing TO :relay;
`;

let root: string;
let service: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tooling-'));
  service = `t-${randomUUID().slice(0, 8)}`;
  write('packages/events/migrations/0001_thing.sql', platform);
  write(`services/${service}/prisma/schema.prisma`, schema);
  write(`services/${service}/prisma/migrations/20260101000000_first/migration.sql`, table);
});

afterEach(async () => {
  rmSync(root, { recursive: true });
  const [database, owner, app, relay] = ['', '_owner', '_app', '_relay'].map((end) =>
    quoteName(`tandem_${named()}${end}`),
  );
  await withClient(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE datname LIKE $1',
      [`tandem_t%_${named()}_%`],
    );
    for (const name of [database, ...rows.map((row) => quoteName(row.name))])
      await admin.query(`DROP DATABASE IF EXISTS ${name}`);
    await admin.query(`DROP ROLE IF EXISTS ${owner}, ${app}, ${relay}`);
  });
});

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function named(): string {
  return service.replaceAll('-', '_');
}

async function migrated(lines: string[] = []): Promise<ServiceDatabase> {
  const [database] = await migrate({ adminUrl, roleSecret, root, log: (line) => lines.push(line) });
  return database as ServiceDatabase;
}

const query = (url: string, sql: string) => withClient(url, (client) => client.query(sql));

describe('migrate', () => {
  it('applies missing migrations once, and then changes nothing', async () => {
    const lines: string[] = [];
    await migrated(lines);
    await migrated(lines);
    expect(lines).toEqual([`${service}: 2 migrations applied`]);
  });

  it('may run twice at the same time', async () => {
    const lines: string[] = [];
    await Promise.all([migrated(lines), migrated(lines), migrated(lines)]);
    expect(lines).toEqual([`${service}: 2 migrations applied`]);
  });

  it('applies a migration that was added later', async () => {
    await migrated();
    write(
      `services/${service}/prisma/migrations/20260102000000_second/migration.sql`,
      'ALTER TABLE "note" ADD "more" TEXT;',
    );
    const { appUrl } = await migrated();
    expect((await query(appUrl, 'SELECT more FROM note')).rowCount).toBe(0);
  });

  it('lets a new table be read by its key before it has statistics, although later indexes begin with the tenant too', async () => {
    write(
      `services/${service}/prisma/migrations/20260102000000_entry/migration.sql`,
      `CREATE TABLE entry (tenant_id bigint, environment text, id bigint, owner bigint, PRIMARY KEY (tenant_id, environment, id));
       CREATE INDEX entry_owner ON entry (tenant_id, environment, owner, id);`,
    );
    const { ownerUrl } = await migrated();
    const sql = `EXPLAIN SELECT FROM entry WHERE tenant_id = 5 AND environment = 'live' AND id = 7`;
    expect(JSON.stringify((await query(ownerUrl, sql)).rows)).toContain(' entry_pkey ');
  });

  it('rejects a platform migration that was changed after it had been applied', async () => {
    await migrated();
    write('packages/events/migrations/0001_thing.sql', `${platform}-- changed`);
    await expect(migrated()).rejects.toThrow('packages/events/migrations/0001_thing.sql was changed');
  });

  it('names the file of a failing migration, and rolls it back', async () => {
    write('packages/events/migrations/0002_bad.sql', 'CREATE TABLE platform.half (id int); SELECT wrong;');
    await expect(migrated()).rejects.toThrow('packages/events/migrations/0002_bad.sql');
    rmSync(join(root, 'packages/events/migrations/0002_bad.sql'));
    const { ownerUrl } = await migrated();
    await expect(query(ownerUrl, 'SELECT FROM platform.half')).rejects.toThrow('does not exist');
  });

  it('continues a history from the Prisma CLI', async () => {
    const { ownerUrl } = await migrated();
    await query(
      ownerUrl,
      `CREATE TABLE _prisma_migrations AS SELECT split_part(name, '/', 2) AS migration_name, checksum,
         applied_at AS finished_at, NULL::timestamptz AS rolled_back_at FROM platform.migration WHERE name LIKE 't-%';
       DELETE FROM platform.migration WHERE name LIKE 't-%'`,
    );
    const lines: string[] = [];
    await migrated(lines);
    expect(lines).toEqual([]);
  });

  it('builds an index next to an open write transaction, and rebuilds one whose build was interrupted', async () => {
    const { ownerUrl } = await migrated();
    await query(ownerUrl, "INSERT INTO note (text) VALUES ('twice'), ('twice')");
    const index = 'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "note_text" ON "note" ("text");';
    write(`services/${service}/prisma/migrations/20260102000000_unique/migration.sql`, index);
    await expect(migrated()).rejects.toThrow('could not create unique index');
    await query(ownerUrl, "DELETE FROM note WHERE id = (SELECT min(id) FROM note WHERE text = 'twice')");
    await migrated();
    const { rows } = await query(ownerUrl, `SELECT indisvalid FROM pg_index WHERE indexrelid = 'note_text'::regclass`);
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  it('waits for a lock without blocking later queries, and takes it once it is free', async () => {
    const { appUrl } = await migrated();
    write(
      `services/${service}/prisma/migrations/20260102000000_more/migration.sql`,
      'ALTER TABLE "note" ADD "more" TEXT;',
    );
    let migrating: Promise<unknown> | undefined;
    await withClient(appUrl, async (client) => {
      await client.query('BEGIN; SELECT FROM note');
      migrating = migrated();
      const waits = "SELECT FROM pg_locks WHERE relation = 'note'::regclass AND NOT granted";
      await until('the migration waits for the lock', async () => (await query(appUrl, waits)).rowCount === 1);
      // The waiting migration gives up after its lock timeout, so this query proceeds; it has a longer one, because both
      // may begin to wait at the same moment.
      await query(appUrl, "SET lock_timeout = '4s'; SELECT FROM note");
      await client.query('COMMIT');
    });
    await migrating;
    expect((await query(appUrl, 'SELECT more FROM note')).rowCount).toBe(0);
  });

  it('repeats a backfill until no row is left, in tables with row-level security', async () => {
    const { ownerUrl, appUrl } = await migrated();
    await query(ownerUrl, "INSERT INTO note (text) SELECT 'old' FROM generate_series(1, 25)");
    await query(
      ownerUrl,
      'ALTER TABLE note ENABLE ROW LEVEL SECURITY; ALTER TABLE note FORCE ROW LEVEL SECURITY; CREATE POLICY none ON note USING (false)',
    );
    write(
      `services/${service}/prisma/migrations/20260102000000_fill/migration.sql`,
      `-- backfill
UPDATE "note" SET "text" = 'new' WHERE "id" IN (SELECT "id" FROM "note" WHERE "text" = 'old' LIMIT 10);`,
    );
    await migrated();
    const policies = await query(ownerUrl, "SELECT polname FROM pg_policy WHERE polrelid = 'note'::regclass");
    expect(policies.rows).toEqual([{ polname: 'none' }]);
    await query(ownerUrl, 'ALTER TABLE note DISABLE ROW LEVEL SECURITY');
    const { rows } = await query(appUrl, 'SELECT text, count(*)::int AS rows FROM note GROUP BY text');
    expect(rows).toEqual([{ text: 'new', rows: 25 }]);
  });

  it('lets the service change rows, and neither tables nor the migration history', async () => {
    const { appUrl } = await migrated();
    await query(appUrl, `INSERT INTO note (text) VALUES ('x'); UPDATE note SET text = 'y'; DELETE FROM note`);
    for (const sql of [
      'ALTER TABLE note ADD more text',
      'TRUNCATE note',
      'CREATE TABLE other (id int)',
      'SELECT * FROM platform.migration',
      'SELECT * FROM platform.thing',
      'CREATE ROLE another',
    ]) {
      await expect(query(appUrl, sql)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('gives the relay the grants of the platform and nothing more', async () => {
    const { relayUrl } = await migrated();
    await query(relayUrl, 'SELECT * FROM platform.thing');
    await expect(query(relayUrl, 'SELECT * FROM note')).rejects.toThrow('permission denied');
  });

  it('sets new passwords when their secret changes', async () => {
    await migrated();
    const [database] = await migrate({ adminUrl, roleSecret: 'another', root });
    expect((await query((database as ServiceDatabase).appUrl, 'SELECT FROM note')).rowCount).toBe(0);
  });
});

describe('cloneDatabase', () => {
  it('gives each test a migrated database with the same roles, and drops it', async () => {
    await testDatabases({ adminUrl, roleSecret, root });
    const [one, two] = await Promise.all([clone(), clone()]);
    await query(one.appUrl, `INSERT INTO note (text) VALUES ('x')`);
    expect((await query(two.appUrl, 'SELECT FROM note')).rowCount).toBe(0);
    await Promise.all([one.drop(), two.drop()]);
    await expect(query(one.appUrl, 'SELECT')).rejects.toThrow('does not exist');
  });

  const clone = () => cloneDatabase(service, { adminUrl, roleSecret, root });
});

describe('createMigration', () => {
  const create = () =>
    createMigration({ service, name: 'Add colour', adminUrl, root, now: new Date('2026-02-03T04:05:06Z') });

  it('writes the SQL that migrates from the existing migrations to the schema', async () => {
    write(`services/${service}/prisma/schema.prisma`, schema.replace('text String', 'text String\n  colour String?'));
    expect(await create()).toEqual([expect.stringMatching(/20260203040506_add_colour$/)]);
    const { appUrl } = await migrated();
    expect((await query(appUrl, 'SELECT colour FROM note')).rowCount).toBe(0);
  });

  it('writes indexes of existing tables into a separate file, which builds them concurrently', async () => {
    await migrated();
    const changed = 'text String\n  colour String?\n  @@index([text, colour])';
    write(`services/${service}/prisma/schema.prisma`, schema.replace('text String', changed));
    const [columns, indexes] = (await create()).map((folder) => readFileSync(join(folder, 'migration.sql'), 'utf8'));
    expect(columns).not.toContain('INDEX');
    expect(indexes).toBe(
      'CREATE INDEX CONCURRENTLY IF NOT EXISTS "note_text_colour_idx" ON "note"("text", "colour");\n',
    );
    const { ownerUrl } = await migrated();
    expect((await query(ownerUrl, "SELECT FROM pg_indexes WHERE indexname = 'note_text_colour_idx'")).rowCount).toBe(1);
    expect(await create()).toEqual([]);
  });

  it('keeps an index with included columns, which the schema cannot express', async () => {
    const index = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS "note_covered" ON "note" ("text") INCLUDE ("id");';
    write(`services/${service}/prisma/migrations/20260102000000_covered/migration.sql`, index);
    await migrated();
    expect(await create()).toEqual([]);
  });

  it('writes nothing when the schema is up to date', async () => {
    expect(await create()).toEqual([]);
  });
});
