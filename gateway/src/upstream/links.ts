import type { Deadlines } from '../deadlines.ts';
import {
  type Link,
  LinkLostError,
  type LinkRequest,
  type LinkResponse,
  type LinkTarget,
  LinkTimeoutError,
  openLink,
} from './link.ts';

/** The connections to one address of a service. */
export interface Links {
  /**
   * Sends over a free connection, or waits for one.
   * @throws LinkLostError, LinkRefusedError, LinkTimeoutError, ResponseTooLargeError, InvalidResponseError
   */
  send(request: LinkRequest & { timeoutMs: number }): Promise<LinkResponse>;
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
   * An older connection is closed after its response, so that new instances behind a load balancer receive requests.
   */
  ageMs: number;
}

const defaultLimits: LinkLimits = { idleMs: 55_000, ageMs: 60_000 };
const sweepMs = 5_000;
// Behind a load balancer, one address has several instances: replace connections once, not with every response.
const retireEveryMs = 1_000;

/**
 * Keeps up to `max` connections to one address. The most recently used connection is reused first, so that surplus ones
 * become idle and are closed. A service that answers `Connection: close` is shutting down: all connections to it are
 * retired from this side, because a request on a connection that the service closes at the same moment would be lost.
 */
export function createLinks(
  target: LinkTarget,
  options: { max: number; responseMax: number; deadlines: Deadlines; limits?: LinkLimits },
): Links {
  const { max, responseMax, deadlines, limits = defaultLimits } = options;
  const idle: Pooled[] = [];
  const waiting = new Set<(pooled: Pooled) => void>();
  let open = 0;
  let isClosed = false;
  let retiredAt = Number.NEGATIVE_INFINITY;

  const openPooled = (): Pooled => {
    open++;
    const onClose = () => {
      open--;
      const index = idle.indexOf(pooled);
      if (index >= 0) idle.splice(index, 1);
      if (waiting.size && open < max) takeOldestWaiting()?.(openPooled());
    };
    const pooled: Pooled = {
      link: openLink(target, { responseMax, onClose }),
      openedAt: performance.now(),
      idleSince: 0,
    };
    return pooled;
  };
  const takeOldestWaiting = () => {
    const [first] = waiting;
    if (first) waiting.delete(first);
    return first;
  };
  const isUsable = ({ openedAt }: Pooled, now: number) =>
    !isClosed && openedAt > retiredAt && now - openedAt < limits.ageMs;
  const take = (timeoutMs: number): Pooled | Promise<Pooled> => {
    const now = performance.now();
    for (let last = idle.pop(); last; last = idle.pop()) {
      if (isUsable(last, now) && now - last.idleSince < limits.idleMs) return last;
      last.link.destroy(new LinkLostError('Retired'));
    }
    if (open < max) return openPooled();
    const { promise, resolve, reject } = Promise.withResolvers<Pooled>();
    waiting.add(resolve);
    return deadlines.of(promise, timeoutMs, () => {
      waiting.delete(resolve);
      reject(new LinkTimeoutError(`No free connection within ${timeoutMs} ms`));
    });
  };
  const giveBack = (pooled: Pooled) => {
    if (!pooled.link.isOpen()) return;
    const now = performance.now();
    // Closing the connection also opens a new one for the oldest waiting request.
    if (!isUsable(pooled, now)) return pooled.link.destroy(new LinkLostError('Retired'));
    const waiter = takeOldestWaiting();
    if (waiter) return waiter(pooled);
    pooled.idleSince = now;
    idle.push(pooled);
  };
  const closeUnusable = () => {
    const now = performance.now();
    for (const pooled of [...idle])
      if (!isUsable(pooled, now) || now - pooled.idleSince >= limits.idleMs)
        pooled.link.destroy(new LinkLostError('Retired'));
  };
  const retireAll = () => {
    const now = performance.now();
    if (now - retiredAt < retireEveryMs) return;
    retiredAt = now;
    closeUnusable();
  };
  const sweep = setInterval(closeUnusable, sweepMs).unref();

  return {
    async send({ timeoutMs, ...request }) {
      const pooled = await take(timeoutMs);
      const late = () => pooled.link.destroy(new LinkTimeoutError(`No response within ${timeoutMs} ms`));
      try {
        const response = await deadlines.of(pooled.link.send(request), timeoutMs, late);
        if (response.headers.connection === 'close') retireAll();
        return response;
      } finally {
        giveBack(pooled);
      }
    },
    close() {
      isClosed = true;
      clearInterval(sweep);
      closeUnusable();
    },
  };
}
