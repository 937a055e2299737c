import { randomUUID } from 'node:crypto';
import { type Broker, connectBroker, defaultTimings, type Relay, startRelay } from '@tandem/events';
import { createLog, createMetrics } from '@tandem/process';
import { createRelayPool } from '@tandem/tenant-db';
import { startTcpProxy, type TcpProxy, testSettings, until } from '@tandem/testing';
import pg from 'pg';

// The relay of packages/events while the network to the broker accepts nothing.

// Shorter than the 10 s of the relay role, longer than the 5 s in which the relay publishes a batch.
const idleLimit = '8s';

let settings: Awaited<ReturnType<typeof testSettings>>;
let tenant: pg.Pool;
let proxy: TcpProxy;
let broker: Broker;
let relay: Relay;
let relayPool: ReturnType<typeof createRelayPool>;

beforeAll(async () => {
  settings = await testSettings('crm');
  const scope = '-c app.tenant_id=1 -c app.environment=live';
  tenant = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1, options: scope });
  tenant.on('error', () => {});
  proxy = await startTcpProxy(settings.AMQP_URL);
  const log = createLog('test', 'silent');
  const amqpUrl = new URL(proxy.through(settings.AMQP_URL));
  // With small frames, a single event has more of them than the channel buffers.
  amqpUrl.searchParams.set('frameMax', '8192');
  broker = connectBroker({ url: amqpUrl.href, namespace: settings.NAMESPACE, log });
  const url = new URL(settings.RELAY_DATABASE_URL);
  url.searchParams.set('options', `-c idle_in_transaction_session_timeout=${idleLimit}`);
  relayPool = createRelayPool(url.href, 2);
  relay = startRelay({ pool: relayPool, broker, timings: defaultTimings, log, metrics: createMetrics('test') });
  await new Promise<void>((resolve) => {
    void broker.onConnection(async () => resolve());
  });
});
afterAll(async () => {
  proxy?.resume();
  await relay?.close();
  await broker?.close();
  await relayPool?.end();
  await tenant?.end();
  await settings?.drop();
  await proxy?.close();
});

it('a batch that fills the socket buffer is hidden from other relays before PostgreSQL ends the transaction', async () => {
  proxy.pause();
  // One batch: more frames than the channel buffers, and more bytes than the sockets buffer.
  const sizes = [...Array<number>(499).fill(3_000), 15_000_000];
  await tenant.query(
    `INSERT INTO platform.outbox (id, name, message)
     SELECT id, 'some.event', repeat('x', bytes) FROM unnest($1::uuid[], $2::int[]) AS row (id, bytes)`,
    [sizes.map(() => randomUUID()), sizes],
  );
  const hidden = await until('the events are hidden', async () => {
    const { rows } = await relayPool.query('SELECT count(*)::int FROM platform.outbox WHERE retry_at > now()');
    return rows[0].count > 0 && rows[0].count;
  });
  expect(hidden).toBe(sizes.length);
});
