import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { EventDef } from '@tandem/contract';
import type { Log } from '@tandem/process';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import { type Delivery, readDelivery } from './delivery.ts';
import { OtherReleaseError, PermanentError } from './errors.ts';
import type { PutAside } from './put-aside.ts';
import { acknowledge, cancel, type Session } from './session.ts';
import { declare, isNotFound, type Topology } from './topology.ts';

const prefetch = 100;
const batchMax = 50;
// Under load a batch collects messages this long, so that one transaction handles several. The first message after a
// quiet period is handled at once.
const gatherMs = 40;
const databaseRetryMs = 500;
// Pause before a failing connection is replaced, which avoids a reconnect loop with a broker that accepts nothing.
const reconnectPauseMs = 500;

/**
 * | state | event | next |
 * |---|---|---|
 * | disconnected | a connection has been set up | consuming |
 * | consuming | the channel closes, the queue is deleted, a batch cannot be settled | disconnected; the broker redelivers |
 * | disconnected, consuming | `close` | closing: the batch in progress ends, no other begins |
 */
type State = { name: 'disconnected' } | { name: 'consuming'; session: Session } | { name: 'closing' };

interface QueueConsumerOptions {
  queue: string;
  /** Exchanges, queues and bindings that the consumer needs. */
  topology: Topology;
  /** The events that the consumer knows, by name; undefined for a consumer that takes all events and decodes none. */
  events: ReadonlyMap<string, EventDef> | undefined;
  checkIntervalMs: number;
  /** Handles events of one tenant and environment in one transaction. */
  handle(deliveries: readonly Delivery[]): Promise<void>;
  /** Runs work in the trace of an event, so that its log lines contain trace and tenant. */
  inTrace<T>(delivery: Delivery, work: () => Promise<T>): Promise<T>;
  /** Whether the database answers. */
  ping(): Promise<void>;
  putAside: PutAside;
  /** Called when the queue does not exist although it had been declared. */
  onQueueMissing(): void;
  log: Log;
}

