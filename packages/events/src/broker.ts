import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@tandem/process';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { type Names, names } from './topology.ts';

type Setup = (channel: ConfirmChannel) => Promise<void>;

/** A connection to RabbitMQ that reconnects when it breaks and repeats its setup. */
export interface Broker {
  names: Names;
  /**
   * Runs `setup` with a separate channel on every connection: now, and after each reconnect. When one channel closes,
   * the whole connection is closed and replaced: half a connection would consume without being able to publish.
   */
  onConnection(setup: Setup): Promise<void>;
  /** Whether the connection is down: connecting failed, or a broken connection has not been replaced yet. */
  away(): boolean;
  /**
   * Whether the broker currently accepts no messages because it is low on memory or disk (connection.blocked). Messages
   * that are published meanwhile are confirmed later.
   */
  blocked(): boolean;
  /** Destroys the socket without the closing handshake, which a silent broker would not answer. A new connection follows. */
  reset(): void;
  close(): Promise<void>;
}

/** The connection is set as soon as it is open, while the setups still run on it: its first channels may consume. */
interface Connecting {
  name: 'connecting';
  connection?: ChannelModel;
  channels: ConfirmChannel[];
}

interface Connected {
  name: 'connected';
  connection: ChannelModel;
  channels: ConfirmChannel[];
  isBlocked: boolean;
}

/**
 * | state | event | next |
 * |---|---|---|
 * | connecting | every setup succeeded | connected |
 * | connecting | the connection or a setup fails | waiting |
 * | connected | the connection closes, or the setup of a channel that was added fails | waiting |
 * | waiting | the delay has passed | connecting |
 * | any | `close` | closed |
 */
type State = Connecting | Connected | { name: 'waiting'; timer: NodeJS.Timeout } | { name: 'closed' };

const reconnectDelaysMs = [100, 250, 500, 1_000, 2_000, 5_000];
const connectTimeoutMs = 5_000;
// RabbitMQ closes a connection without any traffic for two intervals.
const heartbeatSeconds = 5;
// Below the limit of the shutdown step that closes the connections of a service (`storesMs` in packages/process).
const closeMs = 1_500;

/**
 * Connects in the background, so an unavailable broker does not delay the start.
 * @param options.namespace prefix of the name of every queue and exchange
 */
export function connectBroker(options: { url: string; namespace: string; log: Log }): Broker {
  const connector = new Connector(options.url, options.log);
  void connector.connect();
  return {
    names: names(options.namespace),
    onConnection: (setup) => connector.add(setup),
    away: () => connector.isAway(),
    blocked: () => connector.isBlocked(),
    reset: () => connector.reset(),
    close: () => connector.close(),
  };
}

class Connector {
  readonly #url: string;
  readonly #log: Log;
  readonly #setups: Setup[] = [];
  #state: State = { name: 'connecting', channels: [] };
  /** Failed or broken connections since the last success. */
  #attempts = 0;

  constructor(url: string, log: Log) {
    this.#url = withHeartbeat(url);
    this.#log = log;
  }

