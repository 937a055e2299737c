import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** The slice of data that a piece of work may reach. */
export interface Scope {
  tenantId: number;
  environment: 'live' | 'sandbox';
  /** Set when the caller may only reach records of their own or of their teams. */
  narrow?: Ownership;
}

/** Whose records a narrowed caller reaches. */
export interface Ownership {
  userId: number;
  teamIds?: readonly number[];
}

/** What runs right now: its scope, and its connection while a transaction is open. */
export interface Running {
  scope: Scope | undefined;
  client?: pg.PoolClient;
  /** What the first statement of the transaction brings along: its beginning. */
  ahead?: string[] | undefined;
  /** Settles when the statement that took the beginning along was answered: nothing is sent before. */
  opening?: Promise<unknown> | undefined;
  /** Why a statement of the transaction failed, when one did. */
  failure?: unknown;
  /** Whether a part of the transaction is open, under a scope of its own. */
  isInPart?: boolean;
  /** Whether it has ended, or never began: no statement may follow. */
  isOver?: boolean;
}

export const running = new AsyncLocalStorage<Running>();

/** The key under which a connection remembers its scope. */
export function scopeKey(scope: Scope | undefined): string {
  return scope ? `${scope.tenantId}/${scope.environment}` : '';
}

/** The statement that sets a connection's scope. Both values are checked here, so they can stand in the text. */
export function setScopeSql(scope: Scope | undefined): string {
  if (!scope) return `SELECT set_config('app.tenant_id', '', false), set_config('app.environment', '', false)`;
  if (!Number.isSafeInteger(scope.tenantId) || scope.tenantId < 1) throw new Error('A scope needs the id of a tenant');
  if (scope.environment !== 'live' && scope.environment !== 'sandbox') throw new Error('A scope needs an environment');
  return `SELECT set_config('app.tenant_id', '${scope.tenantId}', false), set_config('app.environment', '${scope.environment}', false)`;
}
