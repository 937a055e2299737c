import { until } from '@tandem/testing';
import { aLeadRecord, anEvent, aTenantWith, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

const publish = (event: ReturnType<typeof anEvent>) => service.publish(event.name, event, event.id);
const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@engines.example', phone: '+442071234567' };

it('finds a record by each kind of match, the most similar first, and never itself', async () => {
  const api = await aTenantWith(service, {
    own: ada,
    same: { ...ada, email: 'ADA@engines.example' },
    phone: { firstName: 'Ada', lastName: 'L.', email: 'al@gmail.com', phone: '+44 20 7123 4567' },
    tag: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada+x@engines.example' },
    colleague: { firstName: 'Charles', lastName: 'Babbage', email: 'charles@engines.example' },
    namesake: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@other.example' },
  });
  const { data } = await api.findDuplicates({ body: { type: 'lead', id: 'own' } });
  expect(data.map(({ id, score, level }: { id: string; score: number; level: string }) => [id, score, level])).toEqual([
    ['same', 1, 'exact'],
    ['phone', expect.any(Number), 'exact'],
    ['tag', 0.9, 'likely'],
  ]);
  expect(data[0]).toMatchObject({ document: { firstName: 'Ada' } });
  expect(data[0].signals).toContainEqual({ field: 'email', similarity: 1, matched: true });
  const all = await api.findDuplicates({ body: { type: 'lead', id: 'own', threshold: 0 } });
  expect(all.data.map(({ id }: { id: string }) => id)).toEqual(['same', 'phone', 'tag', 'namesake']);
  const one = await api.findDuplicates({ body: { type: 'lead', data: ada, limit: 1 } });
  expect(one.data).toMatchObject([{ score: 1 }]);
});

it.each(['engines.example', 'gmail.com'])(
  'finds an address at %s that differs by dots, a tag or a typo',
  async (host) => {
    const addresses = {
      own: 'ada.lovelace',
      ...{ dots: 'adalovelace', tag: 'ada.lovelace+news', swapped: 'ada.lovelcae', missing: 'ada.lovelce' },
      ...{ added: 'ada.lovelacee', changed: 'ada.lovelaxe', two: 'ada.lovlce', other: 'charles.babbage' },
    };
    const documents = Object.entries(addresses).map(([id, local]) => [id, { email: `${local}@${host}` }]);
    const api = await aTenantWith(service, Object.fromEntries(documents));
    const elsewhere = { id: 'elsewhere', type: 'lead', data: { email: 'ada.lovelce@other.example' } } as const;
    await api.indexDocument({ body: elsewhere });
    for (const wanted of [{ id: 'own' }, { data: { email: `ada.lovelace@${host}` } }]) {
      const { data } = await api.findDuplicates({ body: { type: 'lead', ...wanted, limit: 50 } });
      const levels = Object.fromEntries(data.map(({ id, level }: { id: string; level: string }) => [id, level]));
      const likely = ['dots', 'tag', 'swapped', 'missing', 'added', 'changed'].map((id) => [id, 'likely']);
      expect(levels).toEqual(Object.fromEntries([...('data' in wanted ? [['own', 'exact']] : []), ...likely]));
    }
  },
);

it('finds a misspelt address of an own record only', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const name = { firstName: 'Ada', lastName: 'Lovelace' };
  const [own, other] = [
    { ...name, email: 'ada.lovelcae@engines.example', assignedTo: '77' },
    { ...name, email: 'ada.lovelce@engines.example', assignedTo: '78' },
  ];
  await publish(anEvent('lead.created', tenantId, aLeadRecord(tenantId, 1, own)));
  await publish(anEvent('lead.created', tenantId, aLeadRecord(tenantId, 2, other)));
  const found = async (as: typeof api) =>
    (await as.findDuplicates({ body: { type: 'lead', data: { email: 'ada.lovelace@engines.example' } } })).data;
  await until('both leads are indexed', async () => (await found(api)).length === 2);
  const narrow = service.as({ tenantId, userId: 77, can: ['search:read', 'leads:read:own'] });
  expect(await found(narrow)).toMatchObject([{ id: ids.encode('lead', tenantId, 1), level: 'likely' }]);
});

