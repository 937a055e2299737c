import type { Deadlines } from '../deadlines.ts';
import {
  type Link,
  LinkBusyError,
  LinkLostError,
  type LinkRequest,
  type LinkResponse,
  type LinkTarget,
  LinkTimeoutError,
  openLink,
} from './link.ts';

export interface PooledRequest extends LinkRequest {
  timeoutMs: number;
  /** Whether the request is idempotent, so that it may be sent again after its connection was lost. */
  repeatable: boolean;
}

/** The connections to one address of a service. */
export interface Links {
  /**
   * Sends over a free connection, or waits for one.
   * @param endsAt when the timeout ends (`performance.now`), if it began before this call
   * @throws LinkBusyError, LinkLostError, LinkRefusedError, LinkTimeoutError, ResponseTooLargeError, InvalidResponseError
   */
  send(request: PooledRequest, endsAt?: number): Promise<LinkResponse>;
  /** Closes idle connections immediately, and the others after their response. */
  close(): void;
}

interface Pooled {
  link: Link;
  openedAt: number;
  idleSince: number;
}

/** Lifetime limits of connections, in ms. */
export interface LinkLimits {
  /** Below the 70 s after which a service closes an idle connection, so that only this side closes one. */
  idleMs: number;
  /**
   * A request that cannot be repeated does not use a connection that was idle for longer: a service that stops closes
   * connections without a request for a second (`idleGraceMs` in packages/process), and the request would be lost. Half
   * of that second is left for delays on the way.
   */
  freshMs: number;
  /**
   * An older connection is closed after its response, so that new instances behind a load balancer receive requests.
   */
  ageMs: number;
}

const defaultLimits: LinkLimits = { idleMs: 55_000, freshMs: 500, ageMs: 60_000 };
const sweepMs = 5_000;
// Behind a load balancer, one address has several instances: replace connections once, not with every response.
const retireEveryMs = 1_000;

interface LinksOptions {
  max: number;
  responseMax: number;
  deadlines: Deadlines;
  limits?: LinkLimits;
}

/**
 * Keeps up to `max` connections to one address. The most recently used connection is reused first, so that surplus ones
 * become idle and are closed. A service that responds with `Connection: close` is shutting down: all connections to it
 * are retired from this side, because a request on a connection that the service closes at the same moment would be
 * lost.
 */
export function createLinks(target: LinkTarget, options: LinksOptions): Links {
  return new LinkPool(target, options);
}

class LinkPool implements Links {
  readonly #target: LinkTarget;
  readonly #max: number;
  readonly #responseMax: number;
  readonly #deadlines: Deadlines;
  readonly #limits: LinkLimits;
  readonly #sweep: NodeJS.Timeout;
  /** The most recently used connection is last. */
  readonly #idle: Pooled[] = [];
  /** Requests that wait for a connection, the oldest first. */
  readonly #waiting = new Set<(pooled: Pooled) => void>();
  #open = 0;
  #isClosed = false;
  /** Connections opened before are not used again. */
  #retiredAt = Number.NEGATIVE_INFINITY;

  constructor(target: LinkTarget, { max, responseMax, deadlines, limits = defaultLimits }: LinksOptions) {
    this.#target = target;
    this.#max = max;
    this.#responseMax = responseMax;
    this.#deadlines = deadlines;
    this.#limits = limits;
    this.#sweep = setInterval(() => this.#closeUnusable(), sweepMs).unref();
  }

  async send(request: PooledRequest, endsAt = performance.now() + request.timeoutMs): Promise<LinkResponse> {
    const { timeoutMs } = request;
    const pooled = await this.#take(request, endsAt);
    const late = () => pooled.link.destroy(new LinkTimeoutError(`No response within ${timeoutMs} ms`));
    try {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) throw noFreeConnection(timeoutMs);
      const response = await this.#deadlines.of(pooled.link.send(request), leftMs, late);
      if (response.headers.connection === 'close') this.#retireAll();
      return response;
    } finally {
      this.#giveBack(pooled);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    this.#closeUnusable();
  }

  /** A free connection, a new one, or the next one that becomes free. */
  #take({ timeoutMs, repeatable }: PooledRequest, endsAt: number): Pooled | Promise<Pooled> {
    const now = performance.now();
    const idleMsMax = repeatable ? this.#limits.idleMs : this.#limits.freshMs;
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      if (this.#isUsable(last, now) && now - last.idleSince < idleMsMax) return last;
      retire(last);
    }
    if (this.#open < this.#max) return this.#openLink();
    const { promise, resolve, reject } = Promise.withResolvers<Pooled>();
    this.#waiting.add(resolve);
    return this.#deadlines.of(promise, endsAt - now, () => {
      this.#waiting.delete(resolve);
      reject(noFreeConnection(timeoutMs));
    });
  }

  #giveBack(pooled: Pooled): void {
    if (!pooled.link.isOpen()) return;
    const now = performance.now();
    // Closing the connection also opens a new one for the oldest waiting request.
    if (!this.#isUsable(pooled, now)) return void retire(pooled);
    const waiter = this.#takeOldestWaiting();
    if (waiter) return void waiter(pooled);
    pooled.idleSince = now;
    this.#idle.push(pooled);
  }

  #openLink(): Pooled {
    this.#open++;
    const onClose = () => this.#linkClosed(pooled);
    const link = openLink(this.#target, { responseMax: this.#responseMax, onClose });
    const pooled: Pooled = { link, openedAt: performance.now(), idleSince: 0 };
    return pooled;
  }

  #linkClosed(pooled: Pooled): void {
    this.#open--;
    const index = this.#idle.indexOf(pooled);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#waiting.size && this.#open < this.#max) this.#takeOldestWaiting()?.(this.#openLink());
  }

  #takeOldestWaiting(): ((pooled: Pooled) => void) | undefined {
    const [first] = this.#waiting;
    if (first) this.#waiting.delete(first);
    return first;
  }

  #isUsable({ openedAt }: Pooled, now: number): boolean {
    return !this.#isClosed && openedAt > this.#retiredAt && now - openedAt < this.#limits.ageMs;
  }

  #closeUnusable(): void {
    const now = performance.now();
    for (const pooled of [...this.#idle])
      if (!this.#isUsable(pooled, now) || now - pooled.idleSince >= this.#limits.idleMs) retire(pooled);
  }

  #retireAll(): void {
    const now = performance.now();
    if (now - this.#retiredAt < retireEveryMs) return;
    this.#retiredAt = now;
    this.#closeUnusable();
  }
}

function noFreeConnection(timeoutMs: number): LinkBusyError {
  return new LinkBusyError(`No free connection within ${timeoutMs} ms`);
}

function retire({ link }: Pooled): void {
  link.destroy(new LinkLostError('Retired'));
}
