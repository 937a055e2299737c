import { type Api, aTenantWith, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

const found = async (api: Api, q: string, query: Record<string, string> = {}) => {
  const { status, data, body } = await api.searchLeads({ query: { q, ...query } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return data.map(({ id }: { id: string }) => id);
};

const people = {
  ada: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@analytical.example',
    phone: '+491701234567',
    company: 'Engines',
    ...{ status: 'new', source: 'web', score: 80, createdAt: '2026-01-10T00:00:00.000Z' },
  },
  charles: {
    firstName: 'Charles',
    lastName: 'Babbage',
    email: 'cb@engines.example',
    company: 'Lovelace & Sons',
    ...{ status: 'contacted', source: 'api', score: 20, createdAt: '2026-02-10T00:00:00.000Z' },
  },
  grace: {
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@navy.example',
    note: 'Knows Lovelace <b>well</b> & likes it',
    ...{ status: 'new', source: 'web', score: 50, createdAt: '2026-03-10T00:00:00.000Z' },
  },
  lukasz: { firstName: 'Łukasz', lastName: 'Weiß-Müller', email: 'lw@example.com' },
};

describe('searchLeads', () => {
  let api: Api;
  beforeAll(async () => {
    api = await aTenantWith(service, people);
  });

  it('puts names before companies, and those before the rest', async () => {
    expect(await found(api, 'Lovelace')).toEqual(['ada', 'charles', 'grace']);
  });

  it('puts a beginning in a name before the word in the rest', async () => {
    const own = await aTenantWith(service, {
      begins: { name: 'Marlowe' },
      note: { note: 'marlow' },
      two: { company: 'Marlow', note: 'marlowes' },
    });
    expect(await found(own, 'marlow')).toEqual(['two', 'begins', 'note']);
    expect(await found(own, 'marlow marlowes', { typo: 'off' })).toEqual(['two']);
  });

  it.each([
    ['an e-mail address', 'ADA@analytical.example', 'ada'],
    ['a phone number, however written', '+49 (170) 123-45.67', 'ada'],
    ['a full name', 'grace  HOPPER', 'grace'],
  ])('puts what equals %s first, with score 1', async (_, q, id) => {
    const { data } = await api.searchLeads({ query: { q } });
    expect(data[0]).toMatchObject({ id, score: 1 });
  });

  it.each([
    ['lov', ['ada', 'charles', 'grace']],
    ['ada lov', ['ada']],
    ['lovelace babb', ['charles']],
    ['ada babbage', []],
    ['lukasz weiss', ['lukasz']],
    ['MULLER', ['lukasz']],
    ['müller łuk', ['lukasz']],
    ['+49170123', ['ada']],
    ['analytical', ['ada']],
    ['new', []],
    ['%', []],
    ['nobody', []],
  ])('finds for %j: %j', async (q, expected) => {
    expect(await found(api, q)).toEqual(expected);
  });

  it.each([
    ['a letter changed', 'hoppar'],
    ['a letter left out', 'hoper'],
    ['a letter too many', 'hoppper'],
    ['two letters swapped', 'ohpper'],
  ])('forgives %s, unless told not to', async (_, q) => {
    expect([await found(api, q), await found(api, q, { typo: 'off' })]).toEqual([['grace'], []]);
  });

  it('forgives neither two errors nor one in a short word', async () => {
    expect([await found(api, 'hxppxr'), await found(api, 'adx')]).toEqual([[], []]);
  });

  it('shows what was found as HTML that is safe to put into a page', async () => {
    const { data } = await api.searchLeads({ query: { q: 'lovelace' } });
    expect(data[2].highlights).toEqual({ note: 'Knows <em>Lovelace</em> &lt;b&gt;well&lt;/b&gt; &amp; likes it' });
    expect(data.map(({ matchedOn }: { matchedOn: string[] }) => matchedOn)).toEqual([
      ['lastName'],
      ['company'],
      ['note'],
    ]);
    expect((await api.searchLeads({ query: { q: 'weis' } })).data[0].highlights.lastName).toBe('<em>Weiß</em>-Müller');
  });

  it('finds numbers that look like those of a phone', async () => {
    const own = await aTenantWith(service, {
      order: { note: 'Order 1234-5678 of 2026-01-31' },
      phone: { phone: '+4930123456' },
      both: { note: '555 12 34', phone: '555 12 34' },
    });
    expect([
      await found(own, '1234-5678'),
      await found(own, '2026-01-31', { page: '2' }),
      await found(own, '2026-01-31'),
      await found(own, '+49 30 123-4'),
      await found(own, '999-9999'),
      (await own.autocomplete({ query: { q: '1234-567' } })).data.length,
    ]).toEqual([['order'], [], ['order'], ['phone'], [], 1]);
    const { data } = await own.searchLeads({ query: { q: '2026-01-31' } });
    expect(data[0].highlights.note).toBe('Order 1234-5678 of <em>2026</em>-<em>01</em>-<em>31</em>');
  });

  it('shows of a long text the part around what was found', async () => {
    const words = (n: number) => 'many words '.repeat(n);
    const note = `${words(1_000)}needle <here> ${words(1_000)}needle`;
    const long = await aTenantWith(service, { middle: { note }, start: { note: `needle ${words(1_000)}` } });
    const { data } = await long.searchLeads({ query: { q: 'needle' } });
    const [start, middle] = data.map(({ highlights }: { highlights: { note: string } }) => highlights.note);
    expect(start).toMatch(/^<em>needle<\/em> many words .*…$/);
    expect(middle).toMatch(/^….*many words <em>needle<\/em> &lt;here&gt; many words .*…$/);
    expect([start.length, middle.length].every((length) => length > 500 && length < 600)).toBe(true);
    const suggested = (await long.autocomplete({ query: { q: 'needle' } })).data[0];
    expect([suggested.text.length, suggested.highlight]).toEqual([501, start]);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ status: 'new' }, ['ada', 'grace']],
    [{ source: 'api' }, ['charles']],
    [{ minScore: '50' }, ['ada', 'grace']],
    [{ createdFrom: '2026-02-01T00:00:00Z' }, ['charles', 'grace']],
    [{ createdTo: '2026-02-01T00:00:00Z' }, ['ada']],
    [{ status: 'new', minScore: '60' }, ['ada']],
  ])('filters by %j', async (query, expected) => {
    expect(await found(api, 'lovelace', query)).toEqual(expected);
  });

  it.each([
    [{}, 'q', 'Is required'],
    [{ q: ' ' }, 'q', 'Must not be empty'],
    [{ q: 'x'.repeat(201) }, 'q', 'Must be at most 200 characters'],
    [{ q: 'a', typo: 'on' }, 'typo', 'Must be one of auto, off'],
    [{ q: 'a', limit: '101' }, 'limit', 'Must be a whole number from 1 to 100'],
    [{ q: 'a', minScore: 'x' }, 'minScore', 'Must be a number of at least 0'],
  ])('refuses %#', async (query, field, message) => {
    const reply = await api.searchLeads({ query: query as Record<string, string> });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
  });

  it('names an unknown parameter in the refusal that it explains', async () => {
    const { status, body } = await api.searchLeads({ query: { search: 'x', '‹lead 5›': 'x' } });
    expect([status, body.errors]).toEqual([422, [{ field: 'q', message: 'Is required' }]]);
    // The gateway would replace the marks of an id, and so reveal the public id of any number.
    expect(body.meta.warnings).toMatchObject([
      { code: 'unknown_parameter', field: 'search' },
      { code: 'unknown_parameter', field: '\uFFFDlead 5\uFFFD' },
    ]);
  });

  it('shows nobody records that they may not read where they are', async () => {
    const as = (...can: string[]) => service.as({ tenantId: api.caller.tenantId as number, can });
    const replies = await Promise.all([
      as('search:read').searchLeads({ query: { q: 'ada' } }),
      as('search:read', 'partners:read').searchLeads({ query: { q: 'ada' } }),
      as('search:read').autocomplete({ query: { q: 'ada', type: 'lead' } }),
    ]);
    for (const { status, body } of replies) expect([status, body.message]).toEqual([403, 'Insufficient permissions']);
    const suggested = async (...can: string[]) => (await as(...can).autocomplete({ query: { q: 'ada' } })).data.length;
    expect([
      await suggested('search:read'),
      await suggested('search:read', 'partners:read'),
      await suggested('search:read', 'leads:read'),
    ]).toEqual([0, 0, 1]);
    expect((await as('search:read', 'leads:read').searchLeads({ query: { q: 'ada' } })).data).toHaveLength(1);
  });

  it('goes by pages, each document once', async () => {
    const many = await aTenantWith(
      service,
      Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`d${n}`, { name: `Common ${n}` }])),
    );
    const page = (number: number) => many.searchLeads({ query: { q: 'common', limit: '2', page: String(number) } });
    const pages = [await page(1), await page(2), await page(3), await page(4)];
    expect(pages.flatMap(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual([
      'd4',
      'd3',
      'd2',
      'd1',
      'd0',
    ]);
    expect(pages[0]?.body.pagination).toEqual({
      ...{ page: 1, limit: 2, total: 5, totalPages: 3, hasNext: true, hasPrev: false },
      ...{ nextCursor: null, nextPageToken: null },
    });
    expect(pages.map(({ body }) => [body.pagination?.hasNext, body.pagination?.total])).toEqual([
      [true, 5],
      [true, 5],
      [false, 5],
      [false, 5],
    ]);
  });

  it('pages through all matches of a common word, each document once', async () => {
    const common = service.as();
    await service.sqlWithin(
      common.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document)
        SELECT 'lead', 'd' || n, '{"name": "Common"}' FROM generate_series(1, 2350) AS n RETURNING id)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, CASE WHEN id % 3 = 0 THEN 4 ELSE 1 END
      FROM made CROSS JOIN unnest(ARRAY['common', 'commonly']) AS term WHERE term = 'common' OR id % 2 = 0`,
    );
    const seen: string[] = [];
    for (let page = 1; page <= 24; page++) {
      const reply = await common.searchLeads({ query: { q: 'common', limit: '100', page: String(page) } });
      const { total, totalIsEstimate, hasNext } = reply.body.pagination ?? {};
      expect([total, totalIsEstimate, hasNext]).toEqual([2_350, undefined, page < 24]);
      seen.push(...reply.data.map(({ id }: { id: string }) => id));
    }
    expect([seen.length, new Set(seen).size]).toEqual([2_350, 2_350]);
  });

  it('pages through all matches of a filter on a common word, each document once', async () => {
    const common = service.as();
    await service.sqlWithin(
      common.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, words)
        SELECT 'lead', 'd' || n, '{"name": "Common"}', 'v2:seeded' FROM generate_series(1, 13000) AS n RETURNING id)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, CASE WHEN term = 'common' THEN 4 ELSE 0 END
      FROM made CROSS JOIN unnest(ARRAY['common', '#status=new']) AS term WHERE term = 'common' OR id % 3 = 0`,
    );
    const seen: string[] = [];
    for (let page = 1, hasNext = true; hasNext; page++) {
      const query = { q: 'common', status: 'new', limit: '100', page: String(page) };
      const reply = await common.searchLeads({ query });
      hasNext = reply.body.pagination?.hasNext ?? false;
      seen.push(...reply.data.map(({ id }: { id: string }) => id));
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([4_333, 4_334]).toContain(seen.length);
  });

  it('counts 10,000 matches, says that there are more, and refuses pages beyond them', async () => {
    const common = service.as();
    await service.sqlWithin(
      common.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document)
        SELECT 'lead', 'd' || n, '{"name": "Common"}' FROM generate_series(1, 13000) AS n RETURNING id)
      INSERT INTO posting (doc_id, type, term, weight) SELECT id, 'lead', 'common', 4 FROM made`,
    );
    const page = (number: number) => common.searchLeads({ query: { q: 'common', limit: '100', page: String(number) } });
    const [first, last, beyond] = [await page(1), await page(100), await page(101)];
    expect(first.body.pagination).toMatchObject({ total: 10_000, totalIsEstimate: true, hasNext: true });
    expect([last.data.length, last.body.pagination?.hasNext]).toEqual([100, false]);
    const message = 'Results are limited to the first 10000 documents; narrow the search with filters';
    expect([beyond.status, beyond.body.errors]).toEqual([422, [{ field: 'page', message }]]);
    const few = await aTenantWith(service, { a: { name: 'Common' } });
    const { pagination } = (await few.searchLeads({ query: { q: 'common' } })).body;
    expect([pagination?.total, pagination?.totalIsEstimate]).toEqual([1, undefined]);
  });
});

describe.each([
  ['with terms for filters', true],
  ['of an earlier form of the index', false],
])('a match among thousands of documents %s', (_, isCurrent) => {
  let api: Api;
  beforeAll(async () => {
    api = service.as();
    // Older documents come last among those of equal weight: the first three are behind all others.
    await service.sqlWithin(
      api.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, status, owners, words)
        SELECT 'lead', 'd' || n, jsonb_build_object('status', CASE WHEN n <= 3 THEN 'rare' END,
            'name', 'Common' || CASE WHEN n % 2 = 0 THEN ' even' ELSE '' END || CASE WHEN n = 2 OR n % 2 = 1 THEN ' odd' ELSE '' END),
          CASE WHEN n <= 3 THEN 'rare' END, CASE WHEN n <= 2 THEN ARRAY[$1] ELSE ARRAY['somebody'] END,
          CASE WHEN $2::boolean THEN 'v2:seeded' END
        FROM generate_series(1, 25000) AS n RETURNING id, substr(document_id, 2)::int AS n, status, owners)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, CASE WHEN term LIKE '#%' THEN 0 ELSE 4 END
      FROM made CROSS JOIN LATERAL (VALUES ('common', true), ('even', n = 2 OR n % 2 = 0), ('odd', n = 2 OR n % 2 = 1),
        ('#status=' || status, $2), ('#owner=' || owners[1], $2)) AS word (term, is_in) WHERE is_in AND term IS NOT NULL`,
      [ids.encode('user', api.caller.tenantId as number, 7), isCurrent],
    );
    // Documents of an earlier form have been there for long, so PostgreSQL has statistics of them.
    if (!isCurrent) await service.sql('ANALYZE document, posting');
  });

  const narrowed = () =>
    service.as({ tenantId: api.caller.tenantId as number, userId: 7, can: ['search:read', 'leads:read:own'] });

  it('is found by a filter', async () => {
    expect(await found(api, 'common', { status: 'rare' })).toEqual(['d3', 'd2', 'd1']);
    const { body } = await api.searchLeads({ query: { q: 'common', status: 'rare' } });
    expect(body.pagination?.total).toBe(3);
  });

  it('is found by a caller who may read only their own records', async () => {
    expect(await found(narrowed(), 'common')).toEqual(['d2', 'd1']);
    const { data } = await narrowed().autocomplete({ query: { q: 'comm' } });
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['d2', 'd1']);
  });

  it('is found by two common words that only it has together', async () => {
    expect(await found(api, 'even odd')).toEqual(['d2']);
  });
});

