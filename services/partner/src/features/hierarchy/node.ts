import type { HierarchyPartner } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asPartner, nameOf } from '../partners/partner.ts';

type Node = z.output<typeof HierarchyPartner>;

// Earlier releases did not limit the levels.
const levelsReadMax = 100;

/** Converts partners to those of a hierarchy, with the number of their recruits. */
export async function asNodes(tx: Tx, found: readonly { row: PartnerRow; depth: number }[]): Promise<Node[]> {
  const ids = found.map(({ row }) => row.id);
  const counts = await tx.sql<{ id: number; count: number }>`
    SELECT parent_partner_id AS id, count(*) AS count FROM partner
    WHERE parent_partner_id = ANY(${ids}::bigint[]) GROUP BY parent_partner_id`;
  const countOf = new Map(counts.map(({ id, count }) => [id, count]));
  return found.map(({ row, depth }) => {
    const { id, tier, status } = asPartner(row);
    return { id, name: nameOf(row), tier, status, depth, directCount: countOf.get(id) ?? 0 };
  });
}

/** The ids of the partners above a partner, the parent first. */
export async function findAbove(tx: Tx, partnerId: number, levels = levelsReadMax): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    WITH RECURSIVE above (id, level) AS (
      SELECT parent_partner_id, 1 FROM partner WHERE id = ${partnerId} AND parent_partner_id IS NOT NULL
      UNION ALL
      SELECT partner.parent_partner_id, level + 1 FROM above JOIN partner ON partner.id = above.id
      WHERE level < ${levels}::int AND partner.parent_partner_id IS NOT NULL)
    SELECT id FROM above ORDER BY level`;
  return rows.map(({ id }) => id);
}

/** A partner below another one. */
export interface Below {
  id: number;
  depth: number;
}

/**
 * The partners below a partner, level by level, so that a limit leaves out the most distant ones.
 * @param levels the number of levels
 * @param most the number of partners that are read
 */
export async function findBelow(
  tx: Tx,
  partnerId: number,
  { levels, most }: { levels: number; most: number },
): Promise<Below[]> {
  const found: Below[] = [];
  let parents = [partnerId];
  for (let depth = 1; depth <= levels && parents.length && found.length < most; depth++) {
    const rows: { id: number }[] = await tx.sql<{ id: number }>`
      SELECT id FROM partner WHERE parent_partner_id = ANY(${parents}::bigint[])
      ORDER BY id LIMIT ${most - found.length}`;
    parents = rows.map(({ id }) => id);
    found.push(...parents.map((id) => ({ id, depth })));
  }
  return found;
}

/** Reads partners in the given order, without those that were deleted meanwhile. */
export async function readAll(tx: Tx, places: readonly Below[]): Promise<{ row: PartnerRow; depth: number }[]> {
  const rows = await tx.partner.findMany({ where: { id: { in: places.map(({ id }) => id) } } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return places.flatMap(({ id, depth }) => {
    const row = byId.get(id);
    return row ? [{ row, depth }] : [];
  });
}
