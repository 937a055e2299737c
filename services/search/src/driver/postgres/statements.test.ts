import { statement } from '@tandem/tenant-db';
import { aTenantWith, type Service, startSearch } from '../../search.test-service.ts';
import { type Condition, facetRange, rangesOfTerms, wordCondition } from '../conditions.ts';
import type { Match } from './parameters.ts';
import { countStatement, matchStatement, sizesStatement } from './statements.ts';
import { facetStatement, orderedScanStatement, sortedStatement } from './statements-of-sets.ts';

type Built = { text: string; values: unknown[] };
// Statements are only built here, so that PostgreSQL can be asked for their plans.
const asStatement = statement as never;

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
      SELECT 'lead', 'd' || n, '{}', 'v6:seeded' FROM generate_series(1, 5000) AS n RETURNING id)
    INSERT INTO posting (doc_id, type, term, weight)
    SELECT id, 'lead', term, CASE WHEN term LIKE '#%' THEN 0 ELSE 4 END
    FROM made CROSS JOIN LATERAL (VALUES ('everywhere'), ('word' || id), ('other' || id % 100), ('#status=new'), ('#owner=' || id % 50)) AS word (term)`,
  );
  for (const built of [sizes, matches, counted, sorted, ascending, descending, facets])
    plansWithoutStatistics.set(built.text, await planOf(built));
  await service.sql('ANALYZE document, posting, spelling');
});
afterAll(() => service?.close());

const word = (term: string, alike: string[] = []): Condition =>
  wordCondition({ low: term, high: `${term}\u{10FFFF}`, alike, alikeBeginnings: [] });
const owner: Condition = { ranges: rangesOfTerms(['#owner=7', '#owner=8']), isFilter: true };

/** A search whose conditions are read as `how` says: by default all but the driver are looked up. */
function match(driver: Condition, others: Condition[] = [], how: Partial<Match> = {}): Match {
  const all = [driver, ...others];
  return {
    index: 'lead',
    words: all.filter(({ isFilter }) => !isFilter),
    filters: all.filter(({ isFilter }) => isFilter),
    driver,
    scanned: [],
    checked: others,
    wholes: rangesOfTerms(['=everywhere']),
    excluded: [],
    wantsKeys: false,
    readMax: 12_000,
    matchMax: 10_000,
    lookUpMax: 10_000,
    wholeMax: 1_000,
    blockSize: 1_000,
    scoredMax: 0,
    limit: 20,
    offset: 0,
    ...how,
  };
}

const sizes = sizesStatement(statement, { index: 'lead', conditions: [word('everywhere'), owner], sizeMax: 10_000 });
const matches = matchStatement(statement, match(word('everywhere'), [word('other', ['othes']), owner]));
const counted = countStatement(statement, { index: 'lead', ranges: word('everywhere').ranges, readMax: 10_000 });
const order = { range: facetRange('createdAt', {}), isDescending: false, others: [] };
const all = match(word('everywhere'), [word('other', ['othes']), owner]);
const sorted = sortedStatement(asStatement, all, order) as unknown as Built;
const ascending = orderedScanStatement(asStatement, all, order) as unknown as Built;
const descending = orderedScanStatement(asStatement, all, { ...order, isDescending: true }) as unknown as Built;
const facets = facetStatement(asStatement, all, {
  ranges: [{ field: 'status', ...facetRange('status', {}) }],
  others: [],
}) as unknown as Built;
const plansWithoutStatistics = new Map<string, string>();

/** The plan that PostgreSQL keeps for a statement, under the role of the service, for any values. */
async function planOf({ text }: { text: string }): Promise<string> {
  const rows = await service.sqlWithin(caller, `EXPLAIN (GENERIC_PLAN) ${text}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('the statements of a search', () => {
  it.each([
    ['sizes', sizes, 0],
    ['matches', matches, 5],
    ['counts', counted, 0],
    ['sorted documents', sorted, 5],
    ['facets', facets, 5],
    ['documents in ascending order', ascending, 2],
    ['documents in descending order', descending, 2],
  ])('read %s by indexes only, under row-level security', async (_, built, lookUps) => {
    for (const plan of [plansWithoutStatistics.get(built.text), await planOf(built)]) {
      expect(plan).not.toMatch(/Seq Scan/);
      const scans = plan?.split('\n').filter((line) => / on (posting|document)\b/.test(line)) ?? [];
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) expect(scan).toMatch(/Index (Only )?Scan/);
      const conditions = plan?.split('\n').filter((line) => line.includes('Index Cond')) ?? [];
      for (const condition of conditions) expect(condition).toContain('tenant_id');
      // Terms are compared in the index: under row-level security only leakproof functions are.
      expect(plan).not.toMatch(/Filter: .*term (>=|<|=)/);
      // One document is looked up by its key, whatever PostgreSQL knows of the tables.
      expect(conditions.filter((condition) => /\(doc_id = /.test(condition))).toHaveLength(lookUps);
      const rows = scans.filter((scan) => / on document\b/.test(scan) && !scan.includes('document_outdated_v6_idx'));
      for (const row of rows) expect(row).toContain('document_pkey');
    }
  });

  it('have one text for all searches, so that each is planned once for a connection', () => {
    const one = matchStatement(statement, match(word('everywhere')));
    const other = matchStatement(
      statement,
      match(owner, [word('a', ['b']), word('c')], { scanned: [word('d')], excluded: [1] }),
    );
    expect(one.text).toBe(other.text);
  });
});

