// A local Pipedrive with the calls of its documentation that the connector makes.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Kind = 'organizations' | 'persons' | 'deals';
type Stored = Record<string, unknown> & { id: number };

const limitMax = 500;

/** Starts it, without objects. */
export async function startPipedrive() {
  const stored: Record<Kind, Map<number, Stored>> = { organizations: new Map(), persons: new Map(), deals: new Map() };
  const requests: { path: string; query: Record<string, string> }[] = [];
  const tokens = new Set<string>([randomUUID()]);
  let refusal: { times: number; status: number; headers?: Record<string, string> } | undefined;
  let replaced: { body: unknown } | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://localhost');
    const content = await text(request);
    const reply = (status: number, body: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    if (pathname === '/oauth/token') {
      const token = randomUUID();
      if (new URLSearchParams(content).get('code') !== 'good-code') return reply(400, { error: 'invalid_grant' });
      tokens.add(token);
      const more = { scope: 'base,contacts:read,deals:read', api_domain: 'https://acme.pipedrive.com' };
      return reply(200, {
        access_token: token,
        token_type: 'bearer',
        refresh_token: randomUUID(),
        expires_in: 3599,
        ...more,
      });
    }
    requests.push({ path: pathname, query: Object.fromEntries(searchParams) });
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return reply(401, { success: false, error: 'unauthorized access' });
    if (refusal && refusal.times > 0) {
      refusal.times--;
      return reply(refusal.status, { success: false, error: 'request over limit' }, refusal.headers);
    }
    if (pathname === '/v1/users/me')
      return reply(200, { success: true, data: { company_id: 1, company_name: 'Acme' } });
    const [, kind] = /^\/api\/v2\/(organizations|persons|deals)$/.exec(pathname) ?? [];
    if (!kind) return reply(404, { success: false, error: 'Unknown method' });
    if (replaced) {
      const { body } = replaced;
      replaced = undefined;
      return reply(200, body as object);
    }
    const page = listed([...stored[kind as Kind].values()], searchParams);
    return page ? reply(200, page) : reply(400, { success: false, error: 'Validation failed' });
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    token: [...tokens][0] as string,
    requests,
    /** Creates or changes an object, now unless it has a time. */
    put(kind: Kind, object: Stored) {
      stored[kind].set(object.id, { update_time: new Date().toISOString(), is_deleted: false, ...object });
    },
    refuse(next: NonNullable<typeof refusal>) {
      refusal = next;
    },
    /** Replaces the body of the next list. */
    answerWith(body: unknown) {
      replaced = { body };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** https://developers.pipedrive.com/docs/api/v1/Deals#getDeals; undefined for parameters that it refuses. */
function listed(objects: Stored[], query: URLSearchParams): object | undefined {
  const limit = Number(query.get('limit') ?? 100);
  const statuses = (query.get('status') ?? 'open,won,lost').split(',');
  const since = query.get('updated_since');
  const after = positionOf(query.get('cursor'));
  const isSorted = query.get('sort_by') === 'id' && query.get('sort_direction') === 'asc';
  const isTime = since === null || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(since);
  if (!(limit >= 1 && limit <= limitMax) || !isTime || !isSorted || after === undefined) return undefined;
  const found = objects
    .filter(
      ({ id, status = 'open', is_deleted }) => id > after && statuses.includes(is_deleted ? 'deleted' : String(status)),
    )
    .filter(({ update_time }) => since === null || Date.parse(String(update_time)) >= Date.parse(since))
    .sort((one, other) => one.id - other.id);
  const page = found.slice(0, limit);
  const isMore = found.length > limit;
  const next = isMore ? Buffer.from(JSON.stringify({ id: page.at(-1)?.id })).toString('base64url') : null;
  return { success: true, data: page, additional_data: { next_cursor: next } };
}

function positionOf(cursor: string | null): number | undefined {
  if (cursor === null) return 0;
  try {
    return Number((JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { id: number }).id);
  } catch {
    return undefined;
  }
}
