import type { Tx } from '../../handler.ts';
import type { Counts } from '../connector-runs/run.ts';
import type { Written } from './write-page.ts';

// The log of a run is for reading; the counts tell about all of its records.
const itemsMax = 10_000;

/** Links the records that were written, and adds what happened to the log of the run. */
export async function storePage(
  tx: Tx,
  { runId, connectionId, counts }: { runId: number; connectionId: number; counts: Counts },
  written: readonly Written[],
): Promise<Counts> {
  const now = new Date();
  for (const { record, recordId, recordVersion, hash } of written) {
    const key = { connectionId, kind: record.kind, externalId: record.id };
    const seen = { version: record.version.slice(0, 255), seenAt: now };
    const change = { ...seen, hash, ...(recordVersion !== undefined && { recordVersion }), updatedAt: now };
    if (recordId !== undefined) {
      const [linked] = await tx.syncLink.updateManyAndReturn({ where: key, data: { ...change, recordId } });
      if (!linked) await tx.syncLink.createMany({ data: [{ ...key, ...change, recordId }], skipDuplicates: true });
    } else await tx.syncLink.updateMany({ where: key, data: seen });
  }
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
