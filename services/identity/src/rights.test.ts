import { createPepper } from '@tandem/api-keys';
import { allows, plainPermissions, teamResources } from '@tandem/contract';
import { until } from '@tandem/testing';
import fc from 'fast-check';
import { aTenant, fleet, password, type Service, secrets, startIdentity } from './identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const pepper = createPepper(secrets.KEY_PEPPER);
const reachRank = { own: 1, team: 2, all: 3 } as const;
const rankOf = (granted: readonly string[], permission: string): number =>
  reachRank[allows(granted, permission) as keyof typeof reachRank] ?? 0;

// Rights over people, keys and teams are the ways to more rights; those over records are what could be gained.
const ofPeople = [
  'users:read',
  'users:write',
  'users:manage',
  'users:act_as',
  'users:*',
  'users:*:own',
  'users:write:own',
];
const ofKeys = ['api_keys:manage', 'api_keys:*', 'api_keys:manage:own', 'api_keys:*:team'];
const ofTeams = ['teams:read', 'teams:write', 'teams:*', 'teams:delete'];
const ofRecords = [
  ...['leads:read', 'leads:write', 'leads:*', 'leads:read:team', 'leads:*:own', 'files:*:team', 'audit:read'],
  ...['opportunities:write', 'tasks:write', 'billing:manage', 'campaigns:read:team', '*'],
];
const anyPermissions = fc.uniqueArray(fc.constantFrom(...ofPeople, ...ofKeys, ...ofTeams, ...ofRecords), {
  minLength: 1,
  maxLength: 6,
});
const attackerPermissions = fc
  .tuple(
    fc.subarray(ofPeople, { minLength: 1, maxLength: 3 }),
    fc.subarray(ofKeys, { maxLength: 2 }),
    fc.subarray(ofTeams, { maxLength: 2 }),
    fc.subarray(
      ofRecords.filter((one) => one !== '*'),
      { maxLength: 4 },
    ),
  )
  .map((sets) => sets.flat());

