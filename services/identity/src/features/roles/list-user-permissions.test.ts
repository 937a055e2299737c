import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

interface Right {
  permission: string;
  reach: string;
  grantedBy: string;
  roleId: string;
}

/** A user whose role has these permissions. */
async function aUserWith(permissions: string[]) {
  const tenant = await aTenant(service);
  const { data: role } = await tenant.owner.createRole({ body: { name: 'Sales', permissions } });
  const user = await tenant.addUser('member', { roleId: role.id });
  return { ...tenant, role, user };
}

it('lists each permission with its reach and the role that it comes from', async () => {
  const { owner, role, user } = await aUserWith(['leads:*:team', 'leads:read', 'api_keys:read:team']);
  const { data } = await owner.listUserPermissions({ params: { id: user.id } });
  expect(data.role).toEqual({ id: role.id, name: 'Sales' });
  const roleId = role.id;
  expect(data.permissions).toEqual([
    { permission: 'leads:read', reach: 'all', grantedBy: 'leads:read', roleId },
    { permission: 'leads:write', reach: 'team', grantedBy: 'leads:*:team', roleId },
    { permission: 'leads:delete', reach: 'team', grantedBy: 'leads:*:team', roleId },
    { permission: 'leads:manage', reach: 'team', grantedBy: 'leads:*:team', roleId },
    // API keys have no team.
    { permission: 'api_keys:read', reach: 'own', grantedBy: 'api_keys:read:team', roleId },
  ]);
});

it('agrees with GET /v1/permissions/check for the user', async () => {
  const { owner, role, user, as } = await aUserWith(['leads:*:team', 'tasks:manage', 'users:read:own']);
  const { data } = await owner.listUserPermissions({ params: { id: user.id } });
  const listed = new Map<string, Right>(data.permissions.map((right: Right) => [right.permission, right]));
  const own = as(user.id, ['leads:*:team', 'tasks:manage', 'users:read:own']);
  for (const permission of ['leads:write', 'tasks:delete', 'users:read', 'users:act_as', 'files:read']) {
    const right = listed.get(permission);
    const expected = {
      permission,
      allowed: right !== undefined,
      reach: right?.reach ?? null,
      grantedBy: right?.grantedBy ?? null,
      role: right ? { id: role.id, name: 'Sales' } : null,
    };
    expect((await own.checkPermission({ query: { permission } })).data).toEqual(expected);
    expect((await owner.checkPermission({ query: { permission, userId: user.id } })).data).toEqual(expected);
  }
});

it('shows others only to callers who may read users', async () => {
  const { owner, user, as } = await aUserWith(['leads:read']);
  const { id } = user;
  const statuses = async (api: typeof owner, userId: string) => [
    (await api.listUserPermissions({ params: { id: userId } })).status,
    (await api.checkPermission({ query: { permission: 'leads:read', userId } })).status,
  ];
  const other = (await aTenant(service)).user.id;
  expect(await statuses(as(user.id, ['leads:read']), id)).toEqual([200, 200]);
  const { data: users } = await owner.listUsers();
  const ownerId = users.find((one: { id: string }) => one.id !== id).id as string;
  expect(await statuses(as(id, ['leads:read']), ownerId)).toEqual([403, 403]);
  expect(await statuses(as(id, ['users:read:own']), ownerId)).toEqual([404, 404]);
  expect(await statuses(owner, other)).toEqual([404, 404]);
});

it('lists nothing for a user who is not active', async () => {
  const { owner, user } = await aUserWith(['leads:read']);
  await owner.suspendUser({ params: { id: user.id }, body: {} });
  expect((await owner.listUserPermissions({ params: { id: user.id } })).data.permissions).toEqual([]);
  const query = { permission: 'leads:read', userId: user.id };
  expect((await owner.checkPermission({ query })).data.allowed).toBe(false);
});
