import { type Api, aTenantWith, drivers, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('searchDocuments with %s', (_, driver) => {
  let service: Service;
  let api: Api;
  beforeAll(async () => {
    service = await startSearchWith(driver);
    api = await aTenantWith(service, {
      a: { name: 'Common', status: 'new', source: 'web', score: 10, createdAt: '2026-01-01T00:00:00.000Z' },
      b: { name: 'Common', status: 'new', source: 'api', score: 50, createdAt: '2026-02-01T00:00:00.000Z' },
      c: { name: 'Common', status: 'lost', source: 'web', score: 90, createdAt: '2026-03-01T00:00:00.000Z' },
      d: { name: 'Common' },
    });
  });
  afterAll(() => service?.close());

  const is = (field: string, op: string, value: unknown) => ({ field, op, value });
  const found = async (filter: object | undefined, body: object = {}) => {
    const reply = await api.searchDocuments({
      params: { type: 'leads' },
      body: { q: 'common', filter, ...body } as never,
    });
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return reply.data.map(({ id }: { id: string }) => id).sort();
  };

  it.each<[object | undefined, string[]]>([
    [undefined, ['a', 'b', 'c', 'd']],
    [is('status', 'eq', 'new'), ['a', 'b']],
    [is('status', 'ne', 'new'), ['c', 'd']],
    [is('status', 'in', ['lost', 'won']), ['c']],
    [is('score', 'gt', 50), ['c']],
    [is('score', 'gte', 50), ['b', 'c']],
    [is('score', 'lt', 50), ['a']],
    [is('score', 'lte', 50), ['a', 'b']],
    [is('score', 'eq', 50), ['b']],
    [is('score', 'exists', true), ['a', 'b', 'c']],
    [is('score', 'exists', false), ['d']],
    [is('createdAt', 'gte', '2026-02-01T00:00:00Z'), ['b', 'c']],
    [{ and: [is('status', 'eq', 'new'), is('source', 'eq', 'web')] }, ['a']],
    [{ or: [is('status', 'eq', 'lost'), is('score', 'lt', 20)] }, ['a', 'c']],
    [{ or: [is('status', 'ne', 'new'), is('source', 'ne', 'web')] }, ['b', 'c', 'd']],
    [
      {
        or: [
          { and: [is('status', 'eq', 'new'), is('score', 'gt', 20)] },
          { and: [is('status', 'exists', false), is('source', 'exists', false)] },
        ],
      },
      ['b', 'd'],
    ],
    [{ and: [{ or: [is('source', 'eq', 'web'), is('source', 'eq', 'api')] }, is('status', 'ne', 'lost')] }, ['a', 'b']],
  ])('finds by %j', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected);
    expect(await found(filter, { mode: 'keyword' })).toEqual(expected);
    expect(await found(filter, { mode: 'semantic' })).toEqual(expected);
  });

  it('has the options of the other searches', async () => {
    const body = { q: 'common', sort: '-score', facets: ['status'], explain: true, limit: 2 } as const;
    const reply = await api.searchDocuments({ params: { type: 'leads' }, body: { ...body } as never });
    expect(reply.data.map(({ id }: { id: string }) => id)).toEqual(['c', 'b']);
    expect(reply.body.facets).toEqual({
      status: [
        { value: 'new', count: 2 },
        { value: 'lost', count: 1 },
      ],
    });
    expect(reply.data[0].explain).toBeDefined();
  });

  const deep = { and: [{ and: [{ and: [{ and: [is('status', 'eq', 'new')] }] }] }] };
  const pairs = Array.from({ length: 10 }, () => ({ and: [is('status', 'eq', 'a'), is('source', 'eq', 'b')] }));
  it.each<[object, string]>([
    [{ filter: is('stage', 'eq', 'x') }, 'filter.field'],
    [{ filter: is('status', 'gt', 'x') }, 'filter.op'],
    [{ filter: is('score', 'eq', 'x') }, 'filter.value'],
    [{ filter: is('createdAt', 'gte', 'soon') }, 'filter.value'],
    [{ filter: { and: [is('status', 'in', 'x')] } }, 'filter.and.0.value'],
    [{ filter: { and: [], or: [] } }, 'filter.and'],
    [{ filter: {} }, 'filter'],
    [{ filter: { or: pairs } }, 'filter'],
    [{ filter: deep }, 'filter.and.0.and.0.and.0.field'],
    [{ sort: 'value' }, 'sort'],
    [{ facets: ['tier'] }, 'facets.0'],
  ])('refuses %j', async (body, field) => {
    const reply = await api.searchDocuments({ params: { type: 'leads' }, body: { q: 'common', ...body } as never });
    expect([reply.status, reply.body.errors?.map((error: { field: string }) => error.field)[0]]).toEqual([422, field]);
  });

  it('shows nobody records that they may not read, and knows no other types', async () => {
    const limited = service.as({ tenantId: api.caller.tenantId as number, can: ['search:read', 'partners:read'] });
    expect((await limited.searchDocuments({ params: { type: 'leads' }, body: { q: 'common' } })).status).toBe(403);
    expect((await api.searchDocuments({ params: { type: 'users' as never }, body: { q: 'common' } })).status).toBe(404);
  });
});
