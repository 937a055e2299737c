import { aTenantWith, drivers, ids, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('searchAll with %s', (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startSearchWith(driver);
  });
  afterAll(() => service?.close());

  const aWorld = async () => {
    const api = await aTenantWith(service, {
      l1: { name: 'Kepler' },
      l2: { note: 'kepler' },
      l3: { note: 'kepler two' },
    });
    await api.indexDocument({ body: { type: 'opportunity', id: 'o1', data: { name: 'Kepler, rollout' } } });
    await api.indexDocument({ body: { type: 'partner', id: 'p1', data: { company: 'Kepler Ltd' } } });
    return api;
  };
  const named = (data: { type: string; id: string }[]) => data.map(({ id }) => id);

  it('lists the documents of all types by their ranks, the exact one first, with counts by type', async () => {
    const api = await aWorld();
    const { data, body } = await api.searchAll({ query: { q: 'kepler' } });
    expect(named(data)).toEqual(['l1', 'o1', 'p1', 'l3', 'l2']);
    expect(body.pagination).toMatchObject({ total: 5, hasNext: false });
    expect(body.facets).toEqual({
      type: [
        { value: 'lead', count: 3 },
        { value: 'opportunity', count: 1 },
        { value: 'partner', count: 1 },
      ],
    });
    const pages = [];
    for (const page of ['1', '2', '3'])
      pages.push(...named((await api.searchAll({ query: { q: 'kepler', limit: '2', page } })).data));
    expect(pages).toEqual(named(data));
  });

  it('lists documents with every word before those of other types that are only similar', async () => {
    const api = await aTenantWith(service, { l1: { name: 'Johanna Kepler' }, l2: { name: 'Johanna Kepler Ltd' } });
    await api.indexDocument({ body: { type: 'partner', id: 'p1', data: { name: 'Johanna Winter' } } });
    const { data } = await api.searchAll({ query: { q: 'johanna kepler' } });
    const similar = await api.searchAll({ query: { q: 'johanna kepler', mode: 'semantic', types: 'partner' } });
    expect([named(data), named(similar.data)]).toEqual([['l1', 'l2', 'p1'], ['p1']]);
  });

  it('searches the types that are asked for, and only those that the caller may read', async () => {
    const api = await aWorld();
    const tenantId = api.caller.tenantId as number;
    expect(named((await api.searchAll({ query: { q: 'kepler', types: 'partner,opportunity' } })).data)).toEqual([
      'o1',
      'p1',
    ]);
    const partnersOnly = service.as({ tenantId, can: ['search:read', 'partners:read'] });
    const { data, body } = await partnersOnly.searchAll({ query: { q: 'kepler' } });
    expect([named(data), body.facets]).toEqual([['p1'], { type: [{ value: 'partner', count: 1 }] }]);
    expect((await partnersOnly.searchAll({ query: { q: 'kepler', types: 'lead' } })).status).toBe(403);
    expect((await api.searchAll({ query: { q: 'kepler', types: 'user' } })).status).toBe(422);
    expect((await api.searchAll({ query: { q: 'kepler', page: '51' } })).status).toBe(422);
  });

  it('shows a narrowed caller their own documents of every type', async () => {
    const api = await aWorld();
    const tenantId = api.caller.tenantId as number;
    const assignedTo = ids.encode('user', tenantId, 7);
    await api.indexDocument({ body: { type: 'lead', id: 'own', data: { name: 'Kepler', assignedTo } } });
    const narrowed = service.as({
      tenantId,
      userId: 7,
      can: ['search:read', 'leads:read:own', 'opportunities:read:own'],
    });
    expect(named((await narrowed.searchAll({ query: { q: 'kepler' } })).data)).toEqual(['own']);
    // The number of documents with a word would tell of those of others.
    const { data } = await narrowed.searchLeads({ query: { q: 'kepler', explain: 'true' } });
    expect(data[0].explain.terms).toMatchObject([{ term: 'kepler', idf: null, documents: null }]);
  });
});
