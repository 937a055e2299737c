import type { Log } from '@tandem/process';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { type Names, names } from './topology.ts';

/** A lasting connection to RabbitMQ: when it breaks it is made again, and everything set up on it too. */
export interface Broker {
  names: Names;
  /** Runs `setup` on every connection, now and after each reconnect. A channel that breaks ends the connection. */
  onConnection(setup: (channel: ConfirmChannel) => Promise<void>): Promise<void>;
  /** Whether the last attempt to connect failed, or an attempt lasts since a connection broke. */
  away(): boolean;
  close(): Promise<void>;
}

const reconnectDelaysMs = [100, 250, 500, 1_000, 2_000, 5_000];
const connectTimeoutMs = 5_000;

/**
 * Connects in the background; a broker that is away holds nobody up.
 * @param options.namespace begins the name of every queue and exchange
 */
export function connectBroker({ url, namespace, log }: { url: string; namespace: string; log: Log }): Broker {
  const setups: ((channel: ConfirmChannel) => Promise<void>)[] = [];
  let connection: ChannelModel | undefined;
  let closing = false;
  let attempt = 0;
  let timer: NodeJS.Timeout | undefined;

  const open = async (setup: (channel: ConfirmChannel) => Promise<void>, on: ChannelModel) => {
    const channel = await on.createConfirmChannel();
    channel.on('error', (error) => log.warn('broker channel failed', { error }));
    // One life for all channels: half a connection would consume without publishing.
    channel.on('close', () => void on.close().catch(() => {}));
    await setup(channel);
  };

  const dial = async () => {
    try {
      // Without noDelay a lone message waits 44 ms for Nagle's algorithm (facts.md).
      const made = await connect(url, { noDelay: true, timeout: connectTimeoutMs, heartbeat: 10 } as object);
      made.on('error', (error) => log.warn('broker connection failed', { error }));
      made.on('close', () => {
        if (connection === made) connection = undefined;
        again();
      });
      for (const setup of setups) await open(setup, made);
      connection = made;
      attempt = 0;
      log.info('broker connected');
    } catch (error) {
      log.warn('broker unreachable', { error, attempt });
      again();
    }
  };

  const again = () => {
    if (closing || timer) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        void dial();
      },
      reconnectDelaysMs[Math.min(attempt++, reconnectDelaysMs.length - 1)],
    );
  };

  void dial();
  return {
    names: names(namespace),
    async onConnection(setup) {
      setups.push(setup);
      if (connection) await open(setup, connection).catch((error) => log.warn('broker set-up failed', { error }));
    },
    away: () => connection === undefined && attempt > 0,
    async close() {
      closing = true;
      clearTimeout(timer);
      await connection?.close().catch(() => {});
    },
  };
}