const actions = [
  'createKey',
  'updateKey',
  'rotateKey',
  'createRole',
  'updateRole',
  'assignRole',
  'createUser',
  'changeUser',
  'activate',
  'suspend',
  'deactivate',
  'joinTeam',
  'leaveTeam',
  'moveToTeams',
  'createTeam',
  'deleteTeam',
] as const;
const step = fc.record({
  action: fc.constantFrom(...actions),
  permissions: anyPermissions,
  // Which credential acts, whether it acts for somebody else, and on what: by position in the lists of that time.
  by: fc.nat(),
  actsFor: fc.option(fc.nat(), { freq: 2 }),
  on: fc.nat(),
  other: fc.nat(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A credential in the hands of the attackers: a user whose password they know, or a key that they have seen. */
type Credential = { userId: string } | { fullKey: string };

interface Attack {
  tenant: Awaited<ReturnType<typeof aTenant>>;
  /** The rights and teams with which the attackers began. */
  permissions: string[];
  teams: Set<string>;
  credentials: Credential[];
  users: string[];
  roles: string[];
  keys: string[];
  allTeams: string[];
}

let numbers = 0;
const at = <T>(list: readonly T[], position: number): T => list[position % list.length] as T;

/** What a credential may do now, as the gateway resolves it. */
async function resolve({ tenant }: Attack, credential: Credential) {
  const system = fleet(service, tenant.tenantId);
  if ('userId' in credential) {
    const params = { id: credential.userId };
    const [{ data: rights }, { data: user }] = await Promise.all([
      system.findUserPermissions({ params }),
      system.findUser({ params }),
    ]);
    return { userId: credential.userId, keyId: undefined, permissions: rights.permissions, teamIds: user.teamIds };
  }
  const { data } = await fleet(service).resolveKey({ body: { hash: pepper.hash(credential.fullKey) } });
  return data
    ? { userId: data.userId, keyId: data.keyId, permissions: data.permissions, teamIds: data.teamIds }
    : undefined;
}

/** A client with the credential, acting for somebody if it may. */
async function clientOf(attack: Attack, { by, actsFor }: Step) {
  const resolved = await resolve(attack, at(attack.credentials, by));
  if (!resolved) return undefined;
  const { userId, keyId, permissions, teamIds } = resolved;
  const as = { teamIds: teamIds.map(Number) };
  if (keyId === undefined) return attack.tenant.as(userId, permissions, as);
  if (actsFor === null || allows(permissions, 'users:act_as') !== 'all')
    return attack.tenant.as(userId, permissions, { ...as, type: 'key', keyId: Number(keyId) });
  const target = at(attack.users, actsFor);
  const { data: user } = await fleet(service, attack.tenant.tenantId).findUser({ params: { id: target } });
  const onBehalfOf = user.status === 'active' ? Number(target) : undefined;
  const actsAs = onBehalfOf ? { onBehalfOf, teamIds: user.teamIds.map(Number) } : as;
  return attack.tenant.as(userId, permissions, { ...actsAs, type: 'key', keyId: Number(keyId) });
}

/** Tries one step, and keeps what it yields: credentials, and ids for later steps. */
async function attempt(attack: Attack, one: Step): Promise<void> {
  const api = await clientOf(attack, one);
  if (!api) return;
  const { users, roles, keys, allTeams, credentials } = attack;
  const { action, permissions, on, other } = one;
  const [user, role, key, team] = [at(users, on), at(roles, other), at(keys, on), at(allTeams, other)];
  const params = { id: user };
  const isInherited = on % 3 === 0;
  const name = `n${++numbers}`;
  const tries = {
    createKey: () => api.createApiKey({ body: { name, ...(!isInherited && { permissions }) } }),
    updateKey: () => api.updateApiKey({ params: { id: key }, body: { permissions: isInherited ? [] : permissions } }),
    rotateKey: () => api.rotateApiKey({ params: { id: key }, body: {} }),
    createRole: () => api.createRole({ body: { name, permissions } }),
    updateRole: () => api.updateRole({ params: { id: role }, body: { permissions } }),
    assignRole: () => api.setUserRole({ params, body: { roleId: role } }),
    createUser: () =>
      api.createUser({
        body: {
          email: `${name}.${attack.tenant.tenantId}@example.com`,
          password,
          firstName: 'A',
          lastName: 'B',
          ...(on % 2 && { roleId: role }),
          ...(other % 2 && { teamIds: [team] }),
        },
      }),
    // Whoever chooses the address of a user can have the password reset.
    changeUser: () =>
      api.updateUser({
        params,
        body: { email: `${name}.${attack.tenant.tenantId}@example.com`, ...(other % 2 && { roleId: role }) },
      }),
    activate: () => api.activateUser({ params, body: {} }),
    suspend: () => api.suspendUser({ params, body: { reassignTo: at(users, other) } }),
    deactivate: () => api.deactivateUser({ params, body: { reassignTo: at(users, other) } }),
    joinTeam: () => api.addTeamMembers({ params: { id: team }, body: { userIds: [user] } }),
    leaveTeam: () => api.removeTeamMember({ params: { id: team, userId: user } }),
    moveToTeams: () => api.updateUser({ params, body: { teamIds: isInherited ? [] : [team] } }),
    createTeam: () => api.createTeam({ body: { name, memberIds: [user] } }),
    deleteTeam: () => api.deleteTeam({ params: { id: team } }),
  } satisfies Record<(typeof actions)[number], () => Promise<{ status: number; data: { id?: string } }>>;
  const { status, data } = await tries[action]();
  expect(status).toBeLessThan(500);
  if (status >= 300) return;
  if (action === 'createKey' || action === 'rotateKey') {
    credentials.push({ fullKey: data.fullKey });
    keys.push(data.id);
  }
  if (action === 'createRole') roles.push(data.id);
  if (action === 'createTeam') allTeams.push(data.id);
  if (action === 'createUser') users.push(data.id);
  if (action === 'createUser' || action === 'changeUser') credentials.push({ userId: data.id });
}

/** The rights that a credential has beyond those with which the attackers began. */
async function gained(attack: Attack, credential: Credential): Promise<string[]> {
  const now = await resolve(attack, credential);
  if (!now) return [];
  const more = plainPermissions.filter(
    (permission) => rankOf(now.permissions, permission) > rankOf(attack.permissions, permission),
  );
  // Team records of a team in which none of them was before.
  const isOfTeams = plainPermissions.some(
    (permission) =>
      teamResources.includes(permission.split(':')[0] as string) && allows(now.permissions, permission) === 'team',
  );
  const joined = isOfTeams ? now.teamIds.filter((id: string) => !attack.teams.has(id)) : [];
  return [...more, ...joined.map((id: string) => `team ${id}`)];
}

/** Teams into which the steps brought records of other people, if team records are all that attackers could read of some resource. */
async function openedRecords({ tenant, permissions }: Attack): Promise<unknown[]> {
  const { tenantId, owner } = tenant;
  const isLimited = plainPermissions.some(
    (one) => teamResources.includes(one.split(':')[0] as string) && allows(permissions, one) === 'team',
  );
  if (!isLimited) return [];
  const { data: last } = await owner.createTeam({ body: { name: `last ${tenantId}` } });
  const inOrder = await until('the events arrive', () => {
    const found = service.events.filter((one) => one.tenantId === tenantId);
    return (
      found.some(({ name, data }) => name === 'team.created' && (data as { teamId: string }).teamId === last.id) &&
      found
    );
  });
  const isOfOwner = (userId: unknown) => userId === Number(tenant.user.id);
  return inOrder
    .filter(({ name, caller }) => name === 'team.members_changed' && !isOfOwner(caller.userId))
    .flatMap(({ data }) => (data as { follow: unknown[] }).follow);
}

/** A tenant with an attacker of these rights, other people with their own, their keys, and two teams. */
async function begin(permissions: string[], others: string[][]): Promise<Attack> {
  const tenant = await aTenant(service);
  const { owner, addUser, as } = tenant;
  const roleOf = async (name: string, granted: string[]): Promise<string> =>
    (await owner.createRole({ body: { name, permissions: granted } })).data.id;
  const attackerRole = await roleOf('Attacker', permissions);
  const attacker = await addUser('member', { roleId: attackerRole });
  const roles = [attackerRole, ...['owner', 'admin', 'member', 'viewer'].map(tenant.roleId)];
  const [users, keys] = [[attacker.id, tenant.user.id] as string[], [] as string[]];
  for (const [index, granted] of others.entries()) {
    const roleId = await roleOf(`Other ${index}`, granted);
    const { id } = await addUser('member', { roleId });
    roles.push(roleId);
    users.push(id);
    const { data } = await as(id, ['*']).createApiKey({ body: { name: 'theirs' } });
    if (data?.id) keys.push(data.id);
  }
  const { data: own } = await owner.createApiKey({ body: { name: 'of the owner' } });
  const { data: mine } = await owner.createTeam({ body: { name: 'Mine', memberIds: [attacker.id] } });
  const { data: theirs } = await owner.createTeam({ body: { name: 'Theirs', memberIds: users.slice(2) } });
  return {
    tenant,
    permissions,
    teams: new Set([mine.id]),
    credentials: [{ userId: attacker.id }],
    users,
    roles,
    keys: [...keys, own.id],
    allTeams: [mine.id, theirs.id],
  };
}

it('no sequence of calls gives anybody a right that they did not have', async () => {
  const attacks = fc.tuple(
    attackerPermissions,
    fc.array(anyPermissions, { minLength: 2, maxLength: 2 }),
    fc.array(step, { minLength: 4, maxLength: 14 }),
  );
  await fc.assert(
    fc.asyncProperty(attacks, async ([permissions, others, steps]) => {
      const attack = await begin(permissions, others);
      for (const one of steps) {
        await attempt(attack, one);
        for (const credential of attack.credentials) expect(await gained(attack, credential)).toEqual([]);
      }
      expect(await openedRecords(attack)).toEqual([]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
}, 240_000);
