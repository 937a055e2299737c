import type { Log } from '@tandem/process';
import type { Queue } from 'bullmq';
import { AlarmClock } from './alarm-clock.ts';
import type { Claim, ClaimedRow, DueRows, Group } from './due-rows.ts';
import { entriesOf } from './entries.ts';

/**
 * | state  | meaning                                        | next poll                                                |
 * |--------|------------------------------------------------|----------------------------------------------------------|
 * | idle   | every due row was moved to Redis               | when the next row is due or a commit says so, within 1 s |
 * | behind | due rows wait in PostgreSQL for room in Redis  | when a worker has taken an entry, within 1 s             |
 * | closed | the process stops                              | none                                                     |
 */
type State = 'idle' | 'behind' | 'closed';

export interface Dispatcher {
  /** Checks for due rows at this time at the latest. */
  wakeAt(at: Date): void;
  /** Called when a worker has taken an entry out of Redis. */
  entryTaken(): void;
  close(): Promise<void>;
}

interface Options {
  rows: DueRows;
  queue: Queue;
  isRedisReady: () => boolean;
  /** Maximum number of rows per entry for this kind of job. */
  batchMaxOf: (name: string) => number;
  /** Maximum number of entries that wait in Redis. */
  entriesMax: number;
  log: Log;
}

const pollMaxMs = 1_000;
const requeueMs = 2_000;
// Minimum pause between two polls, so that one poll serves several commits or several rows that fall due.
const pauseMinMs = 20;

/**
 * Starts the dispatcher of a process, which moves due rows into Redis. Only a few entries wait there, so fairness is
 * decided here: with a backlog each tenant gets an equal share of the room, however many rows it has due. Several
 * dispatchers share one table and one queue.
 */
export function startDispatcher(options: Options): Dispatcher {
  const dispatching = new Dispatching(options);
  const ended = dispatching.run();
  return {
    wakeAt: (at) => dispatching.wakeAt(at.getTime()),
    entryTaken: () => dispatching.entryTaken(),
    close() {
      dispatching.close();
      return ended;
    },
  };
}

class Dispatching {
  readonly #options: Options;
  readonly #clock = new AlarmClock();
  #state: State = 'idle';
  #polledAt = 0;
  #requeuedAt = 0;
  /** The group after which the next visit begins. */
  #visited: Group | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  wakeAt(at: number): void {
    this.#clock.set(Math.max(at, this.#polledAt + pauseMinMs));
  }

  entryTaken(): void {
    if (this.#state === 'behind') this.wakeAt(Date.now());
  }

  close(): void {
    this.#state = 'closed';
    this.#clock.set(0);
  }

  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  async run(): Promise<void> {
    while (!this.#isClosed) {
      this.#clock.reset();
      this.#polledAt = Date.now();
      const pauseMs = await this.#poll().catch((error: unknown) => {
        this.#options.log.warn('job dispatch failed, will retry', { error });
        return pollMaxMs;
      });
      this.wakeAt(Date.now() + pauseMs);
      if (!this.#isClosed) await this.#clock.wait();
    }
  }

  /** Polls once. Resolves to the maximum time until the next poll, in milliseconds. */
  async #poll(): Promise<number> {
    const { rows, queue, isRedisReady, entriesMax } = this.#options;
    if (!isRedisReady()) return pollMaxMs;
    await this.#requeueLost();
    const room = entriesMax - (await queue.getWaitingCount());
    // Fills half the room at once, because each poll has a fixed cost.
    if (room < (this.#state === 'behind' ? entriesMax / 2 : 1)) return this.#end('behind', pollMaxMs);
    const oldest = await rows.oldestDue();
    if (!oldest.groups.length) return this.#end('idle', (await rows.untilNext()) ?? pollMaxMs);
    const due = oldest.groups.reduce((sum, group) => sum + group.rows, 0);
    if (oldest.isAll && due <= room) {
      const claimed = await this.#move(oldest.groups.map((group) => ({ ...group, rowsMax: group.rows })));
      // Another dispatcher may have claimed the rest.
      return claimed < due ? this.#end('behind', pauseMinMs) : this.#end('idle', (await rows.untilNext()) ?? pollMaxMs);
    }
    // The oldest rows are always served, so that visits to tenants without due rows waste no room.
    const visited = oldest.isAll ? [] : await this.#visit(room);
    await this.#move(this.#fairClaims([...visited, ...oldest.groups], room));
    return this.#end('behind', pauseMinMs);
  }

  #end(state: State, pauseMs: number): number {
    if (!this.#isClosed) this.#state = state;
    return Math.min(Math.max(pauseMs, 0), pollMaxMs);
  }

  /** Requeues lost rows, every other second. */
  async #requeueLost(): Promise<void> {
    if (Date.now() - this.#requeuedAt < requeueMs) return;
    await this.#enqueue(await this.#options.rows.requeueLost());
    this.#requeuedAt = Date.now();
  }

  /** The next groups with due rows, starting where the previous visit, or its room, ended. */
  async #visit(room: number): Promise<Group[]> {
    const { due, last, isEnd } = await this.#options.rows.visit(this.#visited);
    const groups = due.slice(0, room);
    if (groups.length < due.length) this.#visited = groups.at(-1);
    else this.#visited = isEnd ? undefined : last;
    return groups;
  }

  /** Divides the room between groups, each of which counts once. */
  #fairClaims(groups: readonly Group[], room: number): Claim[] {
    const known = new Map(groups.map((group) => [`${group.name}/${group.tenant_id}/${group.environment}`, group]));
    const entries = Math.max(1, Math.floor(room / known.size));
    return [...known.values()]
      .slice(0, room)
      .map((group) => ({ ...group, rowsMax: entries * this.#options.batchMaxOf(group.name) }));
  }

  /** Moves rows to Redis; resolves to their number. */
  async #move(claims: readonly Claim[]): Promise<number> {
    if (!claims.length) return 0;
    const claimed = await this.#options.rows.claim(claims);
    await this.#enqueue(claimed);
    return claimed.length;
  }

  async #enqueue(claimed: readonly ClaimedRow[]): Promise<void> {
    if (!claimed.length) return;
    const { rows, queue, batchMaxOf } = this.#options;
    try {
      // After the claim has been committed: a worker would not find the row before.
      await queue.addBulk(entriesOf(claimed, batchMaxOf));
    } catch (error) {
      await rows.putBack(claimed);
      throw error;
    }
  }
}
