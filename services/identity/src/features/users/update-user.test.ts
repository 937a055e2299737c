import { until } from '@tandem/testing';
import { anonymous, aTenant, fleet, password, type Service, startIdentity } from '../../identity.test-service.ts';
import { memberPermissions } from '../roles/system-roles.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const person = (fields: object = {}) => ({
  email: 'grace@example.com',
  password,
  firstName: 'Grace',
  lastName: 'Hopper',
  ...fields,
});

describe('a new user', () => {
  it('defaults to the member role, can log in, and emits an event without the password', async () => {
    const { owner, roleId, tenantId } = await aTenant(service);
    const { status, data } = await owner.createUser({
      body: person({ email: ' Grace.H@Example.com ', phone: '+1 202 555 0100' }),
    });
    expect([status, data.email, data.phone, data.roleId, data.status]).toEqual([
      201,
      'grace.h@example.com',
      '+12025550100',
      roleId('member'),
      'active',
    ]);
    expect(Object.keys(data)).not.toEqual(expect.arrayContaining(['passwordHash']));
    expect(
      (await anonymous(service).login({ body: { email: data.email, password, tenantId: `${tenantId}` } })).status,
    ).toBe(200);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'user.created' && one.target.id === Number(data.id)),
    );
    expect(JSON.stringify(event)).not.toContain('argon2');
  });

  it('gets a role, a change of it or an address only by somebody who manages users', async () => {
    const { as, user, addUser, roleId } = await aTenant(service);
    const { id } = await addUser('viewer');
    for (const manage of [[], ['users:manage:own']]) {
      const clerk = as(user.id, ['users:read', 'users:write', ...memberPermissions, ...manage]);
      const replies = [
        await clerk.createUser({ body: person({ roleId: roleId('viewer') }) }),
        await clerk.inviteUser({ body: { email: 'joan@example.com', roleId: roleId('viewer') } }),
        await clerk.updateUser({ params: { id }, body: { roleId: roleId('member') } }),
        await clerk.updateUser({ params: { id }, body: { email: 'other@example.com' } }),
      ];
      expect(replies.map(({ status, body }) => [status, body.errors?.[0]?.field])).toEqual([
        [403, 'roleId'],
        [403, 'roleId'],
        [403, 'roleId'],
        [403, 'email'],
      ]);
      expect((await clerk.updateUser({ params: { id }, body: { firstName: `Joan ${manage.length}` } })).status).toBe(
        200,
      );
    }
    const manager = as(user.id, ['users:manage', ...memberPermissions]);
    const body = { roleId: roleId('member'), email: 'mine@example.com' };
    expect((await manager.updateUser({ params: { id }, body })).status).toBe(200);
  });

  it('requires an e-mail address unique within the tenant, case-insensitively', async () => {
    const [{ owner }, other] = [await aTenant(service), await aTenant(service)];
    await owner.createUser({ body: person() });
    const again = await owner.createUser({ body: person({ email: 'GRACE@example.com' }) });
    expect([again.status, again.body.code]).toEqual([409, 'email_taken']);
    expect((await other.owner.createUser({ body: person() })).status).toBe(201);
  });

  it('cannot get a role above the caller’s, or one of another tenant', async () => {
    const [{ as, user, roleId }, other] = [await aTenant(service), await aTenant(service)];
    const clerk = as(user.id, ['users:manage']);
    const above = await clerk.createUser({ body: person({ roleId: roleId('admin') }) });
    expect([above.status, above.body.errors]).toEqual([
      403,
      [{ field: 'roleId', message: expect.stringContaining('choose another role') }],
    ]);
    const foreign = await clerk.createUser({ body: person({ roleId: other.roleId('member') }) });
    expect([foreign.status, foreign.body.errors?.[0]?.field]).toEqual([422, 'roleId']);
    expect((await clerk.createUser({ body: person() })).status).toBe(403);
    const peer = as(user.id, ['users:write', ...memberPermissions]);
    expect((await peer.createUser({ body: person() })).status).toBe(201);
  });
});

