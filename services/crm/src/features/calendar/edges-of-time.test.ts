import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const allDay = (startAt: string, endAt: string, timezone: string) => ({
  title: 'Edge',
  allDay: true,
  startAt,
  endAt,
  timezone,
});

it('times whose neighbours cannot be written are refused by name', async () => {
  const api = service.as();
  const period = (from: string, to: string) => ({ query: { from, to } });
  const replies = [
    await api.getCalendar(period('0001-01-20T00:00:00Z', '0001-02-01T00:00:00Z')),
    await api.getForecast(period('9999-11-01T00:00:00Z', '9999-12-01T00:00:00Z')),
    await api.createCalendarEvent({ body: allDay('9999-12-31T10:00:00Z', '9999-12-31T23:59:59Z', 'UTC') }),
    await api.createCalendarEvent({
      body: allDay('0001-01-01T00:00:00Z', '0001-01-01T01:00:00Z', 'America/New_York'),
    }),
  ];
  for (const { status, body } of replies)
    expect([status, body.errors?.[0]?.message]).toEqual([422, 'Must be between the years 2 and 9998']);
});

it('the first and the last accepted year work', async () => {
  const api = service.as();
  const period = (from: string, to: string) => ({ query: { from, to } });
  const replies = [
    await api.getCalendar(period('0002-01-01T00:00:00Z', '0002-02-01T00:00:00Z')),
    await api.getForecast(period('9998-11-01T00:00:00Z', '9998-12-31T00:00:00Z')),
    await api.createCalendarEvent({ body: allDay('9998-12-31T10:00:00Z', '9998-12-31T23:59:59Z', 'UTC') }),
    await api.createCalendarEvent({
      body: allDay('0002-01-01T00:00:00Z', '0002-01-01T01:00:00Z', 'America/New_York'),
    }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 201]);
});
