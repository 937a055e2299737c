import { search } from '@tandem/search-contract';
import { everyOperation } from '@tandem/testing';
import { matchTerms } from '../../fields.ts';
import { aTenantWith, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

everyOperation(search, () => service);

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };

describe('indexDocument', () => {
  it('returns 200 with type, id and time, and the document is found', async () => {
    const api = service.as();
    const reply = await api.indexDocument({ body: { type: 'lead', id: 'my-17', data: ada } });
    expect([reply.status, reply.body.message]).toEqual([200, 'Document indexed']);
    expect(reply.data).toEqual({ type: 'lead', id: 'my-17', indexedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    const { data } = await api.searchLeads({ query: { q: 'lovelace' } });
    expect(data).toMatchObject([{ type: 'lead', id: 'my-17', document: ada }]);
  });

  it('replaces what was there', async () => {
    const api = await aTenantWith(service, { a: { name: 'Bernoulli', email: 'b@example.com' } });
    await api.indexDocument({ body: { type: 'lead', id: 'a', data: { name: 'Babbage' } } });
    const found = async (q: string) => (await api.searchLeads({ query: { q } })).data.length;
    expect([
      await found('bernoulli'),
      await found('b@example.com'),
      await found('bernouli'),
      await found('babbage'),
    ]).toEqual([0, 0, 0, 1]);
  });

  it('finds custom fields whatever their names, and external ids, but no ids, times and choices of records', async () => {
    const api = await aTenantWith(service, {
      a: {
        id: 'recordcode',
        status: 'qualified',
        createdBy: 'usercode',
        createdAt: '2026-01-01T00:00:00.000Z',
        allowedTransitions: ['contacted'],
        outcome: { result: 'won', note: 'champagne', byUserId: 'usercode' },
        externalId: 'EXT4711',
        referralCode: 'SPRING26',
        customFields: { taxId: 'DE811907980', status: 'gesperrt', source: { soldBy: 'Kepler' }, renewedAt: 'Easter' },
      },
    });
    const finds = async (q: string) => (await api.searchLeads({ query: { q, typo: 'off' } })).data.length;
    for (const q of ['ext4711', 'spring26', 'de811907980', 'gesperrt', 'kepler', 'easter', 'champagne'])
      expect([q, await finds(q)]).toEqual([q, 1]);
    for (const q of ['recordcode', 'usercode', 'qualified', 'contacted', '2026', 'won'])
      expect([q, await finds(q)]).toEqual([q, 0]);
  });

  it('takes a code of this API and its prefixed form for the same record', async () => {
    const api = service.as();
    const code = ids.encode('lead', api.caller.tenantId as number, 7);
    await api.indexDocument({ body: { type: 'lead', id: `lead_${code}`, data: ada } });
    const again = await api.indexDocument({ body: { type: 'lead', id: code, data: ada } });
    expect(again.data.id).toBe(code);
    expect((await api.searchLeads({ query: { q: 'ada' } })).body.pagination?.total).toBe(1);
  });

  it('keeps tenants and environments apart', async () => {
    const api = await aTenantWith(service, { a: ada });
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [sandbox, service.as()]) {
      expect((await other.searchLeads({ query: { q: 'ada' } })).data).toEqual([]);
      expect((await other.autocomplete({ query: { q: 'ada' } })).data).toEqual([]);
      expect((await other.removeDocument({ params: { type: 'lead', id: 'a' } })).status).toBe(404);
    }
  });

  it.each([
    [{ type: 'task', id: 'a', data: {} }, 'type', 'Must be one of lead, opportunity, partner'],
    [{ type: 'lead', id: ' ', data: {} }, 'id', 'Must not be empty'],
    [{ type: 'lead', id: 'x'.repeat(65), data: {} }, 'id', 'Must be at most 64 characters'],
    [{ type: 'lead', id: 'a' }, 'data', 'Is required'],
    [{ type: 'lead', id: 'a', data: { text: 'x'.repeat(65_536) } }, 'data', 'Must be at most 64 KB'],
    [
      { type: 'lead', id: 'a', data: { text: ['\0'] } },
      'data',
      'Must not contain NUL characters, unpaired surrogates, or numbers that are too large',
    ],
  ])('refuses %#', async (body, field, message) => {
    const reply = await service.as().indexDocument({ body });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
  });

  it('takes documents of any form, and whatever stands where filters look', async () => {
    const data = { score: 'high', createdAt: 'yesterday', status: 5, list: [[{ deep: 'Ünïque' }]], text: '' };
    const api = await aTenantWith(service, { a: data, b: {} });
    const hits = (await api.searchLeads({ query: { q: 'unique' } })).data;
    expect(hits).toMatchObject([{ id: 'a', document: data, matchedOn: ['list.deep'] }]);
  });

  it('lets fifty at once write one document, and the last word stands', async () => {
    const api = service.as();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        api.indexDocument({ body: { type: 'lead', id: 'a', data: { name: `Same Word${n}` } } }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const { data } = await api.searchLeads({ query: { q: 'same' } });
    expect(data).toHaveLength(1);
    const own = data[0].document.name.split(' ')[1];
    expect((await api.searchLeads({ query: { q: 'word', typo: 'off' } })).data[0].highlights.name).toContain(own);
  });

  it('is found by nothing that stood in it before, also after many wrote at once', async () => {
    const api = service.as();
    const write = (n: number) =>
      api.indexDocument({ body: { type: 'lead', id: 'a', data: { name: `Same Word${n}` } } });
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 20 }, (_, n) => write(n)));
    const { data } = await api.searchLeads({ query: { q: 'same' } });
    const own = data[0].document.name.split(' ')[1].toLowerCase();
    const terms = await service.sqlWithin(api.caller, 'SELECT term FROM posting ORDER BY term');
    const keys = matchTerms('lead', { name: `Same ${own}` }).sort();
    expect(terms.map(({ term }) => term)).toEqual([`#name=same ${own}`, `=same ${own}`, 'same', own, ...keys]);
  });
});

