import { startFleet, type TestFleet } from '@tandem/test-fleet';

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet?.stop());

const grace = { firstName: 'Grace', lastName: 'Hopper' };
const unique = () => `${crypto.randomUUID()}@example.com`;

/** A tenant whose owner is signed in. */
async function aCompany() {
  const owner = { email: unique(), password: 'correct horse battery', firstName: 'Ada', lastName: 'Lovelace' };
  const { data } = await fleet.api().createTenant({ body: { name: 'Engines', owner } });
  return { owner: data.user, api: fleet.api({ accessToken: data.accessToken, tenantId: data.tenant.id }) };
}

it('one request shows a list with the names that the caller may read', async () => {
  const { api, owner } = await aCompany();
  const { data: clerk } = await api.createUser({
    body: { ...grace, email: unique(), password: 'correct horse battery' },
  });
  const permissions = ['tasks:read', 'leads:read:own', 'users:act_as'];
  const { data: key } = await api.createApiKey({ body: { name: 'Clerk', permissions } });
  const { data: lead } = await api.createLead({ body: { ...grace, email: unique() } });
  const { data: mine } = await api.createLead({ body: { ...grace, email: unique(), assignedTo: clerk.id } });
  for (const leadId of [lead.id, mine.id])
    await api.createTask({ body: { title: 'Call back', leadId, assignedTo: clerk.id } });
  const asClerk = fleet.api({ apiKey: key.fullKey });
  const include = 'assignedTo,lead,createdBy';
  expect((await api.listTasks({ query: { include } })).included).toEqual({
    [owner.id]: { type: 'user', name: 'Ada Lovelace' },
    [clerk.id]: { type: 'user', name: 'Grace Hopper' },
    [lead.id]: { type: 'lead', name: 'Grace Hopper' },
    [mine.id]: { type: 'lead', name: 'Grace Hopper' },
  });
  expect((await asClerk.listTasks({ query: { include }, onBehalfOf: clerk.id })).included).toEqual({
    [mine.id]: { type: 'lead', name: 'Grace Hopper' },
  });
});

it('a view is applied to its list, overridden by the request', async () => {
  const { api } = await aCompany();
  const { data: other } = await api.createLead({ body: { ...grace, email: unique() } });
  const { data: found } = await api.createLead({ body: { ...grace, email: unique(), tags: ['vip'] } });
  const { data: view } = await api.createView({
    body: { resource: 'leads', name: 'VIP', search: 'tag=vip&sort=createdAt' },
  });
  const idsOf = async (query: { view: string; tag?: string }) =>
    (await api.listLeads({ query })).data.map(({ id }) => id);
  expect(await idsOf({ view: view.id })).toEqual([found.id]);
  await api.updateView({ params: { id: view.id }, body: { search: 'sort=createdAt' } });
  expect(await idsOf({ view: view.id })).toEqual([other.id, found.id]);
  expect(await idsOf({ view: view.id, tag: 'vip' })).toEqual([found.id]);
});

it('one request shows the numbers of all badges', async () => {
  const { api, owner } = await aCompany();
  const due = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  for (const dueAt of [due(-1), due(-30), due(24 * 7)])
    await api.createTask({ body: { title: 'Call back', assignedTo: owner.id, dueAt } });
  await api.createPartner({ body: { ...grace, email: unique() } });
  const { data } = await api.getCounts();
  expect(data).toMatchObject({
    tasks: { overdue: 2, dueToday: 0 },
    approvals: { pending: 0 },
    partnerApplications: { pending: 1 },
  });
  expect(data.notifications).toEqual((await api.countUnreadNotifications()).data);
});
