import { createTenantDb, type Scope } from '@tandem/tenant-db';
import { testSettings } from '@tandem/testing';
import pg from 'pg';
import { Prisma, PrismaClient } from './generated/client.ts';

const mine: Scope = { tenantId: 1, environment: 'live' };
const theirs: Scope = { tenantId: 2, environment: 'live' };
const data = { email: 'a@example.com', firstName: 'A', lastName: 'B' };

let settings: Awaited<ReturnType<typeof testSettings>>;
const open = (prisma: object) =>
  createTenantDb({ url: settings.DATABASE_URL, client: (adapter) => new PrismaClient({ adapter }), prisma });
let db: ReturnType<typeof open>;
/** The same database without the client guard: no model is treated as tenant-scoped. */
let unguarded: ReturnType<typeof open>;

beforeAll(async () => {
  settings = await testSettings('crm');
  db = open(Prisma);
  unguarded = open({});
  for (const scope of [mine, theirs, { ...mine, environment: 'sandbox' } as Scope])
    await db.within(scope, () => db.tx.lead.create({ data }));
});
afterAll(async () => {
  await db?.close();
  await unguarded?.close();
  await settings?.drop();
});

describe('first layer: the client guard', () => {
  it('rejects a query without a tenant', async () => {
    await expect(db.within(undefined, () => db.tx.lead.findMany())).rejects.toThrow('without a tenant');
  });

  it('returns only rows of the tenant and environment, whatever the filter', async () => {
    const rows = await db.within(mine, () => db.tx.lead.findMany({ where: { tenantId: 2, environment: 'sandbox' } }));
    expect(rows.map((row) => [row.tenantId, row.environment])).toEqual([[1, 'live']]);
  });

  it('writes rows of the caller’s tenant, whatever the data', async () => {
    const row = await db.within(mine, () => db.tx.lead.create({ data: { ...data, tenantId: 2 } }));
    expect(row.tenantId).toBe(1);
    await db.within(mine, () => db.tx.lead.deleteMany({ where: { id: row.id } }));
  });

  it('does not open when only some tables separate live and sandbox', () => {
    const { environment, ...LeadScalarFieldEnum } = Prisma.LeadScalarFieldEnum;
    expect(() => open({ ...Prisma, LeadScalarFieldEnum })).toThrow(/Without environment: Lead; with: .*DuplicatePair/);
  });

  it('rejects operations that it cannot scope', async () => {
    const client = db.tx.lead as unknown as { findUnique(args: object): Promise<unknown> };
    await expect(
      db.within(mine, () =>
        client.findUnique({ where: { tenantId_environment_id: { tenantId: 2, environment: 'live', id: 1 } } }),
      ),
    ).rejects.toThrow('cannot be scoped');
  });
});

describe('second layer: row-level security, without the client guard', () => {
  it('returns no rows without a tenant', async () => {
    expect(await unguarded.within(undefined, () => unguarded.tx.lead.findMany())).toEqual([]);
  });

  it('reads, changes and deletes only rows of the tenant', async () => {
    const rows = await unguarded.within(mine, () => unguarded.tx.lead.findMany());
    expect(rows.map((row) => row.tenantId)).toEqual([1]);
    expect(await unguarded.within(mine, () => unguarded.tx.lead.updateMany({ data: { score: 5 } }))).toEqual({
      count: 1,
    });
    expect(await unguarded.within(mine, () => unguarded.tx.lead.deleteMany({ where: { tenantId: 2 } }))).toEqual({
      count: 0,
    });
  });

  it('rejects a row of another tenant', async () => {
    await expect(
      unguarded.within(mine, () => unguarded.tx.lead.create({ data: { ...data, tenantId: 2 } })),
    ).rejects.toThrow('row-level security');
  });

  it('separates callers that share connections, including failing transactions', async () => {
    const turns = Array.from({ length: 200 }, (_, index) => (index % 2 ? mine : theirs));
    const seen = await Promise.all(
      turns.map((scope, index) =>
        index % 5 === 0
          ? unguarded
              .transaction(scope, async () => Promise.reject(new Error('rolled back')))
              .catch(() => scope.tenantId)
          : unguarded.transaction(scope, async () => (await unguarded.tx.lead.findFirst())?.tenantId),
      ),
    );
    expect(seen).toEqual(turns.map((scope) => scope.tenantId));
  });

  it('commits a transaction that spans several tenants atomically, with each part in its own scope', async () => {
    const emails = async () =>
      (await Promise.all([mine, theirs].map((one) => db.within(one, () => db.tx.lead.findMany())))).map((rows) =>
        rows.map(({ email }) => email),
      );
    const enter = (scope: Scope, email: string) =>
      db.transaction(scope, () => db.tx.lead.create({ data: { ...data, email } }));
    const before = await emails();
    const broken = db.transaction(undefined, async () => {
      await enter(mine, 'lost@example.com');
      throw new Error('too late');
    });
    await expect(broken).rejects.toThrow('too late');
    expect(await emails()).toEqual(before);

    await db.transaction(undefined, async () => {
      const [, , seen] = await Promise.all([
        enter(mine, 'mine@example.com'),
        enter(theirs, 'theirs@example.com'),
        unguarded.tx.sql`SELECT 1 FROM lead`,
      ]);
      expect(seen).toEqual([]);
      const failing = db.transaction(mine, () => enter(theirs, 'nobody@example.com'));
      await expect(failing).rejects.toThrow('cannot continue as another tenant');
    });
    const [own = [], foreign = []] = await emails();
    expect([own.filter((email) => email !== data.email), foreign.filter((email) => email !== data.email)]).toEqual([
      ['mine@example.com'],
      ['theirs@example.com'],
    ]);
    for (const [scope, email] of [
      [mine, 'mine@example.com'],
      [theirs, 'theirs@example.com'],
    ] as const)
      await db.within(scope, () => db.tx.lead.deleteMany({ where: { email } }));
  });

  it('cannot be disabled by the database role of the service', async () => {
    const client = new pg.Client({ connectionString: settings.DATABASE_URL });
    await client.connect();
    try {
      await expect(client.query('ALTER TABLE lead DISABLE ROW LEVEL SECURITY')).rejects.toThrow('must be owner');
      const { rows } = await client.query('SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user');
      expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false }]);
      await expect(client.query('SELECT * FROM platform.outbox')).rejects.toThrow('permission denied');
    } finally {
      await client.end();
    }
  });

  it('is enabled on every table with a tenant', async () => {
    const client = new pg.Client({ connectionString: settings.ownerUrl });
    await client.connect();
    const { rows } = await client.query(`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE a.attname = 'tenant_id' AND c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`);
    await client.end();
    expect(rows).toEqual([]);
  });
});
