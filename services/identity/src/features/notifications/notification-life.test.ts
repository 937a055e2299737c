import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const hello = { title: 'Hello', body: 'The import is done' };
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();
const hourMs = 3_600_000;

interface Shown {
  id: string;
  title: string;
  status: string;
  groupCount: number;
}

/** A tenant whose member has received notifications, and both callers. */
async function aReader(role = 'viewer') {
  const tenant = await aTenant(service);
  const member = await tenant.addUser(role);
  const me = tenant.as(member.id, ['notifications:read']);
  const receive = async (fields: object = {}) => {
    const body = { ...hello, userIds: [member.id], ...fields };
    const { data, status } = await tenant.owner.createNotification({ body });
    expect(status).toBe(201);
    return data.notifications[0] as Shown;
  };
  const unread = async () => (await me.countUnreadNotifications()).data.unread as number;
  const titles = async (query: Record<string, string> = {}) =>
    ((await me.listNotifications({ query })).data as Shown[]).map(({ title }) => title);
  return { ...tenant, member, me, receive, unread, titles };
}

/** Makes the scheduled jobs of a tenant due now. */
async function makeJobsDue(tenantId: number): Promise<void> {
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  await service.sql('UPDATE platform.job SET due_at = now() WHERE tenant_id = $1', [tenantId]);
  await service.sql('ALTER TABLE platform.job FORCE ROW LEVEL SECURITY');
}

