import type { crm } from '@tandem/crm-contract';
import { startTcpProxy, type TcpProxy, type TestReply, type TestService, testService, until } from '@tandem/testing';
import pg from 'pg';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Requests and recovery while PostgreSQL is lost: by a broken network, a failover or a crash.

const recoveredWithinMs = 10_000;

let proxy: TcpProxy;
let owner: pg.Client;
let admin: pg.Client;
let database: string;
let service: TestService<typeof crm>;
let api: ReturnType<typeof service.as>;
beforeAll(async () => {
  service = await testService('crm', async (settings) => {
    proxy = await startTcpProxy(settings.DATABASE_URL);
    owner = new pg.Client({ connectionString: settings.ownerUrl });
    admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await Promise.all([owner.connect(), admin.connect()]);
    database = new URL(settings.ownerUrl).pathname.slice(1);
    const DATABASE_URL = proxy.through(settings.DATABASE_URL);
    return crmService({
      ...settings,
      ...alone,
      DATABASE_URL,
      RELAY_DATABASE_URL: proxy.through(settings.RELAY_DATABASE_URL),
    });
  });
  api = service.as();
});
afterAll(async () => {
  // The service drops its database when it closes, which nobody may use by then.
  await owner?.end();
  await service?.close();
  await admin?.end();
  await proxy?.close();
});

/** Keeps ten writers going until told to stop; counts the statuses of their answers. */
function writing() {
  const statuses = new Map<number, number>();
  const acknowledged: string[] = [];
  let isRunning = true;
  const one = async () => {
    while (isRunning) {
      const { status, data, headers } = await api.createLead({ body: aLead() });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 201) acknowledged.push(data.id);
      if (status === 503) expect(headers['retry-after']).toBeDefined();
    }
  };
  const done = Promise.all(Array.from({ length: 10 }, one));
  const stop = async () => {
    isRunning = false;
    await done;
  };
  return { statuses, acknowledged, stop };
}

/** All that was acknowledged is there, and each lead's event left once in effect. */
async function nothingIsLost(acknowledged: string[]): Promise<void> {
  for (const id of acknowledged) expect((await api.getLead({ params: { id } })).status).toBe(200);
  const told = () =>
    new Set(service.events.filter(({ name }) => name === 'lead.created').map(({ target }) => String(target.id)));
  await until('each lead is told of', () => acknowledged.every((id) => told().has(id)));
}

const answers = (): Promise<TestReply[]> => Promise.all(Array.from({ length: 20 }, () => api.listLeads()));

it('a server that vanished without closing its connections: 503, and service again within 10 s', async () => {
  const writers = writing();
  await until('leads are written', () => writers.acknowledged.length > 20);
  const lostAt = performance.now();
  proxy.blackHole();
  const before = writers.acknowledged.length;
  await until('leads are written again', () => writers.acknowledged.length > before + 20);
  expect(performance.now() - lostAt).toBeLessThan(recoveredWithinMs);
  // Nobody waits for a connection that was idle when the server vanished.
  expect(new Set((await answers()).map(({ status }) => status))).toEqual(new Set([200]));
  await writers.stop();
  expect([...writers.statuses.keys()].sort()).toEqual([201, 503]);
  await nothingIsLost(writers.acknowledged);
}, 120_000);

it('a primary that was demoted: 503, and connections that lead to it are given up', async () => {
  const setReadOnly = async (isReadOnly: boolean) => {
    const change = isReadOnly ? 'SET default_transaction_read_only = on' : 'RESET default_transaction_read_only';
    await owner.query(`ALTER DATABASE ${pg.escapeIdentifier(database)} ${change}`);
  };
  expect((await api.createLead({ body: aLead() })).status).toBe(201);
  await setReadOnly(true);
  proxy.reset();
  const isReadOnly = async () => {
    const { status } = await api.createLead({ body: aLead() });
    expect([201, 503]).toContain(status);
    return status === 503;
  };
  await until('new connections are read-only', isReadOnly);
  // The address leads to the new primary from here on; the connections that exist still lead to the old one.
  await setReadOnly(false);
  const promotedAt = performance.now();
  await until('it is written again', async () => (await api.createLead({ body: aLead() })).status === 201);
  expect(performance.now() - promotedAt).toBeLessThan(recoveredWithinMs);
  const after = await Promise.all(Array.from({ length: 20 }, () => api.createLead({ body: aLead() })));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([201]));
}, 120_000);

it.each([
  ['resets', () => proxy.reset()],
  [
    'terminates',
    () =>
      admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename LIKE '%app'`, [
        database,
      ]),
  ],
])(
  'a server that %s connections in the middle of statements and transactions, again and again',
  async (_, cut) => {
    const writers = writing();
    for (let time = 1; time <= 10; time++) {
      await until('leads are written', () => writers.acknowledged.length > time * 10);
      await cut();
    }
    const before = writers.acknowledged.length;
    await until('leads are written again', () => writers.acknowledged.length > before + 50);
    await writers.stop();
    expect([...writers.statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    await nothingIsLost(writers.acknowledged);
  },
  120_000,
);
