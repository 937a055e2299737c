import { randomUUID } from 'node:crypto';
import { type Broker, connectBroker, defaultTimings, type Relay, startRelay } from '@tandem/events';
import { createLog, createMetrics } from '@tandem/process';
import { createRelayPool } from '@tandem/tenant-db';
import { testSettings, until } from '@tandem/testing';
import pg from 'pg';

// Relay guarantees of packages/events, tested on the outbox of a real service. No consumer binds a queue here.

let settings: Awaited<ReturnType<typeof testSettings>>;
/** Connections of the service in the scope of one tenant, and of its relay. */
let tenant: pg.Pool;
let outbox: pg.Pool;
let broker: Broker;
const metrics = createMetrics('test');
const log = createLog('test', 'silent');
const arrived: string[] = [];
let bind: (name: string) => Promise<unknown>;
const relays: Relay[] = [];

beforeAll(async () => {
  settings = await testSettings('crm');
  const scope = '-c app.tenant_id=1 -c app.environment=live';
  tenant = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 2, options: scope });
  outbox = new pg.Pool({ connectionString: settings.RELAY_DATABASE_URL, max: 1 });
  // Their database is dropped when the file ends.
  for (const pool of [tenant, outbox]) pool.on('error', () => {});
  broker = connectBroker({ url: settings.AMQP_URL, namespace: settings.NAMESPACE, log });
  const starting = startOne(metrics);
  await new Promise<void>((resolve) => {
    void broker.onConnection(async (channel) => {
      const { queue } = await channel.assertQueue('', { exclusive: true });
      await channel.consume(queue, (message) => void arrived.push(String(message?.properties.messageId)), {
        noAck: true,
      });
      bind = (name) => channel.bindQueue(queue, broker.names.events, name);
      resolve();
    });
  });
  relays.push(starting);
});
afterAll(async () => {
  for (const relay of relays) await relay.close();
  for (const pool of pools) await pool.end();
  await broker.close();
  await tenant.end();
  await outbox.end();
  await settings.drop();
});

const pools: ReturnType<typeof createRelayPool>[] = [];
/** A relay with its own connection pool, as in a separate process. */
const startOne = (counted: typeof metrics) => {
  const pool = createRelayPool(settings.RELAY_DATABASE_URL, 2);
  pools.push(pool);
  return startRelay({ pool, broker, timings: defaultTimings, log, metrics: counted });
};

/** Inserts events into the outbox in one transaction. */
async function addEvents(events: { name: string; bytes?: number }[]): Promise<string[]> {
  const ids = events.map(() => randomUUID());
  await tenant.query(
    `INSERT INTO platform.outbox (id, name, message)
     SELECT id, name, repeat('x', bytes) FROM unnest($1::uuid[], $2::text[], $3::int[]) AS row (id, name, bytes)`,
    [ids, events.map(({ name }) => name), events.map(({ bytes = 10 }) => bytes)],
  );
  return ids;
}
const outboxRows = async () => (await outbox.query('SELECT id, name, parked_reason FROM platform.outbox')).rows;
const arrivals = (id: string) => arrived.filter((one) => one === id).length;

it('an unroutable event stays in the outbox, is counted, and is sent once a queue is bound', async () => {
  const [id] = await addEvents([{ name: 'nobody.listens' }]);
  await until('it is counted', async () => /^tandem_outbox_unroutable_total\{.*\} [1-9]/m.test(await metrics.text()));
  expect(await outboxRows()).toHaveLength(1);
  await bind('nobody.listens');
  await until('it arrives', () => arrivals(id as string) === 1);
  await until('the outbox is empty', async () => (await outboxRows()).length === 0);
});

it('an event that cannot be published is parked with the reason, and the others are sent', async () => {
  await bind('some.event');
  const [before, bad, after] = await addEvents([
    { name: 'some.event' },
    { name: `some.${'x'.repeat(300)}` },
    { name: 'some.event' },
  ]);
  await until('the others arrive', () => arrivals(before as string) === 1 && arrivals(after as string) === 1);
  const [row, ...others] = await until('the outbox is settled', async () => {
    const rows = await outboxRows();
    return rows.length === 1 && rows[0].parked_reason !== null && rows;
  });
  expect([row.id, others]).toEqual([bad, []]);
  expect(row.parked_reason).toMatch(/routingKey/);
  expect(await metrics.text()).toMatch(/^tandem_outbox_parked\{.*\} 1$/m);
  expect(await metrics.text()).toMatch(/^tandem_outbox_depth\{.*\} 0$/m);
  await outbox.query('DELETE FROM platform.outbox');
});

it('events that exceed the size of one batch all arrive', async () => {
  await bind('large.event');
  const ids = await addEvents(Array.from({ length: 12 }, () => ({ name: 'large.event', bytes: 1_000_000 })));
  await until('all arrive', () => ids.every((id) => arrivals(id) === 1));
  await until('the outbox is empty', async () => (await outboxRows()).length === 0);
});

it('an event that makes the broker close the channel is parked, and the rest of its batch is sent', async () => {
  await bind('some.event');
  const ids = await addEvents([
    { name: 'some.event' },
    { name: 'some.event', bytes: 17_000_000 },
    { name: 'some.event' },
  ]);
  await until('the outbox has only the large one, with the reason', async () => {
    // The broker connection was replaced, which deleted the exclusive queue of this test.
    await bind('some.event');
    const rows = await outboxRows();
    return rows.length === 1 && rows[0].id === ids[1] && /larger than/.test(rows[0].parked_reason ?? '');
  });
  expect([arrivals(ids[0] as string) > 0, arrivals(ids[1] as string), arrivals(ids[2] as string) > 0]).toEqual([
    true,
    0,
    true,
  ]);
  await outbox.query('DELETE FROM platform.outbox');
}, 90_000);

it('two relays on one outbox publish each event once', async () => {
  relays.push(startOne(createMetrics('second')));
  await bind('many.events');
  const ids = (
    await Promise.all(Array.from({ length: 10 }, () => addEvents(Array(300).fill({ name: 'many.events' }))))
  ).flat();
  await until('all arrive', () => {
    const seen = new Set(arrived);
    return ids.every((id) => seen.has(id));
  });
  await until('the outbox is empty', async () => (await outboxRows()).length === 0);
  expect(arrived.filter((id) => ids.includes(id))).toHaveLength(ids.length);
}, 90_000);
