import { type Api, found, indexAll, moveToOpenSearch, type Service, startSearch } from '../../search.test-service.ts';
import { type OpenSearchServer, startOpenSearch } from './server.test-service.ts';

let server: OpenSearchServer;
let service: Service;
let api: Api;
beforeAll(async () => {
  server = await startOpenSearch();
  service = await startSearch({ openSearchUrl: server.url });
  api = service.as();
  const documents = Array.from({ length: 230 }, (_, n) => ({
    type: 'lead',
    id: `d${n}`,
    data: { name: `Kepler ${n}` },
  }));
  await indexAll(api, documents);
  await moveToOpenSearch(service, api.caller);
});
afterAll(async () => {
  await service?.close();
  await server?.close();
});

it('a document that the server still has does not end the pages', async () => {
  const [known] = server.documents().values();
  const key = 1_000_000;
  const removed = { ...known, id: String(key), source: { ...known?.source, key } };
  server.documents().set(removed.id, removed as never);
  try {
    const seen = [];
    for (const page of ['1', '2', '3']) seen.push(...(await found(api, 'kepler', { limit: '100', page })));
    expect([new Set(seen).size, seen.length]).toEqual([230, 230]);
  } finally {
    server.documents().delete(removed.id);
  }
});

it('a search of all types asks once for what explains its documents', async () => {
  const before = server.requests.length;
  const query = { q: 'kepler', mode: 'keyword', types: 'lead', explain: 'true', limit: '20' };
  const { data } = await api.searchAll({ query });
  expect([data.length, data[19].explain.terms.length]).toEqual([20, 1]);
  // The matches, and how many documents have the word.
  expect(server.requests.slice(before).filter((one) => one.endsWith('/_search'))).toHaveLength(2);
});
