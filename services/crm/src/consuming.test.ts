import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { leadCreated } from '@tandem/crm-contract';
import { connectBroker, consumer } from '@tandem/events';
import { createLog } from '@tandem/process';
import { testService, until } from '@tandem/testing';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Consumer guarantees of packages/events, tested with a real service and broker.

/** A crm service with one consumer, which connects to the broker at `amqpUrl`. */
function aService(handle: (emails: string[]) => Promise<void>, amqpUrl?: string) {
  const listening = consumer({
    name: 'listening',
    on: [leadCreated],
    handle: (events) => handle(events.map(({ data }) => data.email)),
  });
  return testService('crm', (settings) => ({
    ...crmService({ ...settings, ...(amqpUrl && { AMQP_URL: amqpUrl }), ...alone }),
    consumers: [listening],
  }));
}

/** A TCP proxy to the broker whose connections can be cut. */
async function aBrokerProxy() {
  const url = new URL(process.env.TEST_AMQP_URL as string);
  const { hostname, port } = url;
  const sockets = new Set<Socket>();
  const proxy = { url: '', delivered: '', disconnect: () => {}, close: () => {} };
  const server = createServer((client) => {
    const broker = connect(Number(port), hostname);
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        broker.destroy();
      });
    }
    broker.on('data', (bytes) => {
      proxy.delivered += bytes.toString('latin1');
    });
    client.pipe(broker).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  proxy.url = url.href;
  proxy.disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  proxy.close = () => {
    proxy.disconnect();
    server.close();
  };
  return proxy;
}

describe('a consumer', () => {
  it('handles events of a new connection that arrived while a batch of the old one was running', async () => {
    const proxy = await aBrokerProxy();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const started: string[] = [];
    const service = await aService(async (emails) => {
      started.push(...emails);
      if (emails.includes('first@example.com')) await gate;
    }, proxy.url);
    try {
      const api = service.as();
      await api.createLead({ body: aLead({ email: 'first@example.com' }) });
      await until('the first is under way', () => started.length === 1);
      proxy.disconnect();
      await api.createLead({ body: aLead({ email: 'second@example.com' }) });
      await until('the second arrives', () => proxy.delivered.includes('second@example.com'));
      open();
      await until('the second is handled', () => started.includes('second@example.com'), 10_000);
      expect(started).toEqual(['first@example.com', 'second@example.com']);
    } finally {
      open();
      await service.close();
      proxy.close();
    }
  });

  it('reads an event of an earlier release that lacks a nullable field', async () => {
    const seen: unknown[] = [];
    const listening = consumer({
      name: 'listening',
      on: [leadCreated],
      async handle(events) {
        seen.push(...events.map(({ record }) => [record.email, record.referralCode]));
      },
    });
    const service = await testService('crm', (settings) => ({
      ...crmService({ ...settings, ...alone }),
      consumers: [listening],
    }));
    try {
      await service.as().createLead({ body: aLead({ email: 'now@example.com' }) });
      const sent = await until('the event is sent', () => service.events.find(({ name }) => name === 'lead.created'));
      const { referralCode, ...record } = sent.record as Record<string, unknown>;
      const id = randomUUID();
      await service.publish('lead.created', { ...sent, id, record: { ...record, email: 'before@example.com' } }, id);
      await until('both are read', () => seen.length === 2);
      expect(seen).toContainEqual(['before@example.com', null]);
      expect(await service.deadLetters('listening')).toEqual([]);
    } finally {
      await service.close();
    }
  });

  it('keeps an event that it could not move to the delay queue', async () => {
    let attempts = 0;
    let namespace = '';
    const service = await testService('crm', (settings) => {
      namespace = settings.NAMESPACE;
      const failing = consumer({
        name: 'failing',
        on: [leadCreated],
        async handle() {
          if (++attempts === 1) throw new Error('not yet');
        },
      });
      return { ...crmService({ ...settings, ...alone }), consumers: [failing] };
    });
    const operator = connectBroker({
      url: process.env.TEST_AMQP_URL as string,
      namespace,
      log: createLog('test', 'error'),
    });
    try {
      await new Promise<void>((resolve) => {
        void operator.onConnection(async (channel) => {
          await channel.deleteQueue(operator.names.delay(1_000));
          resolve();
        });
      });
      await service.as().createLead({ body: aLead({}) });
      await until('it is tried again', () => attempts === 2, 10_000);
    } finally {
      await operator.close();
      await service.close();
    }
  });
});
