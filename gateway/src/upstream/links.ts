import { createDeadlines } from '../deadlines.ts';
import { type Link, LinkLost, type LinkReply, type LinkRequest, LinkTimeout, openLink } from './link.ts';

/** Connections to one service. */
export interface Links {
  /**
   * Sends over a free connection, or waits for one.
   * @throws LinkLost, LinkTimeout, TooLarge, BadAnswer
   */
  send(request: LinkRequest & { timeoutMs: number }): Promise<LinkReply>;
  close(): void;
}

interface Idle {
  link: Link;
  since: number;
}

const idleMs = 60_000;
const sweepMs = 10_000;
const deadlineTickMs = 100;

/**
 * Keeps up to `max` connections to a service. The one that was used last is used first, so that what is not needed grows
 * old and is closed, before the service would close it (70 s, packages/service).
 */
export function createLinks(origin: string, { max, replyMax }: { max: number; replyMax: number }): Links {
  const { hostname, port, protocol } = new URL(origin);
  if (protocol !== 'http:') throw new Error(`${origin}: services are reached by http`);
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), replyMax };
  const idle: Idle[] = [];
  const waiting = new Set<(link: Link) => void>();
  const deadlines = createDeadlines(deadlineTickMs);
  let open = 0;
  let isClosed = false;

  const newLink = (): Link => {
    open++;
    const link: Link = openLink({
      ...place,
      onClose() {
        open--;
        const at = idle.findIndex((one) => one.link === link);
        if (at >= 0) idle.splice(at, 1);
        if (waiting.size && open < max) next()?.(newLink());
      },
    });
    return link;
  };
  /** Whoever waits longest. */
  const next = () => {
    const [first] = waiting;
    if (first) waiting.delete(first);
    return first;
  };
  const take = (timeoutMs: number): Link | Promise<Link> => {
    const last = idle.pop();
    if (last) return last.link;
    if (open < max) return newLink();
    const { promise, resolve, reject } = Promise.withResolvers<Link>();
    waiting.add(resolve);
    return deadlines.of(promise, timeoutMs, () => {
      waiting.delete(resolve);
      reject(new LinkTimeout(`No free connection within ${timeoutMs} ms`));
    });
  };
  const giveBack = (link: Link) => {
    if (!link.isOpen()) return;
    const waiter = next();
    if (waiter) waiter(link);
    else if (isClosed) link.destroy(new LinkLost('The gateway ends'));
    else idle.push({ link, since: Date.now() });
  };
  const sweep = setInterval(() => {
    const before = Date.now() - idleMs;
    for (const { link, since } of [...idle]) if (since < before) link.destroy(new LinkLost('Not needed'));
  }, sweepMs);
  sweep.unref();

  return {
    async send({ timeoutMs, ...request }) {
      const link = await take(timeoutMs);
      const late = () => link.destroy(new LinkTimeout(`No answer within ${timeoutMs} ms`));
      try {
        return await deadlines.of(link.send(request), timeoutMs, late);
      } finally {
        giveBack(link);
      }
    },
    close() {
      isClosed = true;
      clearInterval(sweep);
      deadlines.close();
      for (const { link } of [...idle]) link.destroy(new LinkLost('The gateway ends'));
    },
  };
}
