import { setTimeout as delay } from 'node:timers/promises';
import { type Log, type Metrics, readEvery } from '@tandem/process';
import { watchPool } from '@tandem/tenant-db';
import type { ConfirmChannel } from 'amqplib';
import type pg from 'pg';
import { createAlarm } from './alarm.ts';
import type { Broker } from './broker.ts';
import { observeRelay, type RelayObserver } from './observe.ts';
import { batchMax, countMax, type OutboxRow, type OutboxRows, openOutbox, type TakenRows } from './outbox-rows.ts';
import { confirmTimeoutMs, isLate, publishBatch, type Rejection } from './publish-batch.ts';
import { declare, type EventTimings, sharedTopology } from './topology.ts';

export interface Relay {
  /** Notifies the relay of committed events: it reads the outbox now instead of at its next poll. */
  wake(): void;
  close(): Promise<void>;
}

// Under load a batch collects commits this long; the first event after a quiet period is published at once.
const gatherMs = 40;
const pollMinMs = 5;
const pollMaxMs = 250;
const unroutableRetrySeconds = 5;
// How long an unconfirmed batch is hidden from other relays; extended while this one still waits for the confirms.
const heldSeconds = 60;
const renewMs = 20_000;
const measureEverySeconds = 5;
// Reply codes of RabbitMQ that concern the message itself: PRECONDITION_FAILED (it is too large) and SYNTAX_ERROR.
const rejectionCodes = [406, 502];

/**
 * The state of the relay. A batch is locked, published, confirmed and deleted; after a crash in between it is published
 * again, and consumers skip the events that their inbox contains. Several relays share one outbox.
 *
 * | state | why | next |
 * |---|---|---|
 * | relaying | | the oldest events that are due |
 * | held | confirms are late. Publishing again would only add copies, so no relay may take the batch. | While the broker is blocked: wait for the confirms. A silent broker loses its connection, and the batch is published once more on the next one. |
 * | isolating | the broker closed the channel because of a message | publish the events of the batch one by one, and park those that are rejected again |
 */
type State =
  | { name: 'relaying' }
  | { name: 'held'; rows: OutboxRow[]; confirms: Promise<void>; channel: ConfirmChannel }
  | { name: 'isolating'; rows: OutboxRow[] };

/**
 * Moves events from the outbox of a service to RabbitMQ.
 * @param options.pool under the relay role; it stays open when the relay closes
 */
export function startRelay(options: {
  pool: pg.Pool;
  broker: Broker;
  timings: EventTimings;
  log: Log;
  metrics: Metrics;
}): Relay {
  watchPool(options.metrics, 'relay', options.pool);
  const relay = new OutboxRelay(openOutbox(options.pool), options);
  const finished = relay.run();
  return {
    wake: () => relay.alarm.wake(),
    async close() {
      relay.stop();
      await finished;
    },
  };
}

class OutboxRelay {
  readonly alarm = createAlarm();
  readonly #outbox: OutboxRows;
  readonly #broker: Broker;
  readonly #log: Log;
  readonly #counters;
  readonly #observer: RelayObserver;
  #state: State = { name: 'relaying' };
  #channel: ConfirmChannel | undefined;
  /** Ids of published events that were returned because no queue is bound. */
  readonly #returned = new Set<string>();
  /** Why the broker closed the channel, if a message was the reason. */
  #rejection: string | undefined;
  #isRunning = true;

  constructor(
    outbox: OutboxRows,
    { broker, timings, log, metrics }: { broker: Broker; timings: EventTimings; log: Log; metrics: Metrics },
  ) {
    this.#outbox = outbox;
    this.#broker = broker;
    this.#log = log;
    this.#counters = relayMetrics(outbox, metrics);
    this.#observer = observeRelay(metrics);
    void broker.onConnection(async (channel) => {
      await declare(channel, sharedTopology(broker.names, timings.retryDelaysMs));
      this.#connected(channel);
    });
  }

