import type { Socket } from 'node:net';
import { setTimeout as elapsed } from 'node:timers/promises';
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
  /**
   * Whether the broker takes no messages for now because its memory or disk is short (connection.blocked). What was
   * published stays on its way.
   */
  blocked(): boolean;
  /** Drops the connection without a farewell, which a broker that does not answer would never return. A new one is made. */
  reset(): void;
  close(): Promise<void>;
}

const reconnectDelaysMs = [100, 250, 500, 1_000, 2_000, 5_000];
const connectTimeoutMs = 5_000;
// A connection without a sign of life is closed after two of these.
const heartbeatSeconds = 5;
const closeMs = 2_000;

/**
 * Connects in the background; a broker that is away holds nobody up.
 * @param options.namespace begins the name of every queue and exchange
 */
export function connectBroker({ url, namespace, log }: { url: string; namespace: string; log: Log }): Broker {
  const setups: ((channel: ConfirmChannel) => Promise<void>)[] = [];
  let connection: ChannelModel | undefined;
  let blocked = false;
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
    let made: ChannelModel | undefined;
    try {
      // Without noDelay a lone message waits 44 ms for Nagle's algorithm.
      made = await connect(withHeartbeat(url), { noDelay: true, timeout: connectTimeoutMs });
      made.on('error', (error) => log.warn('broker connection failed', { error }));
      made.on('blocked', (reason) => {
        blocked = true;
        log.warn('the broker takes no messages for now', { reason });
      });
      made.on('unblocked', () => {
        blocked = false;
        log.info('the broker takes messages again');
      });
      made.on('close', () => {
        if (connection === made) connection = undefined;
        blocked = false;
        again();
      });
      for (const setup of setups) await open(setup, made);
      connection = made;
      attempt = 0;
      log.info('broker connected');
      if (closing) await made.close();
    } catch (error) {
      // Half set up it would go on consuming beside the next one.
      if (made) socketOf(made).destroy();
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
    blocked: () => blocked,
    // amqplib notices the end of a socket by its error, not by its closing.
    reset: () => void (connection && socketOf(connection).destroy(new Error('The broker is silent'))),
    async close() {
      closing = true;
      clearTimeout(timer);
      if (!connection) return;
      const last = connection;
      const closed = last.close().catch(() => {});
      // A broker that is frozen or blocked does not answer the farewell.
      const late = elapsed(closeMs, undefined, { ref: false }).then(() => socketOf(last).destroy());
      await Promise.race([closed, late]);
    },
  };
}

/** amqplib takes the heartbeat from the address only. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.href;
}

function socketOf(connection: ChannelModel): Socket {
  return (connection.connection as unknown as { stream: Socket }).stream;
}
