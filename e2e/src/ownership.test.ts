import { aTenant, startFleet, type TestFleet, type TestTenant, tokensOf } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// Records follow their owner from team to team and to a successor, seen by people who are limited to their team. The
// tests are chapters: each begins where the one before ended.

type Api = ReturnType<TestFleet['api']>;
type Person = { id: string; api: Api };

const password = 'a long phrase is best';
let fleet: TestFleet;
let tenant: TestTenant;
let teams: { north: string; south: string };
let seller: Person;
let northerner: Person;
let southerner: Person;
let records: { lead: string; campaign: string };
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  tenant = await aTenant(fleet);
  const aTeam = async (name: string) => (await tenant.owner.createTeam({ body: { name } })).data.id;
  teams = { north: await aTeam('North'), south: await aTeam('South') };
  const roleId = await aRole(['leads:read:team', 'leads:write:team', 'campaigns:read:team', 'campaigns:write:team']);
  const readerId = await aRole(['leads:read:team', 'campaigns:read:team', 'search:read']);
  seller = await aPerson('seller', roleId, [teams.north]);
  northerner = await aPerson('northerner', readerId, [teams.north]);
  southerner = await aPerson('southerner', readerId, [teams.south]);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

async function aRole(permissions: string[]): Promise<string> {
  return (await tenant.owner.createRole({ body: { name: permissions.join(' ').slice(0, 90), permissions } })).data.id;
}

async function aPerson(name: string, roleId: string, teamIds: string[]): Promise<Person> {
  const email = `${name}-${Date.now()}@example.com`;
  const person = { email, password, firstName: 'Grace', lastName: 'Hopper', roleId, teamIds };
  const { data: user } = await tenant.owner.createUser({ body: person });
  const { data } = await fleet.api().login({ body: { email, password } });
  return { id: user.id, api: fleet.api({ accessToken: tokensOf(data).accessToken, tenantId: tenant.id }) };
}

const orMissing = (request: Promise<{ data: { id: string } }>) =>
  request.then(
    ({ data }) => data.id,
    (error: { status?: number }) => error.status,
  );

/** What a person finds by id, in lists and by search: nothing, or the records and nothing else. */
async function foundBy({ api }: Person) {
  const [leads, campaigns, search] = await Promise.all([
    api.listLeads(),
    api.listCampaigns(),
    api.searchLeads({ query: { q: 'lovelace' } }),
  ]);
  return {
    byId: [
      await orMissing(api.getLead({ params: { id: records.lead } })),
      await orMissing(api.getCampaign({ params: { id: records.campaign } })),
    ],
    listed: [...leads.data, ...campaigns.data].map(({ id }) => id),
    counted: [leads.pagination?.total, campaigns.pagination?.total],
    searched: search.data.map(({ id }) => id),
  };
}

const everything = () => ({
  byId: [records.lead, records.campaign],
  listed: [records.lead, records.campaign],
  counted: [1, 1],
  searched: [records.lead],
});
const nothing = { byId: [404, 404], listed: [], counted: [0, 0], searched: [] };

/** Waits until one person finds the records everywhere and the other nowhere. */
async function areVisibleTo(insider: Person, outsider: Person): Promise<void> {
  const seen = async () => [await foundBy(insider), await foundBy(outsider)];
  const wanted = JSON.stringify([everything(), nothing]);
  await until('the records have moved', async () => JSON.stringify(await seen()) === wanted).catch(() => undefined);
  expect(await seen()).toEqual([everything(), nothing]);
}

it('the records of a user are visible to their team', async () => {
  const person = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const { data: lead } = await seller.api.createLead({ body: { ...person, assignedTo: seller.id } });
  const { data: campaign } = await seller.api.createCampaign({ body: { name: 'Spring' } });
  records = { lead: lead.id, campaign: campaign.id };
  expect(campaign).toMatchObject({ ownerId: seller.id, createdBy: seller.id, teamId: teams.north });
  await areVisibleTo(northerner, southerner);
});

it('the records follow when the user moves to another team', async () => {
  await tenant.owner.updateUser({ params: { id: seller.id }, body: { teamIds: [teams.south] } });
  await areVisibleTo(southerner, northerner);
});

it('a user with open records cannot leave without a successor, and the refusal has the counts', async () => {
  for (const leave of [tenant.owner.suspendUser, tenant.owner.deactivateUser])
    await expect(leave({ params: { id: seller.id }, body: {} })).rejects.toMatchObject({
      status: 409,
      code: 'work_left',
      errors: [
        { field: 'leads', message: 'The user has 1 open leads' },
        { field: 'campaigns', message: 'The user has 1 open campaigns' },
      ],
    });
});

it('the successor gets the open records, with their team', async () => {
  await tenant.owner.deactivateUser({ params: { id: seller.id }, body: { reassignTo: northerner.id } });
  await areVisibleTo(northerner, southerner);
  const { data: lead } = await tenant.owner.getLead({ params: { id: records.lead } });
  const { data: campaign } = await tenant.owner.getCampaign({ params: { id: records.campaign } });
  expect([lead.assignedTo, campaign.ownerId]).toEqual([northerner.id, northerner.id]);
  expect([lead.teamId, campaign.teamId]).toEqual([teams.north, teams.north]);
  const { data: trail } = await tenant.owner.listAuditLogs({ query: { action: 'campaign.update' } });
  expect(trail.map(({ changes }) => Object.keys(changes ?? {}).sort())).toEqual([['ownerId', 'teamId'], ['teamId']]);
});
