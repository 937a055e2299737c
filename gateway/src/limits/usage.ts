import type { Log } from '@tandem/process';
import { type CallOf, type UsagePart, UsageParts } from './usage-parts.ts';

type Served = { tenantId: number; month: string; calls: number };

export interface UsageMeter {
  /** Counts one served call of a tenant's month. */
  count(tenantId: number, month: string, call: CallOf): void;
  /** Calls recorded by identity so far, over all months. */
  recorded(): number;
  /** Reports the remaining calls. */
  close(): Promise<void>;
}

const flushMs = 2_000;
const flushCalls = 100;
const entriesMax = 10_000;
const partsMax = 5_000;

/**
 * Reports served calls to identity, the system of record, every 2 s or 100 calls (D4). Reports carry the totals of this
 * process, so repeating one after a lost reply counts once. Totals stay in memory until the process ends. Every 2 s,
 * the parts of the calls go with them.
 */
export function createUsageMeter(
  report: (served: Served[], parts: UsagePart[]) => Promise<unknown>,
  log: Log,
): UsageMeter {
  const totals = new Map<string, Served>();
  // Entries to report, each with its number of calls recorded so far.
  const changed = new Map<Served, number>();
  const parts = new UsageParts();
  let unreported = 0;
  let recorded = 0;
  let isFailing = false;
  let busy: Promise<void> | undefined;

  const flush = async ({ withParts }: { withParts: boolean }) => {
    unreported = 0;
    const batch = [...changed].slice(0, entriesMax).map(([entry, before]) => ({ entry, before, calls: entry.calls }));
    const ofParts = withParts ? parts.next(partsMax) : [];
    if (!batch.length && !ofParts.length) return;
    try {
      await report(
        batch.map(({ entry, calls }) => ({ ...entry, calls })),
        ofParts.map(({ part, calls }) => ({ ...part, calls })),
      );
      parts.recorded(ofParts);
      for (const { entry, before, calls } of batch) {
        recorded += calls - before;
        changed.delete(entry);
        if (entry.calls !== calls) changed.set(entry, calls);
      }
      isFailing = false;
    } catch (error) {
      isFailing = true;
      log.warn('usage not recorded yet', { error, tenants: batch.length });
    }
  };
  const run = (withParts = true) => {
    busy ??= flush({ withParts }).finally(() => {
      busy = undefined;
    });
    return busy;
  };
  const timer = setInterval(() => void run(), flushMs);
  timer.unref();

  return {
    count(tenantId, month, call) {
      parts.count(tenantId, month, call);
      const key = `${tenantId}/${month}`;
      const entry = totals.get(key) ?? { tenantId, month, calls: 0 };
      totals.set(key, entry);
      if (!changed.has(entry)) changed.set(entry, entry.calls);
      entry.calls++;
      if (++unreported >= flushCalls && !busy && !isFailing) void run(false);
    },
    recorded: () => recorded,
    async close() {
      clearInterval(timer);
      await busy;
      do await run();
      while ((changed.size || !parts.isReported()) && !isFailing);
    },
  };
}
