import type { Environment } from '@tandem/caller';
import type { Tx } from '../database.ts';
import type { SearchDriver } from './driver.ts';
import type { OpenSearch } from './opensearch/client.ts';
import { openSearchDriver } from './opensearch/index.ts';
import { postgresDriver } from './postgres/index.ts';

/** The driver that answers the searches of the tenant of `tx`. */
export type SearchedBy = (tx: Tx) => Promise<SearchDriver>;

/** @param server absent when the deployment has none: PostgreSQL answers all searches then */
export function createSearchedBy(server: OpenSearch | undefined): SearchedBy {
  if (!server) return async () => postgresDriver;
  return async (tx) => {
    // Both are of the tenant of the connection, so that no caller has to name it.
    const [scope] = await tx.sql<{ tenantId: number; environment: Environment }>`
      SELECT tenant_id AS "tenantId", environment FROM search_engine WHERE state = 'live'`;
    return scope ? openSearchDriver({ server, scope }, postgresDriver) : postgresDriver;
  };
}
