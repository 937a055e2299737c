import type { Log } from '@tandem/process';

type Served = { tenantId: number; month: string; calls: number };

export interface UsageMeter {
  /** Counts one served call of a tenant's month. */
  count(tenantId: number, month: string): void;
  /** Calls recorded by identity so far, over all months. */
  recorded(): number;
  /** Reports the remaining calls. */
  close(): Promise<void>;
}

const flushMs = 2_000;
const flushCalls = 100;
const entriesMax = 10_000;

/**
 * Reports served calls to identity, the system of record, every 2 s or 100 calls (D4). Reports carry the totals of this
 * process, so repeating one after a lost reply counts once. Totals stay in memory until the process ends.
 */
export function createUsageMeter(report: (served: Served[]) => Promise<unknown>, log: Log): UsageMeter {
  const totals = new Map<string, Served>();
  // Entries to report, each with its number of calls recorded so far.
  const changed = new Map<Served, number>();
  let unreported = 0;
  let recorded = 0;
  let isFailing = false;
  let busy: Promise<void> | undefined;

  const flush = async () => {
    unreported = 0;
    const batch = [...changed].slice(0, entriesMax).map(([entry, before]) => ({ entry, before, calls: entry.calls }));
    if (!batch.length) return;
    try {
      await report(batch.map(({ entry, calls }) => ({ ...entry, calls })));
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
  const run = () => {
    busy ??= flush().finally(() => {
      busy = undefined;
    });
    return busy;
  };
  const timer = setInterval(run, flushMs);
  timer.unref();

  return {
    count(tenantId, month) {
      const key = `${tenantId}/${month}`;
      const entry = totals.get(key) ?? { tenantId, month, calls: 0 };
      totals.set(key, entry);
      if (!changed.has(entry)) changed.set(entry, entry.calls);
      entry.calls++;
      if (++unreported >= flushCalls && !busy && !isFailing) void run();
    },
    recorded: () => recorded,
    async close() {
      clearInterval(timer);
      await busy;
      do await run();
      while (changed.size && !isFailing);
    },
  };
}
