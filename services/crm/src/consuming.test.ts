import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { leadCreated } from '@tandem/crm-contract';
import { connectBroker, consumer, defaultTimings, emitter, startConsumers } from '@tandem/events';
import { createLog, createMetrics, type Log } from '@tandem/process';
import { createTenantDb } from '@tandem/tenant-db';
import { testService, testSettings, until } from '@tandem/testing';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Consumer guarantees of packages/events, tested with a real service and broker.

/** Namespace of the last service. */
let namespace = '';

/** A crm service with one consumer, which connects to the broker at `amqpUrl`. */
function aService(
  handle: (emails: string[]) => Promise<void>,
  amqpUrl?: string,
  shared?: Awaited<ReturnType<typeof testSettings>>,
) {
  const listening = consumer({
    name: 'listening',
    on: [leadCreated],
    handle: (events) => handle(events.map(({ data }) => data.email)),
  });
  return testService(
    'crm',
    (settings) => {
      namespace = settings.NAMESPACE;
      return {
        ...crmService({ ...settings, ...(amqpUrl && { AMQP_URL: amqpUrl }), ...alone }),
        consumers: [listening],
      };
    },
    shared,
  );
}

/** A connection to the broker with a channel, as an operator would open it. */
async function anOperator(url = process.env.TEST_AMQP_URL as string, log = createLog('test', 'error')) {
  const broker = connectBroker({ url, namespace, log });
  type Setup = Parameters<typeof broker.onConnection>[0];
  const channel = await new Promise<Parameters<Setup>[0]>((resolve) => {
    void broker.onConnection(async (opened) => resolve(opened));
  });
  return { broker, channel };
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
    const service = await aService(async () => {
      if (++attempts === 1) throw new Error('not yet');
    });
    const operator = await anOperator();
    try {
      await operator.channel.deleteQueue(operator.broker.names.delay(1_000));
      await service.as().createLead({ body: aLead({}) });
      await until('it is tried again', () => attempts === 2, 10_000);
    } finally {
      await operator.broker.close();
      await service.close();
    }
  });

  it('acknowledges a batch with events of two tenants in turn', async () => {
    const proxy = await aBrokerProxy();
    const settings = await testSettings('crm');
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const groups: string[][] = [];
    const service = await aService(
      async (emails) => {
        groups.push(emails);
        if (emails.includes('first@example.com')) await gate;
      },
      proxy.url,
      settings,
    );
    const operator = await anOperator();
    try {
      const [one, other] = [service.as(), service.as()];
      await one.createLead({ body: aLead({ email: 'first@example.com' }) });
      await until('the first is under way', () => groups.length === 1);
      for (const [api, email] of [
        [one, 'a@example.com'],
        [other, 'b@example.com'],
        [one, 'c@example.com'],
      ] as const)
        await api.createLead({ body: aLead({ email }) });
      await until('the others arrive', () => proxy.delivered.includes('c@example.com'));
      open();
      await until('they are handled', () => groups.flat().length === 4);
    } finally {
      open();
      await service.close();
      proxy.close();
    }
    expect(groups.slice(1).toSorted()).toEqual([['a@example.com', 'c@example.com'], ['b@example.com']]);
    // A message that was not acknowledged is back in the queue now.
    const { messageCount } = await operator.channel.checkQueue(operator.broker.names.queue('crm', 'listening'));
    await operator.broker.close();
    await settings.drop();
    expect(messageCount).toBe(0);
  });

  it('reports no queue depth while the broker is away', async () => {
    const proxy = await aBrokerProxy();
    const service = await aService(async () => {}, proxy.url);
    const depth = /^tandem_queue_depth\{.*\} \d+$/m;
    const errors = /^tandem_scrape_errors_total\{.*gauge="tandem_queue_depth".*\} (\d+)$/m;
    try {
      await until('the depth is reported', async () => depth.test(await service.metrics()));
      proxy.close();
      const last = await until('several scrapes have failed', async () => {
        const text = await service.metrics();
        return Number(errors.exec(text)?.[1]) >= 5 && text;
      });
      expect(last).not.toMatch(depth);
    } finally {
      await service.close();
      proxy.close();
    }
  });

  it('waits for the other tenants of a batch when an event could not be moved to the delay queue', async () => {
    const settings = await testSettings('crm');
    namespace = settings.NAMESPACE;
    const steps: string[] = [];
    const log = Object.assign(createLog('test'), { warn: (step: string) => void steps.push(step) }) as Log;
    const { client, prisma } = crmService({ ...settings, ...alone });
    const db = createTenantDb({ url: settings.DATABASE_URL, client, prisma });
    const proxy = await aBrokerProxy();
    const { broker, channel } = await anOperator(proxy.url, log);
    const gates = { blocking: Promise.withResolvers<void>(), slow: Promise.withResolvers<void>() };
    const tenants = { blocking: 1, failing: 2, slow: 3 };
    const mixed = consumer({
      name: 'mixed',
      on: 'all',
      async handle([event]) {
        steps.push(`${event?.name} begins`);
        if (event?.tenantId === tenants.failing) throw new Error('never');
        await gates[event?.name as keyof typeof gates].promise;
        steps.push(`${event?.name} ends`);
      },
    });
    const consumption = startConsumers({
      service: 'crm',
      consumers: [mixed],
      db,
      broker,
      outgoing: (caller, scope) => ({ ...emitter(caller, scope), schedule: async () => {}, committed: () => {} }),
      timings: defaultTimings,
      log,
      metrics: createMetrics('test'),
    });
    const publish = (name: keyof typeof tenants) => {
      const event = {
        id: randomUUID(),
        name,
        tenantId: tenants[name],
        environment: 'live',
        occurredAt: new Date().toISOString(),
        action: name,
        target: { type: 'lead', id: 1 },
        caller: { type: 'key', requestId: 'test' },
      };
      channel.publish(broker.names.events, name, Buffer.from(JSON.stringify(event)));
      return event.id;
    };
    try {
      await until('the queue is declared', () => consumption.declared());
      await channel.deleteQueue(broker.names.delay(1_000));
      publish('blocking');
      await until('a batch is under way', () => steps.includes('blocking begins'));
      const ids = [publish('failing'), publish('slow')];
      await until('the next batch arrives', () => ids.every((id) => proxy.delivered.includes(id)));
      gates.blocking.resolve();
      await until('the failing event is returned', () => proxy.delivered.includes('NO_ROUTE'));
      await until('the slow event is under way', () => steps.includes('slow begins'));
      // The client reads this reply after the returned event and its confirm.
      await channel.checkQueue(broker.names.queue('crm', 'mixed'));
      gates.slow.resolve();
      await until('the batch has ended', () => steps.includes('consuming interrupted'));
      expect(steps.indexOf('slow ends')).toBeGreaterThan(0);
      expect(steps.indexOf('slow ends')).toBeLessThan(steps.indexOf('consuming interrupted'));
    } finally {
      for (const { resolve } of Object.values(gates)) resolve();
      await consumption.close();
      await broker.close();
      await db.close();
      await settings.drop();
      proxy.close();
    }
  });
});
