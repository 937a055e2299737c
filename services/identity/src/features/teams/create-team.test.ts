import { createPepper } from '@tandem/api-keys';
import { credentialChannel } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import jsonwebtoken from 'jsonwebtoken';
import { aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

async function aTeam(fields: object = {}) {
  const tenant = await aTenant(service);
  const { data, status } = await tenant.owner.createTeam({ body: { name: 'Sales', ...fields } });
  expect(status).toBe(201);
  return { ...tenant, team: data as { id: string; name: string; memberCount: number } };
}
const eventOf = (name: string, tenantId: number) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.tenantId === tenantId));

describe('a new team', () => {
  it('has its initial members once each, and emits events', async () => {
    const { owner, addUser, user, tenantId } = await aTenant(service);
    const member = await addUser('member');
    const body = { name: 'Sales', description: 'Sells', memberIds: [user.id, member.id, user.id] };
    const { status, data } = await owner.createTeam({ body });
    expect([status, data]).toEqual([
      201,
      expect.objectContaining({ name: 'Sales', description: 'Sells', memberCount: 2, createdBy: user.id, version: 1 }),
    ]);
    expect(data.createdAt).toEqual(expect.any(String));
    expect((await owner.getTeam({ params: { id: data.id } })).data).toEqual(data);
    expect((await eventOf('team.created', tenantId)).data).toEqual({ teamId: data.id, name: 'Sales' });
    const joined = (await eventOf('team.members_changed', tenantId)).data as { added: string[] };
    expect(joined).toEqual({
      teamId: data.id,
      added: expect.any(Array),
      removed: [],
      follow: expect.arrayContaining([{ userId: member.id, teamId: data.id }]),
    });
    expect(joined.added.sort()).toEqual([user.id, member.id].sort());
  });

  it('is rejected with unknown or foreign members, reported one by one', async () => {
    const [{ owner, user }, other] = [await aTenant(service), await aTenant(service)];
    const reply = await owner.createTeam({ body: { name: 'X', memberIds: [user.id, other.user.id, '999999999'] } });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [1, 2].map((index) => ({ field: `memberIds.${index}`, message: 'No user with this id' })),
    ]);
    expect((await owner.listTeams()).data).toEqual([]);
  });

  it('cannot get other members from a caller who is limited to team records', async () => {
    const { as, user, addUser } = await aTenant(service);
    const { id } = await addUser('member');
    const limited = as(user.id, ['teams:write', 'leads:read:team']);
    const body = { name: 'X', memberIds: [user.id, id] };
    expect((await limited.createTeam({ body })).status).toBe(403);
    expect((await limited.createTeam({ body: { name: 'X' } })).status).toBe(201);
  });

  it('requires a name that is unique within the tenant', async () => {
    const [{ owner, team }, other] = [await aTeam(), await aTenant(service)];
    const again = await owner.createTeam({ body: { name: team.name } });
    expect([again.status, again.body.code, again.body.errors?.[0]?.field]).toEqual([409, 'name_taken', 'name']);
    expect((await other.owner.createTeam({ body: { name: team.name } })).status).toBe(201);
    expect((await owner.createTeam({ body: { name: ' ' } })).body.errors?.[0]?.field).toBe('name');
  });
});

