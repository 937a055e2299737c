import type { Tx } from '../../handler.ts';
import type { TierName } from '../tiers/tier-rules.ts';

/** A partner at a time, such as when a deal was won. */
interface Asked {
  partnerId: number;
  at: Date;
}

/** A partner above another one. */
export interface Ancestor {
  id: number;
  /** 2 for the parent. */
  level: number;
  /** The tier and the status that the partner has now. */
  tier: TierName;
  status: string;
}

/**
 * The partners that were above others at a time, the parent first. For each request, in order.
 * @param levels the most partners of a chain
 */
export async function uplinesAt(tx: Tx, asked: readonly Asked[], levels: number): Promise<Ancestor[][]> {
  if (!asked.length || levels < 1) return asked.map(() => []);
  const requests = JSON.stringify(asked.map(({ partnerId, at }, index) => ({ index, id: partnerId, at })));
  // Before its first entry a partner had the parent which that entry replaced; without entries it has always had the
  // current one. Entries take effect in another order than they are applied if a job is late, so a chain could be a cycle.
  const rows = await tx.sql<Ancestor & { index: number }>`
    WITH RECURSIVE above (index, at, level, id, path) AS (
      SELECT index, at, 1, id, ARRAY[id] FROM jsonb_to_recordset(${requests}::jsonb)
        AS asked (index int, id bigint, at timestamptz)
      UNION ALL
      SELECT index, at, level + 1, parent.id, path || parent.id FROM above, LATERAL (
        SELECT id FROM (
          (SELECT 1 AS choice, to_parent_id AS id FROM parent_change
            WHERE partner_id = above.id AND status = 'applied' AND effective_at <= above.at
            ORDER BY effective_at DESC, parent_change.id DESC LIMIT 1)
          UNION ALL
          (SELECT 2, from_parent_id FROM parent_change
            WHERE partner_id = above.id AND status = 'applied' AND effective_at > above.at
            ORDER BY effective_at, parent_change.id LIMIT 1)
          UNION ALL
          (SELECT 3, parent_partner_id FROM partner WHERE partner.id = above.id)) AS known
        ORDER BY choice LIMIT 1) AS parent
      WHERE level <= ${levels}::int AND parent.id IS NOT NULL AND NOT parent.id = ANY(path))
    SELECT above.index, above.level, partner.id, partner.tier, partner.status FROM above
    JOIN partner ON partner.id = above.id WHERE above.level > 1 ORDER BY above.index, above.level`;
  const chains = Map.groupBy(rows, ({ index }) => index);
  return asked.map((_, index) => (chains.get(index) ?? []).map(({ index: _, ...ancestor }) => ancestor));
}
