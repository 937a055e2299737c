import { until } from '@tandem/testing';
import { aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

/** A tenant with two teams, a user in one of them, and that user's client with rights limited to team records. */
async function aTenantWithTeams() {
  const tenant = await aTenant(service);
  const { owner, addUser, as } = tenant;
  const permissions = ['teams:*', 'users:*', 'api_keys:manage', 'leads:read:team', 'tasks:read'];
  const { data: role } = await owner.createRole({ body: { name: 'Lead', permissions } });
  const lead = await addUser('member', { roleId: role.id });
  const { data: own } = await owner.createTeam({ body: { name: 'Own', memberIds: [lead.id] } });
  const { data: other } = await owner.createTeam({ body: { name: 'Other' } });
  const limited = (can: readonly string[] = permissions, more: object = {}) =>
    as(lead.id, can, { teamIds: [Number(own.id)], ...more });
  return { ...tenant, lead, own, other, limited };
}

/** The users whose records followed, by the events about a team in order. */
async function followed(tenantId: number, teamId: string, count: number) {
  const events = await until('the events arrive', () => {
    const found = service.events.filter(
      (one) =>
        one.name === 'team.members_changed' &&
        one.tenantId === tenantId &&
        (one.data as { teamId: string }).teamId === teamId,
    );
    return found.length >= count && found;
  });
  return events.map(({ data }) => (data as { follow: unknown }).follow);
}

it('lets records follow a user into the only team, and into none of several', async () => {
  const { owner, addUser, own, other, tenantId } = await aTenantWithTeams();
  const user = await addUser('member');
  await owner.addTeamMembers({ params: { id: other.id }, body: { userIds: [user.id] } });
  await owner.updateUser({ params: { id: user.id }, body: { teamIds: [own.id, other.id] } });
  await owner.removeTeamMember({ params: { id: other.id, userId: user.id } });
  await owner.updateUser({ params: { id: user.id }, body: { teamIds: [other.id] } });
  await owner.deleteTeam({ params: { id: other.id } });
  const into = (teamId: string) => [{ userId: user.id, teamId }];
  expect(await followed(tenantId, other.id, 4)).toEqual([into(other.id), into(own.id), into(other.id), []]);
  const [, joined, left] = await followed(tenantId, own.id, 3);
  expect([joined, left]).toEqual([[], into(other.id)]);
});

it('lets no records follow when the caller is limited to team records, whatever the key may do', async () => {
  const { owner, addUser, own, other, tenantId, limited } = await aTenantWithTeams();
  const [one, two] = [await addUser('member'), await addUser('member')];
  const params = { id: own.id };
  expect((await limited().addTeamMembers({ params, body: { userIds: [one.id] } })).status).toBe(200);
  const key = limited(['teams:write'], { type: 'key', keyId: 1 });
  expect((await key.addTeamMembers({ params, body: { userIds: [two.id] } })).data.memberCount).toBe(3);
  await owner.addTeamMembers({ params: { id: other.id }, body: { userIds: [two.id] } });
  const leave = await limited().removeTeamMember({ params: { id: own.id, userId: two.id } });
  expect(leave.status).toBe(200);
  expect((await followed(tenantId, own.id, 4)).slice(1)).toEqual([[], [], []]);
  await owner.deleteTeam({ params });
  expect((await followed(tenantId, own.id, 5)).at(-1)).toEqual([]);
});

it('keeps members in other teams when the caller is limited to team records, also by a key without that limit', async () => {
  const { owner, addUser, own, other, limited } = await aTenantWithTeams();
  const user = await addUser('member', { teamIds: [own.id, other.id] });
  const refusals = async (api: typeof owner) => {
    const replies = [
      await api.updateUser({ params: { id: user.id }, body: { teamIds: [own.id] } }),
      await api.removeTeamMember({ params: { id: other.id, userId: user.id } }),
      await api.deleteTeam({ params: { id: other.id } }),
    ];
    return replies.map(({ status, body }) => [status, body.errors?.[0]?.field]);
  };
  const refused = [
    [403, 'teamIds'],
    [403, 'id'],
    [403, 'id'],
  ];
  expect(await refusals(limited())).toEqual(refused);
  const key = limited(['teams:write', 'teams:delete', 'users:write'], { type: 'key', keyId: 1 });
  expect(await refusals(key)).toEqual(refused);
  const remover = { name: 'Remover', permissions: ['teams:delete'] };
  expect((await limited().createRole({ body: remover })).status).toBe(403);
  const leaveOwn = await limited().updateUser({ params: { id: user.id }, body: { teamIds: [other.id] } });
  expect([leaveOwn.status, leaveOwn.data.teamIds]).toEqual([200, [other.id]]);
  expect((await owner.deleteTeam({ params: { id: other.id } })).status).toBe(200);
});

it('keeps a caller who is limited to team records out of other teams, also by a key or a role without that limit', async () => {
  const { owner, lead, own, other, limited } = await aTenantWithTeams();
  const { data: hr } = await owner.createRole({ body: { name: 'HR', permissions: ['teams:write'] } });
  const join = (api: typeof owner) => api.addTeamMembers({ params: { id: other.id }, body: { userIds: [lead.id] } });
  expect((await join(limited())).status).toBe(403);
  expect((await join(limited(['teams:write'], { type: 'key', keyId: 1 }))).status).toBe(403);
  const status = async (call: Promise<{ status: number }>) => (await call).status;
  const named = (name: string, permissions: string[]) => ({ body: { name, permissions } });
  const person = { email: `a${own.id}@example.com`, password, firstName: 'A', lastName: 'B' };
  expect([
    await status(limited().createApiKey(named('k', ['teams:write']))),
    await status(limited().createRole(named('Free', ['teams:write', 'tasks:read']))),
    await status(limited().createRole(named('Invite', ['users:write']))),
    await status(limited().createUser({ body: { ...person, roleId: hr.id } })),
    await status(limited().updateRole({ params: { id: hr.id }, body: { name: 'Mine' } })),
    await status(limited().updateRole({ params: { id: hr.id }, body: { permissions: ['leads:read:team'] } })),
  ]).toEqual([403, 403, 403, 403, 200, 403]);
  expect(await status(limited().createRole(named('Peer', ['teams:write', 'leads:read:team'])))).toBe(201);
  expect(await status(limited().createRole(named('Reader', ['tasks:read'])))).toBe(201);
});

it('keeps a caller who is limited to team records from accounts of members of other teams', async () => {
  const { owner, addUser, own, other, limited, as } = await aTenantWithTeams();
  const { data: reader } = await owner.createRole({ body: { name: 'Reader', permissions: ['leads:read:team'] } });
  const colleague = await addUser('member', { roleId: reader.id, teamIds: [own.id] });
  const inBoth = await addUser('member', { roleId: reader.id, teamIds: [own.id, other.id] });
  const takeOver = async (api: typeof owner, { id, email }: { id: string; email: string }) => {
    const params = { id };
    const replies = [
      await api.setUserPassword({ params, body: { new: 'another long phrase' } }),
      await api.resetUserTotp({ params }),
      await api.updateUser({ params, body: { email: `new.${email}` } }),
    ];
    return replies.map(({ status, body }) => body.code ?? status);
  };
  const keyOf = async ({ id }: { id: string }) =>
    (await as(id, ['*']).createApiKey({ body: { name: 'ci' } })).data as { id: string };
  const rotate = async (api: typeof owner, { id }: { id: string }) =>
    (await api.rotateApiKey({ params: { id }, body: {} })).status;
  expect(await rotate(limited(), await keyOf(inBoth))).toBe(403);
  expect(await rotate(limited(), await keyOf(colleague))).toBe(201);
  const actsFor = limited(undefined, { type: 'key', keyId: 1, onBehalfOf: Number(inBoth.id) });
  expect((await actsFor.createApiKey({ body: { name: 'kept' } })).status).toBe(403);
  expect(await takeOver(limited(), inBoth)).toEqual(['forbidden', 'forbidden', 'forbidden']);
  expect((await limited().updateUser({ params: { id: inBoth.id }, body: { firstName: 'Mary' } })).status).toBe(200);
  expect(await takeOver(limited(), colleague)).toEqual([200, 'totp_off', 200]);
  expect(await takeOver(owner, inBoth)).toEqual([200, 'totp_off', 200]);
});