describe('a match', () => {
  const found = async (built: { text: string; values: unknown[] }) =>
    service.sqlWithin(caller, built.text, built.values);

  it('of a word and an owner has the documents with both', async () => {
    const rows = await found(matchStatement(statement, match(word('everywhere'), [owner])));
    expect(rows[0]).toMatchObject({ matched: 200, stoppedAt: null, isCut: false });
    expect(rows).toHaveLength(20);
  });

  it('has the same documents whichever condition is the driver, and whether others are scanned or looked up', async () => {
    const words = [word('everywhere'), word('other7')] as const;
    const sets = await Promise.all([
      found(matchStatement(statement, match(words[0], [words[1], owner]))),
      found(matchStatement(statement, match(words[1], [words[0], owner]))),
      found(matchStatement(statement, match(owner, [...words]))),
      found(matchStatement(statement, match(owner, [...words], { scanned: [...words], checked: [] }))),
      found(matchStatement(statement, match(words[1], [words[0], owner], { scanned: [words[0]], checked: [owner] }))),
    ]);
    const [first, ...others] = sets.map((rows) => rows.map(({ key, points }) => ({ key, points })));
    expect(first?.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
  });

  it('checks a prefix of very many words', async () => {
    const rows = await found(matchStatement(statement, match(owner, [word('wor')])));
    expect(rows[0]).toMatchObject({ matched: 200 });
  });

  it('says where it stopped, and whether the driver had more', async () => {
    const stopped = await found(matchStatement(statement, match(word('everywhere'), [], { matchMax: 100 })));
    expect(stopped[0]).toMatchObject({ matched: 100, stoppedAt: 100, isCut: false });
    const cut = await found(matchStatement(statement, match(word('everywhere'), [owner], { readMax: 100 })));
    expect(cut[0]).toMatchObject({ stoppedAt: null, isCut: true });
  });

  it('without documents is one row that says so', async () => {
    const rows = await found(matchStatement(statement, match(word('nobody'))));
    expect(rows).toMatchObject([{ matched: 0, stoppedAt: null, isCut: false, key: null }]);
  });
});

describe('the size of a condition', () => {
  it('is counted up to a bound', async () => {
    const sizes = sizesStatement(statement, {
      index: 'lead',
      conditions: [word('everywhere'), owner, word('no')],
      sizeMax: 1_000,
    });
    const rows = await service.sqlWithin(caller, sizes.text, sizes.values);
    expect(rows.sort((a, b) => Number(a.n) - Number(b.n))).toMatchObject([
      { n: 0, size: 1_000, span: 999, hasOutdated: false },
      { n: 1, size: 200, hasOutdated: false },
      { n: 2, size: 0, span: 0, hasOutdated: false },
    ]);
  });
});
