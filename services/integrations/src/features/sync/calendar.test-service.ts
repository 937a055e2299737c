// Stub of crm: keeps calendar events, and makes an occurrence of a series that is changed an event of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callerHeader, createCallerSigner } from '@tandem/caller';

export type StoredEvent = Record<string, unknown> & { id: string; version: number; status: string };

const now = new Date().toISOString();
const defaults = {
  ...{ tenantId: '1', description: null, timezone: 'UTC', allDay: false, status: 'scheduled', allowedTransitions: [] },
  ...{ location: null, joinUrl: null, visibility: 'default', leadId: null, opportunityId: null, organizerId: null },
  ...{ attendees: [], recurrence: null, recurringEventId: null, originalStartAt: null, createdBy: null },
  ...{ createdAt: now, updatedAt: now },
};

/** Starts it. */
export async function startCalendarPeer() {
  const events = new Map<string, StoredEvent>();
  const writes: string[] = [];
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);

  const put = (id: string, fields: object): StoredEvent => {
    const known = events.get(id);
    const stored = { ...defaults, ...known, ...fields, id, version: (known?.version ?? 0) + 1 } as StoredEvent;
    events.set(id, stored);
    return stored;
  };
  const nextId = () => String(events.size + 1);
  /** The event that a change is about: an occurrence of a series becomes an event of its own. */
  const targetOf = (event: StoredEvent, originalStartAt: string | null): string => {
    if (originalStartAt === null) return event.id;
    const isSame = (one: StoredEvent) =>
      one['recurringEventId'] === event.id && one['originalStartAt'] === originalStartAt;
    const existing = [...events.values()].find(isSame);
    const own = { recurrence: null, recurringEventId: event.id, originalStartAt, startAt: originalStartAt };
    return existing?.id ?? put(nextId(), { ...event, version: undefined, ...own }).id;
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url as string, 'http://localhost');
    const [method, path] = [request.method as string, url.pathname];
    signer.verify(request.headers[callerHeader] as string, method, path);
    const body = JSON.parse((await text(request)) || '{}');
    const [, id, verb] = /^\/v1\/calendar\/events(?:\/(\d+))?(?:\/(\w+))?$/.exec(path) ?? [];
    const reply = (status: number, content: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    if (path === '/internal/leads/find-by-email') return reply(200, { success: true, data: [] });
    if (method !== 'GET') writes.push(`${method} ${path}`);
    const event = events.get(id ?? '');
    if (id !== undefined && !event) return reply(404, { success: false, code: 'not_found' });
    if (method === 'GET') return reply(200, { success: true, data: event });
    if (!event) return reply(201, { success: true, data: put(nextId(), body) });
    const target = targetOf(event, url.searchParams.get('originalStartAt'));
    const data = put(target, verb === 'cancel' ? { status: 'cancelled' } : body);
    return reply(200, { success: true, data });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    writes,
    /** A user creates an event, or changes some fields of one. */
    edit: (id: string, fields: object) => put(id, fields),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
