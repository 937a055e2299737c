import { aTenantWith, drivers, indexAll, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('with %s', (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startSearchWith(driver);
  });
  afterAll(() => service?.close());

  describe('autocomplete', () => {
    it('suggests nothing before there are two characters', async () => {
      const api = await aTenantWith(service, { a: { firstName: 'Ada' } });
      for (const q of ['', 'a', ' a ']) expect([q, (await api.autocomplete({ query: { q } })).data]).toEqual([q, []]);
      expect((await api.autocomplete()).data).toEqual([]);
    });

    it('shows of a person the whole name, of others the text that matched', async () => {
      const api = await aTenantWith(service, { a: { firstName: 'Ada', lastName: 'Love<lace' } });
      await api.indexDocument({ body: { type: 'partner', id: 'p', data: { company: 'Adams & Co' } } });
      const { status, data, body } = await api.autocomplete({ query: { q: 'ada' } });
      expect([status, body.pagination]).toEqual([200, undefined]);
      expect(data).toEqual([
        { type: 'lead', id: 'a', text: 'Ada Love<lace', highlight: '<em>Ada</em> Love&lt;lace', field: 'name' },
        { type: 'partner', id: 'p', text: 'Adams & Co', highlight: '<em>Adams</em> &amp; Co', field: 'company' },
      ]);
      expect((await api.autocomplete({ query: { q: 'ada', type: 'partner' } })).data).toHaveLength(1);
    });

    it('takes what stands in the place of a name as it comes', async () => {
      const odd = { toString: 1, valueOf: 2 };
      const api = await aTenantWith(service, {
        a: { firstName: 'Ada', lastName: odd },
        b: { firstName: ['Ada', odd] },
      });
      const { status, data } = await api.autocomplete({ query: { q: 'ada' } });
      const shown = data.map(({ text, field }: Record<string, string>) => [text, field]);
      expect([status, shown]).toEqual([
        200,
        [
          ['Ada', 'name'],
          ['Ada', 'firstName'],
        ],
      ]);
    });

    it('puts what begins with the words before what does so but for an error', async () => {
      const api = await aTenantWith(service, {
        misspelt: { name: 'Marla' },
        inText: { note: 'marlowe' },
        begins: { name: 'Marlon' },
      });
      const { data } = await api.autocomplete({ query: { q: 'marlo' } });
      expect(data.map(({ id }: { id: string }) => id)).toEqual(['begins', 'inText', 'misspelt']);
    });

    it.each([
      ['jonh sm', ['john']],
      ['mihcae', ['michael']],
      ['michea', ['micheal', 'michael']],
      ['mchae', ['michael']],
      ['nichae', ['michael']],
      ['smirh', ['john']],
      ['jahn smi', ['john']],
      ['smtih', ['john']],
      ['федро', ['fedor']],
      ['mhc', []],
      ['mhicea', []],
    ])('forgives one typo in an unfinished word of four letters or more: %s', async (q, expected) => {
      const api = await aTenantWith(service, {
        john: { firstName: 'John', lastName: 'Smithson' },
        michael: { firstName: 'Michael', lastName: 'Kepler' },
        micheal: { firstName: 'Micheal', lastName: 'Kepler' },
        fedor: { firstName: 'Фёдоров', lastName: 'Иванов' },
      });
      const { data } = await api.autocomplete({ query: { q } });
      expect(data.map(({ id }: { id: string }) => id)).toEqual(expected);
      for (const { highlight } of data) expect(highlight).toContain('<em>');
    });

    it('suggests of one field what matches in it, however many documents match better in others', async () => {
      const api = service.as();
      await indexAll(api, [
        { type: 'lead', id: 'company', data: { name: 'Ada King', company: 'Mayer GmbH' } },
        { type: 'lead', id: 'both', data: { name: 'Mayer', company: 'Mayer AG' } },
        { type: 'lead', id: 'email', data: { name: 'Ada Byron', email: 'mayday@example.com' } },
      ]);
      const named = Array.from({ length: 210 }, (_, n) => ({ type: 'lead', id: `d${n}`, data: { name: `Maya ${n}` } }));
      await indexAll(api, named);
      const suggested = async (field: string) =>
        (await api.autocomplete({ query: { q: 'may', field } })).data.map(({ id }: { id: string }) => id);
      expect([await suggested('company'), await suggested('email'), await suggested('status')]).toEqual([
        ['both', 'company'],
        ['email'],
        [],
      ]);
    });

    it('suggests as many as asked for', async () => {
      const many = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`d${n}`, { name: `Same ${n}` }]));
      const api = await aTenantWith(service, many);
      const count = async (limit?: string) =>
        (await api.autocomplete({ query: { q: 'same', ...(limit && { limit }) } })).data.length;
      expect([await count(), await count('3'), await count('20')]).toEqual([8, 3, 20]);
      expect((await api.autocomplete({ query: { q: 'same', limit: '21' } })).status).toBe(422);
    });
  });
});
