import type { Month } from './account.ts';

/** The recorded calls of a month, by gateway. */
export type Recorded = Record<string, number>;

const timeoutMs = 1_000;

/**
 * Reads the recorded usage. A failed read of a month is not retried for a second, so that calls do not wait one by one.
 */
export function createRecordedUsage(
  gateway: string,
  fetchRecorded: (tenantId: number, month: string) => Promise<Recorded>,
) {
  const read = async (month: Month): Promise<Recorded> => {
    if (performance.now() < month.readableAt) throw new Error('Reading the recorded usage failed recently');
    try {
      return await inTime(fetchRecorded(month.tenantId, month.month));
    } catch (error) {
      month.readableAt = performance.now() + timeoutMs;
      throw error;
    }
  };
  return {
    read,
    /**
     * Raises the total of a month to the recorded usage. If it cannot be read, the last known total stays; without one,
     * only the window limits calls.
     */
    async learn(month: Month): Promise<void> {
      const recorded = await read(month).catch(() => undefined);
      if (!recorded) return;
      const others = Object.entries(recorded).filter(([id]) => id !== gateway);
      const total = others.reduce((sum, [, calls]) => sum + calls, month.acknowledged);
      // Calls counted by Redis may not be recorded yet.
      month.total = month.isKnown ? Math.max(month.total, total) : total;
      month.isKnown = true;
      month.isRefreshed = true;
    },
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
