import { localModel, localVector } from '../../embedding/local.ts';
import { type Api, found, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

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
          CASE WHEN $2::boolean THEN 'v6:seeded' ELSE 'v2:seeded' END
        FROM generate_series(1, 25000) AS n RETURNING id, substr(document_id, 2)::int AS n, status, owners)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, CASE WHEN term LIKE '#%' THEN 0 ELSE 4 END
      FROM made CROSS JOIN LATERAL (VALUES ('common', true), ('even', n = 2 OR n % 2 = 0), ('odd', n = 2 OR n % 2 = 1),
        ('#status=' || status, true), ('#owner=' || owners[1], true)) AS word (term, is_in) WHERE is_in AND term IS NOT NULL`,
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

describe('a match of two conditions that are both common', () => {
  let api: Api;
  beforeAll(async () => {
    api = service.as();
    // Newer documents have one of the conditions only; 1,500 of them are named as the question.
    await service.sqlWithin(
      api.caller,
      `WITH made AS (
        INSERT INTO document (type, document_id, document, words)
        SELECT 'lead', 'd' || n, '{"name": "Common"}', 'v6:seeded' FROM generate_series(1, 3) AS n RETURNING id),
      vectors AS (INSERT INTO embedding (doc_id, model, vector) SELECT id, $1, decode($2, 'hex') FROM made)
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT id, 'lead', term, 0 FROM made CROSS JOIN unnest(ARRAY['common', '=common', '#status=sold']) AS term
      UNION ALL SELECT 2000000000 + n, 'lead', '#status=sold', 0 FROM generate_series(1, 12000) AS n
      UNION ALL SELECT 3000000000 + n, 'lead', 'common', 0 FROM generate_series(1, 97000) AS n
      UNION ALL SELECT 3000000000 + n, 'lead', '=common', 0 FROM generate_series(1, 1500) AS n`,
      [localModel, Buffer.from(localVector([['common', 1]])).toString('hex')],
    );
  });

  it('is found by similarity', async () => {
    expect(await found(api, 'common', { mode: 'semantic', status: 'sold' })).toEqual(['d3', 'd2', 'd1']);
  });

  it('is pinned where the question as a whole equals it', async () => {
    const { data } = await api.searchLeads({ query: { q: 'common', mode: 'keyword', status: 'sold' } });
    expect(data.map(({ score }: { score: number }) => score)).toEqual([1, 1, 1]);
  });
});
