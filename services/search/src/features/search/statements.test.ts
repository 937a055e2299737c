import { statement } from '@tandem/tenant-db';
import { aTenantWith, type Service, startSearch } from '../../search.test-service.ts';
import { type Condition, facetCondition, rangesOfTerms, wordCondition } from './conditions.ts';
import { type Match, matchStatement, sizesStatement } from './statements.ts';

let service: Service;
let caller: ReturnType<Service['as']>['caller'];
beforeAll(async () => {
  service = await startSearch();
  ({ caller } = await aTenantWith(service, { a: { name: 'Ada', status: 'new' } }));
  // As many rows as PostgreSQL needs to prefer an index when it may use one.
  await service.sqlWithin(
    caller,
    `WITH made AS (
      INSERT INTO document (type, document_id, document, words)
      SELECT 'lead', 'd' || n, '{}', 'v2:seeded' FROM generate_series(1, 5000) AS n RETURNING id)
    INSERT INTO posting (doc_id, type, term, weight)
    SELECT id, 'lead', term, CASE WHEN term LIKE '#%' THEN 0 ELSE 4 END
    FROM made CROSS JOIN LATERAL (VALUES ('everywhere'), ('word' || id), ('other' || id % 100), ('#status=new'), ('#owner=' || id % 50)) AS word (term)`,
  );
  await service.sql('ANALYZE document, posting, spelling');
});
afterAll(() => service?.close());

const word = (term: string, alike: string[] = []): Condition =>
  wordCondition({ low: term, high: `${term}\u{10FFFF}`, alike });
const owner = facetCondition(['#owner=7', '#owner=8']);

const match = (driver: Condition, checks: Condition[] = [], filter: Match['filter'] = {}): Match => ({
  type: 'lead',
  driver,
  checks,
  wholes: rangesOfTerms(['=everywhere'], 40),
  filter,
  isFiltered: Object.keys(filter).length > 0,
  read: 12_000,
  window: 10_000,
  blockSize: 1_000,
  limit: 20,
  offset: 0,
  most: 40,
});

/** The plan that PostgreSQL keeps for a statement, under the role of the service, for any values. */
async function planOf({ text }: { text: string }): Promise<string> {
  const rows = await service.sqlWithin(caller, `EXPLAIN (GENERIC_PLAN) ${text}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('the statements of a search', () => {
  it.each([
    ['sizes', sizesStatement(statement, { type: 'lead', conditions: [word('everywhere'), owner], sizeMax: 10_000 })],
    [
      'matches',
      matchStatement(statement, match(word('everywhere'), [word('other', ['othes']), owner], { minScore: 1 })),
    ],
  ])('read %s by indexes only, under row-level security', async (_, built) => {
    const plan = await planOf(built);
    expect(plan).not.toMatch(/Seq Scan/);
    const scans = plan.split('\n').filter((line) => / on (posting|document)\b/.test(line));
    expect(scans.length).toBeGreaterThan(1);
    for (const scan of scans) expect(scan).toMatch(/Index (Only )?Scan/);
    const conditions = plan.split('\n').filter((line) => line.includes('Index Cond'));
    for (const condition of conditions) expect(condition).toContain('tenant_id');
    // Terms are compared in the index: under row-level security only leakproof functions are.
    expect(plan).not.toMatch(/Filter: .*term (>=|<|=)/);
  });

  it('have one text for all searches, so that each is planned once for a connection', () => {
    const one = matchStatement(statement, match(word('everywhere')));
    const other = matchStatement(statement, match(owner, [word('a', ['b']), word('c')], { status: 'new' }));
    expect(one.text).toBe(other.text);
  });
});

describe('a match', () => {
  const found = async (built: { text: string; values: unknown[] }) =>
    service.sqlWithin(caller, built.text, built.values);

  it('of a word and an owner has the documents with both', async () => {
    const rows = await found(matchStatement(statement, match(word('everywhere'), [owner])));
    expect(rows[0]).toMatchObject({ matched: 200, isExhausted: true });
    expect(rows).toHaveLength(20);
  });

  it('is the same whichever condition names the candidates', async () => {
    const words = [word('everywhere'), word('other7')] as const;
    const sets = await Promise.all([
      found(matchStatement(statement, match(words[0], [words[1], owner]))),
      found(matchStatement(statement, match(words[1], [words[0], owner]))),
      found(matchStatement(statement, match(owner, [...words]))),
    ]);
    const ids = sets.map((rows) => rows.map(({ id }) => id));
    expect(ids[0]?.length).toBeGreaterThan(0);
    expect([ids[1], ids[2]]).toEqual([ids[0], ids[0]]);
  });

  it('checks a prefix of very many words', async () => {
    const rows = await found(matchStatement(statement, match(owner, [word('wor')])));
    expect(rows[0]).toMatchObject({ matched: 200 });
  });

  it('says when there are more candidates than were read', async () => {
    const rows = await found(matchStatement(statement, { ...match(word('everywhere')), read: 100 }));
    expect(rows[0]).toMatchObject({ matched: 100, isExhausted: false });
  });

  it('without documents is one row that says so', async () => {
    const rows = await found(matchStatement(statement, match(word('nobody'))));
    expect(rows).toMatchObject([{ matched: 0, isExhausted: true, id: null }]);
  });
});

describe('the size of a condition', () => {
  it('is counted up to a bound', async () => {
    const sizes = sizesStatement(statement, {
      type: 'lead',
      conditions: [word('everywhere'), owner, word('no')],
      sizeMax: 1_000,
    });
    const rows = await service.sqlWithin(caller, sizes.text, sizes.values);
    expect(rows.sort((a, b) => Number(a.n) - Number(b.n))).toEqual([
      { n: 0, size: 1_000, hasOutdated: false },
      { n: 1, size: 200, hasOutdated: false },
      { n: 2, size: 0, hasOutdated: false },
    ]);
  });
});
