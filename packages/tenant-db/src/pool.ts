import { createShares } from '@tandem/process';
import type pg from 'pg';
import type { Statement } from './pipelined-query.ts';
import type { PoolWaits } from './pool-metrics.ts';
import { ResilientPool } from './resilient-pool.ts';
import { background, running, type Scope, setScope } from './scope.ts';
import { sendOnce, streamOf, Transaction } from './transaction.ts';

// Share of the connections that requests of one tenant may use at once, so that heavy reads leave the rest to others.
const tenantShare = 0.6;
const shareWaitMs = 4_000;
// Thrown by pg-pool when no connection became free within the connect timeout.
const poolIsBusy = 'timeout exceeded when trying to connect';
// Thrown by pg-pool when a new connection was not open within the connect timeout.
const openingTimedOut = 'Connection terminated due to connection timeout';
// SQLSTATE read_only_sql_transaction (PostgreSQL manual, appendix A): the server is no longer the primary.
const readOnly = '25006';

type ScopedPoolConfig = ConstructorParameters<typeof ResilientPool>[0] & {
  backgroundMax: number;
  isNamed: boolean;
  waits?: PoolWaits | undefined;
};

/**
 * A pool whose statements run under the scope of the asynchronous context. The scope is set locally with each statement
 * and at the beginning of each transaction, so a connection keeps none and a pooler in transaction mode works. Inside a
 * transaction every statement uses its connection.
 */
export class ScopedPool extends ResilientPool {
  readonly #tenants;
  readonly #background;
  readonly #isNamed: boolean;
  readonly #waits: PoolWaits | undefined;

  /**
   * @param config.backgroundMax how many of the connections background work may use at once; of two or
   * more, one is always left to requests
   * @param config.isNamed whether connections cache statements by name; must be false behind some poolers in
   * transaction mode
   * @param config.waits records how long work waits for a connection
   */
  constructor({ backgroundMax, isNamed, waits, ...config }: ScopedPoolConfig) {
    super(config);
    this.#isNamed = isNamed;
    this.#waits = waits;
    this.#tenants = createShares<number>(Math.ceil(config.max * tenantShare), shareWaitMs);
    const places = Math.max(1, Math.min(backgroundMax, config.max - 1));
    this.#background = createShares<'background'>(places, Number.POSITIVE_INFINITY);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): unknown {
    // Prisma requests a connection only for its own transaction, which becomes a part of the one that is open here.
    const transaction = running.getStore()?.transaction;
    if (callback || !transaction) throw new Error('Connections can be acquired only for transactions');
    return Promise.resolve(transaction.asClient());
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares query in eight overloads; the adapter uses one of them.
  override query(...args: any[]): any {
    const { scope, transaction } = running.getStore() ?? {};
    if (transaction) return transaction.send(args);
    const before = scope ? [setScope(scope, this.#isNamed)] : [];
    return this.#onConnection(scope, (client) => sendOnce(client, before, args));
  }

  /**
   * Runs `work` in a transaction under `scope`; an error rolls back. Within a transaction that has no scope it becomes
   * a part of that one: both commit or neither does.
   * @param last returns a statement to send together with the commit, if there is one after the work
   */
  transaction<T>(scope: Scope | undefined, work: () => Promise<T>, last?: () => Statement | undefined): Promise<T> {
    const around = running.getStore()?.transaction;
    if (around) return around.part(scope, work, last);
    return this.#onConnection(scope, async (client) => {
      const transaction = new Transaction(client, scope, this.#isNamed);
      try {
        const result = await running.run({ scope, transaction }, async () => await work());
        await transaction.commit(last?.());
        return result;
      } catch (error) {
        await transaction.rollback().catch(() => streamOf(client).destroy());
        if (isReadOnly(transaction.failure)) streamOf(client).destroy();
        throw error;
      }
    });
  }

  /** Runs `work` on a connection once the limits of its tenant, or of background work, allow it. */
  async #onConnection<T>(scope: Scope | undefined, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    // Background work may wait without limit, so its waits are measured apart from those of requests.
    const kind = background.getStore() ? 'background' : 'request';
    const askedAt = performance.now();
    const leave = await this.#enter(scope);
    const enteredAt = performance.now();
    this.#waits?.share(kind, (enteredAt - askedAt) / 1_000);
    try {
      const client = await this.#connect();
      this.#waits?.connection(kind, (performance.now() - enteredAt) / 1_000);
      try {
        return await work(client);
      } catch (error) {
        if (isReadOnly(error)) streamOf(client).destroy();
        throw error;
      } finally {
        client.release(streamOf(client).destroyed);
      }
    } finally {
      leave();
    }
  }

  #enter(scope: Scope | undefined): Promise<() => void> {
    const inBackground = background.getStore();
    return inBackground
      ? this.#background.enter('background', inBackground.signal)
      : this.#tenants.enter(scope?.tenantId);
  }

  /**
   * Acquires a connection. When none is free in time, or a new one takes too long to open, a second attempt follows: on a
   * busy machine, a process that stood still finds its timers due before what others have released. Background work waits
   * without limit while requests use all connections.
   */
  async #connect(): Promise<pg.PoolClient> {
    const inBackground = background.getStore();
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.connect();
      } catch (error) {
        const { message } = error as Error;
        const mayWait = inBackground && !inBackground.signal?.aborted && !this.ending;
        const mayRepeat =
          message === poolIsBusy ? attempt === 1 || mayWait : message === openingTimedOut && attempt === 1;
        if (!mayRepeat) throw error;
      }
    }
  }
}

function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === readOnly;
}
