import type { Tx } from '../../handler.ts';

/** The time from which on all engagement events are kept; undefined if none was removed. */
export async function eventsKeptSince(tx: Tx): Promise<Date | undefined> {
  const row = await tx.retention.findFirst({ select: { keptSince: true } });
  return row?.keptSince ?? undefined;
}

/** Reports a part of the numbers that lacks something, and why. */
export type Missing = (part: string, message: string) => void;

/** Warns that a period begins before the first event that is kept. */
export async function warnOfRemovedEvents(
  { tx, missing }: { tx: Tx; missing: Missing },
  { part, from }: { part: string; from: Date | undefined },
): Promise<void> {
  const kept = await eventsKeptSince(tx);
  if (kept && (!from || from < kept))
    missing(part, `Engagement events before ${kept.toISOString()} were removed, as the plan keeps them no longer`);
}
