import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const nothing = {
  timezone: null,
  locale: null,
  dateFormat: null,
  defaultCurrency: null,
  notifications: {},
  quietHours: null,
  signature: null,
  updatedAt: null,
};

async function aMember() {
  const tenant = await aTenant(service);
  const member = await tenant.addUser('viewer');
  return { ...tenant, member, me: tenant.as(member.id, ['leads:read']), params: { id: member.id } };
}

it('changes the given preferences of the user, and emits an event', async () => {
  const { me, member, params, tenantId } = await aMember();
  expect((await me.getUserPreferences({ params })).data).toEqual({ ...nothing, userId: member.id, version: 1 });
  const body = {
    timezone: 'Europe/Berlin',
    locale: 'de',
    dateFormat: 'DD.MM.YYYY',
    defaultCurrency: 'EUR',
    notifications: { imports: { email: true } },
    quietHours: { start: '22:00', end: '07:00' },
    signature: 'Grace',
  };
  const { data } = await me.updateUserPreferences({ params, body });
  expect(data).toMatchObject({ ...body, version: 2, updatedAt: expect.any(String) });
  const changed = await me.updateUserPreferences({ params, body: { signature: null, quietHours: null } });
  expect(changed.data).toMatchObject({ ...body, signature: null, quietHours: null, version: 3 });
  expect((await me.updateUserPreferences({ params, body: { locale: 'de' } })).data.version).toBe(3);
  expect((await me.getUserPreferences({ params })).data).toEqual(changed.data);
  const event = await until('the event arrives', () =>
    service.events.find((one) => one.name === 'user.preferences_updated' && one.tenantId === tenantId),
  );
  expect(event.data).toMatchObject({ userId: member.id, fields: expect.arrayContaining(['timezone', 'signature']) });
});

it('shows the channels and quiet hours of the same preferences to the notifications', async () => {
  const { me, params } = await aMember();
  await me.updateUserPreferences({ params, body: { notifications: { imports: { email: true } } } });
  expect((await me.getNotificationPreferences()).data).toEqual({
    categories: { imports: { email: true } },
    quietHours: null,
  });
  const body = { categories: { usage: { in_app: false } }, quietHours: { start: '20:00', end: '06:30' } };
  expect((await me.setNotificationPreferences({ body })).data).toEqual(body);
  expect((await me.getUserPreferences({ params })).data).toMatchObject({
    notifications: body.categories,
    quietHours: body.quietHours,
  });
  expect((await me.setNotificationPreferences({ body: {} })).data).toEqual({ categories: {}, quietHours: null });
});

it.each([
  ['timezone', { timezone: 'Mars/Olympus' }],
  ['locale', { locale: 'not a language' }],
  ['dateFormat', { dateFormat: 'YY' }],
  ['defaultCurrency', { defaultCurrency: 'euro' }],
  ['quietHours.start', { quietHours: { start: '25:00', end: '07:00' } }],
  ['quietHours.end', { quietHours: { start: '07:00', end: '07:00' } }],
  ['quietHours.timezone', { quietHours: { start: '08:00', end: '07:00', timezone: 'Nowhere' } }],
  ['notifications.imports.email', { notifications: { imports: { email: 'yes' } } }],
])('refuses an invalid %s', async (field, body) => {
  const { me, params } = await aMember();
  const reply = await me.updateUserPreferences({ params, body });
  expect([reply.status, reply.body.errors?.map((one) => one.field)]).toEqual([422, [field]]);
});

it('lets users administrators change those of others, and nobody else', async () => {
  const { me, as, user, params } = await aMember();
  const admin = as(user.id, ['users:read', 'users:write']);
  expect((await admin.updateUserPreferences({ params, body: { locale: 'fr' } })).data.locale).toBe('fr');
  expect((await admin.getUserPreferences({ params: { id: '999999' } })).status).toBe(404);
  const others = { params: { id: user.id } };
  expect((await me.getUserPreferences(others)).status).toBe(403);
  expect((await me.updateUserPreferences({ ...others, body: {} })).status).toBe(403);
  expect((await as(user.id, ['users:read']).updateUserPreferences({ params, body: {} })).status).toBe(403);
});

it('refuses a change under a stale If-Match', async () => {
  const { me, params } = await aMember();
  await me.updateUserPreferences({ params, body: { locale: 'fr' } });
  const headers = { 'if-match': '"1"' };
  expect((await me.updateUserPreferences({ params, body: { locale: 'it' }, headers })).status).toBe(412);
});

it('keeps both of two concurrent first changes', async () => {
  const { me, params } = await aMember();
  await Promise.all([
    me.updateUserPreferences({ params, body: { locale: 'fr' } }),
    me.updateUserPreferences({ params, body: { timezone: 'Europe/Paris' } }),
  ]);
  const { data } = await me.getUserPreferences({ params });
  expect(data).toMatchObject({ locale: 'fr', timezone: 'Europe/Paris', version: 3 });
});

describe('notifications', () => {
  const text = { title: 'Hello', body: 'World' };

  it('of a muted category are archived at once', async () => {
    const { me, owner, as, member, params } = await aMember();
    await me.updateUserPreferences({ params, body: { notifications: { imports: { in_app: false } } } });
    await owner.createNotification({ body: { ...text, userIds: [member.id], category: 'imports' } });
    await owner.createNotification({ body: { ...text, userIds: [member.id], category: 'other' } });
    const reader = as(member.id, ['notifications:read']);
    expect((await reader.countUnreadNotifications()).data.unread).toBe(1);
    expect((await reader.listNotifications({ query: { status: 'archived' } })).data).toMatchObject([
      { category: 'imports', channels: [] },
    ]);
  });

  it('in the quiet hours are silent, unless they have a high priority', async () => {
    const { me, owner, member, params } = await aMember();
    const now = new Date();
    const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16);
    const quietHours = { start: at(-5), end: at(60), timezone: 'UTC' };
    await me.updateUserPreferences({ params, body: { quietHours } });
    const silent = async (priority: string) => {
      const body = { ...text, userIds: [member.id], priority };
      return (await owner.createNotification({ body })).data.notifications[0].isSilent as boolean;
    };
    expect([await silent('normal'), await silent('high')]).toEqual([true, false]);
  });
});

it('the default currency and the date format of a user are shown to services', async () => {
  const { tenantId, owner, user } = await aTenant(service);
  const params = { id: user.id };
  const shown = async () => {
    const { defaultCurrency, dateFormat } = (await fleet(service, tenantId).findUser({ params })).data;
    return [defaultCurrency, dateFormat];
  };
  expect(await shown()).toEqual([null, null]);
  await owner.updateUserPreferences({ params, body: { defaultCurrency: 'CHF', dateFormat: 'DD/MM/YYYY' } });
  expect(await shown()).toEqual(['CHF', 'DD/MM/YYYY']);
  const { email } = (await owner.getUser({ params })).data;
  const emails = [email.toUpperCase(), 'nobody@example.com'];
  const found = await fleet(service, tenantId).findAssignees({ body: { userIds: [], teamIds: [], emails } });
  expect(found.data).toMatchObject([{ id: user.id, email }]);
});
