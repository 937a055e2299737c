import type { Duplex } from 'node:stream';
import { createShares } from '@tandem/process';
import pg from 'pg';
import { Led, type Statement } from './led.ts';
import { type Running, running, type Scope, scopeKey, setScopeSql } from './scope.ts';

// Of the connections one tenant has at most this part, so that its heavy reads leave some to everybody else.
const tenantShare = 0.6;
// A tenant that has its share waits for itself only; for a connection everybody waits.
const shareWaitMs = 4_000;
const connectWaitMs = 2_000;

/**
 * A pool whose connections carry the scope of whoever uses them: set when a connection changes hands between scopes,
 * and only then, together with the statement that needs it. Inside a transaction every statement goes to the
 * transaction's connection. Must not stand behind a proxy that pools by transaction: the scope belongs to the session.
 */
export class ScopedPool extends pg.Pool {
  readonly #scopes = new WeakMap<pg.PoolClient, string>();
  readonly #shares;

  constructor(config: pg.PoolConfig & { max: number }) {
    // Statements are sent without waiting for the answer to the one before; PostgreSQL runs them in order.
    super({ ...config, connectionTimeoutMillis: connectWaitMs, pipeline: true } as pg.PoolConfig);
    this.#shares = createShares<number>(Math.ceil(config.max * tenantShare), shareWaitMs);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void,
  ): unknown {
    // Prisma asks for a connection only for a transaction of its own, which ours has opened before.
    const now = running.getStore();
    if (callback || !now?.client) throw new Error('A connection is taken by a transaction only');
    return Promise.resolve(savepoint(now));
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares query in eight overloads; the adapter uses one of them.
  override query(...args: any[]): any {
    const now = running.getStore();
    return now?.client ? send(now, args) : this.#queryOnce(now?.scope, args);
  }

  /**
   * Runs `work` in a transaction under `scope`; an error rolls back. Within a transaction that has no scope it becomes a
   * part of that one: both are there in the end or neither.
   * @param last a statement to send together with the commit, when there is one after the work
   */
  async transaction<T>(
    scope: Scope | undefined,
    work: () => Promise<T>,
    last?: () => Statement | undefined,
  ): Promise<T> {
    const around = running.getStore();
    if (around?.client) return asPart(around, scope, work, last);
    const { client, leave, ahead } = await this.#take(scope);
    const now: Running = { scope, client, ahead: ['BEGIN', ...ahead] };
    try {
      const result = await running.run(now, async () => await work());
      await commit(now, last?.());
      now.isOver = true;
      this.#giveBack(client, leave, now.ahead ? 'unknown' : scope);
      return result;
    } catch (error) {
      now.isOver = true;
      // A connection that cannot even roll back is broken: drop it. The scope is rolled back with the rest.
      const broken = now.ahead ? undefined : await failure(client.query('ROLLBACK'));
      this.#giveBack(client, leave, 'unknown', broken);
      throw error;
    }
  }

  async #queryOnce(scope: Scope | undefined, args: unknown[]): Promise<unknown> {
    const { client, leave, ahead } = await this.#take(scope);
    try {
      const result = await send({ scope, client, ahead }, args);
      this.#giveBack(client, leave, scope);
      return result;
    } catch (error) {
      // The pool itself drops connections that ended; a failed statement leaves a good one.
      this.#giveBack(client, leave, ahead.length ? 'unknown' : scope);
      throw error;
    }
  }

  /** A connection within the tenant's share, and what must be sent first for it to carry the scope. */
  async #take(scope: Scope | undefined) {
    const leave = await this.#shares.enter(scope?.tenantId);
    try {
      const client = await super.connect();
      const ahead = this.#scopes.get(client) === scopeKey(scope) ? [] : [setScopeSql(scope)];
      return { client, leave, ahead };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #giveBack(client: pg.PoolClient, leave: () => void, scope: Scope | undefined | 'unknown', broken?: Error): void {
    if (scope === 'unknown') this.#scopes.delete(client);
    else this.#scopes.set(client, scopeKey(scope));
    client.release(broken);
    leave();
  }
}

