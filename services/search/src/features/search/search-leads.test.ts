import { type Api, aTenantWith, drivers, found, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('with %s', (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startSearchWith(driver);
  });
  afterAll(() => service?.close());

  const people = {
    ada: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@analytical.example',
      phone: '+491701234567',
      company: 'Engines',
      status: 'new',
      source: 'web',
      score: 80,
      createdAt: '2026-01-10T00:00:00.000Z',
    },
    charles: {
      firstName: 'Charles',
      lastName: 'Babbage',
      email: 'cb@engines.example',
      company: 'Lovelace & Sons',
      status: 'contacted',
      source: 'api',
      score: 20,
      createdAt: '2026-02-10T00:00:00.000Z',
    },
    grace: {
      firstName: 'Grace',
      lastName: 'Hopper',
      email: 'grace@navy.example',
      note: 'Knows Lovelace <b>well</b> & likes it',
      status: 'new',
      source: 'web',
      score: 50,
      createdAt: '2026-03-10T00:00:00.000Z',
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
      expect((await api.searchLeads({ query: { q: 'weis' } })).data[0].highlights.lastName).toBe(
        '<em>Weiß</em>-Müller',
      );
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
      [{ q: 'a', createdFrom: '0001-01-01T00:00:00Z' }, 'createdFrom', 'Must be a time from 1900 to 9999'],
      [
        { q: 'a', createdFrom: '2026-02-01T00:00:01Z', createdTo: '2026-02-01T00:00:00Z' },
        'createdTo',
        'Must not be before createdFrom',
      ],
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
      const suggested = async (...can: string[]) =>
        (await as(...can).autocomplete({ query: { q: 'ada' } })).data.length;
      expect([
        await suggested('search:read'),
        await suggested('search:read', 'partners:read'),
        await suggested('search:read', 'leads:read'),
      ]).toEqual([0, 0, 1]);
      expect((await as('search:read', 'leads:read').searchLeads({ query: { q: 'ada' } })).data).toHaveLength(1);
    });
  });
});
