// Gives handlers a database client that can only reach the caller's tenant; the database enforces the same below it.

export { inBackground } from './background.ts';
export { isTaken } from './errors.ts';
export { containing, exactMax, type FoundPage } from './list-page.ts';
export type { Narrowing } from './narrowing.ts';
export type { PageArgs } from './page-args.ts';
export type { Statement } from './pipelined-query.ts';
export { tenantPolicies } from './policies.ts';
export { watchPool } from './pool-metrics.ts';
export { createRelayPool, ResilientPool } from './resilient-pool.ts';
export type { Ownership, Scope } from './scope.ts';
export { createTenantDb, type Fragment, fragment, type Sql, statement, type TenantDb, type Tx } from './tenant-db.ts';
