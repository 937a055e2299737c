import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const hello = { title: 'Hello', body: 'The import is done' };
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();
type ShownNotification = { userId: string; title: string; status: string };

/** Creates a tenant with an owner and a member who each read their own notifications. */
async function aTenantWithMember() {
  const tenant = await aTenant(service);
  const member = await tenant.addUser('member');
  const inbox = async (userId: string, query: Record<string, string> = {}) =>
    (await tenant.as(userId, ['notifications:read']).listNotifications({ query })).data as ShownNotification[];
  return { ...tenant, member, inbox };
}

/** Makes all scheduled jobs of a tenant due now. */
async function makeJobsDue(tenantId: number): Promise<void> {
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  await service.sql('UPDATE platform.job SET due_at = now() WHERE tenant_id = $1', [tenantId]);
  await service.sql('ALTER TABLE platform.job FORCE ROW LEVEL SECURITY');
}

describe('a notification', () => {
  it('is delivered once to each user of the named users, teams and roles, and emits an event', async () => {
    const { owner, member, user, inbox, roleId, tenantId, addUser } = await aTenantWithMember();
    const viewer = await addUser('viewer');
    const { data: team } = await owner.createTeam({ body: { name: 'Sales', memberIds: [member.id, user.id] } });
    const actions = [{ id: 'open', label: 'Open', type: 'url', url: 'https://example.com/1', style: 'primary' }];
    const body = {
      ...hello,
      userIds: [member.id, member.id],
      teamIds: [team.id],
      roleIds: [roleId('viewer')],
      category: 'imports',
      priority: 'high',
      actions,
      data: { importId: 7 },
      groupKey: 'import-7',
    };
    const { status, data } = await owner.createNotification({ body });
    expect([status, data.recipients]).toEqual([201, 3]);
    expect(data.notifications.map(({ userId }: ShownNotification) => userId)).toEqual([user.id, member.id, viewer.id]);
    expect(data.notifications[1]).toEqual({
      id: expect.any(String),
      batchId: data.id,
      userId: member.id,
      ...hello,
      category: 'imports',
      priority: 'high',
      status: 'delivered',
      allowedTransitions: ['read', 'archived', 'scheduled'],
      environment: 'live',
      channels: ['in_app'],
      emailStatus: null,
      isSilent: false,
      actions: actions.map((action) => ({ ...action, pressedAt: null, result: null })),
      data: { importId: 7 },
      groupKey: 'import-7',
      groupCount: 1,
      scheduledFor: null,
      deliveredAt: expect.any(String),
      readAt: null,
      expiresAt: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await inbox(member.id)).toEqual([data.notifications[1]]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'notification.created' && one.tenantId === tenantId),
    );
    expect(event.data).toEqual({ batchId: data.id, userIds: [user.id, member.id, viewer.id], title: 'Hello' });
  });

  it('is delivered once at its scheduled time', async () => {
    const { owner, member, inbox, tenantId } = await aTenantWithMember();
    const scheduledFor = fromNow(3_600_000);
    const { data } = await owner.createNotification({ body: { ...hello, userIds: [member.id], scheduledFor } });
    expect(data.notifications[0]).toMatchObject({ status: 'scheduled', scheduledFor, deliveredAt: null });
    expect(await inbox(member.id)).toEqual([]);
    expect(await inbox(member.id, { status: 'scheduled' })).toHaveLength(1);
    await makeJobsDue(tenantId);
    const [delivered] = await until('it is delivered', async () => {
      const found = await inbox(member.id);
      return found.length > 0 && found;
    });
    expect(delivered).toMatchObject({ status: 'delivered', scheduledFor, deliveredAt: expect.any(String) });
    expect(await inbox(member.id, { status: 'scheduled' })).toEqual([]);
  });

  it('is not listed after it has expired', async () => {
    const { owner, member, inbox } = await aTenantWithMember();
    const body = { ...hello, userIds: [member.id], expiresAt: fromNow(3_600_000) };
    const { data } = await owner.createNotification({ body });
    expect(await inbox(member.id)).toHaveLength(1);
    await service.sql('ALTER TABLE notification NO FORCE ROW LEVEL SECURITY');
    await service.sql("UPDATE notification SET expires_at = now() - interval '1 second' WHERE batch_id = $1", [
      data.id,
    ]);
    await service.sql('ALTER TABLE notification FORCE ROW LEVEL SECURITY');
    expect(await inbox(member.id)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['no target', { userIds: [] }, 'userIds'],
    ['a scheduled time in the past', { scheduledFor: '2020-01-01T00:00:00Z' }, 'scheduledFor'],
    [
      'an expiry before its scheduled time',
      { scheduledFor: fromNow(9_000_000), expiresAt: fromNow(8_000_000) },
      'expiresAt',
    ],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an unknown user', { userIds: ['999999999'] }, 'userIds.0'],
    ['an unknown team', { teamIds: ['999999999'] }, 'teamIds.0'],
    ['an unknown role', { roleIds: ['999999999'] }, 'roleIds.0'],
    ['no title', { title: ' ' }, 'title'],
    ['an unavailable channel', { channels: ['sms'] }, 'channels.0'],
    [
      'too many actions',
      { actions: [1, 2, 3, 4].map((n) => ({ id: `a${n}`, label: 'A', type: 'dismiss' })) },
      'actions',
    ],
    ['duplicate action ids', { actions: [1, 2].map(() => ({ id: 'a', label: 'A', type: 'dismiss' })) }, 'actions'],
    ['the action id __proto__', { actions: [{ id: '__proto__', label: 'A', type: 'dismiss' }] }, 'actions.0.id'],
    ['a URL action without a URL', { actions: [{ id: 'a', label: 'A', type: 'url' }] }, 'actions.0.url'],
    ['a javascript: URL', { actions: [{ id: 'a', label: 'A', type: 'url', url: 'javascript:1' }] }, 'actions.0.url'],
    ...['//example.com', '/\\example.com'].map((url): [string, object, string] => [
      `${url}, a path that points to another host`,
      { actions: [{ id: 'a', label: 'A', type: 'url', url }] },
      'actions.0.url',
    ]),
    ['a body for another type', { actions: [{ id: 'a', label: 'A', type: 'dismiss', body: {} }] }, 'actions.0.body'],
    [
      'a body above 4 KB',
      { actions: [{ id: 'a', label: 'A', type: 'api', url: '/v1/tasks', body: { title: 'x'.repeat(4_100) } }] },
      'actions.0.body',
    ],
    ...[
      'https://example.com/v1/tasks',
      '/v1/unknown',
      '/v1/leads/1/status',
      '/v1/users:invite',
      '/v1/notifications',
      '/v1/search/index',
      '/internal/names',
    ].map((url): [string, object, string] => [
      `${url}, which is no operation that a button may perform`,
      { actions: [{ id: 'a', label: 'A', type: 'api', url, body: { status: 'new' } }] },
      'actions.0.url',
    ]),
    [
      'a body that the operation would reject',
      { actions: [{ id: 'a', label: 'A', type: 'api', url: '/v1/tasks', body: { title: '' } }] },
      'actions.0.body.title',
    ],
    [
      'an unknown field in the body',
      { actions: [{ id: 'a', label: 'A', type: 'api', url: '/v1/tasks', body: { title: 'A', colour: 'red' } }] },
      'actions.0.body.colour',
    ],
    ['an unknown priority', { priority: 'urgent' }, 'priority'],
  ])('with %s is rejected and not delivered', async (_, wrong, field) => {
    const { owner, member, inbox } = await aTenantWithMember();
    const body = { ...hello, userIds: [member.id], ...wrong };
    const reply = await owner.createNotification({ body });
    expect([reply.status, reply.body.errors?.map((one) => one.field)]).toEqual([422, [field]]);
    expect(await inbox(member.id)).toEqual([]);
  });

  it.each([
    ['a field of the body', '/v1/leads:bulk-assign', { filter: {}, expectedCount: 1, assignedTo: null }, 'leads:read'],
    ['the operation', '/v1/tasks', { title: 'Call back' }, 'tasks:write'],
  ])('with a button whose creator may use %s for own records only is rejected', async (_, url, body, permission) => {
    const { as, member, inbox } = await aTenantWithMember();
    const actions = [{ id: 'go', label: 'Go', type: 'api', url, body }];
    const create = (last: string) =>
      as(member.id, ['notifications:write', 'leads:write', last]).createNotification({
        body: { ...hello, userIds: [member.id], actions },
      });
    for (const last of [`${permission}:own`, 'files:read']) {
      const message = `Requires the permission ${permission}`;
      const { status, body: refused } = await create(last);
      expect([status, refused.errors]).toEqual([403, [{ field: 'actions.0.url', message }]]);
    }
    expect((await create(permission)).status).toBe(201);
    expect(await inbox(member.id)).toHaveLength(1);
  });

  it('rejects users of other tenants and inactive users by id, and skips inactive team members', async () => {
    const [{ owner, member, user }, other] = [await aTenantWithMember(), await aTenant(service)];
    const { data: team } = await owner.createTeam({ body: { name: 'All', memberIds: [member.id, user.id] } });
    await owner.updateUser({ params: { id: member.id }, body: { status: 'suspended' } });
    const refused = await owner.createNotification({
      body: { ...hello, userIds: [user.id, other.user.id, member.id] },
    });
    expect(refused.body.errors?.map(({ field }) => field)).toEqual(['userIds.1', 'userIds.2']);
    const { data } = await owner.createNotification({ body: { ...hello, teamIds: [team.id] } });
    expect(data.notifications.map(({ userId }: ShownNotification) => userId)).toEqual([user.id]);
    const { data: empty } = await owner.createTeam({ body: { name: 'Nobody' } });
    const nobody = await owner.createNotification({ body: { ...hello, teamIds: [empty.id] } });
    expect([nobody.status, nobody.data]).toEqual([201, expect.objectContaining({ recipients: 0, notifications: [] })]);
  });

  it('limits recipients to 1,000 and their total size, and returns the first 100', async () => {
    const { owner, tenantId, roleId } = await aTenantWithMember();
    await service.sql('ALTER TABLE "user" NO FORCE ROW LEVEL SECURITY');
    const add = (count: number, prefix: string) =>
      service.sql(
        `INSERT INTO "user" (tenant_id, email, first_name, last_name, password_hash, role_id)
        SELECT $1, $2 || n || '@example.com', 'A', 'B', '-', $3 FROM generate_series(1, $4::int) AS n`,
        [tenantId, prefix, roleId('viewer'), count],
      );
    await add(1_000, 'a');
    const notify = () => owner.createNotification({ body: { ...hello, roleIds: [roleId('viewer')] } });
    const { status, data } = await notify();
    expect([status, data.recipients, data.notifications.length]).toEqual([201, 1_000, 100]);
    const reached = (data.notifications as ShownNotification[]).map(({ userId }) => Number(userId));
    expect(reached).toEqual([...reached].sort((a, b) => a - b));
    const largest = await owner.createNotification({
      body: { ...hello, roleIds: [roleId('viewer')], data: { text: 'x'.repeat(8_000) } },
    });
    expect([largest.status, largest.data.recipients]).toEqual([201, 1_000]);
    expect(Buffer.byteLength(JSON.stringify(largest.body))).toBeLessThan(1_000_000);
    const large = await owner.createNotification({
      body: { ...hello, roleIds: [roleId('viewer')], data: { text: 'x'.repeat(16_000) } },
    });
    expect([large.status, large.body.errors?.[0]?.field]).toEqual([422, 'data']);
    const many = await owner.createNotification({
      body: { ...hello, roleIds: [roleId('viewer')], data: { list: Array(500).fill(1) } },
    });
    expect([many.status, many.body.errors?.[0]?.message]).toEqual([422, expect.stringContaining('at most 500 values')]);
    await add(1, 'b');
    await service.sql('ALTER TABLE "user" FORCE ROW LEVEL SECURITY');
    const refused = await notify();
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'roleIds']);
  });
});

