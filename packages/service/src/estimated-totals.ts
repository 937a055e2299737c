// Totals of lists with more records than a page counts exactly. A total is counted in the background on the first
// request, shared by all requests for the same list and filter, and cached for a minute (D20). There is no counter row,
// because every write of a tenant would wait for it.

const keptMs = 60_000;
// Refreshed from this age on, so that a list in use always has a total.
const refreshMs = 30_000;
const totalsMax = 1_000;
// A count reads every matching record, at the expense of all other queries.
const countsAtOnceMax = 2;
// Acceptable delay even when the page itself was fast.
const waitMinMs = 20;

interface Total {
  /** Undefined until the first count has finished, and after it failed. */
  counted?: { total: number; at: number };
  counting?: Promise<void> | undefined;
  failedAt?: number;
}

/** The estimated totals of a service, and which of its lists need them. */
export class EstimatedTotals {
  /** When each list was found to be large, the oldest first. */
  readonly #large = new Map<string, number>();
  readonly #totals = new Map<string, Total>();
  #countsNow = 0;

  /**
   * Whether the list was found to have more records than are counted exactly, at most a minute ago.
   * @param list identifies scope, filter and sort: with an index for the filter, another order of the same records may
   * be counted exactly
   */
  isLarge(list: string): boolean {
    const at = this.#large.get(list);
    return at !== undefined && Date.now() - at < keptMs;
  }

  /** Remembers that a list is too large to count exactly. */
  noteLarge(list: string): void {
    if (!this.isLarge(list)) putLast(this.#large, list, Date.now());
  }

  /**
   * The number of records of a large list, at most a minute old; undefined when no such count is available.
   * @param filter identifies scope and filter
   * @param count counts the records; runs in the background, one at a time, and not right after a failure
   * @param waitMs how long to wait for the first count: as long as the page itself took
   */
  async estimate(filter: string, count: () => PromiseLike<number>, waitMs: number): Promise<number | undefined> {
    const known = this.#totals.get(filter) ?? {};
    const isOlder = (at: number | undefined, ms: number) => at === undefined || Date.now() - at > ms;
    if (isOlder(known.counted?.at, refreshMs) && isOlder(known.failedAt, keptMs) && !known.counting) {
      putLast(this.#totals, filter, known);
      this.#refresh(known, count);
    }
    if (isOlder(known.counted?.at, keptMs) && known.counting)
      await firstOf(known.counting, Math.max(waitMs, waitMinMs));
    return isOlder(known.counted?.at, keptMs) ? undefined : known.counted?.total;
  }

  #refresh(known: Total, count: () => PromiseLike<number>): void {
    if (this.#countsNow >= countsAtOnceMax) return;
    this.#countsNow++;
    known.counting = (async () => {
      try {
        known.counted = { total: await count(), at: Date.now() };
      } catch {
        // Usually the statement timeout, for lists of many millions. The page then shows a lower bound.
        known.failedAt = Date.now();
      } finally {
        known.counting = undefined;
        this.#countsNow--;
      }
    })();
  }
}

/** Moves an entry to the end, and evicts the first one of too many. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > totalsMax && oldest !== undefined) map.delete(oldest);
}

async function firstOf(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