/** A part of an open transaction under a scope of its own; the statements of the whole must wait until it is over. */
async function asPart<T>(
  around: Running,
  scope: Scope | undefined,
  work: () => Promise<T>,
  last?: () => Statement | undefined,
): Promise<T> {
  if (around.scope) throw new Error('A transaction of a tenant cannot become one of another');
  await send(around, ['SAVEPOINT part']);
  const client = around.client as pg.PoolClient;
  const now: Running = { scope, client, ahead: [setScopeSql(scope)] };
  around.isInPart = true;
  try {
    const result = await running.run(now, async () => await work());
    const end = last?.();
    if (end) await send(now, [end]);
    await client.query(`${setScopeSql(undefined)}; RELEASE part`);
    return result;
  } catch (error) {
    // What was set since the savepoint, the scope too, is undone with it.
    await client.query('ROLLBACK TO part');
    throw error;
  } finally {
    now.isOver = true;
    around.isInPart = false;
  }
}

function failure(work: Promise<unknown>): Promise<Error | undefined> {
  return work.then(
    () => undefined,
    (error: Error) => error,
  );
}

/** Sends a statement; the first one of a transaction, or of a scope, takes along what must be ahead of it. */
function send(now: Running, args: unknown[]): Promise<unknown> {
  const { client, ahead, opening } = now as Running & { client: pg.PoolClient };
  if (opening) return opening.then(() => send(now, args));
  // Its connection may serve somebody else by now.
  if (now.isOver) throw new Error('The transaction of this statement is over');
  if (now.isInPart) throw new Error('A part of this transaction is open, under a scope of its own');
  corkForNow(client);
  if (!ahead?.length) return noted(now, client.query(...(args as [string])) as unknown as Promise<unknown>);
  now.ahead = undefined;
  const [given, values] = args as [string | object, unknown[] | undefined];
  const config = typeof given === 'string' ? { text: given, values } : given;
  const { promise, resolve: opened } = Promise.withResolvers<void>();
  now.opening = promise;
  const sent = new Promise((resolve, reject) => {
    const callback = (error: Error | null, result: unknown) => {
      now.opening = undefined;
      opened();
      // Without what leads it, there is neither the transaction nor the scope that later statements rely on.
      if (error && !led.isLed) now.isOver = true;
      if (error) reject(error);
      else resolve(result);
    };
    const led = new Led({ ...config, callback }, ahead);
    client.query(led);
  });
  return noted(now, sent);
}

const corked = new WeakSet<pg.PoolClient>();

/** What is sent before the event loop goes on leaves in one piece: a write to a socket costs more than what it carries. */
function corkForNow(client: pg.PoolClient): void {
  if (corked.has(client)) return;
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
}

/** Remembers the first failure of a transaction, for when nobody waited for that statement. */
function noted(now: Running, sent: Promise<unknown>): Promise<unknown> {
  sent.catch((error: unknown) => {
    now.failure ??= error;
  });
  return sent;
}

/** Commits; the last statement travels with the COMMIT, which PostgreSQL turns into a rollback when it fails. */
async function commit(now: Running, last: Statement | undefined): Promise<void> {
  const client = now.client as pg.PoolClient;
  await now.opening;
  if (now.isOver) throw new Error('The transaction never began: the failure of its first statement was ignored');
  // Nothing was asked: there is no transaction.
  if (now.ahead && !last) return;
  corkForNow(client);
  const [, { command }] = await Promise.all([last && send(now, [last]), client.query('COMMIT')]);
  // PostgreSQL answers COMMIT with a rollback when a statement failed and nobody took notice.
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: a failed statement in it was ignored', { cause: now.failure });
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
      send(now, [nested[config.text] ? { ...config, text: nested[config.text] as string } : config]),
    on() {},
    removeListener() {},
    release() {},
  } as unknown as pg.PoolClient;
}
