import pg from 'pg';
import { streamOf } from './transaction.ts';

const connectTimeoutMs = 2_000;
// Longer than the statement timeout of the relay's role (8 s), so that PostgreSQL ends what it still can.
const relayQueryTimeoutMs = 9_000;

/**
 * A pool that recovers by itself from a server that is gone, restarted or no longer the primary. Each statement has a
 * time limit of our own, because a server that vanished without closing its connections cannot end it; a statement
 * that reaches it closes its connection. One connection that breaks takes all idle ones along, since they lead to the same server.
 * The limits within PostgreSQL (statements, locks, idle transactions) are settings of its roles (packages/tooling), so that they
 * hold behind a pooler too.
 */
export class ResilientPool extends pg.Pool {
  readonly #idle = new Set<pg.PoolClient>();

  /** @param config.query_timeout longer than the `statement_timeout` of the role, so that PostgreSQL ends what it still can */
  constructor(config: pg.PoolConfig & { max: number; query_timeout: number }) {
    super({ connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, pipeline: true, ...config });
    // An idle connection that the server closes is replaced at the next query.
    this.on('error', () => {});
    this.on('connect', (client) => {
      // Without a listener of our own an error on a connection in use would end the process; its statements are told by pg.
      client.on('error', () => this.dropIdle());
    });
    this.on('acquire', (client) => void this.#idle.delete(client));
    this.on('release', (_error, client) => void this.#idle.add(client));
    this.on('remove', (client) => void this.#idle.delete(client));
  }

  /** Closes the connections that nobody uses, so that the next statement gets a new one. */
  dropIdle(): void {
    for (const client of this.#idle) {
      this.#idle.delete(client);
      streamOf(client).destroy();
    }
  }
}

/**
 * The pool that the relay, the job dispatcher and housekeeping of a process share.
 * @param url under the relay's role, which sees the tables of the mechanism across tenants
 * @param max at least 2: the relay holds one connection for as long as RabbitMQ confirms a batch
 */
export function createRelayPool(url: string, max: number): ResilientPool {
  return new ResilientPool({ connectionString: url, max, query_timeout: relayQueryTimeoutMs });
}
