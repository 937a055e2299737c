import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const get = async (path: string, key: string, headers: object = {}) => {
  const response = await fetch(`${fleet.baseUrl}${path}`, { headers: { 'x-api-key': key, ...headers } });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
};
const lead = { email: 'a@example.com', firstName: 'A', lastName: 'B' };
const person = { password: 'a long phrase is best', firstName: 'Grace', lastName: 'Hopper' };

describe('the usage of a subscription', () => {
  it.each(['live', 'sandbox'] as const)('equals the usage header of the response, with a %s key', async (kind) => {
    const { data } = await tenant.owner.listSubscriptions();
    const path = `/v1/subscriptions/${data[0]?.id}/usage`;
    const replies = await Promise.all(Array.from({ length: 20 }, () => get(path, tenant[kind])));
    for (const { status, headers, body } of replies) {
      expect(status).toBe(200);
      expect(String(body.data.apiCalls.used)).toBe(headers.get('x-api-usage-current'));
    }
    if (kind === 'live') expect(new Set(replies.map(({ body }) => body.data.apiCalls.used)).size).toBe(20);
  });
});

describe('keys', () => {
  it('have only their own permissions', async () => {
    const { data } = await tenant.owner.createApiKey({ body: { name: 'reader', permissions: ['leads:read'] } });
    const reader = fleet.api({ apiKey: data.fullKey as string });
    expect((await reader.listLeads()).status).toBe(200);
    await expect(reader.createLead({ body: lead })).rejects.toMatchObject({
      status: 403,
      message: 'Insufficient permissions',
    });
  });

  it('access only the data of their environment', async () => {
    const own = await aTenant(fleet);
    const sandbox = fleet.api({ apiKey: own.sandbox });
    const { data } = await own.api.createLead({ body: lead });
    expect((await sandbox.listLeads()).pagination?.total).toBe(0);
    await expect(sandbox.getLead({ params: { id: data.id } })).rejects.toMatchObject({ status: 404 });
  });
});

it('teams contain users by their public ids, and none of another tenant', async () => {
  const { data: user } = await tenant.owner.createUser({ body: { ...person, email: `g-${Date.now()}@example.com` } });
  const other = await aTenant(fleet);
  const { data: team } = await tenant.api.createTeam({ body: { name: 'Sales', memberIds: [user.id] } });
  expect(team).toMatchObject({ memberCount: 1, createdBy: tenant.userId });
  const members = await tenant.api.listTeamMembers({ params: { id: team.id } });
  expect(members.data.map(({ id, teamIds }) => [id, teamIds])).toEqual([[user.id, [team.id]]]);
  const foreign = { body: { name: 'Theirs', memberIds: [user.id] } };
  await expect(other.api.createTeam(foreign)).rejects.toMatchObject({ status: 422 });
  const me = await get('/v1/users/me', tenant.live, { 'x-on-behalf-of': user.id });
  expect([me.status, me.body.data.id]).toEqual([200, user.id]);
});

it('an addon has the same id for every tenant, and is installed for one', async () => {
  const other = await aTenant(fleet);
  const [mine, theirs] = await Promise.all([tenant, other].map(({ api }) => api.listAddonCatalog()));
  expect(mine?.data.map(({ id }) => id)).toEqual(theirs?.data.map(({ id }) => id));
  const addonId = mine?.data.find(({ requiresPlan }) => requiresPlan === null)?.id as string;
  const { data } = await tenant.api.installAddon({ params: { addonId }, body: {} });
  expect(data).toMatchObject({ addonId, status: 'installed' });
  expect((await tenant.api.getCurrentTenant()).data.installedAddons.map((one) => one.addonId)).toEqual([addonId]);
  expect((await other.api.getCurrentTenant()).data.installedAddons).toEqual([]);
  const sandbox = fleet.api({ apiKey: tenant.sandbox }).installAddon({ params: { addonId }, body: {} });
  await expect(sandbox).rejects.toMatchObject({ status: 403, code: 'live_key_needed' });
});

it('a notification reaches the user a key acts for, not the key’s owner', async () => {
  const { data: user } = await tenant.owner.createUser({ body: { ...person, email: `n-${Date.now()}@example.com` } });
  const body = { title: 'Hello', body: 'Done', userIds: [user.id] };
  const { data: batch } = await tenant.api.createNotification({ body });
  const titles = async (headers: object) =>
    (await get('/v1/notifications', tenant.live, headers)).body.data.map(({ title }: { title: string }) => title);
  expect(batch.recipients).toBe(1);
  expect(await titles({ 'x-on-behalf-of': user.id })).toEqual(['Hello']);
  expect(await titles({})).toEqual([]);
});
