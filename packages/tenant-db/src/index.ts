// Gives handlers a database client that can only reach the caller's tenant; the database enforces the same below it.

export { isTaken } from './direct.ts';
export type { OwnedThrough } from './guard.ts';
export type { Statement } from './led.ts';
export { tenantPolicies } from './policies.ts';
export type { Ownership, Scope } from './scope.ts';
export { createTenantDb, type Sql, statement, type TenantDb, type Tx } from './tenant-db.ts';
