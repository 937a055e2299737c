import { internalSearchEngine } from '@tandem/search-contract';
import { testSettings, until } from '@tandem/testing';
import { createOpenSearch } from '../../driver/opensearch/client.ts';
import { type OpenSearchServer, startOpenSearch } from '../../driver/opensearch/server.test-service.ts';
import {
  type Api,
  aTenantWith,
  crmPeer,
  engineOf,
  found,
  indexAll,
  moveToOpenSearch,
  type Service,
  startSearch,
} from '../../search.test-service.ts';
import { removeFromServer } from './remove-tenant.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace' };
const grace = { firstName: 'Grace', lastName: 'Hopper' };

let server: OpenSearchServer;
let service: Service;
beforeAll(async () => {
  server = await startOpenSearch();
  service = await startSearch({ openSearchUrl: server.url });
});
afterEach(() => server.recover());
afterAll(async () => {
  await service?.close();
  await server?.close();
});

const searchesAsked = () => server.requests.filter((one) => one.endsWith('/_search')).length;
const sent = (api: Api) =>
  [...server.documents().values()].filter(({ source }) => source['tenant'] === String(api.caller.tenantId));
const settled = (api: Api) =>
  until('all changes are sent', async () => (await engineOf(service, api.caller)).data.waiting === 0);
const choose = (api: Api, engine: string) =>
  engineOf(service, api.caller, internalSearchEngine.setSearchEngine, { engine });

describe('an operator', () => {
  it('moves the searches of a tenant to OpenSearch and back, and no search misses a document', async () => {
    const api = await aTenantWith(service, { a: ada, b: grace });
    const before = searchesAsked();
    expect(await found(api, 'ada')).toEqual(['a']);
    expect(searchesAsked()).toBe(before);

    expect((await choose(api, 'opensearch')).data).toMatchObject({ engine: 'postgres', state: 'filling' });
    expect(await found(api, 'ada')).toEqual(['a']);
    await moveToOpenSearch(service, api.caller);
    expect(await found(api, 'ada')).toEqual(['a']);
    expect(searchesAsked()).toBeGreaterThan(before);
    expect(sent(api)).toHaveLength(2);

    expect((await choose(api, 'postgres')).data).toMatchObject({ engine: 'postgres', state: 'leaving' });
    expect(await found(api, 'grace')).toEqual(['b']);
    await until('the server has none of its documents', () => sent(api).length === 0);
    await until('the tenant has left', async () => (await engineOf(service, api.caller)).data.state === 'off');

    await moveToOpenSearch(service, api.caller);
    expect(sent(api)).toHaveLength(2);
  });

  it('changes the engine again while documents are sent or removed', async () => {
    const api = await aTenantWith(service, { a: ada });
    await choose(api, 'opensearch');
    await choose(api, 'postgres');
    await choose(api, 'opensearch');
    await moveToOpenSearch(service, api.caller);
    expect([await found(api, 'ada'), sent(api).length]).toEqual([['a'], 1]);
  });

  it('is told that the deployment has no server', async () => {
    const without = await startSearch();
    try {
      const refused = await engineOf(without, without.as().caller, internalSearchEngine.setSearchEngine, {
        engine: 'opensearch',
      });
      expect([refused.status, refused.body.code]).toEqual([409, 'search_engine_missing']);
    } finally {
      await without.close();
    }
  });
});

