import type { Call } from '../../connectors/calling.ts';
import type { ExternalRecord, Sync } from '../../connectors/sync.ts';
import type { Tx } from '../../handler.ts';
import type { Place } from './link.ts';

const linksMax = 50;

/** The linked records that were deleted in the connected system, among the next ones that a run has not read. */
export interface Examined {
  deleted: ExternalRecord[];
  /** The last link that was examined; null at the end. */
  examinedTo: string | null;
}

/**
 * Examines linked records that a run from the beginning has not read: they are outside of the period that it reads, or were
 * deleted when the system no longer told of it.
 * @param options.after the last link that was examined before
 */
export async function examineUnread(
  tx: Tx,
  sync: Sync,
  context: { call: Call; settings: Record<string, unknown> },
  { place, since, after }: { place: Place; since: Date; after: string },
): Promise<Examined> {
  const links = await tx.syncLink.findMany({
    where: { ...place, externalId: { gt: after }, seenAt: { lt: since } },
    orderBy: { externalId: 'asc' },
    take: linksMax,
  });
  const deleted: ExternalRecord[] = [];
  for (const { externalId } of links)
    if (sync.deleted && (await sync.isGone?.(context, externalId))) deleted.push(sync.deleted(externalId));
  return { deleted, examinedTo: links.length < linksMax ? null : (links.at(-1)?.externalId ?? null) };
}
