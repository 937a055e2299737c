import { createPepper } from '@tandem/api-keys';
import { allows } from '@tandem/contract';
import type { startSso } from './features/sso/sso.test-service.ts';
import {
  anonymous,
  aTenant,
  fleet,
  mailTo,
  password,
  type Service,
  secrets,
  tokenIn,
} from './identity.test-service.ts';

const pepper = createPepper(secrets.KEY_PEPPER);

/** What attackers try; `promote` is a step of the owner. */
export const actions = [
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
  'setPassword',
  'resetTotp',
  'invite',
  'configureSso',
  'promote',
] as const;

/** One step. Which credential acts, whether it acts for somebody else, and on what: by position in the lists of that time. */
interface Step {
  action: (typeof actions)[number];
  permissions: string[];
  by: number;
  actsFor: number | null;
  on: number;
  other: number;
}

/** A credential in the hands of the attackers: a user whose password they know, or a key that they have seen. */
export type Credential = { userId: string } | { fullKey: string };

export interface Attack {
  tenant: Awaited<ReturnType<typeof aTenant>>;
  /** The rights and teams with which the attackers began. */
  permissions: string[];
  teams: Set<string>;
  credentials: Credential[];
  users: string[];
  roles: string[];
  keys: string[];
  allTeams: string[];
  /** A domain that the tenant has proven for single sign-on. */
  domain: string;
}

let numbers = 0;
const at = <T>(list: readonly T[], position: number): T => list[position % list.length] as T;

/** What a credential may do now, as the gateway resolves it. */
export async function resolve(service: Service, { tenant }: Attack, credential: Credential) {
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

function isHeld({ credentials }: Attack, user: string): boolean {
  return credentials.some((one) => 'userId' in one && one.userId === user);
}

/** The moves of attackers against one running service. */
export function attackerMoves({
  service,
  mailbox,
  settings,
  within,
  proveDomain,
  signIn,
}: Awaited<ReturnType<typeof startSso>>) {
  /** A client with the credential, acting for somebody if it may. */
  async function clientOf(attack: Attack, { by, actsFor }: Step) {
    const resolved = await resolve(service, attack, at(attack.credentials, by));
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
    const { owner } = attack.tenant;
    const { action, permissions, on, other } = one;
    const [user, role, key, team] = [at(users, on), at(roles, other), at(keys, on), at(allTeams, other)];
    const params = { id: user };
    const isInherited = on % 3 === 0;
    const name = `n${++numbers}`;
    const email = `${name}@${attack.domain}`;
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
            email,
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
          body: { email, ...(other % 2 && { roleId: role }) },
        }),
      activate: () => api.activateUser({ params, body: {} }),
      suspend: () => api.suspendUser({ params, body: { reassignTo: at(users, other) } }),
      deactivate: () => api.deactivateUser({ params, body: { reassignTo: at(users, other) } }),
      joinTeam: () => api.addTeamMembers({ params: { id: team }, body: { userIds: [user] } }),
      leaveTeam: () => api.removeTeamMember({ params: { id: team, userId: user } }),
      moveToTeams: () => api.updateUser({ params, body: { teamIds: isInherited ? [] : [team] } }),
      createTeam: () => api.createTeam({ body: { name, memberIds: [user] } }),
      deleteTeam: () => api.deleteTeam({ params: { id: team } }),
      setPassword: () => api.setUserPassword({ params, body: { new: password } }),
      resetTotp: () => api.resetUserTotp({ params }),
      invite: () =>
        api.inviteUser({ body: { email, ...(on % 2 && { roleId: role }), ...(other % 2 && { teamIds: [team] }) } }),
      configureSso: () => api.configureSso({ body: settings({ allowSignUp: true, defaultRoleId: role }) }),
      // By the owner, who does not promote the attackers themselves.
      promote: () =>
        isHeld(attack, user) ? owner.getUser({ params }) : owner.setUserRole({ params, body: { roleId: role } }),
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
    if (['createUser', 'changeUser', 'setPassword'].includes(action)) credentials.push({ userId: data.id ?? user });
    const joined =
      (action === 'invite' && (await accept(email))) || (action === 'configureSso' && (await signUp(attack, email)));
    if (!joined) return;
    users.push(joined);
    credentials.push({ userId: joined });
  }

  /** Accepts an invitation that was just sent; the id of the new user. */
  async function accept(email: string): Promise<string | undefined> {
    const token = tokenIn(await mailTo(mailbox, email, /invites you/));
    const body = { password, firstName: 'A', lastName: 'B' };
    return (await anonymous(service).acceptInvitation({ params: { token }, body })).data?.user?.id;
  }

  /** Signs in through the identity provider as somebody new; the id of the user, if one was created. */
  async function signUp({ tenant }: Attack, email: string): Promise<string | undefined> {
    await signIn(email);
    return (await tenant.owner.listUsers({ query: { search: email } })).data[0]?.id;
  }

  /** A tenant with an attacker of these rights, other people with their own, their keys, and two teams. */
  async function begin(permissions: string[], others: string[][]): Promise<Attack> {
    const tenant = await aTenant(service);
    await within(tenant, `UPDATE tenant SET plan = 'team'`);
    const domain = `t${tenant.tenantId}.example.com`;
    await proveDomain(tenant, domain);
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
      domain,
    };
  }

  /** The owner makes everybody an administrator whose account the attackers do not have. */
  async function promoteOthers(attack: Attack): Promise<void> {
    const { owner, user, roleId } = attack.tenant;
    const others = attack.users.filter((id) => id !== user.id && !isHeld(attack, id));
    for (const id of others) await owner.setUserRole({ params: { id }, body: { roleId: roleId('admin') } });
  }

  return { begin, attempt, promoteOthers };
}
