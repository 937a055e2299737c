import type { Tx } from '../../handler.ts';
import type { Counts } from '../connector-runs/run.ts';
import { type Place, storeLink } from './link.ts';
import type { Written } from './write-page.ts';

// The log of a run is for reading; the counts tell about all of its records.
const itemsMax = 10_000;

/** The digest of a record of which not everything was written, so that it is written again when it is read again. */
const noHash = '';

/** Notes which records were read, and adds what happened to the log of the run. Links are stored with each record. */
export async function storePage(
  tx: Tx,
  { runId, place, counts }: { runId: number; place: Place; counts: Counts },
  written: readonly Written[],
): Promise<Counts> {
  const now = new Date();
  await noteSeen(tx, place, { written, seenAt: now });
  const sum = { ...counts };
  for (const { action } of written) sum[action] += 1;
  const before = Object.values(counts).reduce((total, count) => total + count, 0) - counts.unchanged;
  const items = written.filter(({ action }) => action !== 'unchanged').slice(0, Math.max(0, itemsMax - before));
  if (items.length)
    await tx.connectorRunItem.createMany({
      data: items.map(({ record, recordId, action, reason }) => ({
        ...{ runId, direction: 'in', kind: record.kind, externalId: record.id.slice(0, 255), action },
        ...{ recordId: recordId ?? null, reason: reason ?? null, createdAt: now },
      })),
    });
  return sum;
}

/** Links a record that was written. */
export function linkWritten(tx: Tx, place: Place, { record, recordId, recordHash, hash, isPartial }: Written) {
  const data = { hash: isPartial ? noHash : hash, ...(recordHash !== undefined && { recordHash }) };
  return storeLink(tx, place, record, { recordId: recordId as number, ...data });
}

/** Notes that linked records that were not written still exist. */
async function noteSeen(
  tx: Tx,
  place: Place,
  { written, seenAt }: { written: readonly Written[]; seenAt: Date },
): Promise<void> {
  const kinds = Map.groupBy(
    written.filter(({ recordId }) => recordId === undefined),
    ({ record }) => record.kind,
  );
  for (const [kind, seen] of kinds) {
    const externalId = { in: seen.map(({ record }) => record.id) };
    await tx.syncLink.updateMany({ where: { ...place, kind, externalId }, data: { seenAt } });
  }
}
