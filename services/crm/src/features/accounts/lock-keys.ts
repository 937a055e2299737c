import type { Tx } from '../../handler.ts';

interface Keys {
  domain?: string | null | undefined;
  externalId?: string | null | undefined;
}

/**
 * Locks the domains and external ids of items until the end of the transaction, in one order, so that two requests with the
 * same new key create one account and do not wait for each other.
 */
export async function lockKeys(tx: Tx, items: readonly Keys[]): Promise<void> {
  const keys = items.flatMap(({ domain, externalId }) => [
    ...(domain ? [`account domain ${domain}`] : []),
    ...(externalId ? [`account external_id ${externalId}`] : []),
  ]);
  if (!keys.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(hash) FROM (
    SELECT DISTINCT hashtextextended(key, platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS hash
    FROM unnest(${keys}::text[]) AS key ORDER BY hash) AS hashes`;
}
