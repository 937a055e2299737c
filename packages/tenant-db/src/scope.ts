import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Statement } from './pipelined-query.ts';

/** The tenant and environment that work may access. */
export interface Scope {
  tenantId: number;
  environment: 'live' | 'sandbox';
  /** Set when the caller may only access their own or their teams' records. */
  narrow?: Ownership;
}

/** The user and teams whose records a narrowed caller may access. */
export interface Ownership {
  userId: number;
  teamIds?: readonly number[];
}

/** An open transaction, as the pool uses it. */
export interface OpenTransaction {
  send(args: readonly unknown[]): Promise<unknown>;
  part<T>(
    scope: Scope | undefined,
    work: () => Promise<T>,
    last: (() => Statement | undefined) | undefined,
  ): Promise<T>;
  asClient(): pg.PoolClient;
}

/** The scope of the current asynchronous context, and its transaction while one is open. */
export interface Running {
  scope: Scope | undefined;
  transaction?: OpenTransaction;
}

export const running = new AsyncLocalStorage<Running>();

/** Work of the current asynchronous context that gives way to requests. */
interface Background {
  /** Ends the wait for a connection. */
  signal: AbortSignal | undefined;
}

/** Set while the current asynchronous context is background work. */
export const background = new AsyncLocalStorage<Background>();

const text = `SELECT set_config('app.tenant_id', $1, true), set_config('app.environment', $2, true)`;

/**
 * The statement that sets a scope until the end of its transaction (set_config with `is_local`), so that a connection
 * never keeps one. An absent scope sets empty values, under which row-level security shows nothing.
 * @param isNamed whether connections cache statements by name
 * @throws when the scope has no tenant or no environment
 */
export function setScope(scope: Scope | undefined, isNamed: boolean): Statement {
  const set = isNamed ? { name: 'scope', text } : { text };
  if (!scope) return { ...set, values: ['', ''] };
  if (!Number.isSafeInteger(scope.tenantId) || scope.tenantId < 1) throw new Error('A scope requires a tenant id');
  if (scope.environment !== 'live' && scope.environment !== 'sandbox')
    throw new Error('A scope requires an environment');
  return { ...set, values: [String(scope.tenantId), scope.environment] };
}
