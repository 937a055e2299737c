import pg from 'pg';
import { type Running, running, type Scope, scopeKey, setScopeSql } from './scope.ts';

/**
 * A pool whose connections carry the scope of whoever uses them: set when a connection changes hands between scopes,
 * and only then (facts.md: free). Inside a transaction every statement goes to the transaction's connection.
 * Must not stand behind a proxy that pools by transaction: the scope belongs to the session.
 */
export class ScopedPool extends pg.Pool {
  readonly #scopes = new WeakMap<pg.PoolClient, string>();

  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): unknown {
    if (callback) throw new Error('Use the promise form');
    const now = running.getStore();
    return now?.client ? Promise.resolve(savepoint(now)) : this.#checkout(now?.scope);
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares query in eight overloads; the adapter uses one of them.
  override query(...args: any[]): any {
    const now = running.getStore();
    return now?.client
      ? inTurn(now, (client) => client.query(...(args as [string])))
      : this.#queryOnce(now?.scope, args);
  }

  /** Runs `work` in a transaction under `scope`; an error rolls back. */
  async transaction<T>(scope: Scope | undefined, work: () => Promise<T>): Promise<T> {
    const client = await this.#checkout(scope, 'BEGIN');
    const now: Running = { scope, client };
    try {
      const result = await running.run(now, async () => await work());
      const { command } = await client.query('COMMIT');
      // PostgreSQL answers COMMIT with a rollback when a statement failed and nobody took notice.
      if (command !== 'COMMIT')
        throw new Error('The transaction was rolled back: a failed statement in it was ignored');
      client.release();
      return result;
    } catch (error) {
      // A scope that was set together with BEGIN is rolled back with it.
      this.#scopes.delete(client);
      // A connection that cannot even roll back is broken: drop it.
      const broken = await client.query('ROLLBACK').then(
        () => undefined,
        (failed: Error) => failed,
      );
      client.release(broken);
      throw error;
    }
  }

  async #queryOnce(scope: Scope | undefined, args: unknown[]): Promise<unknown> {
    const client = await this.#checkout(scope);
    try {
      const result = await client.query(...(args as [string]));
      client.release();
      return result;
    } catch (error) {
      // The pool itself drops connections that ended; a failed statement leaves a good one.
      client.release();
      throw error;
    }
  }

  async #checkout(scope: Scope | undefined, andThen?: 'BEGIN'): Promise<pg.PoolClient> {
    const client = await super.connect();
    const key = scopeKey(scope);
    const statements = [this.#scopes.get(client) === key ? undefined : setScopeSql(scope), andThen].filter(Boolean);
    if (!statements.length) return client;
    try {
      this.#scopes.delete(client);
      await client.query(statements.join('; '));
      this.#scopes.set(client, key);
      return client;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }
}

/** One statement at a time, in the order of the calls. */
function inTurn<T>(now: Running, send: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = now.client as pg.PoolClient;
  const result = now.tail ? now.tail.then(() => send(client)) : send(client);
  const settled = result.catch(() => undefined);
  now.tail = settled;
  settled.then(() => {
    if (now.tail === settled) delete now.tail;
  });
  return result;
}

const nested: Record<string, string> = {
  BEGIN: 'SAVEPOINT nested',
  COMMIT: 'RELEASE nested',
  ROLLBACK: 'ROLLBACK TO nested',
};

/** Prisma opens a transaction of its own for nested writes; inside ours it becomes a savepoint on the same connection. */
function savepoint(now: Running): pg.PoolClient {
  return {
    query: (config: { text: string }) =>
      inTurn(now, (client) =>
        client.query(nested[config.text] ? { ...config, text: nested[config.text] as string } : config),
      ),
    on() {},
    removeListener() {},
    release() {},
  } as unknown as pg.PoolClient;
}
