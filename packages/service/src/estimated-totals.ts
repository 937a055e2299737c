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
  /** When the list was last known to be large. */
  at: number;
  /** Undefined until the first count has finished, and after it failed. */
  counted?: { total: number; at: number };
  counting?: Promise<void> | undefined;
  failedAt?: number;
}

/** The estimated totals of a service. Lists are identified by a text of their scope and filter. */
export class EstimatedTotals {
  // The least recently read first.
  readonly #totals = new Map<string, Total>();
  #countsNow = 0;

  /** Whether the list had more records than are counted exactly when last read, at most a minute ago. */
  isLarge(filter: string): boolean {
    const known = this.#totals.get(filter);
    return known !== undefined && Date.now() - known.at < keptMs;
  }

  /** Remembers that a list is too large to count exactly. */
  noteLarge(filter: string): void {
    if (this.isLarge(filter)) return;
    const known = this.#totals.get(filter) ?? { at: 0 };
    known.at = Date.now();
    this.#totals.delete(filter);
    this.#totals.set(filter, known);
    const [oldest] = this.#totals.keys();
    if (this.#totals.size > totalsMax && oldest !== undefined) this.#totals.delete(oldest);
  }

  /**
   * The number of records of a large list, at most a minute old; undefined when no such count is available.
   * @param count counts the records; runs in the background, one at a time, and not right after a failure
   * @param waitMs how long to wait for the first count: as long as the page itself took
   */
  async estimate(filter: string, count: () => PromiseLike<number>, waitMs: number): Promise<number | undefined> {
    const known = this.#totals.get(filter);
    if (!known) return undefined;
    const isOlder = (at: number | undefined, ms: number) => at === undefined || Date.now() - at > ms;
    if (isOlder(known.counted?.at, refreshMs) && isOlder(known.failedAt, keptMs) && !known.counting)
      this.#refresh(known, count);
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

async function firstOf(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
