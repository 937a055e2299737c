import { until } from '@tandem/testing';
import {
  anonymous,
  aTenant,
  fleet,
  password,
  type ServiceWithWork,
  startIdentity,
} from '../../identity.test-service.ts';

let service: ServiceWithWork;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const eventsOf = (tenantId: number, name: string) =>
  until(`${name} arrives`, () => {
    const found = service.events.filter((one) => one.name === name && one.tenantId === tenantId);
    return found.length > 0 && found;
  });

describe.each([
  ['suspendUser', 'suspended', 'user.suspended'],
  ['deactivateUser', 'deactivated', 'user.deactivated'],
] as const)('%s', (operation, status, eventName) => {
  it('ends the sessions of the user, with an event that has the reason', async () => {
    const { owner, addUser, tenantId } = await aTenant(service);
    const user = await addUser('member');
    const login = () => anonymous(service).login({ body: { email: user.email, password } });
    await login();
    const reply = await owner[operation]({ params: { id: user.id }, body: { reason: 'Left the company' } });
    expect([reply.status, reply.data.status, reply.data.version]).toEqual([200, status, 2]);
    expect((await login()).status).toBe(401);
    const [event] = await eventsOf(tenantId, eventName);
    expect(event).toMatchObject({
      data: { userId: user.id, reassignTo: null, reason: 'Left the company' },
      changes: { status: { from: 'active', to: status } },
    });
    const [loggedOut] = await eventsOf(tenantId, 'user.logged_out');
    expect(loggedOut?.data).toMatchObject({ userId: user.id, reason: status });
    const again = await owner[operation]({ params: { id: user.id }, body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'transition_refused']);
  });

  it('names the open work and the keys of the user, unless a successor takes them over', async () => {
    const { owner, addUser, as } = await aTenant(service);
    const [user, successor] = [await addUser('admin'), await addUser('admin')];
    service.work.of.set(user.id, { leads: 3, opportunities: 0, tasks: 2 });
    await as(user.id).createApiKey({ body: { name: 'ci' } });
    const refused = await owner[operation]({ params: { id: user.id }, body: {} });
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      409,
      'work_left',
      [
        { field: 'leads', message: 'The user has 3 open leads' },
        { field: 'tasks', message: 'The user has 2 open tasks' },
        {
          field: 'apiKeys',
          message: 'The user has 1 active API keys; GET /v1/api-keys lists them by ownerId and status=active',
        },
      ],
    ]);
    expect((await owner.updateUser({ params: { id: user.id }, body: { status } })).body.code).toBe('work_left');
    expect((await owner.getUser({ params: { id: user.id } })).data).toMatchObject({ status: 'active', version: 1 });
    const keysOf = async ({ id }: { id: string }) =>
      (await owner.listApiKeys({ query: { ownerId: id, status: 'active' } })).data.map(
        ({ name }: { name: string }) => name,
      );
    expect([await keysOf(user), await keysOf(successor)]).toEqual([['ci'], []]);
    const done = await owner[operation]({ params: { id: user.id }, body: { reassignTo: successor.id } });
    expect([done.status, done.data.status]).toEqual([200, status]);
    expect([await keysOf(user), await keysOf(successor)]).toEqual([[], ['ci']]);
  });

  it('tells the successor, and services who took over', async () => {
    const { owner, addUser, as, tenantId } = await aTenant(service);
    const [user, successor] = [await addUser('member'), await addUser('member')];
    await owner[operation]({ params: { id: user.id }, body: { reassignTo: successor.id } });
    const { data } = await as(successor.id).listNotifications();
    expect(data[0]).toMatchObject({ title: 'You take over the work of Grace Hopper', category: 'assignments' });
    const find = async () => (await fleet(service, tenantId).findUser({ params: { id: user.id } })).data;
    expect(await find()).toMatchObject({ status, successorId: successor.id });
    await owner.activateUser({ params: { id: user.id }, body: {} });
    expect(await find()).toMatchObject({ status: 'active', successorId: null });
  });

  it('accepts only another active user as the successor', async () => {
    const { owner, addUser } = await aTenant(service);
    const [user, inactive] = [await addUser('member'), await addUser('member')];
    await owner.deactivateUser({ params: { id: inactive.id }, body: {} });
    for (const reassignTo of [user.id, inactive.id, '999999999']) {
      const reply = await owner[operation]({ params: { id: user.id }, body: { reassignTo } });
      expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'reassignTo']);
    }
  });

  it('refuses oneself, the last owner, and users with more rights', async () => {
    const { addUser, as, user: owner } = await aTenant(service);
    const admin = await addUser('admin');
    const own = await as(admin.id)[operation]({ params: { id: admin.id }, body: {} });
    expect([own.status, own.body.code]).toEqual([409, 'own_account']);
    const viaKey = as(admin.id, ['*'], { type: 'key', keyId: 1, onBehalfOf: Number(owner.id) });
    expect((await viaKey[operation]({ params: { id: admin.id }, body: {} })).body.code).toBe('own_account');
    expect((await as(admin.id)[operation]({ params: { id: owner.id }, body: {} })).body.code).toBe('last_owner');
    const clerk = as((await addUser('member')).id, ['users:write']);
    expect((await clerk[operation]({ params: { id: admin.id }, body: {} })).status).toBe(403);
    const narrowed = as(admin.id, ['users:write:own']);
    expect((await narrowed[operation]({ params: { id: admin.id }, body: {} })).status).toBe(403);
  });

  it('changes nothing while the work cannot be counted, except with a successor', async () => {
    const { owner, addUser } = await aTenant(service);
    const [user, successor] = [await addUser('member'), await addUser('member')];
    service.work.state.isDown = true;
    try {
      const reply = await owner[operation]({ params: { id: user.id }, body: {} });
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '1']);
      expect((await owner.getUser({ params: { id: user.id } })).data.status).toBe('active');
      const named = await owner[operation]({ params: { id: user.id }, body: { reassignTo: successor.id } });
      expect(named.status).toBe(200);
    } finally {
      service.work.state.isDown = false;
    }
  });
});

it('completes only one of two concurrent calls that name each other’s users as successors', async () => {
  const { owner, addUser } = await aTenant(service);
  const [one, other] = [await addUser('member'), await addUser('member')];
  const replies = await Promise.all([
    owner.deactivateUser({ params: { id: one.id }, body: { reassignTo: other.id } }),
    owner.deactivateUser({ params: { id: other.id }, body: { reassignTo: one.id } }),
  ]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
});

describe('activateUser', () => {
  it('lets the user sign in again, with an event', async () => {
    const { owner, addUser, tenantId } = await aTenant(service);
    const user = await addUser('member');
    await owner.suspendUser({ params: { id: user.id }, body: {} });
    const reply = await owner.activateUser({ params: { id: user.id }, body: { reason: 'Back from leave' } });
    expect([reply.status, reply.data.status]).toEqual([200, 'active']);
    expect((await anonymous(service).login({ body: { email: user.email, password } })).status).toBe(200);
    const [event] = await eventsOf(tenantId, 'user.activated');
    expect(event?.data).toEqual({ userId: user.id, reason: 'Back from leave' });
    const again = await owner.activateUser({ params: { id: user.id }, body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'transition_refused']);
  });
});
