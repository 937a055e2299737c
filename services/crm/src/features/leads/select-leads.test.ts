import { conditionFields, conditionOperators } from '@tandem/contract';
import { conditionErrors, type crm, Lead, meets } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import fc from 'fast-check';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Wire = Record<string, unknown> & { id: string };

const internal = (api: Api, others: object = {}) =>
  service.as({ type: 'system', tenantId: api.caller.tenantId as number, ...others });
const select = async (api: Api, body: Record<string, unknown>, others: object = {}) =>
  (await internal(api, others).selectLeads({ body: { conditions: [], limit: 1000, ...body } })).data;
const idsOf = async (api: Api, body: Record<string, unknown>, others?: object) =>
  (await select(api, body, others)).leads.map(({ id }: { id: string }) => id);

async function create(api: Api, items: Record<string, unknown>[]): Promise<string[]> {
  const { data } = await api.bulkCreateLeads({ body: { items: items.map(aLead) } });
  return data.results.map(({ id }: { id: string }) => id);
}

// Values that conditions on texts, numbers and lists meet or miss, with those that JavaScript and PostgreSQL treat differently.
const words = [
  'ada',
  'ADA',
  'Ada Lovelace',
  'Ünal',
  'ÜNAL',
  'ΣΑΣ',
  'σας',
  'İzmir',
  'i̇zmir',
  'K',
  'ẞ',
  'ß',
  '😀',
  'a%b',
  'a_b',
];
const numbers = ['12', '12.0', '12.5', '-3', ' 12 ', '0x10', '1e3', 'Infinity', '0', '9'];
const dates = [
  '2026-03-31',
  '2026-03-31T10:00Z',
  '2026-03-31T10:00:00Z',
  '2026-03-31T10:00:00.5Z',
  '2026-04-01',
  '2026-4-1',
];
const scalars: unknown[] = [
  ...words,
  ...numbers,
  ...dates,
  12,
  12.5,
  -3,
  0,
  0.1,
  1e-7,
  1e21,
  123456789012,
  true,
  false,
];
const stored: unknown[] = [
  ...scalars,
  null,
  '',
  ' ',
  [],
  [''],
  [null],
  {},
  { b: 1, a: [2] },
  [['ada']],
  ...scalars.map((one) => [one, 'x']),
];

