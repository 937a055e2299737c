import type pg from 'pg';

/** One event in the outbox. */
export interface OutboxRow {
  position: number;
  id: string;
  name: string;
  message: string;
}

export const batchMax = 500;
// Memory limit of a batch, excluding its first event.
const batchMaxBytes = 4 * 1024 * 1024;

// Locks up to 500 rows by size without reading them, then reads the messages of those that fit.
const take = {
  name: 'take',
  text: `WITH locked AS MATERIALIZED (
      SELECT position, octet_length(message) AS bytes FROM platform.outbox
      WHERE parked_at IS NULL AND (retry_at IS NULL OR retry_at < now())
      ORDER BY position LIMIT ${batchMax} FOR UPDATE SKIP LOCKED),
    fitting AS (
      SELECT position, sum(bytes) OVER (ORDER BY position) - bytes AS bytes_before FROM locked)
    SELECT position, id, name, message FROM fitting JOIN platform.outbox USING (position)
    WHERE bytes_before < ${batchMaxBytes} ORDER BY position`,
};
const takeAgain = `SELECT position, id, name, message FROM platform.outbox WHERE position = ANY($1)
  ORDER BY position FOR UPDATE SKIP LOCKED`;
const remove = { name: 'delete', text: 'DELETE FROM platform.outbox WHERE position = ANY($1)' };
const postpone = `UPDATE platform.outbox SET retry_at = now() + make_interval(secs => $2) WHERE position = ANY($1)`;
const park = 'UPDATE platform.outbox SET parked_at = now(), parked_reason = $2 WHERE position = $1';
// Counting takes time in proportion to the rows, and an exact number beyond this is not useful.
export const countMax = 100_000;
const measure = `SELECT
  (SELECT count(*)::int FROM (SELECT FROM platform.outbox WHERE parked_at IS NULL LIMIT ${countMax}) AS counted) AS depth,
  (SELECT count(*)::int FROM (SELECT FROM platform.outbox WHERE parked_at IS NOT NULL LIMIT ${countMax}) AS parked) AS parked,
  coalesce(extract(epoch FROM now() - (
    SELECT created_at FROM platform.outbox WHERE parked_at IS NULL ORDER BY position LIMIT 1)), 0)::float AS age`;

/** Locked rows, in a transaction that ends with `finish`. */
export interface TakenRows {
  rows: OutboxRow[];
  /** Queues statements for the end of the transaction. */
  remove(rows: readonly OutboxRow[]): void;
  postpone(rows: readonly OutboxRow[], seconds: number): void;
  park(row: OutboxRow, reason: string): void;
}

export interface OutboxRows {
  /**
   * Locks rows and runs `work` on them; commits the queued statements. When `work` throws, the rows stay unchanged.
   * @param again these rows instead of the oldest ones that are due
   */
  take<T>(work: (taken: TakenRows) => Promise<T>, again?: readonly OutboxRow[]): Promise<T>;
  /** Hides rows from every relay for some time. */
  postpone(rows: readonly OutboxRow[], seconds: number): Promise<void>;
  measure(): Promise<{ depth: number; parked: number; age: number }>;
}

/**
 * Opens the outbox of a service.
 * @param pool under the relay role, which sees the infrastructure tables and no tenant's data
 */
export function openOutbox(pool: pg.Pool): OutboxRows {
  return {
    take: (work, again) => withClient(pool, (client) => takeRows(client, work, again)),
    async postpone(rows, seconds) {
      await pool.query(postpone, [positionsOf(rows), seconds]);
    },
    measure: async () => (await pool.query(measure)).rows[0],
  };
}

async function takeRows<T>(
  client: pg.PoolClient,
  work: (taken: TakenRows) => Promise<T>,
  again: readonly OutboxRow[] | undefined,
): Promise<T> {
  // Order matters: statements are sent when they are called, and locks that are taken before BEGIN end at once.
  const [, { rows }] = await Promise.all([
    client.query('BEGIN'),
    again ? client.query<OutboxRow>(takeAgain, [positionsOf(again)]) : client.query<OutboxRow>(take),
  ]);
  const ending: (() => Promise<unknown>)[] = [];
  const result = await work({
    rows,
    remove: (removed) => void ending.push(() => client.query({ ...remove, values: [positionsOf(removed)] })),
    postpone: (late, seconds) => void ending.push(() => client.query(postpone, [positionsOf(late), seconds])),
    park: ({ position }, reason) => void ending.push(() => client.query(park, [position, reason])),
  });
  await Promise.all([...ending.map((send) => send()), client.query('COMMIT')]);
  return result;
}

/** Runs work on one connection. After an error the connection is closed, which also ends its transaction. */
async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

function positionsOf(rows: readonly OutboxRow[]): number[] {
  return rows.map(({ position }) => position);
}
