import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Caller } from '@tandem/caller';
import type { Operation } from '@tandem/contract';
import type { Lead } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { internalSearchEngine, type search, searches } from '@tandem/search-contract';
import {
  type TestReply,
  type TestRequest,
  type TestService,
  testService,
  type testSettings,
  until,
} from '@tandem/testing';
import type { z } from 'zod';
import { startOpenSearch } from './driver/opensearch/server.test-service.ts';
import { searchService } from './service.ts';
import { searchSettings } from './settings.ts';

const own = searchSettings.pick({ IDS_ALPHABET: true }).parse(process.env);
// Without a key no text is sent.
const embeddingOff = {
  AI_PROVIDER_API_KEY: '',
  AI_PROVIDER_BASE_URL: 'http://127.0.0.1:9',
  AI_PROVIDER_EMBEDDING_MODEL: '',
  AI_PROVIDER_EMBEDDING_DIMENSIONS: 64,
  AI_PROVIDER_EMBEDDING_TOKENS_PER_DAY: 1_000_000,
};
// Nobody listens on this port.
export const nobody = 'http://127.0.0.1:9';

export type Service = TestService<typeof search>;
export type Api = ReturnType<Service['as']>;

export const ids = createIdCodec(own.IDS_ALPHABET);

type Driver = 'PostgreSQL' | 'OpenSearch';

/** The drivers, all of which pass the tests of searches. */
export const drivers: [Driver][] = [['PostgreSQL'], ['OpenSearch']];

interface Peers {
  crmUrl?: string;
  identityUrl?: string;
  openSearchUrl?: string;
  /** Settings of another instance with the same database. */
  shared?: Parameters<typeof testService>[2];
}

/** Settings of search in a test: of others it knows these, and no provider. */
export const searchOf = (crmUrl: string, identityUrl: string) => ({
  ...own,
  ...embeddingOff,
  CRM_URL: crmUrl,
  PARTNER_URL: crmUrl,
  IDENTITY_URL: identityUrl,
  OPENSEARCH_URL: '',
  OPENSEARCH_USER: '',
  OPENSEARCH_PASSWORD: '',
});

/** search as a test has it. */
export function startSearch({ crmUrl = nobody, identityUrl = nobody, openSearchUrl = '', shared }: Peers = {}) {
  const define = (given: Awaited<ReturnType<typeof testSettings>>) =>
    searchService({ ...given, ...searchOf(crmUrl, identityUrl), OPENSEARCH_URL: openSearchUrl });
  return testService('search', define, shared);
}

/** search with one of the drivers. With OpenSearch, it answers the searches of every tenant. */
export async function startSearchWith(driver: Driver): Promise<Service> {
  if (driver === 'PostgreSQL') return startSearch();
  const server = await startOpenSearch();
  const service = await startSearch({ openSearchUrl: server.url });
  return {
    ...service,
    as: (caller) => answeredByOpenSearch(service, service.as(caller)),
    async close() {
      await service.close();
      await server.close();
    },
  };
}

const searchOperations = Object.keys(searches);

/** The same operations; each search waits until OpenSearch answers it and has all documents. */
function answeredByOpenSearch(service: Service, api: Api): Api {
  return new Proxy(api, {
    get(target, name: keyof Api) {
      const send = target[name];
      if (typeof send !== 'function' || !searchOperations.includes(name)) return send;
      return async (request?: TestRequest) => {
        await moveToOpenSearch(service, api.caller);
        return send(request);
      };
    },
  });
}

/** Lets OpenSearch answer the searches of a tenant, and waits until it has all documents. */
export async function moveToOpenSearch(service: Service, caller: Caller): Promise<void> {
  const { data } = await engineOf(service, caller);
  if (data.state === 'off')
    await engineOf(service, caller, internalSearchEngine.setSearchEngine, { engine: 'opensearch' });
  await until('OpenSearch answers and has all documents', async () => {
    const { data: now } = await engineOf(service, caller);
    return now.engine === 'opensearch' && now.waiting === 0;
  });
}

/** Sends an operator's request about the search engine of a tenant; by default it reads the current state. */
export function engineOf(
  service: Service,
  { tenantId, environment }: Caller,
  row: Operation = internalSearchEngine.getSearchEngine,
  body?: object,
): Promise<TestReply> {
  const caller: Caller = {
    type: 'system',
    name: 'admin',
    tenantId: tenantId as number,
    environment,
    permissions: [],
    requestId: 'test',
  };
  return service.send(row, body ? { body } : {}, caller);
}

