import { createTenantDb, type Scope } from '@tandem/tenant-db';
import { testSettings } from '@tandem/testing';
import pg from 'pg';
import { Prisma, PrismaClient } from './generated/client.ts';

const mine: Scope = { tenantId: 1, environment: 'live' };
const theirs: Scope = { tenantId: 2, environment: 'live' };

let settings: Awaited<ReturnType<typeof testSettings>>;
const open = (prisma: object) =>
  createTenantDb({ url: settings.DATABASE_URL, client: (adapter) => new PrismaClient({ adapter }), prisma });
let db: ReturnType<typeof open>;
/** Client without the tenant guard, so that only row-level security applies. */
let unguarded: ReturnType<typeof open>;

beforeAll(async () => {
  settings = await testSettings('identity');
  db = open(Prisma);
  unguarded = open({});
  for (const scope of [mine, theirs]) {
    await db.within(scope, async () => {
      await db.tx.tenant.create({ data: { name: 'T', slug: 't' } });
      const role = await db.tx.role.create({ data: { name: 'r', permissions: [] } });
      const user = await db.tx.user.create({
        data: { email: 'a@example.com', firstName: 'A', lastName: 'B', passwordHash: '-', roleId: role.id },
      });
      await db.tx.apiKey.create({
        data: { name: 'k', keyEnvironment: 'live', hash: '-', last4: '-', createdBy: user.id },
      });
      await db.tx.session.create({ data: { userId: user.id, expiresAt: new Date() } });
      const team = await db.tx.team.create({ data: { name: 't' } });
      await db.tx.teamMember.create({ data: { teamId: team.id, userId: user.id } });
      await db.tx.installedAddon.create({ data: { addonId: 1, version: '1.0.0' } });
      await db.tx.subscription.create({ data: { planCode: 'free' } });
      await db.tx.usageAlert.create({ data: { thresholds: [80], channels: ['in_app'], userIds: [], version: 1 } });
      await db.tx.usageAlertSent.create({ data: { month: '2026-01', threshold: 80, callsLimit: 1_000 } });
      const batch = await db.tx.notificationBatch.create({ data: {} });
      const notice = { title: 't', body: 'b', category: 'c', priority: 'low', status: 'delivered', channels: [] };
      await db.tx.notification.create({ data: { ...notice, batchId: batch.id, userId: user.id } });
    });
  }
});
afterAll(async () => {
  await db?.close();
  await unguarded?.close();
  await settings?.drop();
});

const models = [
  ...(['tenant', 'role', 'user', 'apiKey', 'session', 'team', 'teamMember'] as const),
  ...(['installedAddon', 'subscription', 'notificationBatch', 'notification'] as const),
];
type Rows = {
  findMany(args?: object): Promise<{ tenantId: number }[]>;
  deleteMany(args?: object): Promise<{ count: number }>;
};

describe.each(models)('%s', (model) => {
  it('the client returns rows of the current tenant only, and requires a tenant', async () => {
    const rows = () => (db.tx[model] as unknown as Rows).findMany({ where: { tenantId: 2 } });
    expect((await db.within(mine, rows)).map((row) => row.tenantId)).toEqual([1]);
    await expect(db.within(undefined, rows)).rejects.toThrow('without a tenant');
  });

  it('row-level security limits access to the current tenant when the client guard is off', async () => {
    const table = unguarded.tx[model] as unknown as Rows;
    expect((await unguarded.within(mine, () => table.findMany())).map((row) => row.tenantId)).toEqual([1]);
    expect(await unguarded.within(undefined, () => table.findMany())).toEqual([]);
    expect(await unguarded.within(mine, () => table.deleteMany({ where: { tenantId: 2 } }))).toEqual({ count: 0 });
  });
});

it('the database rejects a user with a role of another tenant', async () => {
  const [role] = await db.within(theirs, () => db.tx.role.findMany());
  const data = { email: 'b@example.com', firstName: 'A', lastName: 'B', passwordHash: '-', roleId: role?.id as number };
  await expect(db.within(mine, () => db.tx.user.create({ data }))).rejects.toThrow(/foreign key/i);
});

it('the database rejects a session that belongs to both a user and a portal user, or to neither', async () => {
  const portal = { partnerId: 1, portalUserId: 1, portalUserName: 'P', portalEnvironment: 'live' };
  const open = (data: object) =>
    db.within(mine, async () => {
      const user = await db.tx.user.findFirst({});
      const owner = 'partnerId' in data ? { userId: user?.id as number } : {};
      return db.tx.session.create({ data: { ...data, ...owner, expiresAt: new Date() } });
    });
  await expect(open(portal)).rejects.toThrow('session_of_one');
  await expect(open({})).rejects.toThrow('session_of_one');
});

it('the service role can neither update nor delete audit log entries', async () => {
  for (const statement of [
    `UPDATE audit_log SET action = 'x'`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'DELETE FROM audit_head',
  ]) {
    const client = new pg.Client({ connectionString: settings.DATABASE_URL });
    await client.connect();
    await expect(client.query(statement)).rejects.toThrow('permission denied');
    await client.end();
  }
});

it('every table with a tenant has forced row-level security, which the service role cannot bypass', async () => {
  const client = new pg.Client({ connectionString: settings.ownerUrl });
  await client.connect();
  const { rows } =
    await client.query(`SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'tenant_id'
    WHERE relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity)`);
  const role = await client.query(
    `SELECT rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = 'tandem_identity_app'`,
  );
  await client.end();
  expect([rows, role.rows]).toEqual([[], [{ free: false }]]);
});
