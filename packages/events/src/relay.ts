import { setTimeout as gathering } from 'node:timers/promises';
import type { Log, Metrics } from '@tandem/process';
import { ResilientPool } from '@tandem/tenant-db';
import type { ConfirmChannel } from 'amqplib';
import type pg from 'pg';
import { createAlarm } from './alarm.ts';
import type { Broker } from './broker.ts';
import { declareShared } from './topology.ts';

export interface Relay {
  /** Says that something was committed: the relay looks at once instead of at its next poll. */
  wake(): void;
  close(): Promise<void>;
}

interface Row {
  position: number;
  id: string;
  name: string;
  message: string;
}

/** A batch whose confirms are late, and the channel on which they would come. */
interface Held {
  rows: Row[];
  confirms: Promise<void>;
  on: ConfirmChannel;
}

const batchMax = 500;
// In a stream of commits a batch gathers this long; the first after a quiet moment does not wait.
const gatherMs = 40;
const pollMinMs = 5;
const pollMaxMs = 250;
const confirmTimeoutMs = 5_000;
const unroutableRetrySeconds = 5;
// Longer than the statement timeout of the relay's role (8 s).
const queryTimeoutMs = 9_000;
// How long a batch without confirms is kept from other relays; renewed while this one still waits for them.
const heldSeconds = 60;
const renewMs = 20_000;

const take = {
  name: 'take',
  text: `SELECT position, id, name, message FROM platform.outbox WHERE retry_at IS NULL OR retry_at < now()
         ORDER BY position LIMIT ${batchMax} FOR UPDATE SKIP LOCKED`,
};
const takeHeld = `SELECT position, id, name, message FROM platform.outbox WHERE position = ANY($1)
  ORDER BY position FOR UPDATE SKIP LOCKED`;
const deletion = { name: 'delete', text: 'DELETE FROM platform.outbox WHERE position = ANY($1)' };
const postponement = `UPDATE platform.outbox SET retry_at = now() + make_interval(secs => $2) WHERE position = ANY($1)`;

/**
 * Moves rows of the outbox to RabbitMQ: takes a batch under lock, publishes it, waits for every confirm, deletes it.
 * A crash in between publishes again; consumers see the id a second time. Several relays share one outbox.
 *
 * A batch whose confirms are late is held back from every relay, as publishing it again would only add copies. While the
 * broker is blocked its messages are still on their way, and the relay waits for the confirms. A broker that is silent loses its
 * connection, and the same relay publishes the batch a second time on the next one.
 * @param options.url under the relay's role, which sees the outbox and nothing else
 */
