import type { Tx } from '../../handler.ts';
import type { Part } from './sums.ts';

const by = ['currency', 'status', 'probability', 'forecastCategory'] as const;
type Key = 'stageId' | 'ownerId' | 'teamId';

/** A part with the stage, owner or team of its opportunities. */
export type KeyedPart = Part & Partial<Record<Key, number | null>>;

/** Reads the parts of the opportunities that match and that the caller can read, also per stage, owner or team. */
export async function readParts(tx: Tx, where: Record<string, unknown>, key?: Key): Promise<KeyedPart[]> {
  const rows = (await tx.opportunity.groupBy({
    by: [...by, ...(key ? [key] : [])],
    where: { ...where, deletedAt: null },
    _count: { _all: true },
    _sum: { valueMinor: true },
  })) as unknown as (Omit<KeyedPart, 'count' | 'minor'> & {
    _count: { _all: number };
    _sum: { valueMinor: number | bigint | null };
  })[];
  return rows.map(({ _count, _sum, ...row }) => ({
    ...row,
    count: _count._all,
    minor: Number(_sum.valueMinor ?? 0),
  }));
}
