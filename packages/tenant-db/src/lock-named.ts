import type { Sql } from './tenant-db.ts';

/**
 * Locks names of a kind in the tenant and environment until the end of the transaction, for checks that no row can be
 * locked for, such as that a code is free. Taken in one order, so that two transactions cannot wait for each other.
 * @param values the names; without them, the whole kind
 */
export async function lockNamed(tx: { sql: Sql }, kind: string, values?: readonly string[]): Promise<void> {
  const names = values ? values.map((value) => `${kind} ${value}`) : [kind];
  if (!names.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(hash) FROM (
    SELECT DISTINCT hashtextextended(name, platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS hash
    FROM unnest(${names}::text[]) AS name ORDER BY hash) AS hashes`;
}
