import { leadCreated } from '@tandem/crm-contract';
import { connectBroker, consumer, replayDeadLetters } from '@tandem/events';
import { createLog } from '@tandem/process';
import { testService, until } from '@tandem/testing';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Failing consumers, dead letters, and deleted queues or bindings.

const name = 'failing';
const retryDelaysMs = [50, 100, 150, 200];
const checkIntervalMs = 200;

/** A crm service with one consumer. */
async function startWith(handle: (emails: string[]) => Promise<void>) {
  let namespace = '';
  const service = await testService('crm', (settings) => {
    namespace = settings.NAMESPACE;
    const failing = consumer({
      name,
      on: [leadCreated],
      handle: (events) => handle(events.map(({ data }) => data.email)),
    });
    return {
      ...crmService({ ...settings, ...alone }),
      consumers: [failing],
      eventTimings: { retryDelaysMs, checkIntervalMs },
    };
  });
  return { service, of: { url: process.env.TEST_AMQP_URL as string, namespace, consumer: `crm.${name}` } };
}

type Names = ReturnType<typeof connectBroker>['names'];
type Channel = Parameters<Parameters<ReturnType<typeof connectBroker>['onConnection']>[0]>[0];

/** Changes the broker like an operator would. */
async function onBroker(namespace: string, change: (channel: Channel, names: Names) => Promise<unknown>) {
  const broker = connectBroker({
    url: process.env.TEST_AMQP_URL as string,
    namespace,
    log: createLog('test', 'error'),
  });
  await new Promise<void>((resolve) => {
    void broker.onConnection(async (channel) => {
      await change(channel, broker.names);
      resolve();
    });
  });
  await broker.close();
}

it('a failing event is retried with growing delays, then dead-lettered after ten attempts', async () => {
  const attempts: number[] = [];
  let isRepaired = false;
  const { service, of } = await startWith(async () => {
    attempts.push(performance.now());
    if (!isRepaired) throw new Error('not today');
  });
  try {
    await service.as().createLead({ body: aLead({}) });
    const [letter] = await until('it is a dead letter', async () => {
      const letters = await service.deadLetters(name);
      return letters.length > 0 && letters;
    });
    expect(letter).toMatchObject({
      name: 'lead.created',
      reason: 'attempts_exhausted',
      attempts: 10,
      error: 'Error: not today',
    });
    expect(attempts).toHaveLength(10);
    const delays = [50, 100, 150, 200, 200, 200, 200, 200, 200];
    delays.forEach((delayMs, index) => {
      const waited = (attempts[index + 1] as number) - (attempts[index] as number);
      expect(waited).toBeGreaterThanOrEqual(delayMs - 5);
    });
    // A look puts the letters back into the queue, which the next look may not see yet.
    for (let look = 0; look < 25; look++) expect((await service.deadLetters(name)).length).toBeLessThanOrEqual(1);
    await until('it is still there', async () => (await service.deadLetters(name)).length === 1);
    isRepaired = true;
    expect(await replayDeadLetters(of)).toBe(1);
    await until('it is handled', () => attempts.length === 11);
    expect(await service.deadLetters(name)).toEqual([]);
  } finally {
    await service.close();
  }
}, 90_000);

it('a replayed event that still fails gets ten new attempts', async () => {
  let attempts = 0;
  const { service, of } = await startWith(async () => {
    attempts++;
    throw new Error('never');
  });
  try {
    await service.as().createLead({ body: aLead({}) });
    await until('it is a dead letter', async () => (await service.deadLetters(name)).length === 1);
    await replayDeadLetters(of);
    await until('it is one again', async () => attempts === 20 && (await service.deadLetters(name)).length === 1);
  } finally {
    await service.close();
  }
}, 90_000);

it('a deleted queue is noticed, counted and declared again', async () => {
  const seen: string[] = [];
  const { service, of } = await startWith(async (emails) => void seen.push(...emails));
  try {
    await onBroker(of.namespace, (channel, names) => channel.deleteQueue(names.queue('crm', name)));
    await until('it is counted', async () =>
      /^tandem_consumer_queue_missing_total\{.*\} [1-9]/m.test(await service.opsPage('/metrics')),
    );
    // Events of the moment without a queue are lost.
    await until('later events arrive', async () => {
      await service.as().createLead({ body: aLead({ email: 'after@example.com' }) });
      return seen.includes('after@example.com');
    });
    expect(await service.opsPage('/metrics')).toMatch(/^tandem_consumer_connected\{.*\} 1$/m);
  } finally {
    await service.close();
  }
});

it('deleted bindings and a deleted dead-letter queue are restored', async () => {
  const seen: string[] = [];
  const { service, of } = await startWith(async (emails) => {
    if (emails.includes('fails@example.com')) throw new Error('never');
    seen.push(...emails);
  });
  const api = service.as();
  try {
    await onBroker(of.namespace, async (channel, names) => {
      const queue = names.queue('crm', name);
      await channel.unbindQueue(queue, names.events, 'lead.created');
      await channel.unbindQueue(queue, names.retry, queue);
      await channel.deleteQueue(names.deadQueue(queue));
    });
    await until('events arrive again', async () => {
      await api.createLead({ body: aLead({}) });
      return seen.length > 0;
    });
    await api.createLead({ body: aLead({ email: 'fails@example.com' }) });
    await until('dead letters arrive again', async () => (await service.deadLetters(name)).length === 1);
  } finally {
    await service.close();
  }
}, 90_000);

it('housekeeping removes inbox rows older than 14 days', async () => {
  const { service } = await startWith(async () => {});
  try {
    const { caller } = service.as();
    await service.sqlWithin(
      caller,
      `INSERT INTO platform.inbox (consumer, event_id, received_at)
       SELECT 'old', gen_random_uuid(), now() - interval '14 days 1 minute' FROM generate_series(1, 2500)
       UNION ALL SELECT 'young', gen_random_uuid(), now() - interval '13 days 23 hours'`,
    );
    await service.housekeep();
    const left = await service.sqlWithin(
      caller,
      'SELECT consumer, count(*)::int AS rows FROM platform.inbox GROUP BY 1',
    );
    expect(left).toEqual([{ consumer: 'young', rows: 1 }]);
  } finally {
    await service.close();
  }
});
