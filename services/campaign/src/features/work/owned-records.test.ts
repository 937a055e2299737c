import type { campaign } from '@tandem/campaign-contract';
import {
  identityPeer,
  members,
  publishTeamEvent,
  publishUserLeft,
  type TestService,
  teams,
  until,
  users,
} from '@tandem/testing';
import { aPage, aWorkflow, startCampaign } from '../../campaign.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCampaign(undefined, identity.url);
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;
const owner = users.active;
const tenantOf = ({ caller }: Api) => caller.tenantId as number;

/** A record of each kind with these fields. */
async function recordsOf(api: Api, fields: Record<string, unknown> = { ownerId: owner }) {
  const { data: campaign } = await api.createCampaign({ body: { name: 'Spring', ...fields } });
  const { data: workflow } = await api.createWorkflow({ body: aWorkflow(fields) });
  const { data: page } = await api.createLandingPage({ body: aPage(fields) });
  const read = async () =>
    (
      await Promise.all([
        api.getCampaign({ params: { id: campaign.id } }),
        api.getWorkflow({ params: { id: workflow.id } }),
        api.getLandingPage({ params: { id: page.id } }),
      ])
    ).map(({ data }) => data);
  return { campaign, workflow, page, read };
}

const ownersOf = async (records: Awaited<ReturnType<typeof recordsOf>>) =>
  (await records.read()).map(({ ownerId }) => ownerId);
const teamsOf = async (records: Awaited<ReturnType<typeof recordsOf>>) =>
  (await records.read()).map(({ teamId }) => teamId);

describe('the owner of a record', () => {
  it('is the user who creates it, or the one whom the request names, with their team', async () => {
    const api = service.as({ teamIds: [Number(teams.support)] });
    const own = await recordsOf(api, {});
    expect([await ownersOf(own), await teamsOf(own)]).toEqual([Array(3).fill('1'), Array(3).fill(teams.support)]);
    const theirs = await recordsOf(api, { ownerId: members.seller });
    expect((await theirs.read()).map(({ createdBy, ownerId, teamId }) => [createdBy, ownerId, teamId])).toEqual(
      Array(3).fill(['1', members.seller, teams.sales]),
    );
    const none = await recordsOf(api, { ownerId: null });
    expect(await ownersOf(none)).toEqual([null, null, null]);
  });

  it.each([
    ['unknown', users.nobody],
    ['suspended', users.suspended],
  ])('cannot be a user who is %s', async (_, ownerId) => {
    const api = service.as();
    const replies = await Promise.all([
      api.createCampaign({ body: { name: 'Spring', ownerId } }),
      api.createWorkflow({ body: aWorkflow({ ownerId }) }),
      api.createLandingPage({ body: aPage({ ownerId }) }),
    ]);
    for (const { status, body } of replies) expect([status, body.errors?.[0]?.field]).toEqual([422, 'ownerId']);
    expect((await api.listCampaigns()).body.pagination?.total).toBe(0);
  });

  it('decides about own records, not the creator', async () => {
    const api = service.as();
    const records = await recordsOf(api, { ownerId: members.seller });
    const as = (userId: number) =>
      service.as({ tenantId: tenantOf(api), userId, can: ['campaigns:read:own', 'workflows:read:own'] });
    const found = async (by: Api) => {
      const lists = await Promise.all([by.listCampaigns(), by.listWorkflows(), by.listLandingPages()]);
      const gets = await Promise.all([
        by.getCampaign({ params: { id: records.campaign.id } }),
        by.getWorkflow({ params: { id: records.workflow.id } }),
        by.getLandingPage({ params: { id: records.page.id } }),
      ]);
      return [...lists.map(({ body }) => body.pagination?.total), ...gets.map(({ status }) => status)];
    };
    expect(await found(as(Number(members.seller)))).toEqual([1, 1, 1, 200, 200, 200]);
    expect(await found(as(1))).toEqual([0, 0, 0, 404, 404, 404]);
    const query = { ownerId: members.seller };
    const filtered = await Promise.all([
      api.listCampaigns({ query }),
      api.listWorkflows({ query }),
      api.listLandingPages({ query }),
    ]);
    expect(filtered.map(({ body }) => body.pagination?.total)).toEqual([1, 1, 1]);
  });

  it('of a landing page changes, and the page follows into the team of the new owner', async () => {
    const api = service.as();
    const { page } = await recordsOf(api, {});
    const narrow = service.as({ tenantId: tenantOf(api), can: ['campaigns:write:own', 'campaigns:read:own'] });
    const params = { id: page.id };
    const reply = await narrow.updateLandingPage({ params, body: { ownerId: members.seller } });
    expect([reply.status, reply.data.ownerId, reply.data.teamId]).toEqual([200, members.seller, teams.sales]);
    expect((await narrow.updateLandingPage({ params, body: { name: 'Mine' } })).status).toBe(404);
    const refused = await api.updateLandingPage({ params, body: { ownerId: users.nobody } });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'ownerId']);
  });
});

