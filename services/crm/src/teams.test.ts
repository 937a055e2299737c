import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, teams, until } from '@tandem/testing';
import { aLead, startCrm } from './crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const [sales, support] = [Number(teams.sales), Number(teams.support)];
const resources = ['leads', 'opportunities', 'tasks'];

/** A user of a tenant whose permissions cover their own records and those of their teams. */
function aMember(tenantId: number, userId: number, teamIds: number[], reach = ':team'): Api {
  const can = resources.flatMap((resource) => [`${resource}:read${reach}`, `${resource}:write${reach}`]);
  return service.as({ tenantId, userId, teamIds, can });
}

/** One record of each kind in a team, created by a user of the tenant who is in no team. */
async function recordsOf(api: Api, teamId: string | null) {
  const { data: lead } = await api.createLead({ body: aLead({ teamId }) });
  const { data: opportunity } = await api.convertLead({ body: { leadId: lead.id } });
  const { data: task } = await api.createTask({ body: { title: 'Call', teamId } });
  return { lead, opportunity, task };
}

type Records = Awaited<ReturnType<typeof recordsOf>>;

/** Status codes of the get requests for these records, and the totals of the three lists. */
async function seen(api: Api, { lead, opportunity, task }: Records) {
  const gets = await Promise.all([
    api.getLead({ params: { id: lead.id } }),
    api.getOpportunity({ params: { id: opportunity.id } }),
    api.getTask({ params: { id: task.id } }),
  ]);
  const lists = await Promise.all([api.listLeads(), api.listOpportunities(), api.listTasks()]);
  return [gets.map(({ status }) => status), lists.map(({ body }) => body.pagination?.total)];
}

describe('records of a team', () => {
  it('can be read by its members, and by no other caller limited to own or team records', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const records = await recordsOf(api, teams.sales);
    expect(records.opportunity.teamId).toBe(teams.sales);
    await recordsOf(api, null);
    expect(await seen(aMember(tenantId, 8, [sales]), records)).toEqual([
      [200, 200, 200],
      [1, 1, 1],
    ]);
    const none = [
      [404, 404, 404],
      [0, 0, 0],
    ];
    expect(await seen(aMember(tenantId, 8, [support]), records)).toEqual(none);
    expect(await seen(aMember(tenantId, 8, []), records)).toEqual(none);
    expect(await seen(aMember(tenantId, 8, [sales], ':own'), records)).toEqual(none);
  });

  it('can be changed by its members', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const { data: lead } = await api.createLead({ body: aLead({ teamId: teams.sales }) });
    const change = (member: Api) => member.updateLead({ params: { id: lead.id }, body: { lastName: 'Murray' } });
    expect((await change(aMember(tenantId, 8, [support]))).status).toBe(404);
    expect((await change(aMember(tenantId, 8, [support, sales]))).data.lastName).toBe('Murray');
  });

  it('can be listed by team', async () => {
    const api = service.as();
    const { lead, opportunity, task } = await recordsOf(api, teams.sales);
    await recordsOf(api, teams.support);
    const query = { teamId: teams.sales };
    const lists = [
      await api.listLeads({ query }),
      await api.listOpportunities({ query }),
      await api.listTasks({ query }),
    ];
    expect(lists.map(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual([
      [lead.id],
      [opportunity.id],
      [task.id],
    ]);
  });
});

describe('the team of a record', () => {
  it('defaults to the only team of the acting user', async () => {
    const member = service.as({ teamIds: [sales] });
    const inTwo = service.as({ teamIds: [sales, support] });
    expect((await member.createLead({ body: aLead() })).data.teamId).toBe(teams.sales);
    expect((await member.createTask({ body: { title: 'Call' } })).data.teamId).toBe(teams.sales);
    expect((await member.createLead({ body: aLead({ teamId: null }) })).data.teamId).toBeNull();
    expect((await member.createLead({ body: aLead({ teamId: teams.support }) })).data.teamId).toBe(teams.support);
    expect((await inTwo.createLead({ body: aLead() })).data.teamId).toBeNull();
  });

  it('is part of the update event, and must be a team of the tenant', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const params = { id: lead.id };
    const { data } = await api.updateLead({ params, body: { teamId: teams.sales } });
    expect(data.teamId).toBe(teams.sales);
    const event = await until('the update event arrives', () =>
      service.events.find(({ name, tenantId }) => name === 'lead.updated' && tenantId === api.caller.tenantId),
    );
    expect(event.changes).toEqual({ teamId: { from: null, to: sales } });
    expect(event.changedIds).toEqual([{ path: ['teamId'], type: 'team' }]);
    for (const refused of [
      await api.createLead({ body: aLead({ teamId: '99' }) }),
      await api.updateLead({ params, body: { teamId: '99' } }),
      await api.createTask({ body: { title: 'Call', teamId: '99' } }),
      await api.convertLead({ body: { leadId: lead.id, teamId: '99' } }),
    ])
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [{ field: 'teamId', message: 'No team with this id' }],
      ]);
  });
});
