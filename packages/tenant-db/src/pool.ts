import { createShares } from '@tandem/process';
import type pg from 'pg';
import type { Statement } from './pipelined-query.ts';
import type { PoolWaits } from './pool-metrics.ts';
import { ResilientPool } from './resilient-pool.ts';
import { running, type Scope, setScope } from './scope.ts';
import { sendOnce, streamOf, Transaction } from './transaction.ts';

// Of the connections one tenant has at most this part, so that its heavy reads leave some to everybody else.
const tenantShare = 0.6;
// A tenant that has its share waits for itself only; for a connection everybody waits.
const shareWaitMs = 4_000;
// SQLSTATE read_only_sql_transaction (PostgreSQL manual, appendix A): the server is no longer the primary.
const readOnly = '25006';

/**
 * A pool whose statements run under the scope of the asynchronous context. The scope is set together with each
 * statement, and in a transaction with its beginning, and lasts as long as those: a connection remembers none, so a
 * pooler in transaction mode may stand in between. Inside a transaction every statement goes to its connection.
 */
export class ScopedPool extends ResilientPool {
  readonly #shares;
  readonly #isNamed: boolean;
  readonly #waits: PoolWaits | undefined;

  /**
   * @param isNamed whether connections keep statements by name; a pooler in transaction mode may not
   * @param waits is told how long work waits for a connection
   */
  constructor(config: ConstructorParameters<typeof ResilientPool>[0], isNamed: boolean, waits?: PoolWaits) {
    super(config);
    this.#isNamed = isNamed;
    this.#waits = waits;
    this.#shares = createShares<number>(Math.ceil(config.max * tenantShare), shareWaitMs);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): unknown {
    // Prisma asks for a connection only for a transaction of its own, which is a part of the one that is open here.
    const transaction = running.getStore()?.transaction;
    if (callback || !transaction) throw new Error('A connection is taken by a transaction only');
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
   * Runs `work` in a transaction under `scope`; an error rolls back. Within a transaction that has no scope it becomes a
   * part of that one: both are there in the end or neither.
   * @param last a statement to send together with the commit, when there is one after the work
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

  /** Runs `work` on a connection within the tenant's share. */
  async #onConnection<T>(scope: Scope | undefined, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const asked = performance.now();
    const leave = await this.#shares.enter(scope?.tenantId);
    const entered = performance.now();
    this.#waits?.share((entered - asked) / 1_000);
    try {
      const client = await super.connect();
      this.#waits?.connection((performance.now() - entered) / 1_000);
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
}

function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === readOnly;
}