it('compares accounts and partners by their companies', async () => {
  const api = await aTenantWith(service, { p: { company: 'Engines Ltd', email: 'a@engines.example' } }, 'partner');
  const data = { company: 'Engines', email: 'b@engines.example' };
  const partners = await api.findDuplicates({ body: { type: 'partner', data } });
  expect(partners.data).toMatchObject([{ id: 'p', score: 0.9, level: 'likely' }]);
});

it('finds accounts by their domain and name; typed searches do not', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const account = {
    ...{ id: '5', tenantId: String(tenantId), name: 'Engines GmbH', domain: 'engines.example', tags: [] },
    ...{ address: { street: null, city: 'Berlin', postalCode: null, region: null, country: null }, customFields: {} },
    ...{ ownerId: '7', createdAt: '2026-03-01T10:00:00.000Z', updatedAt: '2026-03-01T10:00:00.000Z', version: 1 },
  };
  await publish(anEvent('account.created', tenantId, account));
  const data = { name: 'Engines', website: 'https://www.engines.example/about' };
  const find = async () => (await api.findDuplicates({ body: { type: 'account', data } })).data;
  const [found] = await until('the account is indexed', async () => {
    const duplicates = await find();
    return duplicates.length > 0 && duplicates;
  });
  expect(found).toMatchObject({ id: ids.encode('account', tenantId, 5), score: 0.97, level: 'exact' });
  expect((await api.searchAll({ query: { q: 'engines' } })).data).toEqual([]);
  const deleted = { ...account, version: 2 };
  await publish(anEvent('account.deleted', tenantId, deleted));
  await until('the account is removed', async () => (await find()).length === 0);
});

it('needs either an id or data, and refuses the id of a record that the caller cannot find', async () => {
  const api = await aTenantWith(service, { own: ada });
  const stranger = service.as();
  for (const body of [{ type: 'lead' }, { type: 'lead', id: 'own', data: ada }])
    expect((await api.findDuplicates({ body } as never)).status).toBe(422);
  const { status, body } = await stranger.findDuplicates({ body: { type: 'lead', id: 'own' } });
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field: 'id' })]]);
  expect((await stranger.findDuplicates({ body: { type: 'lead', data: ada } })).data).toEqual([]);
  const sandbox = service.as({ ...api.caller, environment: 'sandbox' });
  expect((await sandbox.findDuplicates({ body: { type: 'lead', data: ada } })).data).toEqual([]);
});

it.each([
  ['lead', { firstName: 'Ada', company: 'Engines' }, /`email`.*`phone`.*`firstName` and `lastName`/],
  ['account', { address: { city: 'London' } }, /`name`.*`domain`.*`website`/],
  ['partner', { firstName: 'Ada' }, /`email`.*`company`/],
])('refuses data of a %s that has nothing to compare, and names what it needs', async (type, fields, message) => {
  const api = await aTenantWith(service, { own: ada });
  for (const data of [{ notes: 'met in London' }, { email: 1, phone: '' }, { ...fields, notes: 'x' }]) {
    const { status, body } = await api.findDuplicates({ body: { type, data } } as never);
    expect([status, body.errors]).toEqual([422, [{ field: 'data', message: expect.stringMatching(message) }]]);
  }
});

it('a narrowed caller finds own records behind any number of newer ones of others', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const fields = { firstName: 'Ada', lastName: 'King', email: 'ada@king.example' };
  await publish(anEvent('lead.created', tenantId, aLeadRecord(tenantId, 1, { ...fields, assignedTo: '77' })));
  for (let id = 2; id <= 60; id++) await publish(anEvent('lead.created', tenantId, aLeadRecord(tenantId, id, fields)));
  const find = (as: typeof api) => as.findDuplicates({ body: { type: 'lead', data: fields } });
  await until('all leads are indexed', async () => {
    const [row] = await service.sqlWithin(api.caller, 'SELECT count(*)::int AS n FROM document');
    return row?.['n'] === 60;
  });
  const narrow = service.as({ tenantId, userId: 77, can: ['search:read', 'leads:read:own'] });
  expect((await find(narrow)).data).toMatchObject([{ id: ids.encode('lead', tenantId, 1), score: 1 }]);
  expect((await find(service.as({ tenantId, can: ['search:read'] }))).status).toBe(403);
});
