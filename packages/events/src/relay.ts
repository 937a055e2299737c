import { setTimeout as gathering } from 'node:timers/promises';
import type { Log, Metrics } from '@tandem/process';
import type { ConfirmChannel } from 'amqplib';
import pg from 'pg';
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

const batchMax = 500;
// In a stream of commits a batch gathers this long; the first after a quiet moment does not wait.
const gatherMs = 40;
const pollMinMs = 5;
const pollMaxMs = 250;
const confirmTimeoutMs = 5_000;
const unroutableRetrySeconds = 5;
const inboxDays = 14;
const housekeepingMs = 3_600_000;

const take = {
  name: 'take',
  text: `SELECT position, id, name, message FROM platform.outbox WHERE retry_at IS NULL OR retry_at < now()
         ORDER BY position LIMIT ${batchMax} FOR UPDATE SKIP LOCKED`,
};
const deletion = { name: 'delete', text: 'DELETE FROM platform.outbox WHERE position = ANY($1)' };
const postponement = `UPDATE platform.outbox SET retry_at = now() + make_interval(secs => ${unroutableRetrySeconds})
  WHERE position = ANY($1)`;

/**
 * Moves rows of the outbox to RabbitMQ: takes a batch under lock, publishes it, waits for every confirm, deletes it.
 * A crash in between publishes again; consumers see the id a second time. Several relays share one outbox.
 * @param options.url under the relay's role, which sees the outbox and nothing else
 */
export function startRelay(options: { url: string; broker: Broker; log: Log; metrics: Metrics }): Relay {
  const { broker, log, metrics } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: 2,
    connectionTimeoutMillis: 2_000,
    // Statements are sent without waiting for the answer to the one before: a batch is two round trips.
    pipeline: true,
    // A deletion that a crash takes back means an event published again, which consumers know by its id.
    options: '-c statement_timeout=15000 -c synchronous_commit=off',
  });
  pool.on('error', () => {});
  const published = metrics.counter('outbox_published_total', 'Events handed to the broker');
  const unroutable = metrics.counter('outbox_unroutable_total', 'Events that no queue was bound for');
  watch(pool, metrics);

  let channel: ConfirmChannel | undefined;
  const returned = new Set<string>();
  void broker.onConnection(async (made) => {
    await declareShared(made, broker.names);
    made.on('return', (message) => returned.add(message.properties.messageId));
    made.on('close', () => {
      if (channel === made) channel = undefined;
    });
    channel = made;
    signal.wake();
  });

  const signal = alarm();
  const report = (error: unknown) => {
    log.warn('relay failed, will retry', { error });
    return 0;
  };

  const moveBatch = async (to: ConfirmChannel): Promise<number> => {
    const client = await pool.connect();
    try {
      const [, { rows }] = await Promise.all([client.query('BEGIN'), client.query<Row>(take)]);
      await settle(client, rows, rows.length ? await publish(to, rows) : []);
      client.release();
      return rows.length;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  };

  /** Publishes a batch; resolves to the rows that no queue wanted. */
  const publish = async (to: ConfirmChannel, rows: Row[]): Promise<Row[]> => {
    returned.clear();
    for (const row of rows) {
      to.publish(broker.names.events, row.name, Buffer.from(row.message), {
        persistent: true,
        mandatory: true,
        messageId: row.id,
        contentType: 'application/json',
      });
    }
    await within(to.waitForConfirms(), confirmTimeoutMs);
    // A message nobody wants is returned before it is confirmed.
    return returned.size ? rows.filter((row) => returned.has(row.id)) : [];
  };

  /** Deletes what is on its way, lets the rest wait for its next try, and commits. */
  const settle = async (client: pg.PoolClient, rows: Row[], unwanted: Row[]) => {
    const kept = new Set(unwanted);
    const done = unwanted.length ? rows.filter((row) => !kept.has(row)) : rows;
    await Promise.all([
      done.length && client.query({ ...deletion, values: [done.map((row) => row.position)] }),
      unwanted.length && client.query(postponement, [unwanted.map((row) => row.position)]),
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
    let housekeeping = 0;
    while (running) {
      const moved = channel ? await moveBatch(channel).catch(report) : 0;
      pause = moved ? pollMinMs : Math.min(pause * 2, pollMaxMs);
      if (Date.now() > housekeeping) {
        housekeeping = Date.now() + housekeepingMs;
        await pool
          .query(`DELETE FROM platform.inbox WHERE received_at < now() - make_interval(days => ${inboxDays})`)
          .catch(report);
      }
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

/** A wait that ends early when somebody wakes it; a wake while nobody waits is remembered. */
function alarm() {
  let ring: (() => void) | undefined;
  let rung = false;
  return {
    wake() {
      rung = true;
      ring?.();
    },
    async wait(ms: number) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          ring = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      ring = undefined;
      rung = false;
    },
  };
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

/** Rejects when `work` takes longer; the connection it hangs on is then given up by its owner. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
