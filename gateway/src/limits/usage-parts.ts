/** The key, operation and user that a served call is counted for. */
export interface CallOf {
  keyId: number;
  /** Method and path of the operation: `POST /v1/leads`. */
  operation: string;
  /** The user on whose behalf the call was made, or the owner of the key. */
  userId: number;
}

/** The calls that this process has served in one hour (in hours since 1970) for one key, operation and user. */
export interface UsagePart extends CallOf {
  tenantId: number;
  hour: number;
  calls: number;
}

const hourMs = 3_600_000;
// Bounds of the memory. Calls above them are counted together, without key, operation and user.
const tenantMax = 1_000;
const allMax = 100_000;
const noOne: CallOf = { keyId: 0, operation: '', userId: 0 };

/** Counts calls by hour, key, operation and user. Like the totals, the numbers are absolute for this process. */
export class UsageParts {
  readonly #now: () => number;
  readonly #parts = new Map<string, UsagePart>();
  readonly #changed = new Set<UsagePart>();
  /** Number of parts of each tenant in the current hour. */
  readonly #sizes = new Map<number, number>();
  #hour = 0;
  #month = '';

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  count(tenantId: number, month: string, call: CallOf): void {
    const hour = this.#hourIn(month);
    const part = this.#find(tenantId, hour, call) ?? this.#add(tenantId, hour, call);
    part.calls++;
    this.#changed.add(part);
  }

  /** Parts to report, with their numbers at this moment. */
  next(max: number): { part: UsagePart; calls: number }[] {
    return [...this.#changed].slice(0, max).map((part) => ({ part, calls: part.calls }));
  }

  /** Marks reported parts as recorded, and forgets those of past hours. */
  recorded(batch: { part: UsagePart; calls: number }[]): void {
    for (const { part, calls } of batch) if (part.calls === calls) this.#changed.delete(part);
    const current = Math.floor(this.#now() / hourMs);
    // A call that ends in the next month is counted in the last hour of its own month.
    for (const [key, part] of this.#parts)
      if (part.hour < current - 1 && !this.#changed.has(part)) this.#parts.delete(key);
  }

  isReported(): boolean {
    return this.#changed.size === 0;
  }

  #find(tenantId: number, hour: number, { keyId, userId, operation }: CallOf): UsagePart | undefined {
    return this.#parts.get(`${tenantId}/${hour}/${keyId}/${userId}/${operation}`);
  }

  #add(tenantId: number, hour: number, call: CallOf): UsagePart {
    const size = this.#sizes.get(tenantId) ?? 0;
    const isFull = size >= tenantMax || this.#parts.size >= allMax;
    const { keyId, userId, operation } = isFull ? noOne : call;
    const known = isFull && this.#find(tenantId, hour, noOne);
    if (known) return known;
    const part = { tenantId, hour, keyId, operation, userId, calls: 0 };
    this.#parts.set(`${tenantId}/${hour}/${keyId}/${userId}/${operation}`, part);
    this.#sizes.set(tenantId, size + 1);
    return part;
  }

  /**
   * The current hour, or the nearest hour of the month in which the call began, so that the hours add up to the month.
   */
  #hourIn(month: string): number {
    const hour = Math.floor(this.#now() / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#month = new Date(hour * hourMs).toISOString().slice(0, 7);
      this.#sizes.clear();
    }
    if (month === this.#month) return hour;
    const [year, number] = month.split('-').map(Number) as [number, number];
    const [start, end] = [Date.UTC(year, number - 1), Date.UTC(year, number)];
    return month < this.#month ? end / hourMs - 1 : start / hourMs;
  }
}