describe('the state of a notification', () => {
  it('moves from unread to read and back, to the archive and back, and a repetition changes nothing', async () => {
    const { me, receive, unread, titles } = await aReader();
    const params = { id: (await receive()).id };
    expect(await unread()).toBe(1);
    const read = await me.readNotification({ params });
    expect(read.data).toMatchObject({ status: 'read', readAt: expect.any(String), version: 2 });
    expect((await me.readNotification({ params })).data).toEqual(read.data);
    expect([await unread(), await titles()]).toEqual([0, ['Hello']]);
    const back = await me.unreadNotification({ params });
    expect(back.data).toMatchObject({ status: 'delivered', readAt: null, version: 3 });
    const archived = await me.archiveNotification({ params });
    expect(archived.data).toMatchObject({ status: 'archived', allowedTransitions: ['delivered'] });
    expect((await me.archiveNotification({ params })).data.version).toBe(4);
    expect([await unread(), await titles(), await titles({ status: 'archived' })]).toEqual([0, [], ['Hello']]);
    const refused = await me.readNotification({ params });
    expect([refused.status, refused.body.code]).toEqual([409, 'transition_refused']);
    expect((await me.unreadNotification({ params })).data.status).toBe('delivered');
    expect((await me.getNotification({ params })).data.status).toBe('delivered');
  });

  it('belongs to its recipient: nobody else finds it', async () => {
    const { owner, receive } = await aReader();
    const params = { id: (await receive()).id };
    const replies = [
      await owner.getNotification({ params }),
      await owner.readNotification({ params }),
      await owner.archiveNotification({ params }),
      await owner.snoozeNotification({ params, body: { until: fromNow(hourMs) } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('is not changed under a stale If-Match', async () => {
    const { me, receive } = await aReader();
    const params = { id: (await receive()).id };
    const stale = await me.readNotification({ params, headers: { 'if-match': '"7"' } });
    expect(stale.status).toBe(412);
  });

  it('becomes read for all, by category, and until a time', async () => {
    const { me, receive, unread } = await aReader();
    await receive({ category: 'imports' });
    await receive({ category: 'imports' });
    await receive();
    const before = fromNow(0);
    const some = await me.readAllNotifications({ body: { category: 'imports', before } });
    expect(some.data).toEqual({ updated: 2, unread: 1 });
    expect((await me.readAllNotifications({ body: { before: fromNow(-hourMs) } })).data.updated).toBe(0);
    expect((await me.readAllNotifications({ body: {} })).data).toEqual({ updated: 1, unread: 0 });
    expect(await unread()).toBe(0);
  });

  it('is hidden once it has expired', async () => {
    const { me, receive, unread, titles, tenantId } = await aReader();
    const { id } = await receive({ expiresAt: fromNow(hourMs) });
    await service.sqlWithin(
      service.as({ tenantId }).caller,
      "UPDATE notification SET expires_at = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    expect([await unread(), await titles()]).toEqual([0, []]);
    expect((await me.readNotification({ params: { id } })).status).toBe(404);
  });

  it('ends after 90 days in the archive', async () => {
    const { me, receive, tenantId, titles } = await aReader();
    const { id } = await receive();
    await receive({ title: 'Kept' });
    await me.archiveNotification({ params: { id } });
    const { caller } = service.as({ tenantId });
    const [row] = await service.sqlWithin(
      caller,
      "UPDATE notification SET purge_at = purge_at - interval '90 days' WHERE id = $1 RETURNING purge_at < now() AS due",
      [id],
    );
    expect(row).toEqual({ due: true });
    expect(await service.housekeep()).toEqual([]);
    expect([await titles({ status: 'archived' }), await titles()]).toEqual([[], ['Kept']]);
  });
});

describe('a batch', () => {
  it('ends after its last notification, and no batch ends before', async () => {
    const { receive, owner, addUser, member, tenantId } = await aReader();
    const other = await addUser('viewer');
    const sent = async (userIds: string[]) =>
      (await owner.createNotification({ body: { ...hello, userIds } })).data.id as string;
    const [gone, kept, young] = [await sent([member.id]), await sent([member.id, other.id]), await receive()];
    const { caller } = service.as({ tenantId });
    const sql = (text: string, values: unknown[] = []) => service.sqlWithin(caller, text, values);
    await sql(
      "UPDATE notification SET purge_at = now() - interval '1 day' WHERE batch_id IN ($1, $2) AND user_id = $3",
      [gone, kept, member.id],
    );
    await sql("UPDATE notification_batch SET purge_at = now() - interval '1 day' WHERE id IN ($1, $2)", [gone, kept]);
    expect(await service.housekeep()).toEqual([]);
    const left = await sql(
      'SELECT id, purge_at > now() AS later, (SELECT count(*)::int FROM notification WHERE batch_id = batch.id) AS sent FROM notification_batch AS batch ORDER BY id',
    );
    expect(left.map(({ later, sent }) => [later, sent])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    expect(left.map(({ id }) => String(id))).toContain(kept);
    expect(young.status).toBe('delivered');
  });

  it('written by a release without times of removal has them', async () => {
    const { member, tenantId } = await aReader();
    const { caller } = service.as({ tenantId });
    const [row] = await service.sqlWithin(
      caller,
      `WITH batch AS (INSERT INTO notification_batch DEFAULT VALUES RETURNING id, purge_at)
      INSERT INTO notification (batch_id, user_id, title, body, category, priority, status, updated_at)
      SELECT id, $1, 'A', 'B', 'general', 'normal', 'delivered', now() FROM batch
      RETURNING purge_at > now() + interval '364 days' AS notification, (SELECT purge_at > now() FROM batch) AS batch`,
      [member.id],
    );
    expect(row).toEqual({ notification: true, batch: true });
  });
});

describe('snoozing', () => {
  it('takes a notification out of the inbox until it is due, then delivers it unread, once', async () => {
    const { me, receive, unread, titles, tenantId } = await aReader();
    const { id } = await receive();
    await me.readNotification({ params: { id } });
    const until2 = fromNow(hourMs);
    const snoozed = await me.snoozeNotification({ params: { id }, body: { until: until2 } });
    expect(snoozed.data).toMatchObject({ status: 'scheduled', scheduledFor: until2 });
    const again = await me.snoozeNotification({ params: { id }, body: { until: until2 } });
    expect(again.data.version).toBe(snoozed.data.version);
    expect([await unread(), await titles(), await titles({ status: 'scheduled' })]).toEqual([0, [], ['Hello']]);
    await makeJobsDue(tenantId);
    const woken = await until('the notification is delivered again', async () => {
      const { data } = await me.getNotification({ params: { id } });
      return data.status === 'delivered' && data;
    });
    expect(woken).toMatchObject({ readAt: null });
    expect(await unread()).toBe(1);
  });

  it('until another time replaces the first one', async () => {
    const { me, receive, tenantId } = await aReader();
    const { id } = await receive();
    await me.snoozeNotification({ params: { id }, body: { until: fromNow(hourMs) } });
    await me.unreadNotification({ params: { id } });
    await me.snoozeNotification({ params: { id }, body: { until: fromNow(2 * hourMs) } });
    await makeJobsDue(tenantId);
    const delivered = await until('the notification is delivered again', async () => {
      const { data } = await me.getNotification({ params: { id } });
      return data.status === 'delivered' && data;
    });
    // Delivered, moved by the user, snoozed twice and delivered once more.
    expect(delivered.version).toBe(5);
  });

  it.each([
    ['within a minute', () => fromNow(30_000)],
    ['in more than a year', () => fromNow(400 * 24 * hourMs)],
    ['after the end of the notification', () => fromNow(3 * hourMs)],
  ])('%s is 422', async (_case, time) => {
    const { me, receive } = await aReader();
    const { id } = await receive({ expiresAt: fromNow(2 * hourMs) });
    const reply = await me.snoozeNotification({ params: { id }, body: { until: time() } });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['until']]);
  });
});

describe('cancelling', () => {
  it('ends a scheduled notification, by its creator or its recipient, and it is never delivered', async () => {
    const { owner, as, member, receive, tenantId, titles } = await aReader();
    const [one, two, three] = [
      await receive({ title: 'one', scheduledFor: fromNow(hourMs) }),
      await receive({ title: 'two', scheduledFor: fromNow(hourMs) }),
      await receive({ title: 'three', scheduledFor: fromNow(hourMs) }),
    ];
    const cancelled = await owner.cancelNotification({ params: { id: one.id } });
    expect(cancelled.data).toMatchObject({ status: 'cancelled', allowedTransitions: [] });
    expect((await owner.cancelNotification({ params: { id: one.id } })).status).toBe(200);
    const recipient = as(member.id, ['notifications:write']);
    expect((await recipient.cancelNotification({ params: { id: two.id } })).data.status).toBe('cancelled');
    await makeJobsDue(tenantId);
    await until('the third one is delivered', async () => (await titles()).length > 0);
    expect(await titles()).toEqual(['three']);
    const late = await owner.cancelNotification({ params: { id: three.id } });
    expect([late.status, late.body.code]).toEqual([409, 'transition_refused']);
    await until('the event arrives', () => service.events.find(({ name }) => name === 'notification.cancelled'));
  });

  it('is possible for the sender until the first delivery, and tells the sender nothing later', async () => {
    const { owner, me, as, member, receive } = await aReader();
    const params = { id: (await receive()).id };
    const refused = [await owner.cancelNotification({ params })];
    await me.readNotification({ params });
    refused.push(await owner.cancelNotification({ params }));
    await me.snoozeNotification({ params, body: { until: fromNow(hourMs) } });
    refused.push(await owner.cancelNotification({ params, headers: { 'if-match': '"9"' } }));
    expect((await me.getNotification({ params })).data.status).toBe('scheduled');
    expect((await as(member.id, ['notifications:write']).cancelNotification({ params })).status).toBe(200);
    refused.push(await owner.cancelNotification({ params }));
    expect(refused.map(({ status, body: { code, errors } }) => [status, code, errors])).toEqual(
      refused.map(() => [
        409,
        'transition_refused',
        [{ field: 'status', message: 'Was delivered; only its recipient can cancel it' }],
      ]),
    );
  });

  it('is 404 for others', async () => {
    const { addUser, as, receive } = await aReader();
    const { id } = await receive({ scheduledFor: fromNow(hourMs) });
    const other = await addUser('member');
    expect((await as(other.id, ['notifications:write']).cancelNotification({ params: { id } })).status).toBe(404);
  });
});

describe('an action button', () => {
  const actions = [
    { id: 'open', label: 'Open', type: 'url', url: '/v1/leads' },
    { id: 'later', label: 'Not now', type: 'dismiss' },
  ];

  it('returns its address once and marks the notification as read', async () => {
    const { me, receive } = await aReader();
    const { id } = await receive({ actions });
    const press = () => me.pressNotificationAction({ params: { id, actionId: 'open' } });
    const [first, second] = await Promise.all([press(), press()]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const { data } = first.status === 200 ? first : second;
    expect(data).toMatchObject({ actionId: 'open', type: 'url', url: '/v1/leads', notification: { status: 'read' } });
    expect(data.notification.actions.map((one: { pressedAt: string | null }) => one.pressedAt)).toEqual([
      expect.any(String),
      null,
    ]);
    expect((first.status === 409 ? first : second).body.code).toBe('already_pressed');
  });

  it('of the type dismiss archives the notification', async () => {
    const { me, receive } = await aReader();
    const { id } = await receive({ actions });
    const { data } = await me.pressNotificationAction({ params: { id, actionId: 'later' } });
    expect([data.url, data.notification.status]).toEqual([null, 'archived']);
    expect((await me.pressNotificationAction({ params: { id, actionId: 'unknown' } })).status).toBe(404);
  });
});

it('shows and presses an action whose id is the name of a property that every object has', async () => {
  const { me, receive } = await aReader();
  const actionId = 'constructor';
  const { id, ...shown } = await receive({ actions: [{ id: actionId, label: 'Later', type: 'dismiss' }] });
  expect(shown).toMatchObject({ actions: [{ id: actionId, pressedAt: null, result: null }] });
  const press = () => me.pressNotificationAction({ params: { id, actionId } });
  expect((await press()).data.notification.actions[0].pressedAt).toEqual(expect.any(String));
  expect((await press()).body.code).toBe('already_pressed');
});

describe('an action of the type api', () => {
  const actions = [{ id: 'call', label: 'Create', type: 'api', url: '/v1/tasks', body: { title: 'Call back' } }];

  /** A notification with the action, and its recipient with a result of the gateway's call. */
  async function aButton(fields: object = {}) {
    const { as, member, receive } = await aReader();
    const { id } = await receive({ actions, ...fields });
    const params = { id, actionId: 'call' };
    const press = (performed?: { status: number; code?: string }) =>
      as(member.id, ['notifications:read'], performed && { performed }).pressNotificationAction({ params });
    const find = (more: object = {}) => as(member.id, [], { type: 'system', ...more }).findNotificationCall({ params });
    return { press, find };
  }

  it('names the same call for each press, until one is recorded with its result', async () => {
    const { press, find } = await aButton();
    const { call } = (await find()).data;
    expect(call).toMatchObject({ path: '/v1/tasks', body: { title: 'Call back' }, environment: 'live' });
    expect((await find()).data.call.idempotencyKey).toBe(call.idempotencyKey);
    const { data } = await press({ status: 403, code: 'forbidden' });
    const result = { status: 403, code: 'forbidden' };
    expect([data.result, data.notification.actions[0].result]).toEqual([result, result]);
    expect((await find()).data.call).toBeNull();
    expect((await press({ status: 201 })).body.code).toBe('already_pressed');
  });

  it.each([
    ['failed', { status: 502, code: 'bad_gateway' }, 'action_failed'],
    ['was limited', { status: 429, code: 'rate_limited' }, 'action_failed'],
    ['is still being made for another press', { status: 409, code: 'idempotency_running' }, 'already_pressed'],
    ['was not made', undefined, 'unavailable'],
  ])('can be pressed again if its call %s', async (_, performed, code) => {
    const { press, find } = await aButton();
    expect((await press(performed)).body.code).toBe(code);
    expect((await find()).data.call).not.toBeNull();
    expect((await press({ status: 201 })).data.result).toEqual({ status: 201, code: null });
  });

  it('acts in the environment of its notification only', async () => {
    const { find } = await aButton();
    expect((await find({ environment: 'sandbox' })).body.code).toBe('wrong_environment');
  });

  it('needs the permission of the operation, for all records, from its creator', async () => {
    const { as, user, member, me } = await aReader();
    const body = { ...hello, userIds: [member.id], actions };
    for (const permission of ['tasks:read', 'tasks:write:own']) {
      const refused = await as(user.id, ['notifications:write', permission]).createNotification({ body });
      expect([refused.status, refused.body.errors?.map(({ field }) => field)]).toEqual([403, ['actions.0.url']]);
    }
    expect((await me.listNotifications()).data).toEqual([]);
  });
});

describe('a groupKey', () => {
  it('collapses the unread notifications of a user into the newest, and reading it begins a new group', async () => {
    const { me, receive, unread, titles } = await aReader();
    const group = { groupKey: 'import-7', category: 'imports' };
    await receive({ ...group, title: 'one' });
    await receive({ ...group, title: 'two' });
    const third = await receive({ ...group, title: 'three' });
    expect(third.groupCount).toBe(3);
    await receive({ ...group, category: 'other', title: 'another category' });
    expect([await unread(), await titles()]).toEqual([2, ['another category', 'three']]);
    await me.readNotification({ params: { id: third.id } });
    expect((await receive({ ...group, title: 'four' })).groupCount).toBe(1);
    expect(await titles()).toEqual(['four', 'another category', 'three']);
  });

  it('collapses notifications that arrive at the same time', async () => {
    const { receive, unread, me } = await aReader();
    await Promise.all(Array.from({ length: 6 }, () => receive({ groupKey: 'storm' })));
    expect(await unread()).toBe(1);
    expect((await me.listNotifications()).data.map(({ groupCount }: Shown) => groupCount)).toEqual([6]);
  });
});
