import type { crm } from '@tandem/crm-contract';
import { startTcpProxy, type TcpProxy, type TestReply, type TestService, testService, until } from '@tandem/testing';
import pg from 'pg';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Requests and recovery during a PostgreSQL outage: network failure, failover or crash.

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
  // The service drops its database when it closes, so other connections must end first.
  await owner?.end();
  await service?.close();
  await admin?.end();
  await proxy?.close();
});

/** Runs ten writers until `stop` is called and counts response status codes. */
function startWriters() {
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

/** Every acknowledged lead exists, and its event was published. */
async function nothingIsLost(acknowledged: string[]): Promise<void> {
  for (const id of acknowledged) expect((await api.getLead({ params: { id } })).status).toBe(200);
  const publishedIds = () =>
    new Set(service.events.filter(({ name }) => name === 'lead.created').map(({ target }) => String(target.id)));
  await until('each lead has an event', () => acknowledged.every((id) => publishedIds().has(id)));
}

const listRepeatedly = (): Promise<TestReply[]> => Promise.all(Array.from({ length: 20 }, () => api.listLeads()));

it('unreachable server with half-open connections: 503, and recovery within 10 s', async () => {
  const writers = startWriters();
  await until('leads are written', () => writers.acknowledged.length > 20);
  const lostAt = performance.now();
  proxy.blackHole();
  await until('a write fails', () => writers.statuses.has(503));
  const before = writers.acknowledged.length;
  await until('a lead is written again', () => writers.acknowledged.length > before);
  expect(performance.now() - lostAt).toBeLessThan(recoveredWithinMs);
  await until('more leads are written', () => writers.acknowledged.length > before + 20);
  // No request waits for a connection that was idle when the server became unreachable.
  expect(new Set((await listRepeatedly()).map(({ status }) => status))).toEqual(new Set([200]));
  await writers.stop();
  expect([...writers.statuses.keys()].sort()).toEqual([201, 503]);
  await nothingIsLost(writers.acknowledged);
}, 120_000);

it('demoted primary: 503, and connections to it are dropped', async () => {
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
  // From here on the address points to the new primary; existing connections still point to the old one.
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
  'server that repeatedly %s connections during statements and transactions',
  async (_, cut) => {
    const writers = startWriters();
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
