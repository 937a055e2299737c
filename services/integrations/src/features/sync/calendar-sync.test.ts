import { publish, until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';
import { dayAt } from '../../connectors/calendar.test-service.ts';
import { connect } from '../../google.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';
import { type StoredEvent, startCalendarPeer } from './calendar.test-service.ts';

let google: Google;
let crm: Awaited<ReturnType<typeof startCalendarPeer>>;
let service: Integrations;
beforeAll(async () => {
  google = await startGoogle();
  crm = await startCalendarPeer();
  service = await startIntegrations({ ...google.settings, CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
  await google?.close();
});
beforeEach(() => {
  google.calendar.events.clear();
  crm.events.clear();
  crm.writes.length = 0;
});

const userId = 7;
const lunch = () => ({
  id: 'lunch',
  summary: 'Lunch',
  start: { dateTime: dayAt(1), timeZone: 'Europe/Berlin' },
  end: { dateTime: dayAt(1, '10:00'), timeZone: 'Europe/Berlin' },
});

/** A config that syncs the calendar of a new connection, after its first run. */
async function aSync(settings: object = {}) {
  const api = service.as({ userId });
  const connectionId = await connect(service, google, api);
  const { data } = await api.createConnectorConfig({
    body: { connectorKey: 'google_calendar', connectionId, settings },
  });
  const params = { id: data.id as string };
  return { api, params, first: await settled(api, params, 1) };
}

/** Waits until all runs have ended, and returns the latest one. */
async function settled(api: Api, params: { id: string }, count: number) {
  return until(`${count} runs have ended`, async () => {
    const { data: runs } = await api.listConnectorRuns({ params });
    const ended = (runs as { status: string }[]).filter(({ status }) => ['succeeded', 'failed'].includes(status));
    return ended.length === count && runs.length === count && runs[0];
  });
}

async function runAgain(api: Api, params: { id: string }, count: number) {
  await api.syncConnectorConfig({ params, body: {} });
  return settled(api, params, count);
}

/** Publishes that an event of the user was changed. */
function publishOf(api: Api, event: StoredEvent) {
  return publishChange(api, event, event['organizerId'] as string);
}

function publishChange(api: Api, event: StoredEvent, organizerId = String(userId)) {
  const { tenantId } = api.caller;
  const target = { type: 'calendar_event', id: Number(event.id) };
  const record = { ...event, tenantId: String(tenantId), organizerId };
  const data = { calendarEventId: event.id, fields: ['title'] };
  return publish({ service, tenantId: tenantId as number }, 'calendar_event.updated', { target, data, record });
}

it('copies events of the connected calendar, their changes, and that they were deleted', async () => {
  google.calendar.edit(lunch());
  const { api, params, first } = await aSync();
  expect(first).toMatchObject({ status: 'succeeded', counts: { created: 1, failed: 0 } });
  expect([...crm.events.values()]).toMatchObject([
    { title: 'Lunch', startAt: dayAt(1), endAt: dayAt(1, '10:00'), timezone: 'Europe/Berlin', status: 'scheduled' },
  ]);

  google.calendar.edit({ id: 'lunch', summary: 'Late lunch' });
  expect(await runAgain(api, params, 2)).toMatchObject({ counts: { updated: 1, created: 0 } });
  expect(crm.events.get('1')?.['title']).toBe('Late lunch');
  expect(await runAgain(api, params, 3)).toMatchObject({ counts: { updated: 0, unchanged: 0 } });

  google.calendar.remove('lunch');
  expect(await runAgain(api, params, 4)).toMatchObject({ counts: { deleted: 1 } });
  expect(crm.events.get('1')?.status).toBe('cancelled');
});

it('copies a series with its changed and cancelled occurrences', async () => {
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
  // In UTC, because the clocks may change within these days.
  const times = {
    start: { dateTime: dayAt(1), timeZone: 'UTC' },
    end: { dateTime: dayAt(1, '10:00'), timeZone: 'UTC' },
  };
  google.calendar.edit({ ...lunch(), ...times, recurrence });
  const stamp = (offset: number) => dayAt(offset).replace(/[-:]|\.\d{3}/g, '');
  google.calendar.edit({ id: `lunch_${stamp(2)}`, summary: 'Long lunch' });
  google.calendar.remove(`lunch_${stamp(3)}`);
  const { first } = await aSync();
  expect(first).toMatchObject({ status: 'succeeded', counts: { failed: 0 } });
  const events = [...crm.events.values()].map(
    ({ title, status, recurringEventId, originalStartAt, recurrence: rule }) => [
      ...[title, status, recurringEventId, originalStartAt, rule],
    ],
  );
  expect(events).toContainEqual(['Lunch', 'scheduled', null, null, 'FREQ=DAILY;COUNT=5']);
  expect(events).toContainEqual(['Long lunch', 'scheduled', '1', dayAt(2), null]);
  expect(events).toContainEqual([expect.anything(), 'cancelled', '1', dayAt(3), null]);
});

it('writes events to the connected calendar, and does not take its own copies for changes', async () => {
  const { api, params } = await aSync();
  const fields = { title: 'Demo', startAt: dayAt(1), endAt: dayAt(1, '10:00'), timezone: 'America/New_York' };
  const event = crm.edit('1', { ...fields, organizerId: String(userId), joinUrl: 'https://meet.example.com/abc' });
  await publishChange(api, event);
  expect(await settled(api, params, 2)).toMatchObject({ trigger: 'event', counts: { sent: 1 } });
  const copies = () => [...google.calendar.events.values()];
  expect(copies()).toMatchObject([{ summary: 'Demo', description: 'Join: https://meet.example.com/abc' }]);
  expect(await runAgain(api, params, 3)).toMatchObject({ counts: { unchanged: 1, updated: 0, created: 0 } });
  expect(crm.writes).toEqual([]);

  google.calendar.edit({ id: copies()[0]?.id as string, summary: 'Demo for Ada' });
  expect(await runAgain(api, params, 4)).toMatchObject({ counts: { updated: 1 } });
  expect(crm.events.get('1')).toMatchObject({ title: 'Demo for Ada', joinUrl: 'https://meet.example.com/abc' });
  await publishChange(api, crm.events.get('1') as StoredEvent);
  expect(await settled(api, params, 5)).toMatchObject({ counts: { unchanged: 1, sent: 0 } });
});

it('reads again from the beginning when Google does not know the token any more', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  google.calendar.expireTokens();
  google.calendar.edit({ ...lunch(), id: 'dinner', summary: 'Dinner' });
  const run = await runAgain(api, params, 2);
  expect(run).toMatchObject({ status: 'succeeded', counts: { created: 1, unchanged: 1 } });
});

it('finds out what was deleted when Google does not report it any more', async () => {
  google.calendar.edit(lunch());
  google.calendar.edit({ ...lunch(), id: 'dinner', summary: 'Dinner' });
  const { api, params } = await aSync();
  google.calendar.expireTokens();
  google.calendar.events.delete('lunch');
  const run = await runAgain(api, params, 2);
  expect(run).toMatchObject({ status: 'succeeded', full: true, counts: { deleted: 1, unchanged: 1 } });
  expect([...crm.events.values()].map(({ title, status }) => [title, status])).toEqual([
    ['Lunch', 'cancelled'],
    ['Dinner', 'scheduled'],
  ]);
});

it('begins again when another account is authorized for the connection', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  const { connectionId } = (await api.getConnectorConfig({ params })).data;
  await service.sqlWithin(api.caller, `UPDATE connection SET account_id = 'bob@example.com'`);
  await connect(service, google, api, { connectionId });
  const run = await runAgain(api, params, 2);
  // The id means an event of the other account.
  expect(run).toMatchObject({ full: true, counts: { created: 1, unchanged: 0 } });
});

it('knows the events of an account that was disconnected and is connected again', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  const { connectionId } = (await api.getConnectorConfig({ params })).data;
  await api.deleteConnection({ params: { id: connectionId } });
  const again = await connect(service, google, api);
  const body = { connectorKey: 'google_calendar', connectionId: again, settings: {} };
  const { data } = await api.createConnectorConfig({ body });
  expect(await settled(api, { id: data.id }, 1)).toMatchObject({ counts: { created: 0, unchanged: 1 } });
});

