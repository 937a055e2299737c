import type { Sql } from '@tandem/tenant-db';

/** A lead, and the lead to which its rows belong: itself, or the one that remained of its merges. */
export interface Place {
  origin: number;
  current: number;
}

/** A change of the lead into which another one is merged; null once the merge is undone. */
export interface MergeChange {
  leadId: number;
  mergedIntoId: number | null;
  /** The version of the lead: events arrive in any order, and the newest wins. */
  version: number;
  at: Date;
}

/** The part of a transaction that merges need. The service has a model `MergedLead`. */
export interface WithSql {
  sql: Sql;
}

// Longer chains of merges are circles of events that arrived out of order; the missing event ends them.
const chainMax = 20;

export async function storeMerges({ sql }: WithSql, changes: MergeChange[]): Promise<void> {
  const newest = new Map<number, MergeChange>();
  for (const one of changes) {
    const known = newest.get(one.leadId);
    if (!known || known.version < one.version) newest.set(one.leadId, one);
  }
  // Written in the order of ids, so that two transactions cannot wait for each other.
  const rows = [...newest.values()].sort((one, other) => one.leadId - other.leadId);
  await sql`
    INSERT INTO merged_lead (lead_id, merged_into_id, version, changed_at)
    SELECT "leadId", "mergedIntoId", version, at FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row ("leadId" bigint, "mergedIntoId" bigint, version int, at timestamptz)
    ON CONFLICT (tenant_id, environment, lead_id) DO UPDATE
      SET merged_into_id = excluded.merged_into_id, version = excluded.version, changed_at = excluded.changed_at
      WHERE merged_lead.version < excluded.version`;
}

/** The places of these leads and of all that were merged into them. Their merges are locked until the transaction ends. */
export async function lockPlaces(tx: WithSql, leadIds: number[]): Promise<Place[]> {
  const rows = await tx.sql<{ id: number }>`
    WITH RECURSIVE tree (id) AS (
      SELECT unnest(${leadIds}::bigint[])
      UNION SELECT lead_id FROM tree JOIN merged_lead ON merged_into_id = tree.id)
    SELECT id FROM tree ORDER BY id`;
  const ids = rows.map(({ id }) => id);
  await tx.sql`SELECT FROM merged_lead WHERE lead_id = ANY(${ids}::bigint[]) ORDER BY lead_id FOR UPDATE`;
  const current = await currentLeads(tx, ids);
  return ids.map((origin) => ({ origin, current: current.get(origin) ?? origin }));
}

/** For each lead the one that remained of its merges, which is the lead itself without any. */
export async function currentLeads({ sql }: WithSql, leadIds: readonly number[]): Promise<Map<number, number>> {
  if (!leadIds.length) return new Map();
  const rows = await sql<Place>`
    WITH RECURSIVE chain (origin, current, step) AS (
      SELECT DISTINCT id, id, 0 FROM unnest(${[...leadIds]}::bigint[]) AS id
      UNION ALL
      SELECT origin, merged_into_id, step + 1 FROM chain JOIN merged_lead ON lead_id = chain.current
      WHERE merged_into_id IS NOT NULL AND step < ${chainMax})
    SELECT DISTINCT ON (origin) origin, current FROM chain ORDER BY origin, step DESC`;
  return new Map(rows.map(({ origin, current }) => [origin, current]));
}
