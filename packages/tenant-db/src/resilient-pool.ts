import pg from 'pg';
import { streamOf } from './transaction.ts';

const connectTimeoutMs = 2_000;
// Longer than the statement timeout of the relay role (8 s), so that PostgreSQL normally cancels a statement first.
const relayQueryTimeoutMs = 9_000;

/**
 * A pool that recovers by itself when a server is gone, restarted or no longer the primary. Each statement has a
 * client-side timeout, because a server that vanished without closing its connections cannot cancel it; a statement
 * that times out closes its connection. One broken connection drops all idle ones, since they lead to the same server.
 * The limits within PostgreSQL (statements, locks, idle transactions) are settings of its roles (packages/tooling), so
 * that they also work behind a pooler.
 */
export class ResilientPool extends pg.Pool {
  readonly #idle = new Set<pg.PoolClient>();

  /**
   * @param config.query_timeout longer than the `statement_timeout` of the role, so that PostgreSQL normally cancels
   * first
   */
  constructor(config: pg.PoolConfig & { max: number; query_timeout: number }) {
    super({ connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, pipeline: true, ...config });
    // An idle connection that the server closes is replaced at the next query.
    this.on('error', () => {});
    this.on('connect', (client) => {
      // Without our own listener an error on a used connection would crash the process; pg rejects its statements.
      client.on('error', () => this.dropIdle());
    });
    this.on('acquire', (client) => void this.#idle.delete(client));
    this.on('release', (_error, client) => void this.#idle.add(client));
    this.on('remove', (client) => void this.#idle.delete(client));
  }

  /** Closes idle connections, so that the next statement gets a new one. */
  dropIdle(): void {
    for (const client of this.#idle) {
      this.#idle.delete(client);
      streamOf(client).destroy();
    }
  }
}

/**
 * The pool that the relay, the job dispatcher and housekeeping of a process share.
 * @param url under the relay role, which sees the infrastructure tables across tenants
 * @param max at least 2: the relay uses one connection for as long as RabbitMQ takes to confirm a batch
 */
export function createRelayPool(url: string, max: number): ResilientPool {
  return new ResilientPool({ connectionString: url, max, query_timeout: relayQueryTimeoutMs });
}
