import { randomUUID } from 'node:crypto';
import { type Broker, connectBroker } from '@tandem/events';
import { createLog, type Log, shutdownLimits } from '@tandem/process';
import { startTcpProxy, until } from '@tandem/testing';

// Connections of packages/events to a real broker.

const warnings: string[] = [];
const log = Object.assign(createLog('test'), { warn: (message: string) => void warnings.push(message) }) as Log;

/** A short heartbeat, because amqplib notices by heartbeat that a socket was destroyed without an error. */
const url = () => {
  const address = new URL(process.env.TEST_AMQP_URL as string);
  address.searchParams.set('heartbeat', '1');
  return address.href;
};

let broker: Broker;
beforeEach(() => {
  broker = connectBroker({ url: url(), namespace: 'test', log });
});
afterEach(() => broker.close());

it('a connection whose set-up failed does not affect the next one', async () => {
  let setups = 0;
  void broker.onConnection(async () => {
    if (++setups === 1) throw new Error('The first set-up fails');
  });
  await until('the second connection is set up', () => setups === 2 && !broker.away());
  await until('the first connection has ended', () => warnings.includes('broker connection failed'));
  expect({ setups, away: broker.away() }).toEqual({ setups: 2, away: false });
});

it('a set-up that fails on an open connection is repeated, with all others, on a new one', async () => {
  const setups = { first: 0, added: 0 };
  const connected = Promise.withResolvers<void>();
  const url = process.env.TEST_AMQP_URL as string;
  const whenConnected = Object.assign(createLog('test'), { info: () => connected.resolve() }) as Log;
  const open = connectBroker({ url, namespace: 'test', log: whenConnected });
  try {
    await open.onConnection(async () => void setups.first++);
    await connected.promise;
    await open.onConnection(async () => {
      if (++setups.added === 1) throw new Error('The first set-up fails');
    });
    expect({ ...setups, away: open.away() }).toEqual({ first: 1, added: 1, away: true });
    await until('everything is set up again', () => setups.added === 2 && !open.away());
    expect(setups).toEqual({ first: 2, added: 2 });
  } finally {
    await open.close();
  }
});

it('closing a connection during its set-up closes the channels that consume already, after their acknowledgements', async () => {
  const queue = `closing.${randomUUID()}`;
  const acknowledged = Promise.withResolvers<void>();
  void broker.onConnection(async (channel) => {
    await channel.assertQueue(queue, { expires: 60_000 });
    channel.sendToQueue(queue, Buffer.from('a message'));
    await channel.consume(queue, (message) => {
      if (message) channel.ack(message);
      acknowledged.resolve();
    });
  });
  void broker.onConnection(() => new Promise(() => {}));
  await acknowledged.promise;
  await broker.close();
  const observer = connectBroker({ url: url(), namespace: 'test', log });
  try {
    const found = Promise.withResolvers<object>();
    void observer.onConnection(async (channel) => found.resolve(await channel.checkQueue(queue)));
    expect(await found.promise).toMatchObject({ messageCount: 0, consumerCount: 0 });
  } finally {
    await observer.close();
  }
});

it('a connection that opens after the broker was closed is closed without a set-up', async () => {
  const proxy = await startTcpProxy(url());
  proxy.pause();
  const late = connectBroker({ url: proxy.through(url()), namespace: 'test', log });
  try {
    let setups = 0;
    void late.onConnection(async () => void setups++);
    await until('it is connecting', () => proxy.connections > 0);
    await late.close();
    proxy.resume();
    await until('its connection has ended', () => proxy.connections === 0);
    expect(setups).toBe(0);
  } finally {
    await proxy.close();
  }
});

it.each(['connected', 'in its set-up'])('a frozen broker that is %s closes within its shutdown step', async (state) => {
  const proxy = await startTcpProxy(url());
  const begun = Promise.withResolvers<void>();
  const whenConnected = Object.assign(createLog('test'), { info: () => begun.resolve() }) as Log;
  const frozen = connectBroker({ url: proxy.through(url()), namespace: 'test', log: whenConnected });
  try {
    if (state === 'in its set-up')
      void frozen.onConnection(() => {
        begun.resolve();
        return new Promise(() => {});
      });
    await begun.promise;
    proxy.pause();
    const startedAt = performance.now();
    await frozen.close();
    expect(performance.now() - startedAt).toBeLessThan(shutdownLimits.storesMs);
  } finally {
    await frozen.close();
    await proxy.close();
  }
});
