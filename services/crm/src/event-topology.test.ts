import { leadCreated, leadDeleted } from '@tandem/crm-contract';
import {
  checkTopology,
  connectBroker,
  consumer,
  type DeclaredConsumer,
  type Difference,
  moveMessages,
} from '@tandem/events';
import { createLog } from '@tandem/process';
import { testService, until } from '@tandem/testing';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Tests `npm run admin -- topology` with a service and a broker that has the management API.

type Channel = Parameters<Parameters<ReturnType<typeof connectBroker>['onConnection']>[0]>[0];

const handled: string[] = [];
let namespace = '';
let service: Awaited<ReturnType<typeof start>>;
let broker: ReturnType<typeof connectBroker>;
let channel: Channel;
let declared: DeclaredConsumer[];

const start = () =>
  testService('crm', (settings) => {
    namespace = settings.NAMESPACE;
    const listening = consumer({
      name: 'listening',
      on: [leadCreated, leadDeleted],
      async handle(events) {
        handled.push(...events.map(({ name }) => name));
      },
    });
    return { ...crmService({ ...settings, ...alone }), consumers: [listening] };
  });

beforeAll(async () => {
  service = await start();
  broker = connectBroker({ url: process.env.TEST_AMQP_URL as string, namespace, log: createLog('test', 'silent') });
  await new Promise<void>((resolve) => {
    void broker.onConnection(async (opened) => {
      channel = opened;
      resolve();
    });
  });
  declared = JSON.parse(await service.opsPage('/topology')).consumers;
});
afterAll(async () => {
  await broker?.close();
  await service?.close();
});

const check = (options: { repair?: boolean; unknownServices?: string[] } = {}) =>
  checkTopology({
    url: process.env.TEST_AMQP_URL as string,
    managementUrl: process.env.TEST_AMQP_MANAGEMENT_URL as string,
    namespace,
    consumers: declared,
    unknownServices: options.unknownServices ?? [],
    repair: options.repair ?? false,
  });
const kinds = (differences: readonly Difference[]) => differences.map(({ kind }) => kind).sort();
const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

it('a service publishes its queues and events, and the broker matches them', async () => {
  expect(declared).toContainEqual({ queue: `${namespace}.crm.listening`, events: ['lead.created', 'lead.deleted'] });
  expect((await check()).differences).toEqual([]);
});

it('missing and extra bindings are reported and repaired', async () => {
  const { names } = broker;
  const queue = names.queue('crm', 'listening');
  await channel.unbindQueue(queue, names.events, 'lead.deleted');
  await channel.unbindQueue(queue, names.retry, queue);
  await channel.bindQueue(queue, names.events, 'lead.updated');
  expect(kinds((await check()).differences)).toEqual(['extra_binding', 'missing_binding', 'missing_binding']);
  const { repairs } = await check({ repair: true });
  expect(repairs.every((one) => 'done' in one)).toBe(true);
  expect((await check()).differences).toEqual([]);
});

it('an orphaned queue is deleted when it is empty; with messages it only loses its bindings until they are moved', async () => {
  const { names } = broker;
  const orphan = names.queue('crm', 'renamed');
  await channel.assertQueue(orphan, quorum);
  await channel.bindQueue(orphan, names.events, 'lead.created');
  const before = handled.length;
  await service.as().createLead({ body: aLead({}) });
  await until('the orphan holds it', async () => (await channel.checkQueue(orphan)).messageCount === 1);
  await until('the consumer has it', () => handled.length === before + 1);
  expect(kinds((await check({ unknownServices: ['crm'] })).differences)).toEqual([]);
  const kept = await check({ repair: true });
  expect(kept.repairs).toEqual([
    expect.objectContaining({
      remedy: 'receives no further events and contains 1 messages: move them with topology:move',
    }),
  ]);
  await service.as().createLead({ body: aLead({}) });
  await until('the consumer has the next', () => handled.length === before + 2);
  expect((await channel.checkQueue(orphan)).messageCount).toBe(1);
  const url = process.env.TEST_AMQP_URL as string;
  expect(await moveMessages({ url, from: orphan, to: names.queue('crm', 'listening') })).toBe(1);
  expect((await check({ repair: true })).repairs).toEqual([expect.objectContaining({ done: 'deleted' })]);
  expect((await check()).differences).toEqual([]);
  expect(handled).toHaveLength(before + 2);
});

it('dead letters in the queue of an earlier release are moved to the current one', async () => {
  const { names } = broker;
  const queue = names.queue('crm', 'listening');
  const former = names.formerDeadQueue(queue);
  await channel.assertQueue(former, quorum);
  await channel.bindQueue(former, names.dead, queue);
  channel.sendToQueue(former, Buffer.from('{}'), {
    persistent: true,
    messageId: 'of-before',
    headers: { 'x-reason': 'permanent' },
  });
  await channel.waitForConfirms();
  const { repairs } = await check({ repair: true });
  expect(repairs).toEqual([expect.objectContaining({ done: 'moved 1 dead letters, deleted' })]);
  expect(await service.deadLetters('listening')).toEqual([
    expect.objectContaining({ eventId: 'of-before', reason: 'permanent' }),
  ]);
});

it('queues of a deployment whose namespace has this one as a prefix are left alone', async () => {
  const theirs = `${namespace}.staging.crm.listening`;
  await channel.assertQueue(theirs, quorum);
  expect((await check()).differences).toEqual([]);
  await channel.deleteQueue(theirs);
});
