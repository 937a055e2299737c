// A local Gmail API with one mailbox: https://developers.google.com/workspace/gmail/api/reference/rest
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StoredMessage {
  id: string;
  threadId: string;
  labelIds: string[];
  internalDate: string;
  headers: { name: string; value: string }[];
}
type Reply = { status?: number; body?: unknown };

const prefix = '/gmail/v1/users/me';

/** Starts the API. It answers with 401 unless the token is `valid`. */
export async function startGmail() {
  const messages: StoredMessage[] = [];
  const history: { id: number; message: StoredMessage }[] = [];
  const requests: URL[] = [];
  let historyId = 1_000;
  let oldestHistoryId = 0;
  let busy = 0;
  let mostAtOnce = 0;
  /** Replies to the next requests for a path instead of the usual ones. */
  const scripted = new Map<string, Reply[]>();

  const failure = (status: number, reason: string): Reply => ({
    status,
    body: { error: { code: status, message: reason, errors: [{ domain: 'usageLimits', reason, message: reason }] } },
  });

  function listMessages(query: URLSearchParams): Reply {
    // Several labels return messages that have all of them; the newest come first.
    const labels = query.getAll('labelIds');
    const found = messages.filter(({ labelIds }) => labels.every((label) => labelIds.includes(label))).toReversed();
    const { items, nextPageToken } = pageOf(found, query);
    return { body: { messages: items.map(({ id, threadId }) => ({ id, threadId })), nextPageToken } };
  }

  function listHistory(query: URLSearchParams): Reply {
    const start = Number(query.get('startHistoryId'));
    if (!start || start < oldestHistoryId) return failure(404, 'notFound');
    if (query.get('historyTypes') !== 'messageAdded') return failure(400, 'invalidArgument');
    const label = query.get('labelId');
    const found = history.filter(({ id, message }) => id > start && (!label || message.labelIds.includes(label)));
    const { items, nextPageToken } = pageOf(found, query);
    const entries = items.map(({ id, message }) => {
      const { id: messageId, threadId, labelIds } = message;
      const own = { id: messageId, threadId };
      return { id: String(id), messages: [own], messagesAdded: [{ message: { ...own, labelIds } }] };
    });
    return { body: { ...(entries.length && { history: entries }), historyId: String(historyId), nextPageToken } };
  }

  function getMessage(id: string, query: URLSearchParams): Reply {
    const found = messages.find((message) => message.id === id);
    if (!found) return failure(404, 'notFound');
    // The scope gmail.metadata permits no other format than these.
    if (query.get('format') !== 'metadata') return failure(403, 'forbidden');
    const names = query.getAll('metadataHeaders').map((name) => name.toLowerCase());
    const headers = found.headers.filter(({ name }) => names.includes(name.toLowerCase()));
    return { body: { ...found, headers: undefined, payload: { headers } } };
  }

  function answer(url: URL): Reply {
    const path = url.pathname.slice(prefix.length);
    const next = scripted.get(path)?.shift();
    if (next) return next;
    if (path === '/profile') return { body: { emailAddress: 'ada@example.com', historyId: String(historyId) } };
    if (path === '/messages') return listMessages(url.searchParams);
    if (path === '/history') return listHistory(url.searchParams);
    return getMessage(path.slice('/messages/'.length), url.searchParams);
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url as string, 'http://localhost');
    requests.push(url);
    mostAtOnce = Math.max(mostAtOnce, ++busy);
    // Requests that arrive together are answered together.
    await new Promise(setImmediate);
    busy -= 1;
    const isValid = request.headers.authorization === 'Bearer valid';
    const { status = 200, body } = isValid ? answer(url) : failure(401, 'authError');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** The most requests that were in progress at the same time. */
    mostAtOnce: () => mostAtOnce,
    /** Delivers a message; returns its id. */
    deliver(headers: Record<string, string>, { labelIds = ['INBOX'], at = new Date() } = {}): string {
      const id = `m${messages.length + 1}`;
      const message = {
        id,
        threadId: `t${id}`,
        labelIds,
        internalDate: String(at.getTime()),
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      };
      messages.push(message);
      history.push({ id: ++historyId, message });
      return id;
    },
    remove(id: string) {
      messages.splice(
        messages.findIndex((message) => message.id === id),
        1,
      );
    },
    /** Forgets the history so far, as Google does after a week or more. */
    forgetHistory() {
      oldestHistoryId = historyId + 1;
    },
    reply: (path: string, ...replies: Reply[]) => void scripted.set(path, replies),
    failure,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of a list, whose tokens are positions. */
function pageOf<Item>(all: Item[], query: URLSearchParams): { items: Item[]; nextPageToken: string | undefined } {
  const max = Math.min(Number(query.get('maxResults') ?? 100), 500);
  const from = Number(query.get('pageToken') ?? 0);
  return {
    items: all.slice(from, from + max),
    nextPageToken: from + max < all.length ? String(from + max) : undefined,
  };
}
