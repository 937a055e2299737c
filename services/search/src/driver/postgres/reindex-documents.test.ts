import { until } from '@tandem/testing';
import { ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

describe('documents of an earlier form of the index', () => {
  it('are found by filters, and get what they lack in the background', async () => {
    const api = service.as();
    const { caller } = api;
    const own = ids.encode('user', caller.tenantId as number, 7);
    await service.sqlWithin(
      caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, status, score, created_at, owners, words)
        SELECT 'lead', 'd' || n, jsonb_build_object('name', 'Kepler', 'status', status, 'score', n, 'createdAt', '2026-01-01'),
          status, n, '2026-01-01', ARRAY[CASE WHEN n < 10 THEN $1 ELSE 'somebody' END], 'v2:digest'
        FROM generate_series(1, 250) AS n CROSS JOIN LATERAL (SELECT CASE WHEN n % 2 = 0 THEN 'new' ELSE 'lost' END AS status) AS chosen
        RETURNING id, status, owners)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, CASE WHEN term = 'kepler' THEN 4 ELSE 0 END
      FROM made CROSS JOIN unnest(ARRAY['kepler', '#status=' || status, '#owner=' || owners[1]]) AS term`,
      [own],
    );
    const narrowed = service.as({
      tenantId: caller.tenantId as number,
      userId: 7,
      can: ['search:read', 'leads:read:own'],
    });
    const totals = async () => {
      const search = async (query: Record<string, string>, by = api) =>
        (await by.searchLeads({ query: { q: 'kepler', ...query } })).body.pagination?.total;
      return [await search({ status: 'new' }), await search({}, narrowed)];
    };
    const expected = [125, 9];
    expect(await totals()).toEqual(expected);
    await until('every document has its terms', async () => {
      const [row] = await service.sqlWithin(
        caller,
        `SELECT count(*)::int AS left FROM document WHERE words NOT LIKE 'v6:%'`,
      );
      return row?.left === 0;
    });
    const terms = await service.sqlWithin(
      caller,
      `SELECT count(*)::int AS documents FROM posting JOIN embedding USING (doc_id) WHERE term = '#name=kepler'`,
    );
    expect(terms).toEqual([{ documents: 250 }]);
    expect(await totals()).toEqual(expected);
  });
});

it('duplicates among documents of an earlier form are found when they have the terms of this one', async () => {
  const api = service.as();
  await service.sqlWithin(
    api.caller,
    `INSERT INTO document (type, document_id, document, words, facts)
    SELECT 'lead', id, data::jsonb, 'v5:digest', 'digest of v5' FROM (VALUES
      ('plus', '{"phone": "+41 44 668 18 00"}'), ('zeros', '{"phone": "0041 44 668 18 00"}'),
      ('dots', '{"email": "ada.lovelace@engines.example"}'), ('none', '{"email": "adalovelace@engines.example"}')
    ) AS given (id, data)`,
  );
  const data = { phone: '+41446681800' };
  expect((await api.findDuplicates({ body: { type: 'lead', data } })).data).toEqual([]);
  const pairs = await until('the pairs are stored', async () => {
    const found = (await api.listDuplicates()).data;
    return found.length === 2 && found;
  });
  const names = pairs.map(({ records }: { records: { id: string }[] }) => records.map(({ id }) => id).sort());
  expect(names.sort()).toEqual([
    ['dots', 'none'],
    ['plus', 'zeros'],
  ]);
});

describe('a filter', () => {
  it('finds a document by what it is now, and a removed one by nothing', async () => {
    const api = service.as();
    const put = (status: string, score: number) =>
      api.indexDocument({ body: { type: 'lead', id: 'a', data: { name: 'Kepler', status, score } } });
    const found = async (query: Record<string, string>) =>
      (await api.searchLeads({ query: { q: 'kepler', ...query } })).data.length;
    const all = async () => [
      await found({ status: 'new' }),
      await found({ status: 'lost' }),
      await found({ minScore: '50' }),
      await found({}),
    ];
    await put('new', 10);
    expect(await all()).toEqual([1, 0, 0, 1]);
    await put('lost', 90);
    expect(await all()).toEqual([0, 1, 1, 1]);
    await api.removeDocument({ params: { type: 'lead', id: 'a' } });
    expect(await all()).toEqual([0, 0, 0, 0]);
    expect(await service.sqlWithin(api.caller, 'SELECT term FROM posting')).toEqual([]);
  });
});
