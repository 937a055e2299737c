import type { Tx } from '../../handler.ts';

/** The verified domain with a host, of whichever tenant. */
export interface VerifiedDomain {
  id: number;
  tenantId: number;
  environment: 'live' | 'sandbox';
  homePageId: number | null;
}

/**
 * Finds the verified domain with a host. Row-level security shows no tenant the domains of others, so a function of the
 * database returns it; a request for a page has no tenant yet.
 */
export async function findVerified(tx: Pick<Tx, 'sql'>, host: string): Promise<VerifiedDomain | undefined> {
  const [found] = await tx.sql<VerifiedDomain>`
    SELECT id, tenant_id AS "tenantId", environment, home_page_id AS "homePageId" FROM verified_page_domain(${host})`;
  return found;
}
