// Exact totals of lists that many requests read at once. A count sees every change that was committed before it
// started, so it is exact for all requests that arrived before its start. While one count of a list runs, the requests
// that arrive wait for the next one together, instead of counting the same records each.

// Counting fewer records with the page costs less than a statement of its own.
const sharedFrom = 100;
const listsMax = 1_000;

interface List {
  /** The count in progress: its own statement, or a part of the statement of a page. Never rejects. */
  current?: Promise<unknown>;
  /** Starts when `current` ends. */
  next?: Promise<number | undefined>;
}

/** A page as far as its total is concerned. */
interface Counted {
  total: number | undefined;
}

/** The counts in progress of a service. Lists are identified by a text of their scope and complete filter. */
export class SharedCounts {
  // Lists with at least `sharedFrom` records when last counted, the least recently counted first.
  readonly #lists = new Map<string, List>();

  /**
   * The total of a list that other requests are counting now, from a count that starts after this call.
   * @returns undefined when nobody counts the list; resolves to undefined when the list has too many records to count
   * or the count fails. The caller then reads a page with its total.
   */
  join(id: string, count: () => PromiseLike<number | undefined>): Promise<number | undefined> | undefined {
    const list = this.#lists.get(id);
    if (!list?.current) return undefined;
    list.next ??= list.current.then(() => {
      delete list.next;
      const counting = Promise.resolve(count()).catch(() => undefined);
      return this.#running(id, list, counting);
    });
    return list.next;
  }

  /** Lets other requests know that a page is being read with its total. */
  reading<Page extends Counted>(id: string, page: Promise<Page>): Promise<Page> {
    const counting = page.then(
      ({ total }) => total,
      () => undefined,
    );
    void this.#running(id, this.#lists.get(id) ?? {}, counting);
    return page;
  }

  #running(id: string, list: List, counting: Promise<number | undefined>): Promise<number | undefined> {
    list.current = counting;
    void counting.then((total) => {
      if (list.current === counting) delete list.current;
      this.#remember(id, total);
    });
    return counting;
  }

  #remember(id: string, total: number | undefined): void {
    const list = this.#lists.get(id) ?? {};
    this.#lists.delete(id);
    if (total === undefined || total < sharedFrom) return;
    this.#lists.set(id, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listsMax && oldest !== undefined) this.#lists.delete(oldest);
  }
}
