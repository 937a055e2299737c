import { randomUUID } from 'node:crypto';
import type { Log } from '@tandem/process';

type Calls = { tenantId: number; month: string; calls: number }[];

export interface UsageMeter {
  /** Counts one served call of a tenant's month. */
  count(tenantId: number, month: string): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

const flushMs = 2_000;
const flushCalls = 100;

/**
 * Brings served calls to identity, which keeps the truth: every 2 s or 100 calls, in numbered batches. A batch whose
 * answer was lost is sent again under its number and counts once (D4).
 */
export function createUsageMeter(
  record: (batch: { gateway: string; batch: number; calls: Calls }) => Promise<unknown>,
  log: Log,
): UsageMeter {
  const gateway = randomUUID();
  let counts = new Map<string, Calls[number]>();
  let unsent = 0;
  let pending: { batch: number; calls: Calls } | undefined;
  let batch = 0;
  let busy: Promise<void> | undefined;

  const flush = async () => {
    if (!pending && counts.size) {
      pending = { batch: ++batch, calls: [...counts.values()] };
      counts = new Map();
      unsent = 0;
    }
    if (!pending) return;
    try {
      await record({ gateway, ...pending });
      pending = undefined;
    } catch (error) {
      log.warn('usage not recorded yet', { error, batch });
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
      const entry = counts.get(key);
      if (entry) entry.calls++;
      else counts.set(key, { tenantId, month, calls: 1 });
      if (++unsent >= flushCalls && !pending) void run();
    },
    async close() {
      clearInterval(timer);
      await run();
      await run();
    },
  };
}
