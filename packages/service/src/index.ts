// Runs a service from its contract and handlers: caller verification, parsing, transactions, replies, errors, health,
// shutdown.

export { ApiError, fail, failField, transitionError } from './api-error.ts';
export { type JsonObject, storedObject, toJsonColumn } from './columns.ts';
export { createService, type RunningService } from './create-service.ts';
export { diff } from './diff.ts';
export type { Actor, Context, FormHandler, Handler, Handlers, IncomingFile, InTenant, Result } from './handler.ts';
export type { Purge } from './housekeeping.ts';
export type { PageResult } from './list.ts';
export type { SealedColumn } from './re-encrypt.ts';
export { asService, type Reach, reachOf } from './reach.ts';
export type { ServiceDefinition } from './service-definition.ts';
export { type ServiceSettings, serviceSettings } from './settings.ts';
export { startService } from './start-service.ts';
export { createTotals, type Totals } from './totals.ts';
