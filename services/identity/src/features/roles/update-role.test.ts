import { permissionResources } from '@tandem/contract';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';
import { covers } from '../../permissions.ts';
import { systemRoles } from './system-roles.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

describe('system roles', () => {
  it('are created with the tenant and cannot be changed or deleted', async () => {
    const { owner, roleId } = await aTenant(service);
    const { data } = await owner.listRoles({ query: { sort: 'createdAt' } });
    expect(data.map(({ name }: { name: string }) => name).sort()).toEqual([
      'admin',
      'manager',
      'member',
      'owner',
      'viewer',
    ]);
    expect((await owner.updateRole({ params: { id: roleId('member') }, body: { permissions: ['*'] } })).body.code).toBe(
      'system_role',
    );
    expect((await owner.deleteRole({ params: { id: roleId('viewer') } })).body.code).toBe('system_role');
  });

  it('each include the permissions of the next lower role', () => {
    const [owner, admin, manager, member, viewer] = systemRoles.map(
      ({ permissions }) => permissions,
    ) as (readonly string[])[];
    const within = (narrow: readonly string[] | undefined, wide: readonly string[] | undefined) =>
      (narrow ?? []).every((one) => covers(wide ?? [], one));
    expect([within(admin, owner), within(manager, admin), within(member, manager), within(viewer, member)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([
      covers(admin ?? [], 'billing:manage'),
      covers(admin ?? [], 'users:act_as'),
      covers(viewer ?? [], 'leads:write'),
    ]).toEqual([false, true, false]);
  });
});

describe('a custom role', () => {
  it('can be created, updated, and deleted while unassigned', async () => {
    const { owner, addUser } = await aTenant(service);
    const { status, data: role } = await owner.createRole({
      body: { name: 'Callers', permissions: ['leads:read', 'leads:write:own', 'tasks:*'] },
    });
    expect([status, role.isSystem, role.description]).toEqual([201, false, null]);
    const changed = await owner.updateRole({
      params: { id: role.id },
      body: { permissions: ['leads:read'] },
      headers: { 'if-match': '"1"' },
    });
    expect([changed.data.permissions, changed.data.version]).toEqual([['leads:read'], 2]);
    const user = await addUser('member', { roleId: role.id });
    expect((await owner.deleteRole({ params: { id: role.id } })).body.code).toBe('role_in_use');
    const roles = (await owner.listRoles()).data as { name: string; id: string }[];
    await owner.setUserRole({
      params: { id: user.id },
      body: { roleId: roles.find(({ name }) => name === 'viewer')?.id },
    });
    expect((await owner.deleteRole({ params: { id: role.id } })).data).toEqual({ id: role.id, deleted: true });
  });

  it('stores the suffix :all as no suffix, which means the same', async () => {
    const { owner, addUser, as } = await aTenant(service);
    const permissions = ['leads:read:all', 'tasks:*:all', 'api_keys:manage', 'files:read:own'];
    const { data: role } = await owner.createRole({ body: { name: 'Readers', permissions } });
    const stored = ['leads:read', 'tasks:*', 'api_keys:manage', 'files:read:own'];
    expect(role.permissions).toEqual(stored);
    const user = await addUser('member', { roleId: role.id });
    const { data: key } = await as(user.id, stored).createApiKey({
      body: { name: 'k', permissions: ['leads:read:all'] },
    });
    expect(key.permissions).toEqual(['leads:read']);
    const query = { permission: 'leads:read:all' };
    expect((await as(user.id, stored).checkPermission({ query })).data).toMatchObject({
      permission: 'leads:read',
      allowed: true,
      reach: 'all',
    });
    for (const wrong of ['*:all', 'leads:all', 'leads:read:all:all', 'leads:read:own:all'])
      expect((await owner.createRole({ body: { name: 'W', permissions: [wrong] } })).status).toBe(422);
  });

  it('requires a unique name and known permissions', async () => {
    const { owner } = await aTenant(service);
    expect((await owner.createRole({ body: { name: 'admin', permissions: [] } })).body.code).toBe('name_taken');
    for (const wrong of ['leads', 'leads:fly', 'ships:read', 'leads:read:mine', '']) {
      const { status, body } = await owner.createRole({ body: { name: 'Wrong', permissions: ['leads:read', wrong] } });
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'permissions.1']);
    }
  });

  it('cannot exceed the permissions of its creator', async () => {
    const { as, user, owner } = await aTenant(service);
    const maker = as(user.id, ['users:manage', 'leads:*', 'tasks:read:own']);
    const make = (permissions: string[]) => maker.createRole({ body: { name: permissions.join(), permissions } });
    expect((await make(['leads:delete', 'tasks:read:own'])).status).toBe(201);
    for (const above of ['*', 'tasks:read', 'tasks:write:own', 'users:act_as', 'users:*', 'billing:read'])
      expect((await make([above])).status).toBe(403);
    expect((await make(['leads:read', 'tasks:read', 'billing:read'])).body.errors).toEqual([
      { field: 'permissions.1', message: 'You do not have tasks:read, so you cannot grant it' },
      { field: 'permissions.2', message: 'You do not have billing:read, so you cannot grant it' },
    ]);
    const { data: rich } = await owner.createRole({ body: { name: 'Rich', permissions: ['billing:manage'] } });
    expect((await maker.updateRole({ params: { id: rich.id }, body: { permissions: ['leads:read'] } })).status).toBe(
      403,
    );
  });
});

describe('permissions', () => {
  it('are listed with descriptions', async () => {
    const { data } = await service.as({ can: [] }).listPermissions();
    expect(data).toHaveLength(permissionResources.length * 4 + 1);
  });

  it.each([
    [['leads:read'], 'leads:read', true, 'all'],
    [['leads:manage'], 'leads:delete', true, 'all'],
    [['leads:read:own'], 'leads:read', true, 'own'],
    [['leads:read:team'], 'leads:read', true, 'team'],
    [['campaigns:read:team'], 'campaigns:read', true, 'team'],
    [['partners:read:team'], 'partners:read', true, 'own'],
    [['leads:read:own'], 'leads:read:team', false, null],
    [['leads:read'], 'tasks:read', false, null],
    [['users:manage'], 'users:*', false, null],
    [['leads:*'], '*', false, null],
    [['*'], '*', true, 'all'],
  ])('%j is checked for %s', async (can, permission, allowed, reach) => {
    expect((await service.as({ can }).checkPermission({ query: { permission } })).data).toMatchObject({
      permission,
      allowed,
      reach,
    });
  });
});

it('a caller without users:act_as cannot put it into a role, at any reach', async () => {
  const { as, user } = await aTenant(service);
  const manager = as(user.id, ['users:manage']);
  for (const permission of ['users:*', 'users:*:team', 'users:*:own', 'users:act_as:own'])
    expect((await manager.createRole({ body: { name: permission, permissions: [permission] } })).status).toBe(403);
});
