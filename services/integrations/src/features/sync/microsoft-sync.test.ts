import { publish, until } from '@tandem/testing';
import { dayAt } from '../../connectors/calendar.test-service.ts';
import { startMicrosoftCalendar } from '../../connectors/microsoft-calendar.test-service.ts';
import { openCallback } from '../../google.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';
import { type StoredEvent, startCalendarPeer } from './calendar.test-service.ts';

let microsoft: Awaited<ReturnType<typeof startMicrosoftCalendar>>;
let crm: Awaited<ReturnType<typeof startCalendarPeer>>;
let service: Integrations;
beforeAll(async () => {
  microsoft = await startMicrosoftCalendar();
  crm = await startCalendarPeer();
  service = await startIntegrations({
    OAUTH_MICROSOFT_CLIENT_ID: 'tandem',
    OAUTH_MICROSOFT_CLIENT_SECRET: 'ThisIsOnlyTheSecretOfATest',
    OAUTH_MICROSOFT_URL: microsoft.url,
    CRM_URL: crm.url,
  });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
  await microsoft?.close();
});

const userId = 7;
const utc = (at: string) => ({ dateTime: at.slice(0, 19), timeZone: 'UTC' });

/** Waits until all runs have ended, and returns the latest one. */
function settled(api: Api, params: { id: string }, count: number) {
  return until(`${count} runs have ended`, async () => {
    const { data: runs } = await api.listConnectorRuns({ params });
    const ended = (runs as { status: string }[]).filter(({ status }) => ['succeeded', 'failed'].includes(status));
    return ended.length === count && runs.length === count && runs[0];
  });
}

function publishChange(api: Api, event: StoredEvent) {
  const { tenantId } = api.caller;
  const target = { type: 'calendar_event', id: Number(event.id) };
  const record = { ...event, tenantId: String(tenantId) };
  const data = { calendarEventId: event.id, fields: ['title'] };
  return publish({ service, tenantId: tenantId as number }, 'calendar_event.updated', { target, data, record });
}

it('syncs a calendar of Microsoft in both ways over its authorization', async () => {
  const api = service.as({ userId });
  const { data: begun } = await api.authorizeConnection({ params: { provider: 'microsoft' }, body: {} });
  await openCallback(service, { state: begun.state, code: 'code' }, 'microsoft');
  const { data: connection } = await api.getConnection({ params: { id: begun.connectionId } });
  expect(connection).toMatchObject({ status: 'connected', account: { id: 'b1f3', name: 'ada@example.com' } });
  microsoft.add('lunch', { subject: 'Lunch', start: utc(dayAt(1)), end: utc(dayAt(1, '10:00')) });
  const { data: config } = await api.createConnectorConfig({
    body: { connectorKey: 'microsoft_calendar', connectionId: begun.connectionId },
  });
  const params = { id: config.id as string };
  expect(await settled(api, params, 1)).toMatchObject({ status: 'succeeded', full: true, counts: { created: 1 } });
  expect(crm.events.get('1')).toMatchObject({ title: 'Lunch', startAt: dayAt(1), visibility: 'private' });

  await publishChange(api, crm.edit('1', { title: 'Long lunch', organizerId: String(userId) }));
  expect(await settled(api, params, 2)).toMatchObject({ trigger: 'event', counts: { sent: 1 } });
  expect(microsoft.events.get('lunch')?.fields['subject']).toBe('Long lunch');
  await api.syncConnectorConfig({ params, body: {} });
  expect(await settled(api, params, 3)).toMatchObject({ full: false, counts: { updated: 0, unchanged: 1 } });

  const demo = { title: 'Demo', startAt: dayAt(2), endAt: dayAt(2, '10:00'), organizerId: String(userId) };
  await publishChange(api, crm.edit('2', demo));
  expect(await settled(api, params, 4)).toMatchObject({ counts: { sent: 1 } });
  const copy = [...microsoft.events.values()].find(({ fields }) => fields['subject'] === 'Demo');
  expect(copy).toBeDefined();

  microsoft.remove('lunch');
  await api.syncConnectorConfig({ params, body: {} });
  expect(await settled(api, params, 5)).toMatchObject({ counts: { deleted: 1, updated: 0, created: 0 } });
  expect(crm.events.get('1')?.status).toBe('cancelled');
  expect(crm.events.size).toBe(2);
});
