import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { PipelinedQuery, type Statement } from './pipelined-query.ts';
import { type OpenTransaction, running, type Scope, setScope } from './scope.ts';

/**
 * | state     | meaning                                                      | a statement        |
 * |-----------|--------------------------------------------------------------|--------------------|
 * | new       | nothing was sent yet                                         | is sent after BEGIN and the scope |
 * | opening   | the first statement is on its way, with BEGIN and the scope  | waits for the result |
 * | open      | BEGIN and the scope have succeeded                           | is sent            |
 * | suspended | a part of the transaction runs under its own scope           | is rejected         |
 * | over      | it is being committed or rolled back, or it never began      | is rejected         |
 */
type State = 'new' | 'opening' | 'open' | 'suspended' | 'over';

const begin: Statement = { text: 'BEGIN', values: [] };

/** One transaction on one connection: decides whether a statement may still be sent, and what is sent before it. */
export class Transaction implements OpenTransaction {
  readonly #client: pg.PoolClient;
  readonly #scope: Scope | undefined;
  readonly #isNamed: boolean;
  readonly #before: readonly Statement[];
  #state: State = 'new';
  #opening: Promise<unknown> | undefined;
  /** The open part, which has its own scope. */
  #part: Transaction | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #failure: unknown;

  /**
   * @param isNamed whether connections cache statements by name
   * @param isPart whether it is a part of an open transaction, between a savepoint and its release
   */
  constructor(client: pg.PoolClient, scope: Scope | undefined, isNamed: boolean, isPart = false) {
    this.#client = client;
    this.#scope = scope;
    this.#isNamed = isNamed;
    this.#before = [...(isPart ? [] : [begin]), ...(isPart || scope ? [setScope(scope, isNamed)] : [])];
  }