  async run(): Promise<void> {
    let pauseMs = pollMinMs;
    while (this.#isRunning) {
      const moved = await this.#step();
      pauseMs = moved ? pollMinMs : Math.min(pauseMs * 2, pollMaxMs);
      if (!this.#isRunning) break;
      if (!moved) await this.alarm.wait(pauseMs);
      else if (moved < batchMax) await delay(gatherMs);
    }
  }

  stop(): void {
    this.#isRunning = false;
    this.alarm.wake();
  }

  #connected(channel: ConfirmChannel): void {
    this.#rejection = undefined;
    channel.on('return', (message) => this.#returned.add(message.properties.messageId));
    channel.on('error', (error: Error & { code?: number }) => {
      if (rejectionCodes.includes(error.code ?? 0)) this.#rejection = error.message;
    });
    channel.on('close', () => {
      if (this.#channel === channel) this.#channel = undefined;
      this.alarm.wake();
    });
    this.#channel = channel;
    this.alarm.wake();
  }

  /** Moves some events; resolves to how many left the outbox. */
  async #step(): Promise<number> {
    const channel = this.#channel;
    if (!channel) return 0;
    try {
      const state = this.#state;
      if (state.name === 'isolating') return await this.#isolate(channel, state.rows);
      // The batch was already published on this channel: publishing it again would only add copies.
      if (state.name === 'held' && state.channel === channel) return await this.#settleHeld(state);
      return await this.#moveBatch(channel, state.name === 'held' ? state.rows : undefined);
    } catch (error) {
      this.#log.warn('relay failed, will retry', { error });
      return 0;
    }
  }

  async #moveBatch(channel: ConfirmChannel, again: OutboxRow[] | undefined): Promise<number> {
    return this.#outbox.take(async (taken) => {
      const { rows } = taken;
      try {
        return await this.#publish(channel, taken, { name: 'relaying' });
      } catch (error) {
        if (this.#rejection !== undefined) this.#state = { name: 'isolating', rows };
        throw error;
      }
    }, again);
  }

  /**
   * Publishes events and settles them when their confirms arrive in time; otherwise they are held.
   * @param next the state after they are settled
   */
  async #publish(channel: ConfirmChannel, taken: TakenRows, next: State): Promise<number> {
    const { rows } = taken;
    if (rows.length) {
      this.#returned.clear();
      const publication = this.#observer.publishing(rows);
      const published = await publishBatch(channel, this.#broker.names.events, rows, publication);
      const { sent, rejected, confirms, remainingMs } = published;
      for (const rejection of rejected) this.#park(taken, rejection);
      if (await isLate(confirms, remainingMs)) {
        publication.late();
        // Committed while the transaction still holds the locks, so no other relay sees the rows in between.
        taken.postpone(sent, heldSeconds);
        this.#state = { name: 'held', rows: sent, confirms, channel };
        return 0;
      }
      publication.confirmed();
      this.#settle(taken, sent);
    }
    this.#state = next;
    return rows.length;
  }

  /** Publishes the events of a rejected batch one by one, so that one bad event does not stop the others. */
  async #isolate(channel: ConfirmChannel, rows: readonly OutboxRow[]): Promise<number> {
    const [first, ...others] = rows;
    if (!first) {
      this.#state = { name: 'relaying' };
      return 0;
    }
    const next: State = { name: 'isolating', rows: others };
    const isolate = async (taken: TakenRows) => {
      try {
        return await this.#publish(channel, taken, next);
      } catch (error) {
        if (this.#rejection === undefined) throw error;
        for (const row of taken.rows) this.#park(taken, { row, reason: this.#rejection });
        this.#state = next;
        return taken.rows.length;
      }
    };
    return this.#outbox.take(isolate, [first]);
  }

  /** Deletes a held batch once its confirms have arrived; without them the connection is closed. */
  async #settleHeld({ rows, confirms }: State & { name: 'held' }): Promise<number> {
    this.#log.warn('publisher confirms are late', { events: rows.length, blocked: this.#broker.blocked() });
    if (!(await this.#areConfirmed(rows, confirms))) {
      this.#broker.reset();
      throw new Error('The broker did not confirm in time');
    }
    await this.#outbox.take(async (taken) => this.#settle(taken, rows), rows);
    this.#state = { name: 'relaying' };
    return rows.length;
  }

  /**
   * Waits for late confirms as long as the broker is blocked, and for the full time again after the block has ended.
   */
  async #areConfirmed(rows: OutboxRow[], confirms: Promise<void>): Promise<boolean> {
    const isOver = () => !this.#broker.blocked() || !this.#isRunning;
    while (this.#isRunning) {
      if (!(await isLate(confirms, renewMs, isOver))) return true;
      if (this.#broker.blocked()) await this.#outbox.postpone(rows, heldSeconds);
      else if (!(await isLate(confirms, confirmTimeoutMs))) return true;
      else if (!this.#broker.blocked()) return false;
    }
    return false;
  }

  /** Deletes confirmed events, and postpones unroutable ones. */
  #settle(taken: TakenRows, rows: readonly OutboxRow[]): void {
    // An unroutable message is returned before its confirm.
    const unroutable = rows.filter((row) => this.#returned.has(row.id));
    const done = unroutable.length ? rows.filter((row) => !this.#returned.has(row.id)) : rows;
    if (done.length) taken.remove(done);
    this.#counters.published.inc(done.length);
    if (!unroutable.length) return;
    taken.postpone(unroutable, unroutableRetrySeconds);
    this.#counters.unroutable.inc(unroutable.length);
    const names = [...new Set(unroutable.map((row) => row.name))];
    this.#log.error('events are unroutable: no queue is bound for them', { names });
  }

  #park(taken: TakenRows, { row, reason }: Rejection): void {
    taken.park(row, reason);
    this.#counters.parked.inc();
    this.#log.error('the broker rejected an event, which is parked in the outbox', {
      event: row.name,
      id: row.id,
      reason,
    });
  }
}

function relayMetrics(outbox: OutboxRows, metrics: Metrics) {
  const measure = readEvery(measureEverySeconds, () => outbox.measure());
  metrics.gauge(
    'outbox_depth',
    `Events not yet published to the broker, counted up to ${countMax}`,
    [],
    async (gauge) => gauge.set((await measure()).depth),
  );
  metrics.gauge('outbox_age_seconds', 'Age of the oldest event not yet published to the broker', [], async (gauge) =>
    gauge.set((await measure()).age),
  );
  metrics.gauge('outbox_parked', 'Events that the broker rejected; they stay in the outbox', [], async (gauge) =>
    gauge.set((await measure()).parked),
  );
  return {
    published: metrics.counter('outbox_published_total', 'Events published to the broker'),
    unroutable: metrics.counter('outbox_unroutable_total', 'Events that the broker could not route to any queue'),
    parked: metrics.counter('outbox_parked_total', 'Events that the broker rejected'),
  };
}