describe('updating a user', () => {
  it('updates the given fields, increments the version, and emits the changes', async () => {
    const { owner, addUser, roleId } = await aTenant(service);
    const user = await addUser('member');
    const { data, headers } = await owner.updateUser({
      params: { id: user.id },
      body: { lastName: 'Murray', roleId: roleId('viewer') },
      headers: { 'if-match': '"1"' },
    });
    expect([data.lastName, data.roleId, data.version, headers.etag]).toEqual([
      'Murray',
      roleId('viewer'),
      2,
      expect.stringMatching(/^"2-/),
    ]);
    expect(
      (await owner.updateUser({ params: { id: user.id }, body: { lastName: 'Late' }, headers: { 'if-match': '"1"' } }))
        .status,
    ).toBe(412);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'user.updated' && one.target.id === Number(user.id)),
    );
    expect(event.changes).toMatchObject({
      lastName: { from: 'Hopper', to: 'Murray' },
      roleId: { to: Number(roleId('viewer')) },
    });
    expect(event.changedIds).toEqual([{ path: ['roleId'], type: 'role' }]);
  });

  it('returns current permissions to internal services, none for inactive users', async () => {
    const { owner, addUser, roleId, tenantId } = await aTenant(service);
    const user = await addUser('viewer');
    const permissions = async () =>
      (await fleet(service, tenantId).findUserPermissions({ params: { id: user.id } })).data?.permissions;
    const { data: viewer } = await owner.getRole({ params: { id: roleId('viewer') } });
    expect(await permissions()).toEqual(viewer.permissions);
    await owner.setUserRole({ params: { id: user.id }, body: { roleId: roleId('admin') } });
    expect(await permissions()).toContain('leads:*');
    await owner.updateUser({ params: { id: user.id }, body: { status: 'suspended' } });
    expect(await permissions()).toEqual([]);
    const unknown = await fleet(service, tenantId).findUserPermissions({ params: { id: '999999' } });
    const inNoTenant = await fleet(service).findUserPermissions({ params: { id: user.id } });
    expect([unknown.data, inNoTenant.data]).toEqual([{ permissions: [] }, { permissions: [] }]);
  });

  it('ends all sessions on deactivation and allows login after reactivation', async () => {
    const { owner, addUser, tenantId } = await aTenant(service);
    const user = await addUser('member');
    const login = () => anonymous(service).login({ body: { email: user.email, password } });
    await login();
    await owner.updateUser({ params: { id: user.id }, body: { status: 'deactivated' } });
    expect((await login()).status).toBe(401);
    const ended = await until('the logout event arrives', () =>
      service.events.find((one) => one.name === 'user.logged_out' && one.tenantId === tenantId),
    );
    expect(ended.data).toMatchObject({ userId: user.id, reason: 'deactivated' });
    expect((await fleet(service, tenantId).findUser({ params: { id: user.id } })).data).toMatchObject({
      status: 'deactivated',
    });
    await owner.updateUser({ params: { id: user.id }, body: { status: 'active' } });
    expect((await login()).status).toBe(200);
  });

  it('allows only the status transitions of the state table', async () => {
    const { owner, addUser } = await aTenant(service);
    const { id } = await addUser('member');
    const move = async (status: string) => {
      const { status: answer, data, body } = await owner.updateUser({ params: { id }, body: { status } });
      return [answer, ...(data ? [data.status, data.allowedTransitions] : [body.code, body.errors])];
    };
    expect(await move('suspended')).toEqual([200, 'suspended', ['active', 'deactivated']]);
    expect(await move('deactivated')).toEqual([200, 'deactivated', ['active']]);
    expect(await move('suspended')).toEqual([
      409,
      'transition_refused',
      [{ field: 'status', message: 'The status is deactivated; it can change to active' }],
    ]);
    expect(await move('active')).toEqual([200, 'active', ['suspended', 'deactivated']]);
    expect((await move('inactive'))[0]).toBe(422);
  });

  it('changes the login address with the e-mail address', async () => {
    const { owner, addUser } = await aTenant(service);
    const user = await addUser('member');
    const email = `new-${user.email}`;
    await owner.updateUser({ params: { id: user.id }, body: { email } });
    expect((await anonymous(service).login({ body: { email: user.email, password } })).status).toBe(401);
    expect((await anonymous(service).login({ body: { email, password } })).status).toBe(200);
  });

  it('cannot change the address of a user again and again: each change sends messages to both addresses', async () => {
    const { owner, addUser } = await aTenant(service);
    const user = await addUser('member');
    const statuses = [];
    for (let count = 0; count < 4; count += 1) {
      const reply = await owner.updateUser({ params: { id: user.id }, body: { email: `${count}-${user.email}` } });
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await owner.getUser({ params: { id: user.id } })).data.email).toBe(`2-${user.email}`);
    expect((await owner.updateUser({ params: { id: user.id }, body: { firstName: 'Joan' } })).status).toBe(200);
  });

  it("refuses one's own address, which a session or key alone must not change", async () => {
    const { owner, user } = await aTenant(service);
    const { status, body } = await owner.updateUser({ params: { id: user.id }, body: { email: 'mine@example.com' } });
    expect([status, body.errors?.[0]]).toEqual([
      422,
      { field: 'email', message: expect.stringContaining('/users/me/email') },
    ]);
  });

  it('keeps at least one active owner', async () => {
    const { owner, addUser, user, as, roleId } = await aTenant(service);
    const admin = as((await addUser('admin')).id, ['*']);
    for (const body of [{ status: 'deactivated' }, { roleId: roleId('member') }]) {
      expect((await admin.updateUser({ params: { id: user.id }, body })).body.code).toBe('last_owner');
    }
    expect((await admin.setUserRole({ params: { id: user.id }, body: { roleId: roleId('admin') } })).body.code).toBe(
      'last_owner',
    );
    const second = await addUser('owner');
    const both = await Promise.all(
      [user, second].map(({ id }) => admin.updateUser({ params: { id }, body: { status: 'deactivated' } })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(
      (await owner.listUsers({ query: { roleId: roleId('owner'), status: 'active' } })).body.pagination?.total,
    ).toBe(1);
  });

  it('prevents users from changing their own role through a key that acts on behalf of another user', async () => {
    const { addUser, as, roleId } = await aTenant(service);
    const [admin, member] = [await addUser('admin'), await addUser('member')];
    const key = as(admin.id, ['*'], { type: 'key', keyId: 1, onBehalfOf: Number(member.id) });
    const [params, body] = [{ id: admin.id }, { roleId: roleId('viewer') }];
    const own = await key.setUserRole({ params, body });
    expect([own.status, own.body.errors?.[0]?.field]).toEqual([403, 'roleId']);
    expect((await key.updateUser({ params, body })).status).toBe(403);
    expect((await key.setUserRole({ params: { id: member.id }, body })).status).toBe(403);
  });

  it('does not assign a role that is deleted concurrently', async () => {
    const { owner, addUser, roleId } = await aTenant(service);
    const { id } = await addUser('member');
    const answers: number[] = [];
    for (let round = 0; round < 15; round++) {
      const { data: role } = await owner.createRole({ body: { name: `Role ${round}`, permissions: ['leads:read'] } });
      const body = { roleId: role.id };
      const [put, patch, post, deleted] = await Promise.all([
        owner.setUserRole({ params: { id }, body }),
        owner.updateUser({ params: { id }, body }),
        owner.createUser({ body: person({ email: `grace${round}@example.com`, ...body }) }),
        owner.deleteRole({ params: { id: role.id } }),
      ]);
      const statuses = [put, patch, post].map(({ status }) => status);
      answers.push(...statuses);
      expect(deleted.status).toBe(statuses.some((status) => status < 300) ? 409 : 200);
      await owner.setUserRole({ params: { id }, body: { roleId: roleId('member') } });
    }
    for (const status of answers) expect([200, 201, 409, 422]).toContain(status);
  });

  it('prevents users from changing their own role or users above them', async () => {
    const { addUser, as, user, roleId } = await aTenant(service);
    const admin = await addUser('admin');
    await addUser('owner');
    const can = ['users:*', 'leads:*'];
    expect(
      (await as(admin.id, ['*']).setUserRole({ params: { id: admin.id }, body: { roleId: roleId('owner') } })).status,
    ).toBe(403);
    expect(
      (await as(admin.id, can).updateUser({ params: { id: user.id }, body: { email: 'mine@example.com' } })).status,
    ).toBe(403);
    expect(
      (await as(admin.id, can).setUserRole({ params: { id: user.id }, body: { roleId: roleId('member') } })).status,
    ).toBe(403);
  });
});

