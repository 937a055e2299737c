// Totals of lists that have more records than are counted with each page. A total is counted in the background by whoever asks
// first, shared by all who ask for the same list and filter, and used for a minute (D20). No row holds a counter: every write of
// a tenant would wait for it.

const keptMs = 60_000;
// Asked for again from this age on, so that a list in use always has one.
const refreshMs = 30_000;
const totalsMax = 1_000;
// A count reads every record of its filter, at the cost of everything else that the database does.
const countsAtOnceMax = 2;
// Short enough for a caller who waits although the page itself was fast.
const waitMinMs = 20;

interface Total {
  /** When the list was last known to be large. */
  at: number;
  /** Undefined until the first count has ended, and when it failed. */
  counted?: { total: number; at: number };
  counting?: Promise<void> | undefined;
  failedAt?: number;
}

const totals = new Map<string, Total>();
let countsNow = 0;

/** Whether a list had more records than are counted exactly when it was last read, at most a minute ago. */
export function isLarge(filter: string): boolean {
  const known = totals.get(filter);
  return known !== undefined && Date.now() - known.at < keptMs;
}

/** Keeps that a list has more records than are counted exactly. The least recently used are forgotten first. */
export function noteLarge(filter: string): void {
  if (isLarge(filter)) return;
  const known = totals.get(filter) ?? { at: 0 };
  known.at = Date.now();
  totals.delete(filter);
  totals.set(filter, known);
  const [oldest] = totals.keys();
  if (totals.size > totalsMax && oldest !== undefined) totals.delete(oldest);
}

/**
 * The number of records of a large list, at most a minute old; undefined when it has not been counted in that time.
 * @param count counts them; it runs in the background, and not again while it runs or after it has just failed
 * @param waitMs how long to wait for a first count: as long as the page itself took
 */
export async function estimateTotal(
  filter: string,
  count: () => PromiseLike<number>,
  waitMs: number,
): Promise<number | undefined> {
  const known = totals.get(filter);
  if (!known) return undefined;
  const isOlder = (at: number | undefined, ms: number) => at === undefined || Date.now() - at > ms;
  if (isOlder(known.counted?.at, refreshMs) && isOlder(known.failedAt, keptMs) && !known.counting)
    refresh(known, count);
  if (isOlder(known.counted?.at, keptMs) && known.counting) await firstOf(known.counting, Math.max(waitMs, waitMinMs));
  return isOlder(known.counted?.at, keptMs) ? undefined : known.counted?.total;
}

function refresh(known: Total, count: () => PromiseLike<number>): void {
  if (countsNow >= countsAtOnceMax) return;
  countsNow++;
  known.counting = (async () => {
    try {
      known.counted = { total: await count(), at: Date.now() };
    } catch {
      // The statement timeout, for lists of many millions: the page then says that there are at least as many as it knows.
      known.failedAt = Date.now();
    } finally {
      known.counting = undefined;
      countsNow--;
    }
  })();
}

async function firstOf(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
