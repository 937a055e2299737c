import { Audience } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import { type AudiencePart as PartRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asSegment, type Condition, toListColumn } from '../segments/segment.ts';
import { type Source, sourceOfSegment } from './sources.ts';

type AudienceRecord = z.output<typeof Audience>;
export type Part = AudienceRecord['include'][number];

const column = Audience.shape.include.element.shape.conditions;

/** The parts of an audience as the contract shows them. */
export async function readParts(tx: Tx, campaignId: number): Promise<{ include: Part[]; exclude: Part[] }> {
  const rows = await tx.audiencePart.findMany({ where: { campaignId }, orderBy: { position: 'asc' } });
  return {
    include: rows.filter(({ isExcluded }) => !isExcluded).map(asPart),
    exclude: rows.filter(({ isExcluded }) => isExcluded).map(asPart),
  };
}

function asPart({ segmentId, leadIds, conditions }: PartRow): Part {
  if (segmentId !== null) return { segmentId };
  return conditions === null ? { leadIds: leadIds.map(Number) } : { conditions: column.parse(conditions) };
}

/** Replaces the parts of an audience. */
export async function writeParts(
  tx: Tx,
  campaignId: number,
  { include, exclude }: { include: readonly Part[]; exclude: readonly Part[] },
): Promise<void> {
  await tx.audiencePart.deleteMany({ where: { campaignId } });
  const data = [...include.map(toRow(campaignId, false)), ...exclude.map(toRow(campaignId, true))];
  if (data.length) await tx.audiencePart.createMany({ data });
}

const toRow = (campaignId: number, isExcluded: boolean) => (part: Part, position: number) => ({
  campaignId,
  isExcluded,
  position,
  segmentId: part.segmentId ?? null,
  leadIds: [...new Set(part.leadIds)],
  conditions: part.conditions ? toListColumn(part.conditions as Condition[]) : Prisma.DbNull,
});

/**
 * Holds the segments of an audience until the end of the transaction, so that none is deleted meanwhile.
 * @throws 422 for one that does not exist
 */
export async function holdSegments(tx: Tx, parts: Readonly<Record<string, readonly Part[]>>): Promise<void> {
  const named = Object.entries(parts).flatMap(([side, list]) =>
    list.map(({ segmentId }, index) => ({ field: `${side}.${index}.segmentId`, segmentId })),
  );
  const ids = named.flatMap(({ segmentId }) => segmentId ?? []);
  if (!ids.length) return;
  const found = await tx.sql<{ id: number }>`
    SELECT id FROM segment WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR KEY SHARE`;
  const known = new Set(found.map(({ id }) => id));
  const errors = named
    .filter(({ segmentId }) => segmentId !== undefined && !known.has(segmentId))
    .map(({ field }) => ({ field, message: unknownId('segment') }));
  if (errors.length) throw fail('validation_failed', errors);
}

/** Where the leads of an audience come from. */
export async function sourcesOf(tx: Tx, campaignId: number): Promise<{ include: Source[]; exclude: Source[] }> {
  const { include, exclude } = await readParts(tx, campaignId);
  const ids = [...include, ...exclude].flatMap(({ segmentId }) => segmentId ?? []);
  const rows = ids.length ? await tx.segment.findMany({ where: { id: { in: ids } } }) : [];
  const segments = new Map(rows.map((row) => [row.id, sourceOfSegment(asSegment(row))]));
  const sourceOf = ({ segmentId, leadIds, conditions }: Part): Source[] => {
    if (segmentId !== undefined) return [segments.get(segmentId) ?? []].flat();
    return conditions ? [{ conditions: conditions as Condition[], behavior: [] }] : [{ leadIds: leadIds ?? [] }];
  };
  return { include: include.flatMap(sourceOf), exclude: exclude.flatMap(sourceOf) };
}