/**
 * Consumes one queue and handles its messages in batches: one transaction per tenant for up to 50 events. When a
 * transaction fails, each of its events is retried alone, so that a bad event affects no other.
 */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  #state: State = { name: 'disconnected' };
  #declared = false;
  #working: Promise<void> | undefined;
  #batchEndedAt = 0;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
  }

  /** Whether the queue has been declared since the start: events published before do not reach the consumer. */
  get declared(): boolean {
    return this.#declared;
  }

  get isConsuming(): boolean {
    return this.#state.name === 'consuming';
  }

  /** Starts consuming on a new connection. */
  async connect(channel: ConfirmChannel): Promise<void> {
    if (this.#isClosing()) return;
    const { queue, topology } = this.#options;
    await declare(channel, topology);
    await channel.prefetch(prefetch);
    if (this.#isClosing()) return;
    const session: Session = { channel, consumerTag: '', pending: [], returned: new Set() };
    this.#state = { name: 'consuming', session };
    channel.on('return', (message) => session.returned.add(String(message.properties.correlationId)));
    channel.on('close', () => this.#disconnected(session));
    const { consumerTag } = await channel.consume(queue, (message) => this.#received(session, message));
    session.consumerTag = consumerTag;
    this.#declared = true;
    this.#checkPeriodically(session);
  }

  /** Stops taking messages and waits for the batch in progress. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { name: 'closing' };
    // A frozen broker would not answer. Messages that it still delivers are ignored, and redelivered to other
    // instances.
    if (state.name === 'consuming') void cancel(state.session);
    await this.#working;
  }

  #received(session: Session, message: ConsumeMessage | null): void {
    if (!message) {
      // The broker cancels a consumer when its queue is deleted. The next connection declares the queue again.
      this.#options.onQueueMissing();
      this.#abandon(session);
      return;
    }
    if (!this.#isCurrent(session)) return;
    session.pending.push(message);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /**
   * Handles the pending messages of the current connection, and then those that a newer connection has delivered
   * meanwhile.
   */
  async #work(): Promise<void> {
    for (let session = this.#current(); session?.pending.length; session = this.#current()) {
      try {
        await this.#takeBatch(session);
      } catch (error) {
        await this.#interrupted(session, error);
      }
    }
  }

  async #takeBatch(session: Session): Promise<void> {
    const { pending, channel } = session;
    await this.#gather(pending);
    if (!this.#isCurrent(session)) return;
    const batch = pending.splice(0, batchMax);
    const deliveries = await this.#read(session, batch);
    const groups = Map.groupBy(deliveries, ({ event }) => `${event.tenantId}/${event.environment}`);
    const handling = [...groups.values()].map((group) => this.#handleGroup(session, group));
    // An error ends the batch, so it waits until no group is in progress: `close` waits for the batch only.
    await Promise.allSettled(handling);
    const done = await Promise.all(handling);
    acknowledge(channel, batch, done.flat());
    this.#batchEndedAt = performance.now();
  }

  /** Waits for more messages, at least for those in the same network packet. */
  async #gather(pending: readonly ConsumeMessage[]): Promise<void> {
    const ms = this.#batchEndedAt + gatherMs - performance.now();
    if (pending.length < batchMax && ms > 0) await delay(ms);
    else await nextTurn();
  }

  async #read(session: Session, batch: readonly ConsumeMessage[]): Promise<Delivery[]> {
    const deliveries: Delivery[] = [];
    for (const message of batch) {
      try {
        deliveries.push(readDelivery(message, this.#options.events));
      } catch (error) {
        await this.#options.putAside(session, message, error);
      }
    }
    return deliveries;
  }

  /** Handles the events of one tenant; resolves to the messages to acknowledge. */
  async #handleGroup(session: Session, group: readonly Delivery[]): Promise<ConsumeMessage[]> {
    const { handle, inTrace, putAside } = this.#options;
    try {
      await handle(group);
      return group.map(({ message }) => message);
    } catch (error) {
      if (await this.#waitForDatabase(error)) return this.#handleGroup(session, group);
      if (this.#isClosing()) return [];
      if (group.length > 1) return this.#handleEach(session, group);
      const failed = group[0] as Delivery;
      await inTrace(failed, () => putAside(session, failed.message, error));
      return [];
    }
  }

  async #handleEach(session: Session, group: readonly Delivery[]): Promise<ConsumeMessage[]> {
    const done: ConsumeMessage[] = [];
    for (const delivery of group) done.push(...(await this.#handleGroup(session, [delivery])));
    return done;
  }

  /** Waits until the database answers, so that an outage uses up no attempts. Resolves to whether it was down. */
  async #waitForDatabase(error: unknown): Promise<boolean> {
    if (error instanceof PermanentError || error instanceof OtherReleaseError) return false;
    let wasAway = false;
    while (!this.#isClosing()) {
      try {
        await this.#options.ping();
        return wasAway;
      } catch {
        wasAway = true;
        await delay(databaseRetryMs);
      }
    }
    return false;
  }

  async #interrupted(session: Session, error: unknown): Promise<void> {
    this.#options.log.warn('consuming interrupted', { consumer: this.#options.queue, error });
    if (!this.#isCurrent(session)) return;
    await delay(reconnectPauseMs);
    this.#abandon(session);
  }

  /**
   * Closes the channel, and with it the connection, so that the broker redelivers unacknowledged messages. On an open
   * channel the acknowledgement of a later batch would cover those messages too.
   */
  #abandon(session: Session): void {
    this.#disconnected(session);
    void (async () => session.channel.close())().catch(() => {});
  }

  /**
   * Checks the queue and declares everything again at each interval. A missing queue closes the channel, and the next
   * connection declares it; a missing binding is restored here, because AMQP does not report that it was missing.
   */
  #checkPeriodically(session: Session): void {
    const { queue, topology, checkIntervalMs, onQueueMissing, log } = this.#options;
    const check = async () => {
      if (!this.#isCurrent(session)) return clearInterval(timer);
      try {
        await session.channel.checkQueue(queue);
        await declare(session.channel, topology);
      } catch (error) {
        // The broker has closed the channel with its reply, so the session is no longer the current one.
        if (isNotFound(error)) onQueueMissing();
        log.warn('queue check failed', { consumer: queue, error });
        this.#abandon(session);
      }
    };
    const timer = setInterval(() => void check(), checkIntervalMs);
    timer.unref();
    session.channel.on('close', () => clearInterval(timer));
  }

  #disconnected(session: Session): void {
    if (this.#isCurrent(session)) this.#state = { name: 'disconnected' };
  }

  #current(): Session | undefined {
    return this.#state.name === 'consuming' ? this.#state.session : undefined;
  }

  #isCurrent(session: Session): boolean {
    return this.#current() === session;
  }

  #isClosing(): boolean {
    return this.#state.name === 'closing';
  }
}