describe('removeDocument', () => {
  it('answers what was removed, once, and nothing is left to find', async () => {
    const api = await aTenantWith(service, { a: ada });
    const remove = () => api.removeDocument({ params: { type: 'lead', id: 'a' } });
    const reply = await remove();
    expect([reply.status, reply.data]).toEqual([200, { type: 'lead', id: 'a', removed: true }]);
    expect((await remove()).status).toBe(404);
    expect((await api.searchLeads({ query: { q: 'ada' } })).data).toEqual([]);
    const { caller } = api;
    const left = await service.sqlWithin(
      caller,
      'SELECT (SELECT count(*) FROM posting) + (SELECT count(*) FROM spelling) + (SELECT count(*) FROM embedding) AS n',
    );
    expect(Number(left[0]?.['n'])).toBe(0);
    await api.indexDocument({ body: { type: 'lead', id: 'a', data: ada } });
    expect((await api.searchLeads({ query: { q: 'ada' } })).data).toHaveLength(1);
  });

  it('keeps in mind what other documents still say', async () => {
    const api = await aTenantWith(service, { a: ada, b: { name: 'Lovelace' } });
    await api.removeDocument({ params: { type: 'lead', id: 'a' } });
    expect((await api.searchLeads({ query: { q: 'lovelaec' } })).data).toMatchObject([{ id: 'b' }]);
  });

  it('leaves no trace of a document after 30 days', async () => {
    const api = await aTenantWith(service, { old: ada, late: ada, kept: ada });
    const remove = (id: string) => api.removeDocument({ params: { type: 'lead', id } });
    await remove('old');
    await service.sqlWithin(
      api.caller,
      `UPDATE document SET removed_at = now() - interval '31 days' WHERE removed_at IS NOT NULL`,
    );
    await remove('late');
    await service.housekeep();
    const left = await service.sqlWithin(api.caller, 'SELECT document_id FROM document ORDER BY document_id');
    expect(left.map(({ document_id }) => document_id)).toEqual(['kept', 'late']);
  });

  it('refuses a type that is none', async () => {
    const reply = await service.as().removeDocument({ params: { type: 'task', id: 'a' } });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ field: 'type', message: 'Must be one of lead, opportunity, partner' }],
    ]);
  });
});
