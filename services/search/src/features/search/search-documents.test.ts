import { type Api, aTenantWith, drivers, ids, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('searchDocuments with %s', (driver) => {
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

  const foreign = ids.encode('user', 999_999, 7);
  const is = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
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
    [is('status', 'equals', 'new'), ['a', 'b']],
    [is('status', 'not_equals', 'new'), ['c', 'd']],
    [is('status', 'in', ['lost', 'won']), ['c']],
    [is('score', 'greater_than', 50), ['c']],
    [is('score', 'at_least', 50), ['b', 'c']],
    [is('score', 'less_than', 50), ['a']],
    [is('score', 'at_most', 50), ['a', 'b']],
    [is('score', 'equals', 50), ['b']],
    [is('score', 'is_set'), ['a', 'b', 'c']],
    [is('score', 'is_not_set'), ['d']],
    [is('createdAt', 'at_least', '2026-02-01T00:00:00Z'), ['b', 'c']],
    [{ and: [is('status', 'equals', 'new'), is('source', 'equals', 'web')] }, ['a']],
    [{ or: [is('status', 'equals', 'lost'), is('score', 'less_than', 20)] }, ['a', 'c']],
    [{ or: [is('status', 'not_equals', 'new'), is('source', 'not_equals', 'web')] }, ['b', 'c', 'd']],
    [
      {
        or: [
          { and: [is('status', 'equals', 'new'), is('score', 'greater_than', 20)] },
          { and: [is('status', 'is_not_set'), is('source', 'is_not_set')] },
        ],
      },
      ['b', 'd'],
    ],
    [
      {
        and: [
          { or: [is('source', 'equals', 'web'), is('source', 'equals', 'api')] },
          is('status', 'not_equals', 'lost'),
        ],
      },
      ['a', 'b'],
    ],
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

  it('takes the ids of users that the other searches take', async () => {
    const { tenantId = 0 } = api.caller;
    const [mine, others] = [7, 8].map((user) => ids.encode('user', tenantId, user));
    await api.indexDocument({ body: { type: 'lead', id: 'assigned', data: { name: 'Assigned', assignedTo: mine } } });
    const assigned = async (filter: object) =>
      (await api.searchDocuments({ params: { type: 'leads' }, body: { q: 'assigned', filter } as never })).data.length;
    expect([
      await assigned(is('assignedTo', 'equals', mine)),
      await assigned(is('assignedTo', 'in', [others])),
    ]).toEqual([1, 0]);
    const refused = await api.searchDocuments({
      params: { type: 'leads' },
      body: { q: 'assigned', filter: is('assignedTo', 'equals', foreign) } as never,
    });
    expect(refused.body.errors).toEqual([{ field: 'filter.value', message: 'No user with this id' }]);
  });

  const deep = { and: [{ and: [{ and: [{ and: [is('status', 'equals', 'new')] }] }] }] };
  const pairs = Array.from({ length: 10 }, () => ({ and: [is('status', 'equals', 'a'), is('source', 'equals', 'b')] }));
  it.each<[object, string]>([
    [{ filter: is('stage', 'equals', 'x') }, 'filter.field'],
    [{ filter: is('status', 'greater_than', 'x') }, 'filter.operator'],
    [{ filter: is('score', 'equals', 'x') }, 'filter.value'],
    [{ filter: is('score', 'equals') }, 'filter.value'],
    [{ filter: is('score', 'is_set', 5) }, 'filter.value'],
    [{ filter: { field: 'score', value: 5 } }, 'filter'],
    [{ filter: is('createdAt', 'at_least', 'soon') }, 'filter.value'],
    [{ filter: is('createdAt', 'at_least', '+012345-01-01T00:00:00Z') }, 'filter.value'],
    [{ filter: is('createdAt', 'at_least', '0001-01-01T00:00:00Z') }, 'filter.value'],
    [{ filter: { or: [is('createdAt', 'in', ['2026-01-01', '0001-01-01'])] } }, 'filter.or.0.value.1'],
    [{ filter: is('createdAt', 'at_least', '2026-02-30') }, 'filter.value'],
    [{ filter: is('assignedTo', 'equals', 'nobody') }, 'filter.value'],
    [{ filter: { and: [is('assignedTo', 'in', [foreign])] } }, 'filter.and.0.value.0'],
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