describe('two common words', () => {
  it('find exactly the documents that have both, across all pages', async () => {
    const api = service.as();
    // 9,000 leads with 3 first and 7 last names: one lead in 21 has both of those searched.
    await service.sqlWithin(
      api.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, words)
        SELECT 'lead', 'd' || n, jsonb_build_object('firstName', 'Maria' || n % 3, 'lastName', 'Schmidt' || n % 7), 'v2:seeded'
        FROM generate_series(1, 9000) AS n RETURNING id, substr(document_id, 2)::int AS n)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, weight FROM made CROSS JOIN LATERAL (VALUES
        ('maria' || n % 3, 4), ('schmidt' || n % 7, 4), ('=maria' || n % 3 || ' schmidt' || n % 7, 0)) AS word (term, weight)`,
    );
    const expected = Array.from({ length: 9_000 }, (_, n) => n + 1).filter((n) => n % 3 === 1 && n % 7 === 2);
    for (const q of ['maria1 schmidt2', 'schmidt2 maria1']) {
      const seen: string[] = [];
      for (let page = 1; page <= 5; page++) {
        const { data, body } = await api.searchLeads({ query: { q, limit: '100', page: String(page) } });
        expect(body.pagination).toMatchObject({ total: expected.length, hasNext: page < 5 });
        seen.push(...data.map(({ id }: { id: string }) => id));
      }
      expect(seen.sort()).toEqual(expected.map((n) => `d${n}`).sort());
    }
  });
});

describe('searchOpportunities and searchPartners', () => {
  it('find their own type, by their own filters', async () => {
    const api = await aTenantWith(
      service,
      {
        big: { name: 'Crane deal', value: 9000, currency: 'EUR', stage: 'won' },
        small: { name: 'Crane parts', value: 90.5, currency: 'USD' },
      },
      'opportunity',
    );
    await api.indexDocument({
      body: { type: 'partner', id: 'p', data: { company: 'Crane', tier: 'gold', status: 'pending' } },
    });
    const ids = async (query: Record<string, string>) =>
      (await api.searchOpportunities({ query: { q: 'crane', ...query } })).data
        .map(({ id }: { id: string }) => id)
        .sort();
    expect([
      await ids({}),
      await ids({ minValue: '90.5', maxValue: '100' }),
      await ids({ currency: 'EUR' }),
      await ids({ stage: 'won' }),
    ]).toEqual([['big', 'small'], ['small'], ['big'], ['big']]);
    const partners = async (query: Record<string, string>) =>
      (await api.searchPartners({ query: { q: 'crane', ...query } })).body.pagination?.total;
    expect([
      await partners({}),
      await partners({ tier: 'gold', status: 'pending' }),
      await partners({ tier: 'silver' }),
    ]).toEqual([1, 1, 0]);
  });
});
