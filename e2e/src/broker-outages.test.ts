import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { type ChannelModel, connect } from 'amqplib';
import { type OwnStores, ownStores } from './own-stores.ts';

// RabbitMQ is reachable but accepts no messages: frozen, or blocked by its memory limit. kill.test.ts covers kills.

// Several times the confirm timeout of the relay (5 s).
const outageMs = 25_000;
const recoveryMsMax = 10_000;
// Once on the connection that became unresponsive and once on the next.
const copiesMax = 2;

let stores: OwnStores;
let fleet: TestFleet;
let tenant: TestTenant;
let connection: ChannelModel;
/** Number of publications by event id. */
const copies = new Map<string, number>();
const leadOf = new Map<string, string>();

beforeAll(async () => {
  stores = await ownStores('broker');
  fleet = await startFleet({ stores, services: ['identity', 'crm'] });
  tenant = await aTenant(fleet);
  connection = await connect(stores.amqpUrl);
  connection.on('error', () => {});
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  const { NAMESPACE } = fleet.environment.crm as { NAMESPACE: string };
  await channel.bindQueue(queue, `${NAMESPACE}.events`, 'lead.created');
  const count = (message: { content: Buffer } | null) => {
    if (!message) return;
    const { id, target } = JSON.parse(message.content.toString());
    copies.set(id, (copies.get(id) ?? 0) + 1);
    leadOf.set(id, String(target.id));
  };
  await channel.consume(queue, count, { noAck: true });
}, 240_000);
afterAll(async () => {
  stores?.signal('rabbitmq', 'SIGCONT');
  await connection?.close().catch(() => {});
  await fleet?.stop();
  await stores?.stop();
}, 120_000);

let leads = 0;
const create = async () => {
  const number = ++leads;
  await tenant.api.createLead({ body: { email: `l${number}@example.com`, firstName: 'A', lastName: `B${number}` } });
};

it.each([
  ['frozen', async () => stores.signal('rabbitmq', 'SIGSTOP'), async () => stores.signal('rabbitmq', 'SIGCONT')],
  ['blocked', () => stores.limitBrokerMemory(1_000_000), () => stores.limitBrokerMemory(512_000_000)],
])(
  '%s for 25 s: writes continue, all events are published within 10 s after the outage, none more than twice',
  async (_, begin, end) => {
    const before = leads;
    await create();
    await until('all events have arrived', () => copies.size === leads);
    await begin();
    const endsAt = performance.now() + outageMs;
    await until(
      'the outage is over',
      async () => {
        await create();
        return performance.now() > endsAt;
      },
      outageMs * 2,
    );
    expect(copies.size).toBeLessThan(leads);
    await end();
    const endedAt = performance.now();
    await until('every event has arrived', () => copies.size === leads);
    expect(performance.now() - endedAt).toBeLessThan(recoveryMsMax);
    expect(leads - before).toBeGreaterThan(50);
    expect(new Set(leadOf.values()).size).toBe(leads);
    expect(Math.max(...copies.values())).toBeLessThanOrEqual(copiesMax);
  },
  120_000,
);
