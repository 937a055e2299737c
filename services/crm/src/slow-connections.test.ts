import { createTenantDb } from '@tandem/tenant-db';
import { startTcpProxy, type TcpProxy, testSettings, until } from '@tandem/testing';
import { Prisma, PrismaClient } from './generated/client.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let proxy: TcpProxy;
const open = () =>
  createTenantDb({
    url: proxy.through(settings.DATABASE_URL),
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
  });

beforeAll(async () => {
  settings = await testSettings('crm');
  proxy = await startTcpProxy(settings.DATABASE_URL);
});
afterAll(async () => {
  await proxy?.close();
  await settings?.drop();
});

const countLeads = (db: ReturnType<typeof open>) =>
  db.within({ tenantId: 1, environment: 'live' }, () => db.tx.lead.count());

it('a request gets a second connection when its first one does not open in time', async () => {
  proxy.pause();
  const db = open();
  const counted = countLeads(db);
  await until('the first connection is opening', () => proxy.connections === 1);
  proxy.blackHole();
  proxy.resume();
  expect(await counted).toBe(0);
  await db.close();
});

it('a request fails when its second connection does not open either, and later ones work', async () => {
  proxy.pause();
  const db = open();
  await expect(countLeads(db)).rejects.toThrow('connection timeout');
  proxy.resume();
  expect(await countLeads(db)).toBe(0);
  await db.close();
});
