import type { Log } from '@tandem/process';
import type { Queue } from 'bullmq';
import { AlarmClock } from './alarm-clock.ts';
import type { Claim, ClaimedRow, DueRows, Group } from './due-rows.ts';
import { entriesOf } from './entries.ts';

/**
 * | state  | meaning                                        | next look                                                |
 * |--------|------------------------------------------------|----------------------------------------------------------|
 * | idle   | every due row was moved to Redis               | when the next row is due or a commit says so, within 1 s |
 * | behind | due rows wait in PostgreSQL for room in Redis  | when a worker has taken an entry, within 1 s             |
 * | closed | the process stops                              | none                                                     |
 */
type State = 'idle' | 'behind' | 'closed';

export interface Dispatcher {
  /** Looks for due rows at this time, or before. */
  wakeAt(at: Date): void;
  /** Notes that a worker has taken an entry out of Redis. */
  entryTaken(): void;
  close(): Promise<void>;
}

interface Options {
  rows: DueRows;
  queue: Queue;
  isRedisReady: () => boolean;
  /** How many rows of this kind one entry may have. */
  batchMaxOf: (name: string) => number;
  /** Entries that may wait in Redis. */
  entriesMax: number;
  log: Log;
}

const lookMaxMs = 1_000;
const takeBackMs = 2_000;
// Between two looks: in a stream of commits, or of rows that fall due one after the other, one look is for several.
const pauseMinMs = 20;

/**
 * Starts the dispatcher of a process, which moves due rows into Redis. Only a few entries wait there, so the order in which
 * tenants get their turn is decided here: with a backlog each tenant gets an equal part of the room, whatever it has due.
 * Several dispatchers share one table and one queue.
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
  #lookedAt = 0;
  #tookBackAt = 0;
  /** The group after which the next visit begins. */
  #visited: Group | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  wakeAt(at: number): void {
    this.#clock.set(Math.max(at, this.#lookedAt + pauseMinMs));
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
      this.#lookedAt = Date.now();
      const pauseMs = await this.#look().catch((error: unknown) => {
        this.#options.log.warn('job dispatch failed, will retry', { error });
        return lookMaxMs;
      });
      this.wakeAt(Date.now() + pauseMs);
      if (!this.#isClosed) await this.#clock.wait();
    }
  }

  /** Looks once. Resolves to the longest time until the next look, in milliseconds. */
  async #look(): Promise<number> {
    const { rows, queue, isRedisReady, entriesMax } = this.#options;
    if (!isRedisReady()) return lookMaxMs;
    await this.#takeBack();
    const room = entriesMax - (await queue.getWaitingCount());
    // Half the room at once: a look has a price, whatever it moves.
    if (room < (this.#state === 'behind' ? entriesMax / 2 : 1)) return this.#end('behind', lookMaxMs);
    const oldest = await rows.oldestDue();
    if (!oldest.groups.length) return this.#end('idle', (await rows.untilNext()) ?? lookMaxMs);
    const due = oldest.groups.reduce((sum, group) => sum + group.rows, 0);
    if (oldest.isAll && due <= room) {
      const claimed = await this.#move(oldest.groups.map((group) => ({ ...group, rowsMax: group.rows })));
      // Another dispatcher may have the rest.
      return claimed < due ? this.#end('behind', pauseMinMs) : this.#end('idle', (await rows.untilNext()) ?? lookMaxMs);
    }
    // The oldest are always served, so that visits to tenants without due rows leave no room unused.
    const visited = oldest.isAll ? [] : await this.#visit(room);
    await this.#move(this.#fairClaims([...visited, ...oldest.groups], room));
    return this.#end('behind', pauseMinMs);
  }

  #end(state: State, pauseMs: number): number {
    if (!this.#isClosed) this.#state = state;
    return Math.min(Math.max(pauseMs, 0), lookMaxMs);
  }

  /** Takes back what was lost, every other second. */
  async #takeBack(): Promise<void> {
    if (Date.now() - this.#tookBackAt < takeBackMs) return;
    await this.#enqueue(await this.#options.rows.takeBack());
    this.#tookBackAt = Date.now();
  }

  /** The next groups that have due rows: from where the last visit, or the last room, ended. */
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

  /** Moves rows to Redis; resolves to how many. */
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
      // After the commit of the claim: a worker would not find the row before.
      await queue.addBulk(entriesOf(claimed, batchMaxOf));
    } catch (error) {
      await rows.putBack(claimed);
      throw error;
    }
  }
}
