import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';

// One user connects a calendar over OAuth 2.0, works with it, loses the grant, authorizes again, sends what has happened to a new
// endpoint, and finds all calls in the API log.

const publicUrl = 'https://api.tandem.example';
const dayMs = 86_400_000;
let google: Google;
let fleet: TestFleet;
let tenant: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  google = await startGoogle();
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    env: { PUBLIC_URL: publicUrl, OAUTH_RETRY_SECONDS: '0.2', ...google.settings },
  });
  tenant = await aTenant(fleet);
  receiver = await startReceiver();
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await google?.close();
  await receiver?.close();
}, 60_000);

const api = () => tenant.owner;

/** Authorizes like a user in a browser: consents at Google, which redirects to the callback of the platform. */
async function authorize(body: { connectionId?: string } = {}, owner = api()): Promise<string> {
  const { data } = await owner.authorizeConnection({
    params: { provider: 'google' },
    body: { connectorKey: 'google_calendar', ...body },
  });
  const { pathname, search } = await google.consent(data.authorizationUrl);
  const arrived = await fetch(fleet.baseUrl + pathname + search, { redirect: 'manual' });
  expect([arrived.status, await arrived.json()]).toMatchObject([200, { data: { status: 'connected' } }]);
  return data.connectionId;
}

const at = (days: number, hour: number) =>
  new Date(Math.floor(Date.now() / dayMs + days) * dayMs + hour * 3_600_000).toISOString();
const copies = () => [...google.calendar.events.values()].filter(({ status }) => status !== 'cancelled');

async function sync(configId: string) {
  const params = { id: configId };
  const started = await until('no other sync is in progress', () =>
    api()
      .syncConnectorConfig({ params, body: {} })
      .catch((error: { code?: string }) => {
        if (error.code === 'run_in_progress') return undefined;
        throw error;
      }),
  );
  return ended(configId, started.data.id);
}

function ended(id: string, runId: string, owner = api()) {
  return until('the run ends', async () => {
    const { data } = await owner.getConnectorRun({ params: { id, runId } });
    return ['succeeded', 'failed', 'cancelled'].includes(data.status) && data;
  });
}

