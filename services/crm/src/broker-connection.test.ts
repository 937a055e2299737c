import { type Broker, connectBroker } from '@tandem/events';
import { createLog, type Log } from '@tandem/process';
import { until } from '@tandem/testing';

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
