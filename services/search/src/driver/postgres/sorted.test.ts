import { type Api, found, type Service, startSearch } from '../../search.test-service.ts';

const matching = 10_600;

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startSearch();
  api = service.as();
  // More terms of the field `name` than are read in their order, before those of the documents that match.
  await service.sqlWithin(
    api.caller,
    `INSERT INTO posting (doc_id, type, term, weight)
    SELECT 1000000000 + n, 'lead', '#name=a' || n, 0 FROM generate_series(1, 101000) AS n`,
  );
  await service.sqlWithin(
    api.caller,
    `WITH made AS (
      INSERT INTO document (type, document_id, document, words)
      SELECT 'lead', 'd' || n, '{"lastName": "Schmidt"}', 'v6:seeded' FROM generate_series(1, $1::int) AS n
      RETURNING id, substr(document_id, 2)::int AS n)
    INSERT INTO posting (doc_id, type, term, weight)
    SELECT id, 'lead', term, weight FROM made CROSS JOIN LATERAL (VALUES
      ('schmidt', 4, true), ('#name=schmidt ' || lpad(n::text, 5, '0'), 0, true),
      ('#score=' || n, 0, n BETWEEN 3 AND 5)) AS word (term, weight, is_in) WHERE is_in`,
    [matching],
  );
});
afterAll(() => service?.close());

describe('a sort of more matches than are collected', () => {
  it.each(['name', '-name'])('by %s has full pages to the end of the window', async (sort) => {
    const seen: string[] = [];
    for (const page of ['1', '2', '100']) seen.push(...(await found(api, 'schmidt', { sort, limit: '100', page })));
    const numbers = seen.map((id) => Number(id.slice(1)));
    expect(new Set(numbers).size).toBe(300);
    expect(numbers).toEqual(numbers.toSorted((one, other) => (sort === 'name' ? one - other : other - one)));
  });

  it('has documents without the field last', async () => {
    const ids = await found(api, 'schmidt', { sort: '-score', limit: '10' });
    expect([ids.slice(0, 3), ids.length]).toEqual([['d5', 'd4', 'd3'], 10]);
  });

  it('has the matches of two conditions that are both common and have few documents in common', async () => {
    await service.sqlWithin(
      api.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, words)
        SELECT 'lead', 'both' || n, '{"lastName": "Common"}', 'v6:seeded' FROM generate_series(1, 30) AS n
        RETURNING id, document_id)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, 0 FROM made CROSS JOIN unnest(ARRAY['common', '#status=sold', '#name=' || document_id]) AS term
      UNION ALL SELECT 2000000000 + n, 'lead', '#status=sold', 0 FROM generate_series(1, 12000) AS n
      UNION ALL SELECT 3000000000 + n, 'lead', 'common', 0 FROM generate_series(1, 97000) AS n`,
    );
    const { data, body } = await api.searchLeads({
      query: { q: 'common', mode: 'keyword', status: 'sold', sort: 'name', limit: '25' },
    });
    expect([data.length, data[0].id, body.pagination?.hasNext]).toEqual([25, 'both1', true]);
    expect(await found(api, 'common', { status: 'sold', sort: 'name', limit: '25', page: '2' })).toHaveLength(5);
  });
});
