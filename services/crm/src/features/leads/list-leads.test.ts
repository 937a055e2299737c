import type { crm } from '@tandem/crm-contract';
import { longestTurn, type TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

/** A tenant with these leads, created one after the other. */
async function aTenantWith(leads: Record<string, unknown>[]) {
  const api = service.as();
  for (const lead of leads) expect((await api.createLead({ body: aLead(lead) })).status).toBe(201);
  return api;
}

const scores = (reply: { data: { score: number }[] }) => reply.data.map((lead) => lead.score);

describe('listLeads', () => {
  it('blocks the event loop for less than 50 ms for a page with the largest custom fields', async () => {
    const api = service.as();
    const customFields = { list: Array(5_300).fill({}) };
    for (let lead = 0; lead < 100; lead++)
      expect((await api.createLead({ body: aLead({ customFields }) })).status).toBe(201);
    const query = { limit: '100' };
    const { data } = await api.listLeads({ query });
    expect([data.length, data[99].customFields.list.length]).toEqual([100, 5_300]);
    const list = async () => expect((await api.listLeads({ query, unparsed: true })).status).toBe(200);
    expect(await longestTurn(list)).toBeLessThan(50);
  });

  it('returns the 20 newest leads first, with full pagination', async () => {
    const api = await aTenantWith(Array.from({ length: 25 }, (_, score) => ({ score })));
    const { body, data } = await api.listLeads();
    expect(data).toHaveLength(20);
    expect(data[0].score).toBe(24);
    expect(body.pagination).toMatchObject({
      page: 1,
      limit: 20,
      total: 25,
      totalPages: 2,
      hasNext: true,
      hasPrev: false,
    });
    expect(body.pagination?.nextPageToken).toBe(body.pagination?.nextCursor);
    const second = await api.listLeads({ query: { page: '2' } });
    expect([second.data.length, second.body.pagination?.hasNext, second.body.pagination?.hasPrev]).toEqual([
      5,
      false,
      true,
    ]);
  });

  it('counts the leads of a page beyond the last one, too', async () => {
    const api = await aTenantWith([{}, {}, {}]);
    const { data, body } = await api.listLeads({ query: { page: '100' } });
    expect([data, body.pagination?.total, body.pagination?.totalPages]).toEqual([[], 3, 1]);
  });

  it('counts every lead that was created before the request, while other requests read the same list', async () => {
    const api = service.as();
    const rows = 150;
    await service.sqlWithin(
      api.caller,
      `INSERT INTO lead (email, first_name, last_name)
       SELECT 'lead.' || n || '@example.com', 'Grace', 'Hopper' FROM generate_series(1, ${rows}) n`,
    );
    const total = async () => (await api.listLeads({ query: { limit: '1' } })).body.pagination?.total;
    let isWriting = true;
    const reader = async () => {
      while (isWriting) await total();
    };
    const readers = Array.from({ length: 8 }, reader);
    try {
      for (let lead = 1; lead <= 30; lead++) {
        await api.createLead({ body: aLead() });
        expect(await total()).toBe(rows + lead);
      }
    } finally {
      isWriting = false;
      await Promise.all(readers);
    }
  });

  it('neither repeats nor skips leads between cursor pages while leads are created and deleted', async () => {
    const api = await aTenantWith(Array.from({ length: 9 }, (_, score) => ({ score })));
    const first = await api.listLeads({ query: { limit: '3' } });
    await api.createLead({ body: aLead({ score: 99 }) });
    await api.deleteLead({ params: { id: first.data[1].id } });
    const second = await api.listLeads({ query: { limit: '3', cursor: first.body.pagination?.nextCursor as string } });
    const third = await api.listLeads({ query: { limit: '3', cursor: second.body.pagination?.nextCursor as string } });
    expect([scores(first), scores(second), scores(third)]).toEqual([
      [8, 7, 6],
      [5, 4, 3],
      [2, 1, 0],
    ]);
    expect(third.body.pagination?.nextCursor).toBeNull();
    expect([first, second, third].map(({ body }) => body.pagination?.hasPrev)).toEqual([false, true, true]);
  });

  it('pages through equal sort values', async () => {
    const api = await aTenantWith(Array.from({ length: 5 }, () => ({ score: 50 })));
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const reply = await api.listLeads({ query: { limit: '2', sort: '-score', ...(cursor && { cursor }) } });
      for (const lead of reply.data) seen.add(lead.id);
      cursor = reply.body.pagination?.nextCursor ?? null;
    } while (cursor);
    expect(seen.size).toBe(5);
  });

  it('sorts ascending and descending', async () => {
    const api = await aTenantWith([{ score: 2 }, { score: 3 }, { score: 1 }]);
    expect(scores(await api.listLeads({ query: { sort: 'score' } }))).toEqual([1, 2, 3]);
    expect(scores(await api.listLeads({ query: { sort: '-score' } }))).toEqual([3, 2, 1]);
  });

  it.each<[Record<string, string>, number[]]>([
    [{ status: 'contacted' }, [1]],
    [{ source: 'web' }, [2]],
    [{ scoreMin: '2', scoreMax: '3' }, [3, 2]],
    [{ tag: 'vip' }, [3]],
    [{ search: 'LOVELACE' }, [4]],
    [{ search: 'ext-47' }, [4]],
    [{ search: '100%' }, [6]],
    [{ search: '%' }, [6]],
    [{ search: '_' }, []],
    [{ search: '\\' }, [6]],
    [{ 'customFields[color]': 'red' }, [5]],
    [{ 'customFields[seats]': '250' }, [5, 1]],
    [{ 'customFields[isPartner]': 'true' }, [5]],
    [{ 'customFields[seats]': '250', 'customFields[color]': 'red' }, [5]],
    [{ 'customFields[constructor]': 'x' }, []],
    [{ 'customFields[prototype]': 'x' }, []],
    [{ createdFrom: '2999-01-01T00:00:00Z' }, []],
  ])('filters by %j', async (query, expected) => {
    const api = await aTenantWith([
      { score: 1, status: 'contacted', customFields: { seats: '250', isPartner: false } },
      { score: 2, source: 'web' },
      { score: 3, tags: ['vip'] },
      { score: 4, lastName: 'Lovelace', externalId: 'EXT-4711' },
      { score: 5, customFields: { color: 'red', seats: 250, isPartner: true } },
      { score: 6, lastName: '100% \\o/' },
    ]);
    const reply = await api.listLeads({ query });
    expect(scores(reply)).toEqual(expected);
    expect(reply.body.pagination?.total).toBe(expected.length);
  });

  it.each([
    [{ page: '0' }, 422, 'page'],
    [{ limit: '101' }, 422, 'limit'],
    [{ limit: 'x' }, 422, 'limit'],
    [{ page: '99999', limit: '100' }, 422, 'page'],
    [{ sort: 'password' }, 422, 'sort'],
    [{ status: 'won' }, 422, 'status'],
    [{ createdFrom: 'yesterday' }, 422, 'createdFrom'],
    [{ createdFrom: '0000-01-01T00:00:00Z' }, 422, 'createdFrom'],
    [{ createdTo: '0001-01-01T00:00:00+23:59' }, 422, 'createdTo'],
    [{ createdTo: '9999-12-31T23:59:59-00:01' }, 422, 'createdTo'],
    [{ 'customFields[\0]': 'x' }, 422, 'customFields.\uFFFD'],
    [{ 'customFields[__proto__]': 'x' }, 422, 'customFields.__proto__'],
    [{ 'customFields[a][b]': 'x' }, 422, 'customFields[a][b]'],
    [{ 'customFields[]': 'x' }, 422, 'customFields[]'],
    [{ 'customFields[': 'x' }, 422, 'customFields['],
    [{ 'status[]': 'won' }, 422, 'status[]'],
    [{ cursor: 'made-up' }, 400, 'cursor'],
  ])('rejects %j', async (query, status, field) => {
    const reply = await service.as().listLeads({ query });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([status, [field]]);
  });

  it('ignores unknown parameters, with a warning for each', async () => {
    const api = await aTenantWith([{}]);
    const { body } = await api.listLeads({ query: { statsu: 'won', 'filter[a]': 'x', limit: '5' } });
    expect(body.meta.warnings?.map(({ code, field }) => [code, field])).toEqual([
      ['unknown_parameter', 'statsu'],
      ['unknown_parameter', 'filter'],
    ]);
    const one = await api.getLead({ params: { id: (body.data as { id: string }[])[0]?.id }, query: { expand: 'x' } });
    expect(one.body.meta.warnings).toHaveLength(1);
    expect((await api.listLeads({ query: { limit: '5' } })).body.meta).not.toHaveProperty('warnings');
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, number) => ['x'.repeat(100) + number, 'y']));
    const { warnings = [] } = (await api.listLeads({ query: many })).body.meta;
    expect([warnings.length, warnings[0]?.field.length]).toEqual([10, 64]);
  });

  it('replaces control and format characters in the names of unknown parameters', async () => {
    const query = { 'a\r\nb': 'x', 'c\0d': 'x', 'e\u202Ef': 'x', [`${'g'.repeat(63)}\u{1F600}`]: 'x' };
    const { warnings = [] } = (await service.as().listLeads({ query })).body.meta;
    const shown = ['a\uFFFD\uFFFDb', 'c\uFFFDd', 'e\uFFFDf', `${'g'.repeat(63)}\uFFFD`];
    expect(warnings.map(({ field }) => field)).toEqual(shown);
    const { body } = await service.as().listLeads({ query: { 'status[\r\n': 'won' } });
    expect(body.errors?.map(({ field }) => field)).toEqual(['status[\uFFFD\uFFFD']);
  });

  it('rejects the cursor of another tenant or of another sort order', async () => {
    const api = await aTenantWith([{}, {}]);
    const cursor = (await api.listLeads({ query: { limit: '1' } })).body.pagination?.nextCursor as string;
    expect((await service.as().listLeads({ query: { cursor } })).status).toBe(400);
    expect((await api.listLeads({ query: { cursor, sort: 'score' } })).status).toBe(400);
  });

  it('separates live and sandbox', async () => {
    const api = await aTenantWith([{}]);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.listLeads()).body.pagination?.total).toBe(0);
  });
});
