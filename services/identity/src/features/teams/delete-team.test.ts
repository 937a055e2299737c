import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;

const aTeam = async ({ owner }: Tenant, name: string, fields: object = {}) =>
  (await owner.createTeam({ body: { name, ...fields } })).data;

describe('deleteTeam', () => {
  it('removes the team, and its members leave it', async () => {
    const tenant = await aTenant(service);
    const { owner, addUser, tenantId } = tenant;
    const { id: userId } = await addUser('member');
    const team = await aTeam(tenant, 'Sales', { memberIds: [userId] });
    const reply = await owner.deleteTeam({ params: { id: team.id } });
    expect([reply.status, reply.data]).toEqual([200, { id: team.id, deleted: true }]);
    expect((await owner.getTeam({ params: { id: team.id } })).status).toBe(404);
    expect((await owner.getUser({ params: { id: userId } })).data.teamIds).toEqual([]);
    const left = await until('the member has left', () =>
      service.events.find(
        ({ name, tenantId: of, data }) =>
          name === 'team.members_changed' && of === tenantId && (data as { removed: string[] }).removed.length > 0,
      ),
    );
    expect(left.data).toEqual({ teamId: team.id, added: [], removed: [userId], follow: [] });
    await until('the deletion is told', () =>
      service.events.some((one) => one.name === 'team.deleted' && one.tenantId === tenantId),
    );
    expect((await owner.deleteTeam({ params: { id: team.id } })).status).toBe(404);
    expect((await aTeam(tenant, 'Sales')).name).toBe('Sales');
  });

  it('refuses a team with teams below it, and needs its own permission', async () => {
    const tenant = await aTenant(service);
    const { owner, as, user } = tenant;
    const top = await aTeam(tenant, 'Sales');
    const below = await aTeam(tenant, 'Inside sales', { parentTeamId: top.id });
    expect((await owner.deleteTeam({ params: { id: top.id } })).body.code).toBe('has_children');
    expect((await as(user.id, ['teams:write']).deleteTeam({ params: { id: below.id } })).status).toBe(403);
    expect((await owner.deleteTeam({ params: { id: below.id } })).status).toBe(200);
    expect((await owner.deleteTeam({ params: { id: top.id } })).status).toBe(200);
  });
});

describe('the parent of a team', () => {
  it('never forms a cycle, also when two teams move at once', async () => {
    const tenant = await aTenant(service);
    const { owner } = tenant;
    const move = (id: string, parentTeamId: string | null) =>
      owner.updateTeam({ params: { id }, body: { parentTeamId } });
    const [a, b] = [await aTeam(tenant, 'A'), await aTeam(tenant, 'B')];
    expect((await move(a.id, a.id)).body.code).toBe('team_cycle');
    const both = await Promise.all([move(a.id, b.id), move(b.id, a.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { data } = await owner.listTeams({ query: { parentTeamId: both[0]?.status === 200 ? b.id : a.id } });
    expect(data).toHaveLength(1);
    expect((await move(a.id, null)).status).toBe(200);
  });

  it('allows five levels, counted with the teams below', async () => {
    const tenant = await aTenant(service);
    const { owner } = tenant;
    const chain = [await aTeam(tenant, 'Level 1')];
    for (let level = 2; level <= 5; level++)
      chain.push(await aTeam(tenant, `Level ${level}`, { parentTeamId: chain.at(-1).id }));
    const tooDeep = await owner.createTeam({ body: { name: 'Level 6', parentTeamId: chain.at(-1).id } });
    expect([tooDeep.status, tooDeep.body.code]).toEqual([409, 'too_deep']);
    const top = await aTeam(tenant, 'Level 0');
    const moved = await owner.updateTeam({ params: { id: chain[0].id }, body: { parentTeamId: top.id } });
    expect([moved.status, moved.body.code]).toEqual([409, 'too_deep']);
  });

  it('is a team of the tenant', async () => {
    const [tenant, other] = [await aTenant(service), await aTenant(service)];
    const theirs = await aTeam(other, 'Theirs');
    const reply = await tenant.owner.createTeam({ body: { name: 'Ours', parentTeamId: theirs.id } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'parentTeamId']);
  });
});

describe('the lead of a team', () => {
  it('is an active member, and ends with the membership or the account', async () => {
    const tenant = await aTenant(service);
    const { owner, addUser } = tenant;
    const [one, other] = [await addUser('member'), await addUser('member')];
    const team = await aTeam(tenant, 'Sales', { memberIds: [one.id], leadId: one.id });
    expect(team.leadId).toBe(one.id);
    const set = (leadId: string) => owner.updateTeam({ params: { id: team.id }, body: { leadId } });
    for (const leadId of [other.id, '999999999']) expect((await set(leadId)).body.errors?.[0]?.field).toBe('leadId');
    const leadId = async () => (await owner.getTeam({ params: { id: team.id } })).data.leadId;
    await owner.removeTeamMember({ params: { id: team.id, userId: one.id } });
    expect(await leadId()).toBeNull();
    await owner.addTeamMembers({ params: { id: team.id }, body: { userIds: [one.id, other.id] } });
    expect((await set(one.id)).status).toBe(200);
    await owner.updateUser({ params: { id: one.id }, body: { teamIds: [] } });
    expect(await leadId()).toBeNull();
    await set(other.id);
    await owner.deactivateUser({ params: { id: other.id }, body: {} });
    expect(await leadId()).toBeNull();
    expect((await set(other.id)).body.errors?.[0]?.field).toBe('leadId');
  });

  it('has no permissions from it', async () => {
    const tenant = await aTenant(service);
    const { owner, addUser } = tenant;
    const { id } = await addUser('viewer');
    const rights = async () => (await owner.listUserPermissions({ params: { id } })).data.permissions;
    const before = await rights();
    const team = await aTeam(tenant, 'Sales', { memberIds: [id], leadId: id });
    await aTeam(tenant, 'Inside sales', { parentTeamId: team.id });
    expect(await rights()).toEqual(before);
    expect((await owner.getUser({ params: { id } })).data.teamIds).toEqual([team.id]);
  });
});
