import { drivers, found, ids, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('indexDocuments with %s', (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startSearchWith(driver);
  });
  afterAll(() => service?.close());

  const lead = (id: string, data: object) => ({ type: 'lead' as const, id, data: data as Record<string, unknown> });

  it('indexes 500 documents at once, with a result for each', async () => {
    const api = service.as();
    const documents = Array.from({ length: 500 }, (_one, n) => lead(`d${n}`, { name: `Bulk word${n}` }));
    const { status, data } = await api.indexDocuments({ body: { documents } });
    expect([status, data.succeeded, data.failed, data.results.length]).toEqual([200, 500, 0, 500]);
    expect(data.results[499]).toEqual({ type: 'lead', id: 'd499', success: true, error: null });
    expect(await found(api, 'word321')).toEqual(['d321']);
    const { body } = await api.searchLeads({ query: { q: 'bulk' } });
    expect(body.pagination?.total).toBe(500);
  });

  it('indexes the others when one may not be written or is there twice', async () => {
    const limited = service.as({ can: ['search:write', 'search:read', 'leads:read'] });
    const record = ids.encode('lead', limited.caller.tenantId as number, 5);
    const { status, data } = await limited.indexDocuments({
      body: {
        documents: [lead('a', { name: 'First' }), lead(record, { name: 'Second' }), lead('a', { name: 'Third' })],
      },
    });
    expect([status, data.succeeded, data.failed]).toEqual([200, 1, 2]);
    expect(data.results.map(({ error }: { error: { code: string } | null }) => error?.code)).toEqual([
      undefined,
      'forbidden',
      'duplicate_in_request',
    ]);
    expect([await found(limited, 'first'), await found(limited, 'second'), await found(limited, 'third')]).toEqual([
      ['a'],
      [],
      [],
    ]);
  });

  it('refuses a request with a malformed document, with none, or with too many', async () => {
    const api = service.as();
    const bodies = [
      { documents: [lead('a', { name: 'Fine' }), { type: 'task', id: 'b', data: {} }] },
      { documents: [] },
      { documents: Array.from({ length: 501 }, (_one, n) => lead(`d${n}`, {})) },
    ];
    for (const body of bodies) expect((await api.indexDocuments({ body: body as never })).status).toBe(422);
    expect(await found(api, 'fine')).toEqual([]);
  });

  it('refuses more requests at once than a tenant may have waiting, with the seconds to wait, and no others', async () => {
    const api = service.as();
    const bulk = (of: number, by = api) => {
      const documents = Array.from({ length: 100 }, (_, n) => ({
        ...{ type: 'lead' as const, id: `r${of}d${n}`, data: { name: `Kepler ${n}` } },
      }));
      return by.indexDocuments({ body: { documents } });
    };
    const [replies, other] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, (_, n) => bulk(n))),
      bulk(0, service.as()),
    ]);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused)
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'busy', '5']);
    expect([replies.length - refused.length > 0, other.status]).toEqual([true, 200]);
  });
});
