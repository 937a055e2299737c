import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until, users } from '@tandem/testing';
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

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

// Events of the past are not mailed.
const year = new Date().getUTCFullYear() + 1;
const at = (rest: string) => `${year}-${rest}`;
const anEvent = (fields: Fields = {}) => ({
  title: 'Demo',
  startAt: at('03-10T09:00:00.000Z'),
  endAt: at('03-10T10:00:00.000Z'),
  ...fields,
});
const create = async (api: Api, fields: Fields = {}) => (await api.createCalendarEvent({ body: anEvent(fields) })).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.tenantId === api.caller.tenantId && event.name === `calendar_event.${name}`);
const weekly = (fields: Fields = {}) => ({
  // A Monday.
  startAt: '2027-03-08T08:00:00.000Z',
  endAt: '2027-03-08T09:00:00.000Z',
  recurrence: 'FREQ=WEEKLY;COUNT=5',
  ...fields,
});
const starts = async (api: Api) => {
  const { data } = await api.getCalendar({ query: { from: '2027-03-01T00:00:00Z', to: '2027-05-01T00:00:00Z' } });
  return data.entries.map(
    (entry: { startAt: string; title: string }) => `${entry.startAt.slice(5, 16)} ${entry.title}`,
  );
};

describe('a series', () => {
  it('keeps its clock time in the calendar across clock changes', async () => {
    const api = service.as();
    await create(api, weekly());
    // The clocks go forward on 28 March 2027.
    expect(await starts(api)).toEqual([
      '03-08T08:00 Demo',
      '03-15T08:00 Demo',
      '03-22T08:00 Demo',
      '03-29T07:00 Demo',
      '04-05T07:00 Demo',
    ]);
  });

  it('changes one occurrence, which becomes an event of its own', async () => {
    const api = service.as();
    const { id } = await create(api, weekly({ attendees: [{ userId: users.active }] }));
    const query = { scope: 'this', originalStartAt: '2027-03-15T08:00:00.000Z' };
    const body = { title: 'Review', startAt: '2027-03-16T10:00:00.000Z' };
    const { data } = await api.updateCalendarEvent({ params: { id }, query, body });
    expect(data).toMatchObject({
      recurringEventId: id,
      originalStartAt: query.originalStartAt,
      recurrence: null,
      endAt: '2027-03-16T11:00:00.000Z',
      attendees: [{ userId: users.active }],
    });
    expect((await starts(api)).slice(0, 3)).toEqual(['03-08T08:00 Demo', '03-16T10:00 Review', '03-22T08:00 Demo']);
    const again = await api.updateCalendarEvent({ params: { id }, query, body: { title: 'Again' } });
    expect(again.data.id).toBe(data.id);
    const repeats = await api.updateCalendarEvent({ params: { id }, query, body: { recurrence: 'FREQ=DAILY' } });
    expect([repeats.status, repeats.body.errors?.[0]?.field]).toEqual([422, 'recurrence']);
  });

  it('keeps an occurrence without a change, which no event replaces', async () => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const query = { scope: 'this', originalStartAt: '2027-03-15T08:00:00.000Z' };
    const { data } = await api.updateCalendarEvent({ params: { id }, query, body: { title: 'Demo' } });
    expect(data).toMatchObject({ id, version: 1 });
    expect((await api.listCalendarEvents()).data).toHaveLength(1);
    const cancelled = await api.updateCalendarEvent({ params: { id }, query, body: { status: 'cancelled' } });
    expect(cancelled.data).toMatchObject({ recurringEventId: id, status: 'cancelled' });
    expect(await starts(api)).toHaveLength(4);
    const following = { ...query, scope: 'following', originalStartAt: '2027-03-22T08:00:00.000Z' };
    const refused = await api.updateCalendarEvent({ params: { id }, query: following, body: { status: 'cancelled' } });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'status']);
  });

  it('changes one occurrence once when two requests change it at the same time', async () => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const query = { scope: 'this', originalStartAt: '2027-03-15T08:00:00.000Z' };
    const replies = await Promise.all(
      ['One', 'Two'].map((title) => api.updateCalendarEvent({ params: { id }, query, body: { title } })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(replies.map(({ data }) => data.id)).size).toBe(1);
    expect(await starts(api)).toHaveLength(5);
  });

  it('cancels, completes and deletes single occurrences', async () => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const only = (originalStartAt: string) => ({ params: { id }, query: { scope: 'this', originalStartAt } });
    const cancelled = await api.cancelCalendarEvent({ ...only('2027-03-15T08:00:00.000Z'), body: {} });
    const completed = await api.completeCalendarEvent(only('2027-03-08T08:00:00.000Z'));
    const deleted = await api.deleteCalendarEvent(only('2027-03-22T08:00:00.000Z'));
    expect([cancelled.data.status, completed.data.status, deleted.data]).toEqual([
      'cancelled',
      'completed',
      { id, deleted: true },
    ]);
    expect(await starts(api)).toEqual(['03-08T08:00 Demo', '03-29T07:00 Demo', '04-05T07:00 Demo']);
    expect((await api.getCalendarEvent({ params: { id } })).data.status).toBe('scheduled');
    const again = await api.cancelCalendarEvent({ ...only('2027-03-15T08:00:00.000Z'), body: {} });
    expect(again.status).toBe(409);
    // Without its record, the series would have the occurrence again.
    await api.deleteCalendarEvent({ params: { id: cancelled.data.id } });
    expect(await starts(api)).toHaveLength(3);
  });

  it('is completed with a scope only', async () => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const params = { id };
    const replies = [
      await api.completeCalendarEvent({ params }),
      await api.updateCalendarEvent({ params, body: { status: 'completed' } }),
    ];
    for (const { status, body } of replies)
      expect([status, body.errors?.map(({ field }) => field)]).toEqual([422, ['scope']]);
    expect((await api.getCalendarEvent({ params })).data).toMatchObject({ status: 'scheduled', version: 1 });
    const whole = await api.completeCalendarEvent({ params, query: { scope: 'all' } });
    expect(whole.data).toMatchObject({ id, status: 'completed' });
  });

  it('continues as a new series after a change of the following occurrences', async () => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const later = { scope: 'this', originalStartAt: '2027-04-05T07:00:00.000Z' };
    await api.updateCalendarEvent({ params: { id }, query: later, body: { title: 'Last' } });
    const query = { scope: 'following', originalStartAt: '2027-03-22T08:00:00.000Z' };
    const { data } = await api.updateCalendarEvent({ params: { id }, query, body: { title: 'New' } });
    expect(data).toMatchObject({ title: 'New', recurrence: 'FREQ=WEEKLY;COUNT=3', version: 1 });
    expect(data.id).not.toBe(id);
    expect(await starts(api)).toEqual([
      '03-08T08:00 Demo',
      '03-15T08:00 Demo',
      '03-22T08:00 New',
      '03-29T07:00 New',
      '04-05T07:00 Last',
    ]);
    // The changed occurrence has an event too, which can arrive later.
    const ended = await until('the event of the series arrives', () =>
      eventsOf(api, 'updated').find(({ data }) => (data as Fields)['calendarEventId'] === id),
    );
    expect((ended.record as Fields)['recurrence']).toBe('FREQ=WEEKLY;UNTIL=20270322T075959Z');
  });

  it('ends before an occurrence, moves as a whole, and is cancelled as a whole', async () => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const query = { scope: 'following', originalStartAt: '2027-03-29T07:00:00.000Z' };
    await api.cancelCalendarEvent({ params: { id }, query, body: {} });
    expect(await starts(api)).toHaveLength(3);
    await api.updateCalendarEvent({ params: { id }, body: { startAt: '2027-03-09T08:00:00.000Z' } });
    expect(await starts(api)).toEqual(['03-09T08:00 Demo', '03-16T08:00 Demo', '03-23T08:00 Demo']);
    await api.cancelCalendarEvent({ params: { id }, query: { scope: 'all' }, body: {} });
    expect(await starts(api)).toEqual([]);
  });

  it.each([
    ['no occurrence', { scope: 'this' }, 'originalStartAt'],
    ['a time without an occurrence', { scope: 'this', originalStartAt: '2027-03-09T08:00:00.000Z' }, 'originalStartAt'],
    ['an unknown scope', { scope: 'some' }, 'scope'],
  ])('refuses %s', async (_, query, field) => {
    const api = service.as();
    const { id } = await create(api, weekly());
    const reply = await api.updateCalendarEvent({ params: { id }, query, body: { title: 'X' } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('refuses scope following for an event that does not repeat', async () => {
    const api = service.as();
    const { id } = await create(api);
    const reply = await api.cancelCalendarEvent({ params: { id }, query: { scope: 'following' }, body: {} });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'scope']);
  });
});

