import {
  type Api,
  aTenantWith,
  drivers,
  found,
  indexAll,
  type Service,
  startSearchWith,
} from '../../search.test-service.ts';

describe.each(drivers)('a search with %s', (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startSearchWith(driver);
  });
  afterAll(() => service?.close());

  describe('by mode', () => {
    let api: Api;
    beforeAll(async () => {
      api = await aTenantWith(service, {
        exact: { firstName: 'Johanna', lastName: 'Sommer', company: 'Maschinenbau' },
        typos: { firstName: 'Johhana', lastName: 'Somer', company: 'Maschinenbau' },
        other: { firstName: 'Peter', lastName: 'Winter', company: 'Bakery' },
      });
    });

    it.each([
      ['keyword', ['exact']],
      ['semantic', ['exact', 'typos']],
      ['hybrid', ['exact', 'typos']],
    ])('%s finds %j', async (mode, expected) => {
      expect(await found(api, 'johanna sommer', { mode, typo: 'auto' })).toEqual(expected);
    });

    it('with the ratio 0 is the search by words, and without typos finds no similar words', async () => {
      expect(await found(api, 'johanna sommer', { mode: 'hybrid', semanticRatio: '0' })).toEqual(['exact']);
      expect(await found(api, 'sommmmer', { mode: 'hybrid', typo: 'off' })).toEqual([]);
    });

    it('finds a document that lacks one of the words', async () => {
      expect(await found(api, 'johanna sommer munich', { mode: 'keyword' })).toEqual([]);
      expect((await found(api, 'johanna sommer munich', { mode: 'hybrid' }))[0]).toBe('exact');
    });

    it('finds nothing for words that are similar to none', async () => {
      expect(await found(api, 'xylophone quartz', { mode: 'hybrid' })).toEqual([]);
    });

    it('takes a ratio with any number of decimals', async () => {
      for (const semanticRatio of ['0.33333', String(1 / 3), '0.30000000000000004', '1', '1.0'])
        expect([semanticRatio, await found(api, 'johanna', { mode: 'hybrid', semanticRatio })]).toEqual([
          semanticRatio,
          expect.arrayContaining(['exact']),
        ]);
    });

    it('says that it searches for the first ten words only', async () => {
      const words = Array.from({ length: 11 }, (_, n) => `word${n}`);
      const warned = async (q: string) => {
        const { body } = await api.searchLeads({ query: { q } });
        return body.meta?.warnings?.map(({ code, field }) => [code, field]);
      };
      expect(await warned(words.join(' '))).toEqual([['part_missing', 'q']]);
      expect(await warned(words.slice(1).join(' '))).toBeUndefined();
      const posted = await api.searchDocuments({ params: { type: 'leads' }, body: { q: words.join(' ') } });
      expect(posted.body.meta?.warnings).toMatchObject([{ code: 'part_missing', field: 'q' }]);
    });

    it.each([
      [{ mode: 'fuzzy' }, 'mode'],
      [{ semanticRatio: '1.1' }, 'semanticRatio'],
      [{ semanticRatio: 'x' }, 'semanticRatio'],
      [{ sort: 'value' }, 'sort'],
      [{ facets: 'status,nothing' }, 'facets'],
    ])('refuses %j', async (query, field) => {
      const { status, body } = await api.searchLeads({ query: { q: 'a', ...query } });
      expect([status, body.errors?.map((error: { field: string }) => error.field)]).toEqual([422, [field]]);
    });
  });

  it('lists no similar documents for an address that is found', async () => {
    const api = await aTenantWith(service, {
      a: { name: 'Ada King', email: 'lead5@firm5.example' },
      b: { name: 'Bo Reed', email: 'lead6@firm6.example' },
    });
    expect(await found(api, 'lead5@firm5.example', { mode: 'hybrid' })).toEqual(['a']);
  });

  describe('explained', () => {
    it('names rank and score of each arm and what every word counts', async () => {
      const api = await aTenantWith(service, {
        a: { name: 'Ada Lovelace', company: 'Engines' },
        b: { name: 'Ada King', company: 'Engines' },
        c: { name: 'Charles Babbage', company: 'Engines' },
      });
      const { data } = await api.searchLeads({ query: { q: 'lovelace engines', explain: 'true' } });
      const [first] = data;
      expect(first).toMatchObject({ id: 'a', score: 0.99, explain: { pinned: false, fusedScore: 1 } });
      expect(first.explain.keyword).toMatchObject({ rank: 1, score: first.explain.keyword.score });
      expect(first.explain.semantic.similarity).toBeGreaterThanOrEqual(0.35);
      const [rare, common] = first.explain.terms;
      expect([rare, common]).toMatchObject([
        { word: 'lovelace', term: 'lovelace', weight: 4, strength: 1, documents: 1 },
        { word: 'engines', term: 'engines', weight: 2, strength: 0.5, documents: 3 },
      ]);
      expect(rare.idf).toBeGreaterThan(common.idf);
      const plain = await api.searchLeads({ query: { q: 'lovelace engines' } });
      expect(plain.data[0].explain).toBeUndefined();
    });

    it('says that a document is pinned', async () => {
      const api = await aTenantWith(service, { a: { email: 'ada@example.com' }, b: { email: 'adam@example.com' } });
      const { data } = await api.searchLeads({ query: { q: 'ada@example.com', explain: 'true' } });
      expect(data[0]).toMatchObject({ id: 'a', score: 1, explain: { pinned: true } });
    });
  });

  it.each(['keyword', 'semantic', 'hybrid'])('pins in the mode %s what the question equals', async (mode) => {
    const api = await aTenantWith(service, {
      whole: { firstName: 'Ada', lastName: 'King', company: 'Analytical Engines', note: 'Numbers and more numbers' },
      closer: { note: 'ada king' },
      other: { firstName: 'Ada', lastName: 'King', status: 'lost' },
    });
    const { data } = await api.searchLeads({ query: { q: 'ada king', mode, explain: 'true' } });
    expect(data.map(({ id, explain }: { id: string; explain: { pinned: boolean } }) => [id, explain.pinned])).toEqual([
      ['other', true],
      ['whole', true],
      ['closer', false],
    ]);
    expect(await found(api, 'ada king', { mode, status: 'lost' })).toEqual(['other']);
  });

  it('has the best matches first where a filter has fewer documents than the word', async () => {
    const owner = { source: 'web' };
    const lead = (id: string, data: object) => ({ type: 'lead', id, data });
    const api = await aTenantWith(service, { best: { name: 'Anna King', ...owner } });
    const worse = Array.from({ length: 220 }, (_, n) => lead(`w${n}`, { note: 'anna', ...owner }));
    const others = Array.from({ length: 30 }, (_, n) => lead(`o${n}`, { note: 'anna' }));
    await indexAll(api, [...worse, ...others]);
    expect((await found(api, 'anna', { source: 'web' }))[0]).toBe('best');
    const pages = [];
    for (const page of ['1', '2', '3'])
      pages.push(...(await found(api, 'anna', { source: 'web', limit: '100', page })));
    expect([pages.length, new Set(pages).size]).toEqual([221, 221]);
  });

  it('a misspelt word finds those of many similar words that most documents have', async () => {
    const api = service.as();
    const before = [...'abcdefghijklmnopqr'].flatMap((letter) => [`${letter}mth`, `${letter}smth`]);
    const rare = before.map((name) => ({ id: name, data: { name } }));
    const common = ['smith1', 'smith2'].map((id) => ({ id, data: { name: 'Smith' } }));
    await indexAll(
      api,
      [...common, ...rare].map((one) => ({ type: 'lead', ...one })),
    );
    const ids = await found(api, 'smth', { typo: 'auto', limit: '100' });
    expect([ids.includes('smith1'), ids.includes('smith2'), ids.length]).toEqual([true, true, 21]);
  });

  it('a rare word counts more than a common one', async () => {
    const common = Object.fromEntries(Array.from({ length: 30 }, (_one, n) => [`c${n}`, { name: `Common ${n}` }]));
    const api = await aTenantWith(service, {
      ...common,
      commonName: { name: 'Common', note: 'rarity' },
      rareName: { name: 'Rarity', note: 'common' },
    });
    expect(await found(api, 'common rarity')).toEqual(['rareName', 'commonName']);
  });

  describe('sorted', () => {
    let api: Api;
    beforeAll(async () => {
      api = await aTenantWith(service, {
        a: { firstName: 'Zoe', lastName: 'Alpha', company: 'Same', score: 5, createdAt: '2026-01-03T00:00:00.000Z' },
        b: { firstName: 'Ann', lastName: 'Gamma', company: 'Same', score: 70, createdAt: '2026-01-01T00:00:00.000Z' },
        c: { firstName: 'Ann', lastName: 'Beta', company: 'Same', score: 30, createdAt: '2026-01-02T00:00:00.000Z' },
        none: { note: 'same' },
      });
    });

    it.each([
      ['createdAt', ['b', 'c', 'a', 'none']],
      ['-createdAt', ['a', 'c', 'b', 'none']],
      ['score', ['a', 'c', 'b', 'none']],
      ['-score', ['b', 'c', 'a', 'none']],
      ['name', ['a', 'c', 'b', 'none']],
      ['-name', ['b', 'c', 'a', 'none']],
    ])('by %s', async (sort, expected) => {
      expect(await found(api, 'same', { sort })).toEqual(expected);
      expect(await found(api, 'same', { sort, mode: 'hybrid' })).toEqual(expected);
      expect(await found(api, 'same', { sort, limit: '2', page: '2' })).toEqual(expected.slice(2));
    });

    it('has the similar documents too', async () => {
      const query = { q: 'zoe alpa same missing', sort: 'name', mode: 'hybrid' };
      const { data, body } = await api.searchLeads({ query });
      expect(data.map(({ id }: { id: string }) => id)).toContain('a');
      expect(body.pagination?.total).toBe(data.length);
    });
  });

  describe('with facets', () => {
    it('counts values among all matches, whatever the page', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 25 }, (_one, n) => [
          `d${n}`,
          { name: 'Facet', status: n % 5 === 0 ? 'new' : 'lost', source: n < 3 ? 'web' : 'api' },
        ]),
      );
      const api = await aTenantWith(service, { ...many, other: { name: 'Other', status: 'new' } });
      const { body } = await api.searchLeads({ query: { q: 'facet', facets: 'status,source', limit: '5' } });
      expect(body.facets).toEqual({
        status: [
          { value: 'lost', count: 20 },
          { value: 'new', count: 5 },
        ],
        source: [
          { value: 'api', count: 22 },
          { value: 'web', count: 3 },
        ],
      });
      expect(body.facetsAreEstimates).toBeUndefined();
      const filtered = await api.searchLeads({ query: { q: 'facet', facets: 'status', source: 'web' } });
      expect(filtered.body.facets?.['status']).toEqual([
        { value: 'lost', count: 2 },
        { value: 'new', count: 1 },
      ]);
      const semantic = await api.searchLeads({ query: { q: 'facet', facets: 'status', mode: 'semantic' } });
      expect(semantic.body.facets).toEqual({ status: body.facets?.['status'] });
    });
  });

  it('has the same order on pages of any size, and each document once', async () => {
    // Documents that have both words, one of them, or similar ones; more than the arms contribute.
    const api = service.as();
    const documents = Array.from({ length: 320 }, (_one, n) => {
      const name = ['Marlowe Kepler', 'Marlowe', 'Keppler Marlow', 'Kepler Marlowe Ltd'][n % 4];
      return { type: 'lead', id: `d${n}`, data: { name, note: n % 3 ? 'kepler' : 'marlowe kepler' } };
    });
    await indexAll(api, documents);
    for (const query of [{ q: 'marlowe kepler' }, { q: 'keppler', semanticRatio: '0.9' }]) {
      const pagesOf = async (limit: number) => {
        const ids: string[] = [];
        for (let page = 1, hasNext = true; hasNext; page++) {
          const reply = await api.searchLeads({ query: { ...query, limit: String(limit), page: String(page) } });
          ids.push(...reply.data.map(({ id }: { id: string }) => id));
          hasNext = reply.body.pagination?.hasNext ?? false;
          expect(reply.body.pagination?.total).toBeLessThanOrEqual(320);
        }
        return ids;
      };
      const [large, small] = [await pagesOf(100), await pagesOf(7)];
      expect(small).toEqual(large);
      expect(new Set(large).size).toBe(large.length);
    }
  });

  it('applies filters and narrowing before both arms are cut off', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 230 }, (_one, n) => [`n${n}`, { name: 'Narrow Sommer', status: 'new' }]),
    );
    const api = await aTenantWith(service, { mine: { name: 'Narow Somer', status: 'rare' }, ...many });
    for (const mode of ['semantic', 'hybrid'])
      expect(await found(api, 'narrow sommer', { mode, status: 'rare' })).toEqual(['mine']);
  });
});
