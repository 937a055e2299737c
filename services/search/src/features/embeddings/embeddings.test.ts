import { until } from '@tandem/testing';
import {
  answers,
  type EmbeddingProvider,
  embedded,
  embeddingProvider,
  embeds,
  startWithProvider,
  stateOf,
  vectorsOf,
} from '../../embedding.test-service.ts';
import { type Api, aTenantWith, found, type Service } from '../../search.test-service.ts';

let provider: EmbeddingProvider;
let service: Service;
beforeAll(async () => {
  provider = await embeddingProvider();
  service = await startWithProvider(provider);
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
});
beforeEach(() => provider.answer(embeds()));

const similar = (api: Api, q: string, query: object = {}) => found(api, q, { mode: 'semantic', ...query });
const people = {
  d: { name: 'Ada King', title: 'Doctor', status: 'new' },
  c: { name: 'Bo Reed', title: 'Car dealer', status: 'lost' },
};
const index = (api: Api, id: string, data: object) => api.indexDocument({ body: { type: 'lead', id, data } });

describe('documents', () => {
  it('are found by their meaning, by every search', async () => {
    const api = await aTenantWith(service, people);
    await embedded(service, api);
    expect(await similar(api, 'physician')).toEqual(['d']);
    expect(await found(api, 'physician', { mode: 'hybrid' })).toEqual(['d']);
    expect(await found(api, 'physician', { mode: 'keyword' })).toEqual([]);
    const all = await api.searchAll({ query: { q: 'automobile' } });
    const posted = await api.searchDocuments({
      params: { type: 'leads' },
      body: { q: 'vehicle', filter: { and: [{ field: 'status', operator: 'equals', value: 'lost' }] }, explain: true },
    });
    expect([all, posted].map(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual([['c'], ['c']]);
    expect(posted.data[0].explain.semantic).toMatchObject({ rank: 1, model: 'meaning:64' });
    expect(posted.body.meta.warnings).toBeUndefined();
  });

  it('are found only if they pass the filter and belong to the caller', async () => {
    const api = await aTenantWith(service, {
      ...people,
      mine: { title: 'Medic', assignedTo: 'usr_1', status: 'new' },
    });
    await embedded(service, api);
    expect(await similar(api, 'physician', { status: 'lost' })).toEqual([]);
    expect((await similar(api, 'physician', { status: 'new' })).toSorted()).toEqual(['d', 'mine']);
    const { tenantId } = api.caller;
    const narrowed = service.as({ ...(tenantId && { tenantId }), can: ['search:read', 'leads:read:own'] });
    expect(await similar(narrowed, 'physician')).toEqual([]);
  });

  it('are sent without e-mail addresses and phone numbers, and such a question is not sent', async () => {
    const api = await aTenantWith(service, {
      a: { name: 'Contact', email: 'secret@example.com', phone: '+41 44 123 45 67', note: 'lawyer' },
    });
    await embedded(service, api);
    expect(await found(api, 'secret@example.com', { mode: 'hybrid' })).toEqual(['a']);
    expect(await found(api, '+41 44 123 45 67', { mode: 'hybrid' })).toEqual(['a']);
    expect(provider.texts().filter((text) => text.includes('Contact'))).toEqual(['Contact\nlawyer']);
    expect(JSON.stringify(provider.texts())).not.toMatch(/secret|123 45/);
  });

  it('of two tenants are never in one request, nor found by the other', async () => {
    const [one, other] = [
      await aTenantWith(service, { a: { note: 'first tenant bakery' } }),
      await aTenantWith(service, { b: { note: 'second tenant bakery' } }),
    ];
    await Promise.all([embedded(service, one), embedded(service, other)]);
    const mixed = provider.requests.filter(
      ({ input }) => input.some((text) => text.includes('first')) && input.some((text) => text.includes('second')),
    );
    expect(mixed).toEqual([]);
    expect([await similar(one, 'pastry'), await similar(other, 'pastry')]).toEqual([['a'], ['b']]);
  });

  it('that change while they are embedded get the vector of the newer text', async () => {
    const release = provider.hold();
    const api = service.as();
    await index(api, 'a', { note: 'unchanged one doctor' });
    await until('the text is sent', () => provider.texts().includes('unchanged one doctor'));
    await index(api, 'a', { note: 'changed one lawyer' });
    release();
    await embedded(service, api);
    expect([await similar(api, 'physician'), await similar(api, 'attorney')]).toEqual([[], ['a']]);
  });

  it('that are removed while they are embedded, or afterwards, have no vector', async () => {
    const api = await aTenantWith(service, { early: { note: 'solicitor' } });
    await embedded(service, api);
    const release = provider.hold();
    await index(api, 'late', { note: 'removed late lawyer' });
    await until('the text is sent', () => provider.texts().includes('removed late lawyer'));
    for (const id of ['early', 'late']) await api.removeDocument({ params: { type: 'lead', id } });
    release();
    await embedded(service, api);
    expect(await vectorsOf(service, api)).toEqual([]);
    expect(await service.sqlWithin(api.caller, `SELECT term FROM posting`)).toEqual([]);
    expect(await similar(api, 'attorney')).toEqual([]);
  });

  it('whose text stays the same are not sent again', async () => {
    const api = await aTenantWith(service, { a: { note: 'sent once bread' } });
    await embedded(service, api);
    await index(api, 'a', { note: 'sent once bread' });
    await index(api, 'b', { note: 'another' });
    await embedded(service, api);
    expect(provider.texts().filter((text) => text === 'sent once bread')).toHaveLength(1);
  });
});

describe('a provider that fails', () => {
  it.each<[string, Parameters<EmbeddingProvider['answer']>[0]]>([
    ['with 500', answers(500)],
    ['with 429', answers(429)],
    ['with half a batch', embeds({ change: (data) => data.slice(1) })],
    [
      'with other dimensions',
      embeds({ change: (data) => data.map((one, n) => ({ ...one, index: n, embedding: [1] })) }),
    ],
  ])('%s leaves searches to the local vectors, and is asked again later', async (_, answer) => {
    provider.answer(answer);
    const api = await aTenantWith(service, { a: { name: 'Johanna', title: 'Doctor' }, b: { name: 'Peter' } });
    await until('it failed', async () => Number((await stateOf(service, api))['failures']) > 0);
    expect(await vectorsOf(service, api)).toEqual([]);
    expect(await similar(api, 'johana')).toEqual(['a']);
    provider.answer(embeds());
    await embedded(service, api);
    expect(await similar(api, 'physician')).toEqual(['a']);
  });

  it('because of one text embeds all others', async () => {
    provider.answer((request, response) =>
      (request.input.some((text) => text.includes('poison')) ? answers(400) : embeds())(request, response),
    );
    const api = service.as();
    const documents = ['doctor', 'poison', 'car', 'bread'].map((note, n) => ({
      type: 'lead' as const,
      id: `d${n}`,
      data: { note },
    }));
    await api.indexDocuments({ body: { documents } });
    await embedded(service, api);
    expect(await vectorsOf(service, api)).toEqual(['d0 meaning:64', 'd2 meaning:64', 'd3 meaning:64']);
  });
});

describe('a question', () => {
  const warnings = async (api: Api, q: string) => {
    const { body, data } = await api.searchLeads({ query: { q, explain: 'true' } });
    return { ids: data.map(({ id }: { id: string }) => id), warnings: body.meta.warnings, first: data[0] };
  };

  it('that the provider does not answer in time is answered by local vectors, with a warning', async () => {
    const api = await aTenantWith(service, people);
    await embedded(service, api);
    provider.answer(() => {});
    const began = performance.now();
    const slow = await warnings(api, 'ada kings');
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(slow).toMatchObject({
      ids: ['d'],
      warnings: [{ code: 'part_missing', field: 'semantic', message: expect.stringContaining('did not answer') }],
      first: { explain: { semantic: { model: 'local-1' } } },
    });
    provider.answer(answers(503));
    expect((await warnings(api, 'bo reeds')).warnings).toHaveLength(1);
    provider.answer(embeds());
    expect((await warnings(api, 'automobile')).warnings).toBeUndefined();
  });

  it('is answered by local vectors with a warning until the documents have those of the provider', async () => {
    provider.answer(answers(503));
    const api = await aTenantWith(service, people);
    const early = await warnings(api, 'ada kings');
    expect(early.warnings).toMatchObject([{ field: 'semantic', message: expect.stringContaining('being computed') }]);
    provider.answer(embeds());
    await embedded(service, api);
    expect((await warnings(api, 'ada kings')).warnings).toBeUndefined();
  });

  it('is sent once, whatever the page', async () => {
    const api = await aTenantWith(service, people);
    await embedded(service, api);
    for (const page of ['1', '2']) await api.searchLeads({ query: { q: 'asked once medic', page, limit: '1' } });
    expect(provider.texts().filter((text) => text === 'asked once medic')).toHaveLength(1);
    const other = await aTenantWith(service, people);
    await embedded(service, other);
    await api.searchLeads({ query: { q: 'asked once medic', mode: 'keyword' } });
    expect(provider.texts().filter((text) => text === 'asked once medic')).toHaveLength(1);
    await other.searchLeads({ query: { q: 'asked once medic' } });
    expect(provider.texts().filter((text) => text === 'asked once medic')).toHaveLength(2);
  });
});