describe('reading users', () => {
  it('filters, searches and paginates', async () => {
    const { owner, addUser, roleId } = await aTenant(service);
    for (const firstName of ['Alan', 'Edsger', 'Donald']) await addUser('viewer', { firstName });
    const names = async (query: Record<string, string>) =>
      (await owner.listUsers({ query })).data.map((user: { firstName: string }) => user.firstName);
    expect(await names({ roleId: roleId('viewer'), sort: 'createdAt' })).toEqual(['Alan', 'Edsger', 'Donald']);
    expect(await names({ search: 'edsg' })).toEqual(['Edsger']);
    const first = await owner.listUsers({ query: { limit: '2', sort: 'createdAt' } });
    expect([first.body.pagination?.total, first.body.pagination?.hasNext]).toEqual([4, true]);
    expect(await names({ limit: '2', sort: 'createdAt', cursor: first.body.pagination?.nextCursor as string })).toEqual(
      ['Edsger', 'Donald'],
    );
  });

  it('returns only the caller to callers limited to their own records', async () => {
    const { addUser, as, user } = await aTenant(service);
    const member = await addUser('member');
    const me = as(member.id, ['users:read:own', 'users:write:own']);
    expect((await me.listUsers()).data.map(({ id }: { id: string }) => id)).toEqual([member.id]);
    expect((await me.getUser({ params: { id: user.id } })).status).toBe(404);
    expect((await me.updateUser({ params: { id: user.id }, body: { lastName: 'X' } })).status).toBe(404);
    expect((await me.updateUser({ params: { id: member.id }, body: { lastName: 'X' } })).status).toBe(200);
  });
});