it('writes a series with its exceptions as an iCalendar file', async () => {
  const api = service.as();
  const { id } = await create(api, weekly());
  const query = { scope: 'this', originalStartAt: '2027-03-29T07:00:00.000Z' };
  await api.updateCalendarEvent({
    params: { id },
    query,
    body: { title: 'Later, maybe', startAt: '2027-03-29T09:00:00Z' },
  });
  const { status, headers, text } = await api.downloadCalendarEvent({ params: { id } });
  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
    200,
    expect.stringContaining('text/calendar'),
    expect.stringContaining('event.ics'),
  ]);
  for (const line of [
    'TZID:Europe/Berlin',
    'DTSTART;TZID=Europe/Berlin:20270308T090000',
    'RRULE:FREQ=WEEKLY;COUNT=5',
    'RECURRENCE-ID;TZID=Europe/Berlin:20270329T090000',
    'DTSTART;TZID=Europe/Berlin:20270329T110000',
    'SUMMARY:Later\\, maybe',
  ])
    expect(text).toContain(`${line}\r\n`);
  expect(text.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1);
});

it('writes the exceptions and the end of a series for whole days as days', async () => {
  const api = service.as();
  const days = { allDay: true, recurrence: 'FREQ=DAILY', timezone: 'Europe/Berlin' };
  const { id } = await create(api, {
    ...days,
    startAt: '2027-03-26T00:00:00+01:00',
    endAt: '2027-03-27T00:00:00+01:00',
  });
  const only = { scope: 'this', originalStartAt: '2027-03-27T23:00:00.000Z' };
  await api.updateCalendarEvent({ params: { id }, query: only, body: { title: 'Trip' } });
  const timed = { allDay: false, startAt: '2027-03-27T09:00:00Z', endAt: '2027-03-27T10:00:00Z' };
  const second = { scope: 'this', originalStartAt: '2027-03-26T23:00:00.000Z' };
  await api.updateCalendarEvent({ params: { id }, query: second, body: timed });
  const query = { scope: 'following', originalStartAt: '2027-03-29T22:00:00.000Z' };
  await api.cancelCalendarEvent({ params: { id }, query, body: {} });
  const { text } = await api.downloadCalendarEvent({ params: { id } });
  for (const line of [
    'DTSTART;VALUE=DATE:20270326',
    'RRULE:FREQ=DAILY;UNTIL=20270329',
    'RECURRENCE-ID;VALUE=DATE:20270328',
    'RECURRENCE-ID;VALUE=DATE:20270327',
  ])
    expect(text).toContain(`${line}\r\n`);
});