/** Answers what search asks crm and partner, as they would: these leads for every tenant, and no other records. */
export async function crmPeer(leads: { record: z.input<typeof Lead>; isDeleted: boolean }[]) {
  const pageMax = 3;
  let held = Promise.resolve();
  let failure: number | undefined;
  const dismissed: object[] = [];
  const server = http.createServer(async (request, response) => {
    const body = (await json(request)) as { after?: string | null; ids?: string[] };
    await held;
    if (failure !== undefined && failure-- === 0) {
      failure = undefined;
      response.writeHead(500).end();
      return;
    }
    if (request.url?.endsWith('/dismissed-duplicates')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: dismissed }));
      return;
    }
    if (request.url?.endsWith('/partners/find')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [] }));
      return;
    }
    const exported = request.url?.includes('/leads/') ? leads : [];
    const data = request.url?.endsWith('/export')
      ? exported.filter(({ record }) => Number(record.id) > Number(body.after ?? 0)).slice(0, pageMax)
      : { ids: body.ids?.filter((id) => leads.some(({ record, isDeleted }) => record.id === id && !isDeleted)) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Leads with those that were declared to be other persons in crm. */
    dismissed,
    /** Lets requests wait until the function that it returns is called. */
    hold: () => {
      const gate = Promise.withResolvers<void>();
      held = gate.promise;
      return gate.resolve;
    },
    /** Lets one request fail, after so many others. */
    failAfter: (requests: number) => {
      failure = requests;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}

/** A tenant with these documents of its own: id → data. */
export async function aTenantWith(
  service: Service,
  documents: Record<string, object>,
  type: 'lead' | 'opportunity' | 'partner' = 'lead',
): Promise<Api> {
  const api = service.as();
  for (const [id, data] of Object.entries(documents)) {
    const { status, body } = await api.indexDocument({ body: { type, id, data } });
    if (status !== 200) throw new Error(`${id}: ${JSON.stringify(body)}`);
  }
  return api;
}

const bulkMax = 50;

/** Indexes many documents. Unlike those of `aTenantWith`, they are in no certain order. */
export async function indexAll(api: Api, documents: readonly { type: string; id: string; data: object }[]) {
  for (let at = 0; at < documents.length; at += bulkMax) {
    const { status, body } = await api.indexDocuments({ body: { documents: documents.slice(at, at + bulkMax) } });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
}

/** The ids of the leads that a search by words finds, in their order. */
export async function found(api: Api, q: string, query: Record<string, string> = {}): Promise<string[]> {
  const { status, data, body } = await api.searchLeads({ query: { q, mode: 'keyword', ...query } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return data.map(({ id }: { id: string }) => id);
}

/** An event about a record, as the service it belongs to sends one. */
export function anEvent(name: string, tenantId: number, record: object & { id: string }, data: object = {}) {
  const target = { type: name.split('.')[0], id: Number(record.id) };
  const caller = { type: 'key', userId: 1, keyId: 1, requestId: 'test' };
  const occurredAt = new Date().toISOString();
  return {
    id: randomUUID(),
    name,
    tenantId,
    environment: 'live',
    occurredAt,
    action: name,
    target,
    caller,
    data,
    record,
  };
}

/** A lead as crm's events carry it. */
export function aLeadRecord(
  tenantId: number,
  id: number,
  fields: Partial<z.input<typeof Lead>> = {},
): z.input<typeof Lead> {
  return {
    id: String(id),
    tenantId: String(tenantId),
    email: `lead${id}@example.com`,
    firstName: 'Ada',
    lastName: 'King',
    phone: null,
    source: 'web',
    status: 'new',
    statusCode: 'new',
    accountId: null,
    partnerId: null,
    timezone: null,
    consent: {},
    scorePinned: false,
    mergedIntoId: null,
    allowedTransitions: ['contacted'],
    score: 10,
    assignedTo: '7',
    teamId: null,
    customFields: {},
    tags: [],
    externalId: null,
    createdBy: '8',
    version: 1,
    convertedOpportunityId: null,
    referralCode: null,
    convertedAt: null,
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
    ...fields,
  };
}