describe('the list of notifications', () => {
  it('contains those of the acting user: the signed-in user, the creator of the key, or the impersonated user', async () => {
    const { owner, member, user, as, inbox } = await aTenantWithMember();
    await owner.createNotification({ body: { ...hello, title: 'For Ada', userIds: [user.id] } });
    await owner.createNotification({
      body: { ...hello, title: 'For Grace', userIds: [member.id], category: 'imports' },
    });
    const titles = (list: ShownNotification[]) => list.map(({ title }) => title);
    expect(titles(await inbox(user.id))).toEqual(['For Ada']);
    expect(titles(await inbox(member.id))).toEqual(['For Grace']);
    const key = (onBehalfOf?: number) =>
      as(user.id, ['notifications:read'], {
        type: 'key',
        keyId: 1,
        ...(onBehalfOf && { onBehalfOf }),
      }).listNotifications();
    expect(titles((await key()).data)).toEqual(['For Ada']);
    expect(titles((await key(Number(member.id))).data)).toEqual(['For Grace']);
    expect(titles((await as(member.id, ['notifications:read:own']).listNotifications()).data)).toEqual(['For Grace']);
    expect(await inbox(member.id, { category: 'other' })).toEqual([]);
    expect(await inbox(member.id, { category: 'imports', status: 'delivered' })).toHaveLength(1);
  });

  it('is paginated, newest first', async () => {
    const { owner, member, as } = await aTenantWithMember();
    for (const title of ['one', 'two', 'three'])
      await owner.createNotification({ body: { ...hello, title, userIds: [member.id] } });
    const me = as(member.id, ['notifications:read']);
    const first = await me.listNotifications({ query: { limit: '2' } });
    expect(first.body.pagination).toMatchObject({ total: 3, hasNext: true });
    const cursor = first.body.pagination?.nextCursor as string;
    const second = await me.listNotifications({ query: { limit: '2', cursor } });
    expect([...first.data, ...second.data].map(({ title }: ShownNotification) => title)).toEqual([
      'three',
      'two',
      'one',
    ]);
  });
});