it('syncs a calendar in both ways, survives the end of its grant, and shows all of it', async () => {
  const lead = (await api().createLead({ body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' } }))
    .data;
  const connectionId = await authorize();
  expect((await api().getConnection({ params: { id: connectionId } })).data).toMatchObject({
    status: 'connected',
    account: { name: 'ada@example.com' },
  });
  google.calendar.edit({
    id: 'demo1',
    summary: 'Demo of the engine',
    start: { dateTime: at(1, 9), timeZone: 'Europe/Berlin' },
    end: { dateTime: at(1, 10), timeZone: 'Europe/Berlin' },
    attendees: [{ email: 'ada@example.com' }],
  });
  const { records } = (await api().previewConnection({ params: { id: connectionId }, body: {} })).data;
  expect(records).toMatchObject([{ kind: 'calendar_event', result: { title: 'Demo of the engine' }, errors: [] }]);
  const { data: config } = await api().createConnectorConfig({
    body: { connectorKey: 'google_calendar', connectionId, settings: { everyMinutes: null } },
  });

  // From the connected calendar.
  const first = await sync(config.id);
  expect(first).toMatchObject({ status: 'succeeded', full: true, counts: { created: 1, failed: 0 } });
  const [pulled] = (await api().listCalendarEvents({ query: { leadId: lead.id } })).data;
  expect(pulled).toMatchObject({ title: 'Demo of the engine', leadId: lead.id, startAt: at(1, 9) });
  const { data: items } = await api().listConnectorRunItems({ params: { id: config.id, runId: first.id } });
  expect(items).toMatchObject([
    { action: 'created', externalId: 'demo1', calendarEventId: pulled?.id, direction: 'in' },
  ]);

  // To the connected calendar: a change of that event, a new event, and a cancellation.
  await api().updateCalendarEvent({ params: { id: pulled?.id as string }, body: { title: 'Demo for Ada' } });
  await until('the change arrives', () =>
    copies().some(({ id, summary }) => id === 'demo1' && summary === 'Demo for Ada'),
  );
  const { data: created } = await api().createCalendarEvent({
    body: { title: 'Follow-up', startAt: at(3, 9), endAt: at(3, 10), timezone: 'Europe/Berlin' },
  });
  const copy = await until('the new event arrives', () => copies().find(({ summary }) => summary === 'Follow-up'));
  google.calendar.edit({ id: copy.id, summary: 'Follow-up with Ada' });
  await sync(config.id);
  expect((await api().getCalendarEvent({ params: { id: created.id } })).data.title).toBe('Follow-up with Ada');
  await api().cancelCalendarEvent({ params: { id: created.id }, body: {} });
  await until('the cancellation arrives', () => !copies().some(({ id }) => id === copy.id));
  // Nothing goes back and forth.
  expect(await sync(config.id)).toMatchObject({ counts: { created: 0, updated: 0, deleted: 0, failed: 0 } });

  // The user removes the access at Google. A new authorization continues with the same connection, config and links.
  await google.endGrant();
  google.calendar.edit({ id: 'demo1', summary: 'Demo, moved' });
  const lost = await sync(config.id);
  expect(lost.status).toBe('failed');
  await until('the connection needs a new authorization', async () => {
    const { data } = await api().getConnection({ params: { id: connectionId } });
    return data.status === 'needs_reauth';
  });
  await until('the user is notified', async () => {
    const { data } = await api().listNotifications({ query: { category: 'connections' } });
    return data.length > 0;
  });
  expect(await authorize({ connectionId })).toBe(connectionId);
  expect(await sync(config.id)).toMatchObject({ status: 'succeeded', counts: { updated: 1, created: 0 } });
  expect((await api().getCalendarEvent({ params: { id: pulled?.id as string } })).data.title).toBe('Demo, moved');
}, 120_000);

it('copies no event back that the first sync of a calendar creates', async () => {
  const other = await aTenant(fleet);
  for (let number = 0; number < 40; number++)
    google.calendar.edit({
      id: `talk${number}`,
      summary: `Talk ${number}`,
      start: { dateTime: at(number + 1, 12), timeZone: 'Europe/Berlin' },
      end: { dateTime: at(number + 1, 13), timeZone: 'Europe/Berlin' },
    });
  const before = google.calendar.events.size;
  const connectionId = await authorize({}, other.owner);
  const { data: config } = await other.owner.createConnectorConfig({
    body: { connectorKey: 'google_calendar', connectionId, settings: { everyMinutes: null } },
  });
  const params = { id: config.id };
  const { data: started } = await other.owner.syncConnectorConfig({ params, body: {} });
  const run = await ended(config.id, started.id, other.owner);
  expect(run.counts.created).toBeGreaterThanOrEqual(40);
  const pushes = await until('all new events were examined', async () => {
    const query = { trigger: 'event', limit: 100 } as const;
    const { data } = await other.owner.listConnectorRuns({ params, query });
    return data.length >= run.counts.created && data.every(({ status }) => status === 'succeeded') && data;
  });
  expect(pushes.filter(({ counts }) => counts.sent > 0)).toEqual([]);
  expect(google.calendar.events.size).toBe(before);
}, 120_000);

it('sends what has happened to a new endpoint, and finds its own calls in the API log', async () => {
  const { data: webhook } = await api().createWebhook({
    body: { url: receiver.url, events: ['lead.created', 'integration.*'] },
  });
  const since = new Date(Date.now() - dayMs).toISOString();
  const { data: replay } = await api().replayWebhook({ params: { id: webhook.id }, body: { since } });
  const types = await until('the events arrive', () => {
    const found = receiver.deliveries.map(({ body }) => JSON.parse(String(body)).type as string);
    return found.length >= replay.matched && found;
  });
  expect(new Set(types)).toEqual(
    new Set([
      ...['lead.created', 'integration.connected', 'integration.needs_reauth', 'integration.recovered'],
      ...['integration.sync_completed', 'integration.run_failed'],
    ]),
  );
  const calls = (query: Record<string, string>) => api().listApiLogs({ query });
  const made = await until('the requests are in the log', async () => {
    const { data } = await calls({ direction: 'inbound', path: '/v1/integrations/configs', method: 'POST' });
    return data.length > 0 && data;
  });
  expect(made).toMatchObject([{ status: 201, route: '/v1/integrations/configs' }]);
  const { data: sent } = await calls({ direction: 'outbound' });
  expect(sent).toContainEqual(
    expect.objectContaining({ method: 'GET', path: '/calendar/v3/calendars/primary/events', status: 200 }),
  );
  expect(sent.some(({ status }) => status === 401)).toBe(true);
}, 60_000);