it('cancels no events of the calendar that was synced before', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  await api.updateConnectorConfig({ params, body: { settings: { calendarId: 'team@group.calendar.google.com' } } });
  expect(await settled(api, params, 2)).toMatchObject({ full: true, counts: { deleted: 0, created: 0 } });
  expect([...crm.events.values()].map(({ status }) => status)).toEqual(['scheduled']);
});

it('applies a change at Google after one here that Google does not get', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  await publishChange(api, crm.edit('1', { leadId: '5', organizerId: String(userId) }));
  expect(await settled(api, params, 2)).toMatchObject({ counts: { sent: 0, unchanged: 1 } });
  google.calendar.edit({ id: 'lunch', summary: 'Late lunch' });
  expect(await runAgain(api, params, 3)).toMatchObject({ counts: { updated: 1, skipped: 0 } });
  expect(crm.events.get('1')?.['title']).toBe('Late lunch');
});

it('writes a change here over one at Google, and says so', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  google.calendar.edit({ id: 'lunch', summary: 'Late lunch' });
  const changed = crm.edit('1', { title: 'Early lunch', organizerId: String(userId) });
  const run = await runAgain(api, params, 2);
  const { data: items } = await api.listConnectorRunItems({ params: { ...params, runId: run.id } });
  expect(items).toMatchObject([{ action: 'skipped', reason: 'changed_here', calendarEventId: null }]);
  await publishChange(api, changed);
  expect(await settled(api, params, 3)).toMatchObject({ counts: { sent: 1 } });
  expect([...google.calendar.events.values()]).toMatchObject([{ summary: 'Early lunch' }]);
});

