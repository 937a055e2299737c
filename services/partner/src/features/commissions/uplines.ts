import type { Tx } from '../../handler.ts';
import type { Earner } from './commission-of-sale.ts';

/** A partner above another one. */
export interface Upline {
  partnerId: number;
  level: number;
  tier: Earner['tier'];
  status: string;
}

const levelsMax = 10;

/** Reads the partners above others, nearest first. */
export async function readUplines(
  tx: Tx,
  asked: readonly { partnerId: number; at: Date }[],
): Promise<(partnerId: number, at: Date) => Upline[]> {
  if (!asked.length) return () => [];
  const ids = [...new Set(asked.map(({ partnerId }) => partnerId))];
  const rows = await tx.sql<Upline & { of: number }>`
    WITH RECURSIVE above AS (
      SELECT id AS of, parent_partner_id AS id, 2 AS level FROM partner WHERE id = ANY(${ids}::bigint[])
      UNION ALL
      SELECT above.of, partner.parent_partner_id, above.level + 1 FROM above JOIN partner ON partner.id = above.id
      WHERE above.level < ${levelsMax})
    SELECT above.of, above.level, partner.id AS "partnerId", partner.tier, partner.status
    FROM above JOIN partner ON partner.id = above.id ORDER BY above.of, above.level`;
  return (partnerId) => rows.filter(({ of }) => of === partnerId);
}