describe('a tenant with OpenSearch', () => {
  let api: Api;
  beforeEach(async () => {
    api = await aTenantWith(service, { a: ada, b: grace });
    await moveToOpenSearch(service, api.caller);
  });

  it('finds what was changed and not what was changed away, also the second time', async () => {
    for (const lastName of ['Byron', 'King']) {
      await api.indexDocument({ body: { type: 'lead', id: 'a', data: { ...ada, lastName } } });
      await settled(api);
      expect(await found(api, lastName)).toEqual(['a']);
    }
    expect(await found(api, 'byron', { typo: 'off' })).toEqual([]);
    await api.removeDocument({ params: { type: 'lead', id: 'a' } });
    await settled(api);
    expect([await found(api, 'ada'), sent(api).map(({ source }) => source['tenant'])]).toEqual([
      [],
      [String(api.caller.tenantId)],
    ]);
  });

  it('does not find a removed document that the server still has', async () => {
    server.failOn(/_bulk/, 503);
    await api.removeDocument({ params: { type: 'lead', id: 'a' } });
    expect(sent(api)).toHaveLength(2);
    expect(await found(api, 'ada')).toEqual([]);
    server.recover();
    await until('the server has removed it', () => sent(api).length === 1);
  });

  it('does not find a document of another tenant, whatever the server says', async () => {
    const other = await aTenantWith(service, { theirs: { firstName: 'Ada', lastName: 'Foreign' } });
    await moveToOpenSearch(service, other.caller);
    const [foreign] = sent(other);
    if (!foreign) throw new Error('The document was not sent');
    Object.assign(foreign, { routing: String(api.caller.tenantId) });
    foreign.source['tenant'] = String(api.caller.tenantId);
    expect(await found(api, 'ada')).toEqual(['a']);
    expect(await found(api, 'ada', { mode: 'hybrid', sort: 'name' })).toEqual(['a']);
  });

  it('has the documents of each environment apart', async () => {
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    await sandbox.indexDocument({ body: { type: 'lead', id: 's', data: ada } });
    expect((await engineOf(service, sandbox.caller)).data.state).toBe('off');
    await moveToOpenSearch(service, sandbox.caller);
    expect([await found(sandbox, 'ada'), await found(api, 'ada')]).toEqual([['s'], ['a']]);
  });

  it.each([['silent'], [500], [429]] as const)(
    'is answered by PostgreSQL when the server answers %s',
    async (failure) => {
      await until('the server is asked again', async () => {
        const before = searchesAsked();
        await found(api, 'ada');
        return searchesAsked() > before;
      });
      server.failOn(/_search/, failure);
      expect(await found(api, 'ada')).toEqual(['a']);
      expect(
        (await api.searchLeads({ query: { q: 'ada', facets: 'status', sort: 'name', explain: 'true' } })).status,
      ).toBe(200);
      const { status } = await api.searchDocuments({ params: { type: 'leads' }, body: { q: 'ada' } });
      expect(status).toBe(200);
    },
  );

  it('loses no document of which the server refuses some or all', async () => {
    server.failOn(/_bulk/, 503, 1);
    server.failOn(/_bulk/, { items: 1 }, 1);
    await api.indexDocuments({
      body: { documents: [1, 2, 3].map((n) => ({ type: 'lead', id: `n${n}`, data: { name: `Katherine ${n}` } })) },
    });
    await settled(api);
    expect((await found(api, 'katherine')).toSorted()).toEqual(['n1', 'n2', 'n3']);
  });

  it('goes on after a document that the server has in a newer version', async () => {
    const [known] = sent(api);
    if (!known) throw new Error('No document was sent');
    known.version = 10 ** 12;
    for (const id of ['a', 'b', 'c']) await api.indexDocument({ body: { type: 'lead', id, data: { name: 'Mary' } } });
    await settled(api);
    expect(await found(api, 'mary')).toContain('c');
  });

  it('gets every document again when their numbers differ', async () => {
    const [first] = sent(api);
    server.documents().delete(first?.id ?? '');
    for (const key of [999_998, 999_999]) {
      const source = { ...sent(api)[0]?.source, key, version: 1 };
      server.documents().set(`${key}`, { id: `${key}`, routing: String(api.caller.tenantId), version: 1, source });
    }
    await service.sqlWithin(api.caller, `UPDATE search_engine SET filled_at = now() - interval '25 hours'`);
    await until('the documents are those of PostgreSQL', () => {
      const ids = sent(api).map(({ id }) => id);
      return ids.length === 2 && ids.includes(first?.id ?? '');
    });
    expect((await found(api, 'ada')).concat(await found(api, 'grace'))).toEqual(['a', 'b']);
  });
});

it('a new index answers when OpenSearch has all of it, and until then the one before', async () => {
  const peer = await crmPeer([]);
  const own = await startSearch({ openSearchUrl: server.url, crmUrl: peer.url });
  try {
    const api = await aTenantWith(own, { a: ada, b: grace });
    await moveToOpenSearch(own, api.caller);
    server.failOn(/_bulk/, 503);
    const { data } = await api.reindex({ body: { types: ['lead'] } });
    const state = `SELECT step, (SELECT due_at > now() FROM platform.job WHERE name = 'build-index') AS waits FROM index_generation`;
    await until('the index is complete and waits', async () => {
      const [row] = await own.sqlWithin(api.caller, state);
      return row?.['step'] === 'done' && row['waits'] === true;
    });
    expect(await found(api, 'ada')).toEqual(['a']);
    server.recover();
    await own.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'send-documents'`);
    await until('the new index answers', async () => {
      return (await api.getReindex({ params: { jobId: data.jobId } })).data.status === 'completed';
    });
    const before = searchesAsked();
    expect([await found(api, 'ada'), await found(api, 'grace')]).toEqual([['a'], ['b']]);
    expect(searchesAsked()).toBeGreaterThan(before);
  } finally {
    await own.close();
    await peer.close();
  }
});

it('a service that is stopped while it sends documents goes on after its start', async () => {
  const { drop, ...settings } = await testSettings('search');
  const kept = { ...settings, drop: async () => {} };
  const start = () => startSearch({ openSearchUrl: server.url, shared: kept });
  const first = await start();
  const api = first.as();
  const documents = Array.from({ length: 250 }, (_, n) => ({
    type: 'lead',
    id: `d${n}`,
    data: { name: 'Dorothy', n },
  }));
  await indexAll(api, documents);
  server.failOn(/_bulk/, 'silent');
  await engineOf(first, api.caller, internalSearchEngine.setSearchEngine, { engine: 'opensearch' });
  await until('the first documents are being sent', () => server.requests.at(-1)?.endsWith('/_bulk') ?? false);
  server.recover();
  await first.close();
  const second = await start();
  try {
    await moveToOpenSearch(second, api.caller);
    const again = second.as({ tenantId: api.caller.tenantId as number });
    const { body } = await again.searchLeads({ query: { q: 'dorothy', mode: 'keyword' } });
    expect(body.pagination?.total).toBe(250);
  } finally {
    await second.close();
    await drop();
  }
});

it('a deleted tenant leaves no document on the server', async () => {
  const api = await aTenantWith(service, { a: ada });
  const other = await aTenantWith(service, { a: ada });
  await moveToOpenSearch(service, api.caller);
  await moveToOpenSearch(service, other.caller);
  const index = server.requests.find((one) => one.startsWith('HEAD /'))?.slice('HEAD /'.length) ?? '';
  const client = createOpenSearch({ url: server.url, index });
  await removeFromServer(client)(api.caller.tenantId as number);
  await client.close();
  expect([sent(api).length, sent(other).length]).toEqual([0, 1]);
});
