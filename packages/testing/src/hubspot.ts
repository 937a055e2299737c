// A local HubSpot with the calls of its documentation that the connector makes: OAuth, lists, searches and associations.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type HubspotObjects = 'companies' | 'contacts' | 'deals';

/** An object as HubSpot stores it. Its properties are texts; a test can store others, as a hostile system would. */
export interface HubspotObject {
  id: string;
  properties: Record<string, unknown>;
  /** Ids of associated objects, the primary one first. */
  associations?: Partial<Record<HubspotObjects, string[]>>;
  updatedAt?: string;
  archivedAt?: string;
}

/** A refusal of the next requests. */
interface Refusal {
  times: number;
  status: number;
  headers?: Record<string, string>;
  body?: object;
}

export interface Hubspot {
  url: string;
  /** The settings of integrations that connect to it. */
  settings: Record<'OAUTH_HUBSPOT_CLIENT_ID' | 'OAUTH_HUBSPOT_CLIENT_SECRET' | 'OAUTH_HUBSPOT_URL', string>;
  /** An access token that it accepts. */
  token: string;
  /** Lines such as `GET /crm/v3/objects/contacts`, with their bodies. */
  requests: { line: string; query: Record<string, string>; body: Record<string, unknown> }[];
  /** Creates or changes an object, now unless it names a time. */
  put(kind: HubspotObjects, object: HubspotObject): void;
  /** Moves an object to the recycle bin. */
  archive(kind: HubspotObjects, id: string): void;
  refuse(refusal: Refusal): void;
  /** Replaces the body of the next list or search. */
  answerWith(body: unknown): void;
  /** Waits before each response to a list or a search until the promise resolves. */
  hold(until: Promise<void> | undefined): void;
  close(): Promise<void>;
}