  /** The error of the first failed statement, even if nobody awaited it. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Sends a statement, with the arguments of pg's `query`.
   * @throws when the transaction is over: its connection may serve another tenant by then
   */
  send(args: readonly unknown[]): Promise<unknown> {
    if (this.#part) throw new Error('A part of this transaction with its own scope is still open');
    // A part may begin while this statement waits.
    if (this.#state === 'opening') return (this.#opening as Promise<unknown>).then(() => this.send(args));
    return this.#send(args);
  }

  #send(args: readonly unknown[]): Promise<unknown> {
    if (this.#state === 'opening') return (this.#opening as Promise<unknown>).then(() => this.#send(args));
    if (this.#state === 'over')
      throw new Error('The transaction of this statement has ended: check for a missing await');
    corkForNow(this.#client);
    const sent =
      this.#state === 'open'
        ? (this.#client.query(...(args as [string])) as unknown as Promise<unknown>)
        : this.#sendFirst(args);
    sent.catch((error: unknown) => {
      this.#failure ??= error;
    });
    return sent;
  }

  #sendFirst(args: readonly unknown[]): Promise<unknown> {
    this.#state = 'opening';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = promise;
    const { query, result } = pipelined(args, this.#before, () => {
      // Without BEGIN and the scope no later statement may be sent.
      if (this.#state === 'opening') this.#state = query.hasBegun ? 'open' : 'over';
      resolve();
    });
    this.#client.query(query);
    return result;
  }

  /**
   * Commits. Later statements are rejected; the last one is sent together with the COMMIT.
   * @throws when a statement failed, whether or not it was awaited: PostgreSQL then rolls back
   */
  async commit(last: Statement | undefined): Promise<void> {
    await this.#opening;
    if (this.#state === 'over')
      throw new Error('The transaction did not start, and the error of its first statement was ignored');
    if (this.#part) throw new Error('A part of the transaction is still open: check for a missing await');
    if (this.#state === 'new' && !last) {
      this.#state = 'over';
      return;
    }
    corkForNow(this.#client);
    const lastSent = last && this.send([last]);
    this.#state = 'over';
    const [, { command }] = await Promise.all([lastSent, this.#client.query('COMMIT')]);
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back, and the error of the failed statement was ignored', {
        cause: this.#failure,
      });
  }

  /** Rolls back. Later statements are rejected. */
  async rollback(): Promise<void> {
    const wasSent = this.#opening !== undefined;
    this.#state = 'over';
    if (this.#part) this.#part.#state = 'over';
    if (wasSent) await this.#client.query('ROLLBACK');
  }

  /**
   * Runs `work` under another scope as a part of this transaction, which must have no scope: both commit or neither
   * does. Until it ends, statements of the outer transaction are rejected, and other parts wait.
   */
  async part<T>(
    scope: Scope | undefined,
    work: () => Promise<T>,
    last: (() => Statement | undefined) | undefined,
  ): Promise<T> {
    if (this.#scope) throw new Error('A transaction of one tenant cannot continue as another tenant');
    await this.#opening;
    // One at a time: two concurrent parts would share one scope.
    while (this.#part) await this.#part.#ended.promise;
    const part = new Transaction(this.#client, scope, this.#isNamed, true);
    const savepoint = this.#send(['SAVEPOINT part']);
    this.#part = part;
    try {
      await savepoint;
      if (this.#state === 'over') throw new Error('The transaction of this part has ended: check for a missing await');
      this.#state = 'suspended';
      const result = await running.run({ scope, transaction: part }, async () => await work());
      await part.#release(last?.());
      return result;
    } catch (error) {
      part.#state = 'over';
      // Also undoes the part's scope, which was set after the savepoint. A transaction that is over is rolled back
      // completely.
      if (this.#state === 'suspended') await this.#client.query('ROLLBACK TO part');
      throw error;
    } finally {
      this.#part = undefined;
      part.#ended.resolve();
      if (this.#state === 'suspended') this.#state = 'open';
    }
  }

  /** Ends a part: the outer transaction continues without its scope. */
  async #release(last: Statement | undefined): Promise<void> {
    await this.#opening;
    if (this.#state === 'over') throw new Error('The transaction of this part has ended: check for a missing await');
    const lastSent = last && this.send([last]);
    this.#state = 'over';
    const unset = setScope(undefined, this.#isNamed);
    await Promise.all([lastSent, this.#client.query(unset), this.#client.query('RELEASE part')]);
  }

  /** A client for Prisma, which opens its own transaction for nested writes: here it becomes a savepoint. */
  asClient(): pg.PoolClient {
    return {
      query: (config: { text: string }) => this.send([{ ...config, text: nested[config.text] ?? config.text }]),
      on() {},
      removeListener() {},
      release() {},
    } as unknown as pg.PoolClient;
  }
}

const nested: Record<string, string> = {
  BEGIN: 'SAVEPOINT nested',
  COMMIT: 'RELEASE nested',
  ROLLBACK: 'ROLLBACK TO nested',
};

/** Sends one statement after others, outside of a transaction: PostgreSQL runs them as one transaction. */
export function sendOnce(
  client: pg.PoolClient,
  before: readonly Statement[],
  args: readonly unknown[],
): Promise<unknown> {
  corkForNow(client);
  if (!before.length) return client.query(...(args as [string])) as unknown as Promise<unknown>;
  const { query, result } = pipelined(args, before);
  client.query(query);
  return result;
}

/**
 * Sends a statement with others before it.
 * @param responded runs before `result` settles
 */
function pipelined(
  args: readonly unknown[],
  before: readonly Statement[],
  responded?: () => void,
): { query: PipelinedQuery; result: Promise<unknown> } {
  const [query, values] = args as [string | object, unknown[] | undefined];
  const config = typeof query === 'string' ? { text: query, values } : query;
  const { promise: result, resolve, reject } = Promise.withResolvers<unknown>();
  const callback = (error: Error | null, rows: unknown) => {
    responded?.();
    if (error) reject(error);
    else resolve(rows);
  };
  return { query: new PipelinedQuery({ ...config, callback }, before), result };
}

/** The socket of a connection. */
export function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

const corked = new WeakSet<pg.PoolClient>();

/** Combines the messages of one event loop iteration into one write, because a socket write has a high fixed cost. */
function corkForNow(client: pg.PoolClient): void {
  if (corked.has(client)) return;
  const stream = streamOf(client);
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
}
