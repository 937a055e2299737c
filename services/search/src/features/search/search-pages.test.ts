import { aTenantWith, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

describe('the pages of searchLeads', () => {
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
      page: 1,
      limit: 2,
      total: 5,
      totalPages: 3,
      hasNext: true,
      hasPrev: false,
      nextCursor: null,
      nextPageToken: null,
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
        SELECT 'lead', 'd' || n, '{"name": "Common"}', 'v6:seeded' FROM generate_series(1, 13000) AS n RETURNING id)
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

describe('two common words', () => {
  it('find exactly the documents that have both, across all pages', async () => {
    const api = service.as();
    // 9,000 leads with 3 first and 7 last names: one lead in 21 has both of those searched.
    await service.sqlWithin(
      api.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, words)
        SELECT 'lead', 'd' || n, jsonb_build_object('firstName', 'Maria' || n % 3, 'lastName', 'Schmidt' || n % 7), 'v6:seeded'
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