describe('conditions', () => {
  it('select the leads that meet them: for every field, operator and kind of value', async () => {
    const api = service.as();
    const sources = ['web', 'referral', 'api', 'import', 'manual', null];
    const statuses = ['new', 'contacted', 'qualified', 'unqualified'];
    await create(
      api,
      stored.map((value, index) => ({
        firstName: words[index % words.length],
        lastName: [...numbers, ...dates][index % 16]?.trim(),
        ...(index % 3 && { phone: `+4917012345${10 + (index % 80)}` }),
        source: sources[index % sources.length],
        status: statuses[index % statuses.length],
        score: [0, 12, 12.5, 99.99999999, 100][index % 5],
        tags: words.slice(0, index % 4),
        ...(index % 2 && { externalId: `${words[index % words.length]}-${index}` }),
        ...(index % 4 && { referralCode: index % 8 ? 'ADA-2026' : 'bob-2026' }),
        customFields: { any: value, constructor: index % 2 ? 'ada' : 12 },
      })),
    );
    const read = (await internal(api).readLeads({ body: { ids: await idsOf(api, {}) } })).data as Wire[];
    expect(read).toHaveLength(stored.length);
    const leads = read.map((lead) => Lead.decode(lead as never)).sort((one, other) => one.id - other.id);

    const field = fc.constantFrom(
      ...conditionFields,
      'customFields.any',
      'customFields.any',
      'customFields.constructor',
      'customFields.none',
    );
    const own = (name: string): unknown[] =>
      leads
        .map((lead) => (name === 'emailDomain' ? 'Example.com' : (lead as never as Record<string, unknown>)[name]))
        .filter((one) => ['string', 'number'].includes(typeof one));
    const condition = fc.tuple(field, fc.constantFrom(...conditionOperators)).chain(([name, operator]) => {
      const single = fc.oneof(fc.constantFrom(...scalars), fc.constantFrom(...own(name), 'ada'));
      const list = fc.array(
        single.filter((one) => typeof one !== 'boolean'),
        { minLength: 1, maxLength: 3 },
      );
      const value = operator.endsWith('_set') ? fc.constant(null) : operator.endsWith('in') ? list : single;
      return fc.record({
        field: fc.constant(name as string),
        operator: fc.constant(operator),
        value: value as fc.Arbitrary<never>,
      });
    });
    const conditions = fc.array(
      condition.filter((one) => !conditionErrors(one).length),
      { minLength: 1, maxLength: 2 },
    );
    await fc.assert(
      fc.asyncProperty(conditions, async (all) => {
        const expected = leads.filter((lead) => all.every((one) => meets(lead, one))).map(({ id }) => String(id));
        expect(await idsOf(api, { conditions: all })).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });
});

describe('selectLeads', () => {
  it('returns the addresses and the consent, by id, without deleted leads', async () => {
    const api = service.as();
    const consent = { email: { state: 'denied' } };
    const [first, second, third] = await create(api, [
      { email: 'ada@example.com', phone: '+491701234567', consent },
      {},
      {},
    ]);
    await api.deleteLead({ params: { id: second as string } });
    const found = await select(api, {});
    expect(found.leads.map(({ id }: Wire) => id)).toEqual([first, third]);
    expect(found.leads[0]).toMatchObject({ email: 'ada@example.com', phone: '+491701234567', consent });
    expect(found.next).toBeNull();
  });

  it('continues after a page, and selects among given leads', async () => {
    const api = service.as();
    const ids = await create(
      api,
      Array.from({ length: 5 }, (_, index) => ({ tags: index === 1 ? [] : ['vip'] })),
    );
    const conditions = [{ field: 'tags', operator: 'contains', value: 'VIP' }];
    const page = await select(api, { conditions, limit: 2 });
    expect([page.leads.map(({ id }: Wire) => id), page.next]).toEqual([[ids[0], ids[2]], ids[2]]);
    expect(await idsOf(api, { conditions, after: page.next })).toEqual(ids.slice(3));
    expect(await idsOf(api, { conditions, ids: [ids[4], ids[1]] })).toEqual([ids[4]]);
    expect(await idsOf(api, { conditions, ids: [] })).toEqual([]);
  });

  it('examines a limited number of leads in a call, and finds those behind them in the next one', async () => {
    const api = service.as();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO lead (email, first_name, last_name, updated_at, score)
       SELECT 'lead' || n || '@example.com', 'Ada', 'Lovelace', now(), CASE WHEN n > 20000 THEN 90 ELSE 0 END FROM generate_series(1, 20010) AS n`,
    );
    const conditions = [{ field: 'score', operator: 'at_least', value: 90 }];
    const first = await select(api, { conditions });
    expect([first.leads, first.next]).toEqual([[], expect.any(String)]);
    const second = await select(api, { conditions, after: first.next });
    expect([second.leads.length, second.next]).toEqual([10, null]);
  });

  it('finds only own and team records for a narrowed caller, and none of another tenant', async () => {
    const api = service.as({ userId: 5, teamIds: [21] });
    const [own] = await create(api, [{}]);
    const [other] = await create(service.as({ tenantId: api.caller.tenantId as number, userId: 6 }), [{}]);
    await create(service.as(), [{}]);
    expect(await idsOf(api, {})).toEqual([own, other]);
    expect(await idsOf(api, {}, { narrow: { userId: 5 } })).toEqual([own]);
    expect(await idsOf(api, {}, { narrow: { userId: 7 } })).toEqual([]);
    expect(await idsOf(api, {}, { narrow: { userId: 7, teamIds: [21] } })).toEqual([own]);
  });
});
