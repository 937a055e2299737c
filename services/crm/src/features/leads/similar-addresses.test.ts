import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<TestService<typeof crm>['as']>;

interface Pair {
  id: string;
  leadIds: string[];
  confidence: number;
  matchedOn: string[];
}

// A name of one word cannot be compared. The first names of two leads differ, so that only their addresses are candidates.
const unknown = { lastName: '-' };

const create = async (api: Api, fields: Record<string, unknown>) =>
  (await api.createLead({ body: aLead(fields) })).data;
const pairs = async (api: Api, query = {}) => (await api.listLeadDuplicates({ query })).data as Pair[];
const somePairs = (api: Api, count: number, query = {}) =>
  until(`${count} pairs are found`, async () => {
    const found = await pairs(api, query);
    return found.length >= count && found;
  });

/** Leads whose pair shows that the leads before them were compared. */
async function lastPair(api: Api): Promise<Pair[]> {
  const last = [await create(api, { email: 'end@end.example' }), await create(api, { email: 'end@end.example' })];
  return until('the last leads are paired', async () => {
    const found = await pairs(api, { status: 'open' });
    const others = found.filter(({ leadIds }) => !last.every(({ id }) => leadIds.includes(id)));
    return others.length < found.length && others;
  });
}

it.each([
  ['a dot', 'jane.doe@firm.example', 'janedoe@firm.example', 0.8],
  ['other dots', 'j.anedoe@firm.example', 'jane.doe@firm.example', 0.8],
  ['a tag', 'jane.doe@firm.example', 'Jane.Doe+news@firm.example', 0.85],
  ['a dot and a tag', 'janedoe+news@firm.example', 'jane.doe@firm.example', 0.8],
  ['a missing letter', 'jane.doe@firm.example', 'jne.doe@firm.example', 0.75],
  ['an additional letter', 'jane.doe@firm.example', 'jane.dooe@firm.example', 0.75],
  ['exchanged letters', 'jane.doe@firm.example', 'jane.deo@firm.example', 0.75],
  ['another letter', 'margaret.doe@firm.example', 'margarat.doe@firm.example', 0.75],
  ['a typo at a public provider', 'jane.doe@gmail.com', 'jaane.doe+news@googlemail.com', 0.75],
])('addresses that differ by %s are a likely pair without names to compare', async (_, one, other, confidence) => {
  for (const [first, second] of [
    [one, other],
    [other, one],
  ]) {
    const api = service.as();
    const leads = [await create(api, { ...unknown, email: first }), await create(api, { ...unknown, email: second })];
    expect(await somePairs(api, 1)).toMatchObject([
      { leadIds: leads.map(({ id }) => id), confidence, matchedOn: ['email_variant'] },
    ]);
  }
});

it('a lead with a name is paired with one without a name, and not with one of another person', async () => {
  const api = service.as();
  const named = await create(api, { firstName: 'Jane', lastName: 'Doe', email: 'jane.doe@firm.example' });
  await create(api, { firstName: 'Janet', lastName: 'Dough', email: 'janet.doe@firm.example' });
  const unnamed = await create(api, { ...unknown, email: 'jane.deo@firm.example' });
  expect((await lastPair(api)).map(({ leadIds }) => leadIds)).toEqual([[named.id, unnamed.id]]);
});

it('similar addresses of other tenants and of the other environment are no pairs', async () => {
  const api = service.as();
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  const emails = ['jane.doe@firm.example', 'janedoe@firm.example', 'jane.deo@firm.example'];
  for (const [index, one] of [api, sandbox, service.as()].entries())
    await create(one, { ...unknown, email: emails[index] });
  expect(await lastPair(api)).toEqual([]);
  expect(await lastPair(sandbox)).toEqual([]);
});

it('a pair follows the changes of an address', async () => {
  const api = service.as();
  await create(api, { ...unknown, email: 'jane.doe@firm.example' });
  const { id } = await create(api, { ...unknown, email: 'grace@firm.example' });
  const become = (email: string, expected: number[]) =>
    until(`pairs of ${email}`, async () => {
      const found = (await pairs(api)).map(({ confidence }) => confidence);
      return JSON.stringify(found) === JSON.stringify(expected);
    });
  for (const [email, expected] of [
    ['janedoe@firm.example', [0.8]],
    ['jane.deo@firm.example', [0.75]],
    ['hopper@firm.example', []],
    ['janedoe+news@firm.example', [0.8]],
  ] as const) {
    expect((await api.updateLead({ params: { id }, body: { email } })).status).toBe(200);
    await become(email, [...expected]);
  }
});

it('a dismissed pair stays dismissed when a lead changes, and a merge decides a pair', async () => {
  const api = service.as();
  const first = await create(api, { ...unknown, email: 'jane.doe@firm.example' });
  const second = await create(api, { ...unknown, email: 'jane.deo@firm.example' });
  const [found] = await somePairs(api, 1);
  expect((await api.dismissDuplicate({ params: { pairId: found?.id } })).status).toBe(200);
  await api.updateLead({ params: { id: second.id }, body: { firstName: 'Grace' } });
  expect(await lastPair(api)).toEqual([]);
  const third = await create(api, { ...unknown, email: 'janedoe@firm.example' });
  const ofThird = async () =>
    (await pairs(api, { status: 'open' })).filter(({ leadIds }) => leadIds.includes(third.id));
  await until('the third lead is paired', async () => (await ofThird()).length === 1);
  await api.mergeLeads({ params: { id: first.id }, body: { mergeIds: [third.id] } });
  expect(await ofThird()).toEqual([]);
  expect(await pairs(api, { status: 'merged' })).toMatchObject([{ leadIds: [first.id, third.id] }]);
  expect(await pairs(api, { status: 'dismissed' })).toMatchObject([{ leadIds: [first.id, second.id] }]);
});

it('no more than 20 misspelt addresses are compared, and an equal mailbox always', async () => {
  const api = service.as();
  const equal = await create(api, { ...unknown, email: 'janedoe@firm.example' });
  await service.sqlWithin(
    api.caller,
    `INSERT INTO lead (email, first_name, last_name) SELECT 'jane.deo@firm.example', 'Ada', '-' FROM generate_series(1, 50)`,
  );
  const { id } = await create(api, { ...unknown, email: 'jane.doe@firm.example' });
  // The search for the equal lead may still run, and add this one pair first.
  const found = await until('the lead is paired', async () => {
    const { data } = await api.getLeadDuplicates({ params: { id }, query: { limit: '100' } });
    return data.length > 1 && (data as Pair[]);
  });
  expect(found).toHaveLength(20);
  expect(found.some(({ leadIds }) => leadIds.includes(equal.id))).toBe(true);
});