describe('a team', () => {
  it('can be listed and searched, in its own tenant only', async () => {
    const [{ owner, team }, other] = [await aTeam({ description: 'North' }), await aTeam()];
    await owner.createTeam({ body: { name: 'Support' } });
    const names = async (query: Record<string, string>) =>
      (await owner.listTeams({ query })).data.map(({ name }: { name: string }) => name);
    expect(await names({ sort: 'name' })).toEqual(['Sales', 'Support']);
    expect(await names({ search: 'north' })).toEqual(['Sales']);
    for (const operation of ['getTeam', 'updateTeam', 'listTeamMembers'] as const)
      expect((await other.owner[operation]({ params: { id: team.id }, body: {} })).status).toBe(404);
  });

  it('updates name and description with If-Match, and emits an event', async () => {
    const { owner, team, tenantId } = await aTeam();
    await owner.createTeam({ body: { name: 'Support' } });
    const update = (body: object, version: number) =>
      owner.updateTeam({ params: { id: team.id }, body, headers: { 'if-match': `"${version}"` } });
    const { data } = await update({ name: 'Field sales', description: 'Outside' }, 1);
    expect(data).toMatchObject({ name: 'Field sales', description: 'Outside', version: 2 });
    expect((await update({ name: 'Late' }, 1)).status).toBe(412);
    expect((await update({ name: 'Support' }, 2)).body.code).toBe('name_taken');
    const event = await eventOf('team.updated', tenantId);
    expect(event.changes).toMatchObject({ name: { from: 'Sales', to: 'Field sales' } });
  });

  it('adds members with one result each, removes them, and updates its count', async () => {
    const { owner, addUser, team, user } = await aTeam();
    const member = await addUser('member');
    const params = { id: team.id };
    const userIds = [user.id, '999999999', member.id];
    const added = await owner.addTeamMembers({ params, body: { userIds } });
    expect([added.status, added.data]).toEqual([
      200,
      {
        memberCount: 2,
        results: [
          { id: user.id, success: true, error: null },
          { id: '999999999', success: false, error: 'No user with this id' },
          { id: member.id, success: true, error: null },
        ],
      },
    ]);
    const again = await owner.addTeamMembers({ params, body: { userIds: [user.id] } });
    expect(again.data).toEqual({ memberCount: 2, results: [{ id: user.id, success: true, error: null }] });
    const members = await owner.listTeamMembers({ params, query: { sort: 'createdAt', limit: '1' } });
    expect(members.data.map(({ id }: { id: string }) => id)).toEqual([user.id]);
    expect([members.data[0].teamIds, members.data[0].passwordHash]).toEqual([[team.id], undefined]);
    expect(members.body.pagination?.total).toBe(2);
    const leave = () => owner.removeTeamMember({ params: { ...params, userId: user.id } });
    expect((await leave()).data).toEqual({ id: user.id, deleted: true });
    expect((await leave()).status).toBe(404);
    expect((await owner.getTeam({ params })).data.memberCount).toBe(1);
    expect((await owner.addTeamMembers({ params, body: { userIds: [] } })).status).toBe(422);
    const many = Array.from({ length: 251 }, () => user.id);
    expect((await owner.addTeamMembers({ params, body: { userIds: many } })).status).toBe(422);
  });

  it('rejects users who are in 100 teams already', async () => {
    const { owner, addUser, team, user } = await aTeam();
    const others = await Promise.all(
      Array.from({ length: 99 }, async (_, n) => (await owner.createTeam({ body: { name: `Team ${n}` } })).data.id),
    );
    const full = await addUser('member', { teamIds: [team.id, ...others] });
    const error = 'The user is already in 100 teams, the maximum';
    const created = await owner.createTeam({ body: { name: 'One more', memberIds: [user.id, full.id] } });
    expect([created.status, created.body.errors]).toEqual([422, [{ field: 'memberIds.1', message: error }]]);
    const { data: more } = await owner.createTeam({ body: { name: 'One more' } });
    const add = (id: string) =>
      owner.addTeamMembers({ params: { id }, body: { userIds: [full.id, user.id] } }).then(({ data }) => data);
    const joined = { id: user.id, success: true, error: null };
    expect(await add(more.id)).toEqual({ memberCount: 1, results: [{ id: full.id, success: false, error }, joined] });
    const { results } = await add(team.id);
    expect(results).toEqual([{ id: full.id, success: true, error: null }, joined]);
  });

  it('enforces the team limit of a user under concurrent requests', async () => {
    const { owner, addUser } = await aTeam();
    const make = async (name: string) => (await owner.createTeam({ body: { name } })).data.id as string;
    const teamIds = await Promise.all(Array.from({ length: 99 }, (_, n) => make(`Team ${n}`)));
    const { id } = await addUser('member', { teamIds });
    const others = await Promise.all(['A', 'B', 'C', 'D'].map(make));
    const replies = await Promise.all(
      others.map((team) => owner.addTeamMembers({ params: { id: team }, body: { userIds: [id] } })),
    );
    expect(replies.filter(({ data }) => data.results[0].success)).toHaveLength(1);
    expect((await owner.getUser({ params: { id } })).data.teamIds).toHaveLength(100);
  });

  it('increments its version when its members change', async () => {
    const { owner, team, user, addUser } = await aTeam();
    const params = { id: team.id };
    const version = async () => (await owner.getTeam({ params })).data.version;
    await owner.addTeamMembers({ params, body: { userIds: [user.id] } });
    expect(await version()).toBe(2);
    await owner.addTeamMembers({ params, body: { userIds: [user.id] } });
    expect(await version()).toBe(2);
    await owner.removeTeamMember({ params: { ...params, userId: user.id } });
    expect(await version()).toBe(3);
    const member = await addUser('member', { teamIds: [team.id] });
    expect(await version()).toBe(4);
    await owner.updateUser({ params: { id: member.id }, body: { teamIds: [] } });
    expect(await version()).toBe(5);
    const stale = { params, body: { name: 'Late' }, headers: { 'if-match': '"4"' } };
    expect((await owner.updateTeam(stale)).status).toBe(412);
  });

  it('counts members correctly under concurrent duplicate additions', async () => {
    const { owner, addUser, team, user } = await aTeam();
    const userIds = [user.id, (await addUser('member')).id];
    const params = { id: team.id };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => owner.addTeamMembers({ params, body: { userIds } })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await owner.getTeam({ params })).data.memberCount).toBe(2);
    const changeEvents = await until('the change event arrives', () => {
      const found = service.events.filter(
        (one) => one.name === 'team.members_changed' && one.target.id === Number(team.id),
      );
      return found.length > 0 && found;
    });
    expect(changeEvents).toHaveLength(1);
  });
});