it('adds guests here to the event at Google', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  const guest = { userId: null, email: 'ada@example.com', name: 'Ada', response: 'pending', respondedAt: null };
  await publishChange(api, crm.edit('1', { attendees: [guest], organizerId: String(userId) }));
  expect(await settled(api, params, 2)).toMatchObject({ counts: { sent: 1 } });
  expect([...google.calendar.events.values()][0]?.['attendees']).toMatchObject([{ email: 'ada@example.com' }]);
});

it('continues after an interruption, and with a new interval only', async () => {
  google.calendar.edit(lunch());
  const { api, params } = await aSync();
  await api.updateConnectorConfig({ params, body: { active: false } });
  await api.updateConnectorConfig({ params, body: { active: true } });
  expect(await settled(api, params, 2)).toMatchObject({ full: false });
  await api.updateConnectorConfig({ params, body: { settings: { everyMinutes: 30 } } });
  expect(await settled(api, params, 3)).toMatchObject({ full: false });
});

/** Makes the user attend an event of somebody else, which is copied to the calendar of the user. */
async function attendMeeting(api: Api, params: { id: string }) {
  const attendee = { userId: String(userId), email: null, name: null, response: 'pending', respondedAt: null };
  const meeting = {
    title: 'Demo',
    startAt: dayAt(1),
    endAt: dayAt(1, '10:00'),
    organizerId: '9',
    attendees: [attendee],
  };
  await publishOf(api, crm.edit('1', meeting));
  expect(await settled(api, params, 2)).toMatchObject({ counts: { sent: 1 } });
}

it('does not change the event of somebody else whose copy an attendee deletes, and removes the copy with the attendee', async () => {
  const { api, params } = await aSync();
  await attendMeeting(api, params);
  const [copy] = [...google.calendar.events.values()];
  google.calendar.edit({ id: copy?.id as string, summary: 'Boring' });
  const changed = await runAgain(api, params, 3);
  expect([changed, crm.events.get('1')?.['title']]).toMatchObject([{ counts: { skipped: 1, updated: 0 } }, 'Demo']);
  google.calendar.remove(copy?.id as string);
  expect(await runAgain(api, params, 4)).toMatchObject({ counts: { skipped: 1, deleted: 0 } });
  expect(crm.events.get('1')?.status).toBe('scheduled');
});

it('removes the copy of a user who has left the event', async () => {
  const { api, params } = await aSync();
  await attendMeeting(api, params);
  await publishOf(api, crm.edit('1', { attendees: [] }));
  expect(await settled(api, params, 3)).toMatchObject({ counts: { deleted: 1 } });
  expect([...google.calendar.events.values()].filter(({ status }) => status !== 'cancelled')).toEqual([]);
});

it('fails an event that the platform refuses, and copies the others', async () => {
  google.calendar.edit({ ...lunch(), attendees: [{ email: 'a..b@example.com' }, { email: 'x@y' }] });
  google.calendar.edit({ ...lunch(), id: 'dinner', summary: 'Dinner' });
  const { first } = await aSync();
  expect(first).toMatchObject({ status: 'succeeded', counts: { created: 2, failed: 0 } });
});

it.each([
  [{}, 'private'],
  [{ visibility: 'default' }, 'default'],
])('creates events with the visibility of %j', async (settings, visibility) => {
  google.calendar.edit(lunch());
  await aSync(settings);
  expect(crm.events.get('1')).toMatchObject({ visibility });
});

it('syncs an account by one connection only', async () => {
  const { api, params } = await aSync();
  const body = { connectorKey: 'google_calendar', connectionId: await connect(service, google, api), settings: {} };
  const refused = await api.createConnectorConfig({ body });
  expect([refused.status, refused.body.code]).toEqual([409, 'account_synced']);
  const { data: second } = await api.createConnectorConfig({ body: { ...body, active: false } });
  const activate = () => api.updateConnectorConfig({ params: { id: second.id }, body: { active: true } });
  expect((await activate()).body.code).toBe('account_synced');
  await api.updateConnectorConfig({ params, body: { active: false } });
  expect((await activate()).status).toBe(200);
});

it('only writes with the direction push', async () => {
  const api = service.as({ userId });
  const connectionId = await connect(service, google, api);
  const body = { connectorKey: 'google_calendar', connectionId, settings: { direction: 'push' } };
  const { data } = await api.createConnectorConfig({ body });
  expect(data.nextSyncAt).toBeNull();
  const refused = await api.syncConnectorConfig({ params: { id: data.id }, body: {} });
  expect([refused.status, refused.body.code]).toEqual([409, 'nothing_to_sync']);
});

it('refuses settings that are no settings of a calendar, and names them', async () => {
  const api = service.as({ userId });
  const connectionId = await connect(service, google, api);
  const settings = { calendarId: '..', direction: 'sideways', daysBack: -1, daysAhead: 731 };
  const reply = await api.createConnectorConfig({ body: { connectorKey: 'google_calendar', connectionId, settings } });
  expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([
    422,
    ['settings.direction', 'settings.daysBack', 'settings.daysAhead', 'settings.calendarId'],
  ]);
});
