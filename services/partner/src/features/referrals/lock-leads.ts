import type { Tx } from '../../handler.ts';

/**
 * Serializes the transactions that handle the same lead, so that each sees what earlier ones committed. Ordered locks prevent
 * deadlocks.
 */
export async function lockLeads(tx: Tx, leadIds: number[]): Promise<void> {
  if (!leadIds.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('credit ' || lead_id,
      platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS key
    FROM unnest(${leadIds}::bigint[]) AS lead_id ORDER BY key) AS keys`;
}