describe('membership', () => {
  it('is returned for keys, sessions and users, and invalidates gateway caches', async () => {
    const { owner, team, user, tenantId, accessToken } = await aTeam();
    const { data: key } = await owner.createApiKey({ body: { name: 'ci' } });
    const messages: string[] = [];
    const redis = new Redis(process.env.TEST_REDIS_URL as string);
    await redis.subscribe(credentialChannel);
    redis.on('message', (_, text) => messages.push(text));
    await owner.addTeamMembers({ params: { id: team.id }, body: { userIds: [user.id] } });
    const userIds = [Number(user.id)];
    await until('the gateways are notified', () => messages.includes(JSON.stringify({ tenantId, userIds })));
    redis.disconnect();

    const { sid } = jsonwebtoken.decode(accessToken) as jsonwebtoken.JwtPayload;
    const sessionId = `${createIdCodec(secrets.IDS_ALPHABET).decode('session', tenantId, sid)}`;
    const { data: session } = await fleet(service).resolveSession({ body: { tenantId: `${tenantId}`, sessionId } });
    const { data: found } = await fleet(service, tenantId).findUser({ params: { id: user.id } });
    expect([session.teamIds, found.teamIds]).toEqual([[team.id], [team.id]]);
    const lookUp = (tenant: number | undefined) => fleet(service, tenant).findTeam({ params: { id: team.id } });
    expect((await lookUp(tenantId)).data).toEqual({ id: team.id, name: team.name, leadId: null });
    expect([(await lookUp(tenantId + 100_000)).status, (await lookUp(undefined)).status]).toEqual([404, 404]);
    const hash = createPepper(secrets.KEY_PEPPER).hash(key.fullKey);
    expect((await fleet(service).resolveKey({ body: { hash } })).data.teamIds).toEqual([team.id]);
  });

  it('can be set on the user at creation and later, with an event per team', async () => {
    const { owner, team, addUser, tenantId } = await aTeam();
    const { data: second } = await owner.createTeam({ body: { name: 'Support' } });
    const { id } = await addUser('member', { teamIds: [team.id] });
    const get = async () => (await owner.getUser({ params: { id } })).data.teamIds;
    expect(await get()).toEqual([team.id]);
    const update = (teamIds: string[]) => owner.updateUser({ params: { id }, body: { teamIds } });
    const { data } = await update([second.id, second.id]);
    expect([data.teamIds, data.version]).toEqual([[second.id], 2]);
    expect((await update([second.id])).data.version).toBe(2);
    expect(await get()).toEqual([second.id]);
    const changes = await until('every change event arrives', () => {
      const found = service.events.filter((one) => one.name === 'team.members_changed' && one.tenantId === tenantId);
      return found.length === 3 && found.map((one) => one.data);
    });
    const follow = [{ userId: id, teamId: second.id }];
    expect(changes).toEqual([
      { teamId: team.id, added: [id], removed: [], follow: [] },
      { teamId: second.id, added: [id], removed: [], follow },
      { teamId: team.id, added: [], removed: [id], follow },
    ]);
    const updated = await eventOf('user.updated', tenantId);
    expect(updated.changes?.teamIds).toEqual({ from: [Number(team.id)], to: [Number(second.id)] });
    expect(updated.changedIds).toEqual([{ path: ['teamIds', '*'], type: 'team' }]);
    expect((await owner.listUsers({ query: { teamId: second.id } })).data.map((one: { id: string }) => one.id)).toEqual(
      [id],
    );
  });

  it('rejects foreign teams, and users who may only update themselves cannot change their teams', async () => {
    const [{ owner, team, user, addUser, as }, other] = [await aTeam(), await aTeam()];
    const refused = await owner.updateUser({ params: { id: user.id }, body: { teamIds: [team.id, other.team.id] } });
    expect([refused.status, refused.body.errors?.map(({ field }) => field)]).toEqual([422, ['teamIds.1']]);
    const body = { email: 'x@example.com', password: 'long enough', firstName: 'X', lastName: 'Y' };
    const unborn = await owner.createUser({ body: { ...body, teamIds: [other.team.id] } });
    expect([unborn.status, unborn.body.errors?.[0]?.field]).toEqual([422, 'teamIds.0']);
    const { id } = await addUser('member');
    const me = as(id, ['users:write:own']);
    expect((await me.updateUser({ params: { id }, body: { teamIds: [team.id] } })).status).toBe(403);
    expect((await me.updateUser({ params: { id }, body: { lastName: 'Z', teamIds: [] } })).status).toBe(200);
  });
});

describe('getOwnUser', () => {
  it('returns the caller or the impersonated user, without password', async () => {
    const { as, addUser, user, team, owner } = await aTeam();
    await owner.addTeamMembers({ params: { id: team.id }, body: { userIds: [user.id] } });
    const member = await addUser('member');
    const { status, data } = await as(user.id, []).getOwnUser();
    expect([status, data]).toEqual([200, expect.objectContaining({ id: user.id, teamIds: [team.id] })]);
    expect(JSON.stringify(data)).not.toMatch(/password/i);
    const acting = as(user.id, [], { type: 'key', keyId: 1, onBehalfOf: Number(member.id) });
    expect((await acting.getOwnUser()).data.id).toBe(member.id);
    expect((await as(999_999).getOwnUser()).status).toBe(404);
  });
});
