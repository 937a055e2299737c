// Gives handlers a database client that can only access the caller's tenant; row-level security enforces the same below
// it.

export { inBackground, isInBackground } from './background.ts';
export { isReferenced, isTaken } from './errors.ts';
export { containing } from './list-page.ts';
export { lockNamed } from './lock-named.ts';
export type { Narrowing } from './narrowing.ts';
export { exactMax, type FoundPage, type IdsArgs, type PageArgs } from './page-args.ts';
export type { Statement } from './pipelined-query.ts';
export { tenantPolicies } from './policies.ts';
export { watchPool } from './pool-metrics.ts';
export { createRelayPool, ResilientPool } from './resilient-pool.ts';
export type { Ownership, Scope } from './scope.ts';
export { createTenantDb, type Fragment, fragment, type Sql, statement, type TenantDb, type Tx } from './tenant-db.ts';