  async connect(): Promise<void> {
    const attempt: Connecting = { name: 'connecting', channels: [] };
    this.#state = attempt;
    try {
      // Without noDelay a single message waits 44 ms for Nagle's algorithm.
      const connection = await connect(this.#url, { noDelay: true, timeout: connectTimeoutMs });
      this.#listen(connection);
      // `close` did not wait for the connection to open, and nothing has used it.
      if (this.#isClosed()) return await connection.close();
      attempt.connection = connection;
      for (const setup of this.#setups) await this.#openChannel(attempt.channels, connection, setup);
      this.#connected(connection, attempt.channels);
    } catch (error) {
      // `close` ends the connection in order, and its set-up with it.
      if (this.#isClosed()) return;
      // A partly set up connection would keep consuming next to the new one.
      if (attempt.connection) destroy(attempt.connection, 'The set-up failed');
      this.#log.warn('broker unreachable', { error, attempt: this.#attempts });
      this.#reconnectLater(attempt.connection);
    }
  }

  async add(setup: Setup): Promise<void> {
    this.#setups.push(setup);
    if (this.#state.name !== 'connected') return;
    const { connection, channels } = this.#state;
    try {
      await this.#openChannel(channels, connection, setup);
    } catch (error) {
      // `close` ends the connection in order.
      if (this.#isClosed()) return;
      this.#log.warn('broker set-up failed', { error });
      // Otherwise this consumer would never run while the connection lasts.
      destroy(connection, 'The set-up failed');
      this.#reconnectLater(connection);
    }
  }

  isAway(): boolean {
    return this.#state.name !== 'connected' && this.#attempts > 0;
  }

  isBlocked(): boolean {
    return this.#state.name === 'connected' && this.#state.isBlocked;
  }

  reset(): void {
    if (this.#state.name === 'connected') destroy(this.#state.connection, 'The broker does not respond');
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { name: 'closed' };
    if (state.name === 'waiting') clearTimeout(state.timer);
    if (!('connection' in state) || !state.connection) return;
    const { connection, channels } = state;
    const closed = closeInOrder(connection, channels).catch(() => {});
    // A frozen or blocked broker does not answer the closing handshake.
    const timer = new AbortController();
    const late = delay(closeMs, undefined, { ref: false, signal: timer.signal }).then(
      () => destroy(connection, 'The broker does not answer the closing handshake'),
      () => {},
    );
    await Promise.race([closed, late]);
    timer.abort();
  }

  /** Adds the channel to `channels` before its set-up, which may begin to consume. */
  async #openChannel(channels: ConfirmChannel[], connection: ChannelModel, setup: Setup): Promise<void> {
    const channel = await connection.createConfirmChannel();
    channels.push(channel);
    channel.on('error', (error) => this.#log.warn('broker channel failed', { error }));
    channel.on('close', () => {
      if (!this.#isClosed()) void connection.close().catch(() => {});
    });
    if (!this.#isClosed()) await setup(channel);
  }

  #connected(connection: ChannelModel, channels: ConfirmChannel[]): void {
    if (!this.#isCurrent(connection)) throw new Error('The connection closed during its set-up');
    this.#state = { name: 'connected', connection, channels, isBlocked: false };
    this.#attempts = 0;
    this.#log.info('broker connected');
  }

  #listen(connection: ChannelModel): void {
    connection.on('error', (error) => this.#log.warn('broker connection failed', { error }));
    connection.on('blocked', (reason) => this.#setBlocked(connection, true, { reason }));
    connection.on('unblocked', () => this.#setBlocked(connection, false));
    connection.on('close', () => this.#reconnectLater(connection));
  }

  #setBlocked(connection: ChannelModel, isBlocked: boolean, details: object = {}): void {
    if (this.#state.name !== 'connected' || this.#state.connection !== connection) return;
    this.#state.isBlocked = isBlocked;
    if (isBlocked) this.#log.warn('broker blocked: it accepts no messages', details);
    else this.#log.info('broker unblocked: it accepts messages again');
  }

  /** @param lost undefined when connecting failed; a connection that has been replaced is ignored */
  #reconnectLater(lost: ChannelModel | undefined): void {
    if (!this.#isCurrent(lost)) return;
    const delayMs = reconnectDelaysMs[Math.min(this.#attempts++, reconnectDelaysMs.length - 1)];
    this.#state = { name: 'waiting', timer: setTimeout(() => void this.connect(), delayMs) };
  }

  #isClosed(): boolean {
    return this.#state.name === 'closed';
  }

  #isCurrent(connection: ChannelModel | undefined): boolean {
    if (this.#state.name === 'closed' || this.#state.name === 'waiting') return false;
    return this.#state.connection === connection;
  }
}

/**
 * Closes the channels before their connection. amqplib sends frames of different channels in any order, so the broker
 * could read the end of the connection before an acknowledgement, and would deliver that message again.
 */
async function closeInOrder(connection: ChannelModel, channels: readonly ConfirmChannel[]): Promise<void> {
  await Promise.allSettled(channels.map(async (channel) => channel.close()));
  await connection.close();
}

/** amqplib reads the heartbeat from the address only. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.href;
}

/** Ends a connection at once. amqplib reacts to an error of the socket, not to its end. */
function destroy(connection: ChannelModel, reason: string): void {
  socketOf(connection).destroy(new Error(reason));
}

function socketOf(connection: ChannelModel): Socket {
  return (connection.connection as unknown as { stream: Socket }).stream;
}