const resultsMax = 10_000;
const listMax = 100;
const searchMax = 200;
const changed: Record<HubspotObjects, string> = {
  companies: 'hs_lastmodifieddate',
  contacts: 'lastmodifieddate',
  deals: 'hs_lastmodifieddate',
};
/** The types of unlabeled and primary associations with companies. */
const primary = { contacts: 1, deals: 5 } as Record<string, number>;
const unlabeled = { contacts: 279, deals: 341 } as Record<string, number>;

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Starts it, without objects. */
export async function startHubspot(): Promise<Hubspot> {
  const stored: Record<HubspotObjects, Map<string, HubspotObject>> = {
    companies: new Map(),
    contacts: new Map(),
    deals: new Map(),
  };
  const requests: Hubspot['requests'] = [];
  const tokens = new Set<string>([randomUUID()]);
  const refreshTokens = new Set<string>();
  let refusal: Refusal | undefined;
  let replaced: { body: unknown } | undefined;
  let held: Promise<void> | undefined;

  const issue = (form: URLSearchParams) => {
    const isFirst = form.get('grant_type') === 'authorization_code' && form.get('code') === 'good-code';
    if (!isFirst && !refreshTokens.has(form.get('refresh_token') ?? '')) throw new Refused(400, 'BAD_REFRESH_TOKEN');
    const issued = { access_token: randomUUID(), refresh_token: form.get('refresh_token') ?? randomUUID() };
    tokens.add(issued.access_token);
    refreshTokens.add(issued.refresh_token);
    return { token_type: 'bearer', expires_in: 1800, ...issued };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://localhost');
    const content = await text(request);
    const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(status === 204 ? '' : JSON.stringify(body));
    };
    if (pathname === '/oauth/v1/token') return reply(200, issue(new URLSearchParams(content)));
    if (pathname.startsWith('/oauth/v1/refresh-tokens/')) return reply(204, null);
    const body = content ? (JSON.parse(content) as Record<string, unknown>) : {};
    requests.push({ line: `${request.method} ${pathname}`, query: Object.fromEntries(searchParams), body });
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return reply(401, { status: 'error', category: 'INVALID_AUTHENTICATION', message: 'The token is invalid' });
    if (refusal && refusal.times > 0) {
      refusal.times--;
      return reply(refusal.status, refusal.body ?? { status: 'error' }, refusal.headers);
    }
    if (pathname === '/account-info/v3/details') return reply(200, { portalId: 62515, uiDomain: 'app.hubspot.com' });
    await held;
    const data = replaced
      ? replaced.body
      : dataOf(stored, { method: request.method as string, pathname, searchParams, body });
    replaced = undefined;
    return reply(200, data);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const status = error instanceof Refused ? error.status : 500;
      const message = error instanceof Error ? error.message : '';
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: message, message, category: 'VALIDATION_ERROR' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    settings: {
      OAUTH_HUBSPOT_CLIENT_ID: 'tandem',
      OAUTH_HUBSPOT_CLIENT_SECRET: 'ThisIsOnlyTheSecretOfATest',
      OAUTH_HUBSPOT_URL: url,
    },
    token: [...tokens][0] as string,
    requests,
    put(kind, object) {
      const updatedAt = object.updatedAt ?? new Date().toISOString();
      const properties = { hs_object_id: object.id, [changed[kind]]: updatedAt, ...object.properties };
      stored[kind].set(object.id, { ...object, updatedAt, properties });
    },
    archive(kind, id) {
      const object = stored[kind].get(id) as HubspotObject;
      stored[kind].set(id, { ...object, archivedAt: new Date().toISOString() });
    },
    refuse: (next) => {
      refusal = next;
    },
    answerWith: (body) => {
      replaced = { body };
    },
    hold: (until) => {
      held = until;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Asked {
  method: string;
  pathname: string;
  searchParams: URLSearchParams;
  body: Record<string, unknown>;
}

function dataOf(
  stored: Record<HubspotObjects, Map<string, HubspotObject>>,
  { method, pathname, searchParams, body }: Asked,
) {
  const [, from, to] = /^\/crm\/v4\/associations\/(\w+)\/(\w+)\/batch\/read$/.exec(pathname) ?? [];
  if (from && to) return associationsOf(stored[from as HubspotObjects], { from, to: to as HubspotObjects, body });
  const [, kind, isSearch] = /^\/crm\/v3\/objects\/(companies|contacts|deals)(\/search)?$/.exec(pathname) ?? [];
  if (!kind) throw new Refused(404, 'Not found');
  const objects = [...stored[kind as HubspotObjects].values()].sort((one, other) => Number(one.id) - Number(other.id));
  return isSearch && method === 'POST'
    ? searched(objects, body)
    : listed(objects, searchParams, kind as HubspotObjects);
}

/** https://developers.hubspot.com/docs/api-reference/crm-objects-v3/basic/get-crm-v3-objects-objectType */
function listed(objects: HubspotObject[], query: URLSearchParams, kind: HubspotObjects) {
  const limit = limitOf(query.get('limit') ?? '10', listMax);
  const isArchived = query.get('archived') === 'true';
  const after = Number(query.get('after') ?? 0);
  const found = objects.filter(({ id, archivedAt }) => Boolean(archivedAt) === isArchived && Number(id) > after);
  const page = found.slice(0, limit);
  const names = (query.get('properties') ?? '').split(',');
  const linked = (query.get('associations') ?? '').split(',').filter(Boolean) as HubspotObjects[];
  const results = page.map((object) => ({
    ...shown(object, names),
    ...(linked.length && { associations: linksOf(object, linked, kind) }),
  }));
  return { results, ...(found.length > limit && { paging: { next: { after: page.at(-1)?.id } } }) };
}

function linksOf({ associations = {} }: HubspotObject, linked: HubspotObjects[], kind: HubspotObjects) {
  const from = kind === 'contacts' ? 'contact' : 'deal';
  const entries = linked.flatMap((to) => {
    const ids = associations[to] ?? [];
    const type = to === 'companies' ? `${from}_to_company` : `${from}_to_contact`;
    // The primary company has two types, and HubSpot returns them in any order.
    const others = ids.map((id) => ({ id, type: `${type}_unlabeled` })).reverse();
    const results =
      to === 'companies'
        ? [...others, ...ids.slice(0, 1).map((id) => ({ id, type }))]
        : ids.map((id) => ({ id, type }));
    return ids.length ? [[to, { results }]] : [];
  });
  return Object.fromEntries(entries);
}

interface Filter {
  propertyName: string;
  operator: string;
  value: string;
}

/** https://developers.hubspot.com/docs/api-reference/search/guide */
function searched(objects: HubspotObject[], body: Record<string, unknown>) {
  const {
    filterGroups = [],
    sorts = [],
    properties = [],
  } = body as {
    filterGroups?: { filters: Filter[] }[];
    sorts?: { propertyName: string; direction: string }[];
    properties?: string[];
  };
  if (sorts.length > 1) throw new Refused(400, 'Only one sort is supported');
  const limit = limitOf(String(body['limit'] ?? 10), searchMax);
  const after = Number(body['after'] ?? 0);
  if (after + limit > resultsMax) throw new Refused(400, 'Paging through more than 10,000 results is not supported');
  const found = objects.filter(
    (object) => !object.archivedAt && filterGroups.some(({ filters }) => filters.every((one) => meets(object, one))),
  );
  const [sort] = sorts;
  if (sort) found.sort((one, other) => sizeOf(one, sort.propertyName) - sizeOf(other, sort.propertyName));
  if (sort?.direction === 'DESCENDING') found.reverse();
  const results = found.slice(after, after + limit).map((object) => shown(object, properties));
  const isMore = found.length > after + limit;
  return { total: found.length, results, ...(isMore && { paging: { next: { after: String(after + limit) } } }) };
}

function meets(object: HubspotObject, { propertyName, operator, value }: Filter): boolean {
  const [found, wanted] = [sizeOf(object, propertyName), Number(value)];
  if (operator === 'GT') return found > wanted;
  if (operator === 'GTE') return found >= wanted;
  throw new Refused(400, `Unknown operator ${operator}`);
}

function sizeOf({ properties }: HubspotObject, name: string): number {
  const value = properties[name];
  const number = Number(value);
  return Number.isNaN(number) ? Date.parse(String(value)) : number;
}

function limitOf(value: string, max: number): number {
  const limit = Number(value);
  if (!(limit >= 1 && limit <= max)) throw new Refused(400, `The limit must be from 1 to ${max}`);
  return limit;
}

function shown({ id, properties, updatedAt, archivedAt }: HubspotObject, names: string[]) {
  const wanted = [...new Set(['hs_object_id', ...names])].filter(Boolean);
  return {
    id,
    properties: Object.fromEntries(wanted.map((name) => [name, properties[name] ?? null])),
    createdAt: '2025-01-01T00:00:00.000Z',
    updatedAt,
    archived: archivedAt !== undefined,
    ...(archivedAt !== undefined && { archivedAt }),
  };
}

/** https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide */
function associationsOf(
  objects: Map<string, HubspotObject>,
  { from, to, body }: { from: string; to: HubspotObjects; body: Record<string, unknown> },
) {
  const { inputs } = body as { inputs: { id: string }[] };
  const type = (typeId: number) => ({ category: 'HUBSPOT_DEFINED', typeId, label: null });
  const results = inputs.flatMap(({ id }) => {
    const ids = objects.get(id)?.associations?.[to] ?? [];
    const links = ids.map((toObjectId, index) => {
      if (to !== 'companies') return { toObjectId, associationTypes: [type(3)] };
      const associationTypes = [type(unlabeled[from] as number), ...(index ? [] : [type(primary[from] as number)])];
      return { toObjectId, associationTypes };
    });
    return ids.length ? [{ from: { id }, to: links.reverse() }] : [];
  });
  return { status: 'COMPLETE', results };
}
