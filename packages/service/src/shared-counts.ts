// Exact totals of lists that many requests read at once. A count sees every change that was committed before it
// started, so it is exact for all requests that arrived before its start. While one count of a list runs, the requests
// that arrive wait for the next one together, instead of counting the same records each.

// Counting fewer records with the page costs less than a statement of its own.
const sharedFrom = 100;
const listsMax = 1_000;

/** The outcome of a count; the total is undefined when there are too many records to count. */
interface Counted {
  total: number | undefined;
}

interface List {
  /** The count in progress: its own statement, or a part of the statement of a page. Undefined if it fails. */
  current?: Promise<Counted | undefined>;
  /** Starts when `current` ends. */
  next?: Promise<Counted | undefined>;
}

/** The counts in progress of a service. Lists are identified by a text of their scope and complete filter. */
export class SharedCounts {
  // Lists with at least `sharedFrom` records when last counted, the least recently counted first.
  readonly #lists = new Map<string, List>();

  /**
   * The total of a list that other requests are counting now, from a count that starts after this call.
   * @returns undefined when nobody counts the list; resolves to undefined when the count fails. The caller then counts
   * the list itself.
   */
  join(id: string, count: () => Promise<Counted>): Promise<Counted | undefined> | undefined {
    const list = this.#lists.get(id);
    if (!list?.current) return undefined;
    list.next ??= list.current.then(() => {
      delete list.next;
      return this.#running(id, list, count());
    });
    return list.next;
  }

  /** Lets other requests know that a page is being read with its total. */
  reading<Page extends Counted>(id: string, page: Promise<Page>): Promise<Page> {
    void this.#running(id, this.#lists.get(id) ?? {}, page);
    return page;
  }

  #running(id: string, list: List, counting: Promise<Counted>): Promise<Counted | undefined> {
    // A failed count is an error of the request that counts; the others count for themselves.
    const current = counting.then(
      ({ total }) => ({ total }),
      () => undefined,
    );
    list.current = current;
    void current.then((counted) => {
      if (list.current === current) delete list.current;
      this.#remember(id, counted);
    });
    return current;
  }

  #remember(id: string, counted: Counted | undefined): void {
    const list = this.#lists.get(id) ?? {};
    this.#lists.delete(id);
    if (!counted || (counted.total ?? sharedFrom) < sharedFrom) return;
    this.#lists.set(id, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listsMax && oldest !== undefined) this.#lists.delete(oldest);
  }
}
