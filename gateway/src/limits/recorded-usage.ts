import type { Month } from './account.ts';

/** The recorded calls of a month, by gateway. */
export type Recorded = Record<string, number>;

const withinMs = 1_000;

/** Reads the recorded usage. After a failure a month is not asked for again for a second, so that calls do not wait in turn. */
export function createRecordedUsage(
  gateway: string,
  fetchRecorded: (tenantId: number, month: string) => Promise<Recorded>,
) {
  const read = async (month: Month): Promise<Recorded> => {
    if (performance.now() < month.readableAt) throw new Error('The recorded usage could not be read a moment ago');
    try {
      return await inTime(fetchRecorded(month.tenantId, month.month));
    } catch (error) {
      month.readableAt = performance.now() + withinMs;
      throw error;
    }
  };
  return {
    read,
    /**
     * Raises the total of a month to the recorded usage. While that cannot be read, the total is the last one known, and
     * only the window limits calls when there is none.
     */
    async learn(month: Month): Promise<void> {
      const recorded = await read(month).catch(() => undefined);
      if (!recorded) return;
      const others = Object.entries(recorded).filter(([id]) => id !== gateway);
      const total = others.reduce((sum, [, calls]) => sum + calls, month.acknowledged);
      // Calls that Redis had counted may not be recorded yet.
      month.total = month.isKnown ? Math.max(month.total, total) : total;
      month.isKnown = true;
      month.isRefreshed = true;
    },
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${withinMs} ms`)), withinMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