describe('countOpenCampaignWork', () => {
  it('counts the campaigns, workflows and pages of the user that have not ended', async () => {
    const api = service.as();
    await recordsOf(api);
    await api.createCampaign({ body: { name: 'Over', status: 'completed', ownerId: owner } });
    await recordsOf(api, { ownerId: members.seller });
    const count = async (userId: string, tenantId: number | undefined = tenantOf(api)) =>
      (await service.as({ type: 'system', tenantId } as never).countOpenCampaignWork({ body: { userId } })).data;
    expect(await count(owner)).toEqual({ campaigns: 1, workflows: 1, landingPages: 1 });
    expect(await count(users.nobody)).toEqual({ campaigns: 0, workflows: 0, landingPages: 0 });
  });
});

describe('the records of a user who left', () => {
  it('move to the successor and into their team, live and sandbox, with events; completed campaigns stay', async () => {
    const api = service.as();
    const tenantId = tenantOf(api);
    const sandbox = service.as({ tenantId, environment: 'sandbox' });
    const [live, test] = [await recordsOf(api), await recordsOf(sandbox)];
    const { data: over } = await api.createCampaign({ body: { name: 'Over', status: 'completed', ownerId: owner } });
    await publishUserLeft({ service, tenantId }, { userId: owner, reassignTo: members.seller });
    for (const records of [live, test])
      await until('the records have moved', async () =>
        (await ownersOf(records)).every((ownerId) => ownerId === members.seller),
      );
    expect((await live.read()).map(({ teamId, version, createdBy }) => [teamId, version, createdBy])).toEqual(
      Array(3).fill([teams.sales, 2, '1']),
    );
    for (const name of ['campaign.updated', 'workflow.updated', 'landing_page.updated']) {
      const event = await until(`${name} arrives`, () =>
        service.events.find((one) => one.name === name && one.tenantId === tenantId && one.environment === 'live'),
      );
      expect([event.caller.type, Object.keys(event.changes ?? {}).sort()]).toEqual(['system', ['ownerId', 'teamId']]);
    }
    expect((await api.getCampaign({ params: { id: over.id } })).data.ownerId).toBe(owner);
  });
});

describe('records follow their owner', () => {
  it('into another team, out of the last one, and out of a deleted one', async () => {
    const api = service.as();
    const told = { service, tenantId: tenantOf(api) };
    const inTeam = async (teamId: string | null) =>
      until(`the records are in ${teamId}`, async () => (await teamsOf(records)).every((one) => one === teamId));
    identity.teamsOf.set(owner, [teams.sales]);
    const records = await recordsOf(api);
    expect(await teamsOf(records)).toEqual(Array(3).fill(teams.sales));
    try {
      identity.teamsOf.set(owner, [teams.support]);
      const follow = [{ userId: owner, teamId: teams.support }];
      const { sales, support } = teams;
      await publishTeamEvent(told, 'team.members_changed', { teamId: sales, added: [], removed: [owner], follow });
      await inTeam(support);
      await publishTeamEvent(told, 'team.deleted', { teamId: support, name: 'Support' });
      await inTeam(null);
    } finally {
      identity.teamsOf.set(owner, []);
    }
  });
});
