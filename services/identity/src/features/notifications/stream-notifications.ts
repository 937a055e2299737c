import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { encodeOnce, walkIds } from '@tandem/contract';
import { Notification, type notifications } from '@tandem/identity-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { fail } from '@tandem/service';
import type { Notification as NotificationRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { asNotification, isExpired, recipientOf, unreadOf } from './notification.ts';
import { leaseSeconds } from './stream-slots.ts';

// Shorter than the 30 s after which gateway and proxies close a connection without a byte.
const heartbeatMs = 15_000;
// How often a stream looks for changes by itself while Redis wakes it, and while it does not.
const pollMs = 15_000;
const pollWithoutRedisMs = 2_000;
const changesAtOnce = 100;
const retryMs = 3_000;

const replaceIds = compileRewriter(walkIds(Notification));

/**
 * Streams the notifications of the caller as server-sent events. The ids of events are positions in the user's feed, so
 * a client that reconnects gets what it missed from the database.
 */
export const streamNotifications =
  (tools: Tools): Handler<typeof notifications.streamNotifications> =>
  async ({ query, caller, tx }) => {
    const userId = recipientOf(caller);
    const tenantId = caller.tenantId as number;
    const feed = await tx.notificationFeed.findFirst({ where: { userId } });
    const latest = feed?.position ?? 0;
    const leave = await tools.streamSlots.enter(tenantId, userId);
    if (!leave) throw fail('too_many_streams', [], { retryAfter: leaseSeconds });
    // The response is read after this request has ended; its queries still need the scope of the caller.
    const inScope = AsyncLocalStorage.snapshot();
    const stop = new AbortController();
    const after = Math.min(query.lastEventId ?? latest, latest);
    const user = { tenantId, userId, stop: stop.signal, read: <T>(work: () => Promise<T>) => inScope(work) };
    const body = Readable.from(eventsOf(tools, tx, user, after), { objectMode: false, highWaterMark: 16 * 1024 });
    // Runs when the client disconnects. `close` would come up to 15 s later, after the current wait of the generator.
    const destroy = body._destroy;
    body._destroy = (error, callback) => {
      stop.abort();
      leave();
      destroy.call(body, error, callback);
    };
    return { body, type: 'text/event-stream; charset=utf-8' };
  };

interface StreamUser {
  tenantId: number;
  userId: number;
  stop: AbortSignal;
  /** Runs a query in the scope of the request. */
  read<T>(work: () => Promise<T>): Promise<T>;
}

/** The text of the stream. The next part is read when the client has taken the last one. */
async function* eventsOf({ feeds, ids }: Tools, tx: Tx, user: StreamUser, from: number): AsyncGenerator<string> {
  const { tenantId, userId, stop } = user;
  const wakeup = createWakeup(stop);
  const unlisten = feeds.listen(tenantId, userId, wakeup.wake);
  let after = from;
  let announced: number | undefined;
  try {
    yield `retry: ${retryMs}\n\n`;
    while (!stop.aborted) {
      const { rows, unread } = await user.read(() => readChanges(tx, userId, after));
      after = rows.at(-1)?.position ?? after;
      const shown = rows.filter((row) => !isExpired(row)).map((row) => changeEvent(row, tenantId, ids));
      if (announced !== unread) shown.push(event('unread', after, { unread }));
      announced = unread;
      if (shown.length) yield shown.join('');
      if (rows.length === changesAtOnce) continue;
      const isWoken = await wakeup.within(feeds.isConnected() ? Math.min(pollMs, heartbeatMs) : pollWithoutRedisMs);
      if (!isWoken && !stop.aborted) yield ': still here\n\n';
    }
  } finally {
    unlisten();
  }
}

async function readChanges(
  tx: Tx,
  userId: number,
  after: number,
): Promise<{ rows: NotificationRow[]; unread: number }> {
  const rows = await tx.notification.findMany({
    where: { userId, position: { gt: after } },
    orderBy: { position: 'asc' },
    take: changesAtOnce,
  });
  return { rows, unread: await tx.notification.count({ where: unreadOf(userId) }) };
}

function changeEvent(row: NotificationRow, tenantId: number, ids: IdCodec): string {
  const shown = structuredClone(encodeOnce(Notification, asNotification(row)));
  // The gateway passes a stream on unread, so its ids are encoded here.
  replaceIds(shown, (type, value) => ids.encode(type, tenantId, Number(value)));
  return event('notification', row.position as number, shown);
}

function event(name: string, id: number, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A wait that ends on a wake-up, also on one that came before the wait. */
function createWakeup(stop: AbortSignal) {
  let isPending = false;
  let resume = () => {};
  const wake = () => {
    isPending = true;
    resume();
  };
  stop.addEventListener('abort', () => resume(), { once: true });
  return {
    wake,
    /** Resolves to whether it was woken within this time. */
    async within(ms: number): Promise<boolean> {
      if (!isPending && !stop.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        resume = resolve;
        const timer = setTimeout(resolve, ms);
        await promise;
        clearTimeout(timer);
        resume = () => {};
      }
      const wasWoken = isPending;
      isPending = false;
      return wasWoken;
    },
  };
}
