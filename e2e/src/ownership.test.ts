import { aTenant, startFleet, type TestFleet, type TestTenant, tokensOf } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// Records follow their owner from team to team and to a successor, seen by people who are limited to their team. The
// tests are chapters: each begins where the one before ended.

type Api = ReturnType<TestFleet['api']>;
type Person = { id: string; api: Api; accessToken: string };

const password = 'a long phrase is best';
let fleet: TestFleet;
let tenant: TestTenant;
let teams: { north: string; south: string };
let seller: Person;
let northerner: Person;
let southerner: Person;
let records: { lead: string; campaign: string; file: string };
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  tenant = await aTenant(fleet);
  const aTeam = async (name: string) => (await tenant.owner.createTeam({ body: { name } })).data.id;
  teams = { north: await aTeam('North'), south: await aTeam('South') };
  const actions = ['read', 'write'];
  const roleId = await aRole(
    ['leads', 'campaigns', 'files'].flatMap((one) => actions.map((to) => `${one}:${to}:team`)),
  );
  const readerId = await aRole(['leads:read:team', 'campaigns:read:team', 'files:read:team', 'search:read']);
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
  const { accessToken } = tokensOf(data);
  return { id: user.id, api: fleet.api({ accessToken, tenantId: tenant.id }), accessToken };
}

async function upload({ accessToken }: Person): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob(['Numbers'], { type: 'text/plain' }), 'notes.txt');
  const headers = { authorization: `Bearer ${accessToken}`, 'x-tenant-id': tenant.id };
  const response = await fetch(`${fleet.baseUrl}/v1/files/upload`, { method: 'POST', headers, body });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { id: string } }).data.id;
}

const kinds = ['lead', 'campaign', 'file'] as const;
type Kind = (typeof kinds)[number];

/** The records that a person finds, by kind: by id, in the list, by its count, and leads by search as well. */
async function foundBy({ api }: Person) {
  const isReadable = (request: Promise<unknown>) =>
    request.then(
      () => true,
      (error: { status?: number }) => error.status !== 404,
    );
  const [byId, [leads, campaigns, files], search] = await Promise.all([
    Promise.all([
      isReadable(api.getLead({ params: { id: records.lead } })),
      isReadable(api.getCampaign({ params: { id: records.campaign } })),
      isReadable(api.getFile({ params: { id: records.file } })),
    ]),
    Promise.all([api.listLeads(), api.listCampaigns(), api.listFiles()]),
    api.searchLeads({ query: { q: 'lovelace' } }),
  ]);
  return {
    byId: kinds.filter((_, index) => byId[index]),
    listed: [...leads.data, ...campaigns.data, ...files.data].map(({ id }) => id),
    counted: [leads, campaigns, files].map(({ pagination }) => pagination?.total),
    searched: search.data.map(({ id }) => id),
  };
}

const all = (found: readonly Kind[]) => ({
  byId: found,
  listed: found.map((kind) => records[kind]),
  counted: kinds.map((kind) => (found.includes(kind) ? 1 : 0)),
  searched: found.includes('lead') ? [records.lead] : [],
});

/** Waits until two people find exactly these records, wherever they look. */
async function areFound(expected: [Person, readonly Kind[]][]): Promise<void> {
  const wanted = expected.map(([, found]) => all(found));
  const seen = () => Promise.all(expected.map(([person]) => foundBy(person)));
  const isSeen = async () => JSON.stringify(await seen()) === JSON.stringify(wanted);
  // The comparison after it shows the difference.
  await until('the records are found', isSeen).catch(() => undefined);
  expect(await seen()).toEqual(wanted);
}

it('the records of a user are found by the members of their team', async () => {
  const person = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const { data: lead } = await seller.api.createLead({ body: { ...person, assignedTo: seller.id } });
  const { data: campaign } = await seller.api.createCampaign({ body: { name: 'Spring' } });
  records = { lead: lead.id, campaign: campaign.id, file: await upload(seller) };
  expect(campaign).toMatchObject({ ownerId: seller.id, createdBy: seller.id, teamId: teams.north });
  await areFound([
    [northerner, kinds],
    [southerner, []],
  ]);
});

it('the records follow when the user moves to another team', async () => {
  await tenant.owner.updateUser({ params: { id: seller.id }, body: { teamIds: [teams.south] } });
  await areFound([
    [northerner, []],
    [southerner, kinds],
  ]);
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

it('the successor gets the open records, with their team; files stay with the user who uploaded them', async () => {
  await tenant.owner.deactivateUser({ params: { id: seller.id }, body: { reassignTo: northerner.id } });
  await areFound([
    [northerner, ['lead', 'campaign']],
    [southerner, ['file']],
  ]);
  const { data: lead } = await tenant.owner.getLead({ params: { id: records.lead } });
  const { data: campaign } = await tenant.owner.getCampaign({ params: { id: records.campaign } });
  expect([lead.assignedTo, campaign.ownerId]).toEqual([northerner.id, northerner.id]);
  expect([lead.teamId, campaign.teamId]).toEqual([teams.north, teams.north]);
  const entries = async () => {
    const { data } = await tenant.owner.listAuditLogs({ query: { action: 'campaign.update' } });
    return data.length === 2 && data.map(({ changes }) => Object.keys(changes ?? {}).sort());
  };
  expect(await until('both changes are in the audit log', entries)).toEqual([['ownerId', 'teamId'], ['teamId']]);
});