export function startRelay(options: { url: string; broker: Broker; log: Log; metrics: Metrics }): Relay {
  const { broker, log, metrics } = options;
  const pool = new ResilientPool({ connectionString: options.url, max: 2, query_timeout: queryTimeoutMs });
  const published = metrics.counter('outbox_published_total', 'Events handed to the broker');
  const unroutable = metrics.counter('outbox_unroutable_total', 'Events that no queue was bound for');
  watch(pool, metrics);

  let channel: ConfirmChannel | undefined;
  let held: Held | undefined;
  const returned = new Set<string>();
  const signal = createAlarm();
  void broker.onConnection(async (made) => {
    await declareShared(made, broker.names);
    made.on('return', (message) => returned.add(message.properties.messageId));
    made.on('close', () => {
      if (channel === made) channel = undefined;
      signal.wake();
    });
    channel = made;
    signal.wake();
  });

  /** Moves one batch; resolves to how many events left. */
  const moveBatch = async (to: ConfirmChannel): Promise<number> => {
    // It is on its way on this channel: publishing it again would only add copies.
    if (held?.on === to) return settleHeld(held);
    return withClient(async (client) => {
      // In this order: statements leave when they are called, and locks that are taken before BEGIN end at once.
      const [, { rows }] = await Promise.all([
        client.query('BEGIN'),
        held ? client.query<Row>(takeHeld, [positionsOf(held.rows)]) : client.query<Row>(take),
      ]);
      const { late } = await publish(to, rows);
      if (late) {
        // Committed with the locks that the transaction has: no other relay sees the rows in between.
        held = { rows, confirms: late, on: to };
        await Promise.all([client.query(postponement, [positionsOf(rows), heldSeconds]), client.query('COMMIT')]);
        return 0;
      }
      await settle(client, rows);
      held = undefined;
      return rows.length;
    });
  };

  /** Runs work on one connection. After an error the connection is closed, which also ends its transaction. */
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  };

  /** Publishes a batch and waits for its confirms; resolves to what they come by when they are late. */
  const publish = async (to: ConfirmChannel, rows: Row[]): Promise<{ late?: Promise<void> }> => {
    if (!rows.length) return {};
    returned.clear();
    for (const row of rows)
      to.publish(broker.names.events, row.name, Buffer.from(row.message), {
        persistent: true,
        mandatory: true,
        messageId: row.id,
        contentType: 'application/json',
      });
    const confirms = to.waitForConfirms();
    return (await isLate(confirms, confirmTimeoutMs)) ? { late: confirms } : {};
  };

  /** Deletes a held batch once its confirms came; without them the connection is given up. */
  const settleHeld = async (batch: Held): Promise<number> => {
    const { rows } = batch;
    log.warn('confirms are late', { events: rows.length, blocked: broker.blocked() });
    if (!(await areConfirmed(batch))) {
      broker.reset();
      throw new Error('The broker did not confirm in time');
    }
    return withClient(async (client) => {
      await client.query('BEGIN');
      await settle(client, rows);
      held = undefined;
      return rows.length;
    });
  };

  /** Waits for late confirms for as long as the broker is blocked, and from the end of the block for their whole time again. */
  const areConfirmed = async ({ rows, confirms }: Held): Promise<boolean> => {
    while (running) {
      if (!(await isLate(confirms, renewMs, () => !broker.blocked() || !running))) return true;
      if (broker.blocked()) await pool.query(postponement, [positionsOf(rows), heldSeconds]);
      else if (!(await isLate(confirms, confirmTimeoutMs))) return true;
      else if (!broker.blocked()) return false;
    }
    return false;
  };

  /** Deletes what was confirmed, lets what no queue wanted wait for its next try, and commits. */
  const settle = async (client: pg.PoolClient, rows: Row[]) => {
    // A message nobody wants is returned before it is confirmed.
    const unwanted = returned.size ? rows.filter((row) => returned.has(row.id)) : [];
    const done = unwanted.length ? rows.filter((row) => !returned.has(row.id)) : rows;
    await Promise.all([
      done.length && client.query({ ...deletion, values: [positionsOf(done)] }),
      unwanted.length && client.query(postponement, [positionsOf(unwanted), unroutableRetrySeconds]),
      client.query('COMMIT'),
    ]);
    published.inc(done.length);
    if (!unwanted.length) return;
    unroutable.inc(unwanted.length);
    log.error('events that no queue is bound for', { names: [...new Set(unwanted.map((row) => row.name))] });
  };

  let running = true;
  const finished = (async () => {
    let pause = pollMinMs;
    while (running) {
      const moved = channel
        ? await moveBatch(channel).catch((error) => {
            log.warn('relay failed, will retry', { error });
            return 0;
          })
        : 0;
      pause = moved ? pollMinMs : Math.min(pause * 2, pollMaxMs);
      if (!running) break;
      if (!moved) await signal.wait(pause);
      else if (moved < batchMax) await gathering(gatherMs);
    }
  })();

  return {
    wake: signal.wake,
    async close() {
      running = false;
      signal.wake();
      await finished;
      await pool.end();
    },
  };
}

function positionsOf(rows: Row[]): number[] {
  return rows.map(({ position }) => position);
}

const lookMs = 100;

/**
 * Waits for work at most so long; resolves to whether it is still under way. Rejects as the work does.
 * @param isEnough ends the wait before its time
 */
async function isLate(work: Promise<void>, ms: number, isEnough?: () => boolean): Promise<boolean> {
  const timers: NodeJS.Timeout[] = [];
  const late = new Promise<true>((resolve) => {
    timers.push(setTimeout(resolve, ms, true));
    if (isEnough) timers.push(setInterval(() => isEnough() && resolve(true), lookMs));
  });
  return Promise.race([work.then(() => false), late]).finally(() => {
    for (const timer of timers) clearTimeout(timer);
  });
}

function watch(pool: pg.Pool, metrics: Metrics): void {
  const age = metrics.gauge('outbox_age_seconds', 'Age of the oldest event not yet handed to the broker');
  metrics.gauge('outbox_depth', 'Events not yet handed to the broker', [], async (depth) => {
    const { rows } = await pool.query(
      'SELECT count(*)::int AS depth, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS age FROM platform.outbox',
    );
    depth.set(rows[0].depth);
    age.set(rows[0].age);
  });
}
