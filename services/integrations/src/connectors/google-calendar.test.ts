import { randomUUID } from 'node:crypto';
import { type GoogleCalendar, startGoogleCalendar } from '@tandem/testing/google';
import { anEvent, dayAt, days, someFields, syncOf, year } from './calendar.test-service.ts';
import { googleCalendar } from './google-calendar.ts';
import { CursorExpiredError, type Sync, type SyncPage } from './sync.ts';

let google: Awaited<ReturnType<typeof startGoogleCalendar>>;
let sync: ReturnType<typeof syncOf>;
beforeEach(async () => {
  google = await startGoogleCalendar();
  sync = syncOf(googleCalendar, google.url);
});
afterEach(async () => {
  await sync.close();
  await google.close();
});

type Event = Parameters<GoogleCalendar['edit']>[0];

const berlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const timed = (event: Partial<Event> = {}): Event => ({
  id: `e${randomUUID().replaceAll('-', '')}`,
  summary: 'Lunch',
  start: berlin(dayAt(1)),
  end: berlin(dayAt(1, '10:00')),
  ...event,
});
/** A series of seven days at nine in Berlin in winter. */
const daily = { start: berlin(`${year}-12-01T09:00:00+01:00`), end: berlin(`${year}-12-01T10:00:00+01:00`) };
const series = (event: Partial<Event> = {}) =>
  timed({ id: 'dailies', ...daily, recurrence: ['RRULE:FREQ=DAILY;COUNT=7'], ...event });
const settings = { daysBack: 365, daysAhead: 730 };
const third = { seriesId: 'dailies', originalStartAt: `${year}-12-03T08:00:00.000Z` };

describe('a run', () => {
  it('reads the events of the period, page by page, and then what has changed', async () => {
    for (let index = 0; index < 120; index++) google.edit(timed({ summary: `Event ${index}` }));
    google.edit(timed({ id: 'before', start: berlin(dayAt(-60)), end: berlin(dayAt(-59)) }));
    google.edit(timed({ id: 'afterwards', start: berlin(dayAt(400)), end: berlin(dayAt(401)) }));
    const first = await sync.run();
    expect([first.pages, new Set(first.records.map(({ id }) => id)).size]).toEqual([3, 120]);
    expect(google.requests[0]?.query).toMatchObject({ singleEvents: 'false', showDeleted: 'true', maxResults: '50' });

    expect((await sync.run(first.cursor)).records).toEqual([]);
    const changed = google.edit(timed({ id: first.records[0]?.id as string, summary: 'Moved' }));
    google.remove(first.records[1]?.id as string);
    const { records, cursor } = await sync.run(first.cursor);
    expect(records.map(({ id, isDeleted = false, fields }) => [id, isDeleted, fields.title]).sort()).toEqual(
      [
        [changed.id, false, 'Moved'],
        [first.records[1]?.id, true, '(No title)'],
      ].sort(),
    );
    expect((await sync.run(cursor)).records).toEqual([]);
  });

  it('returns the fields of an event', async () => {
    const event = google.edit(
      timed({
        description: '<p>Bring <b>cake</b> &amp; tea</p>',
        location: 'Kitchen',
        visibility: 'confidential',
        hangoutLink: 'https://meet.google.com/abc',
        attendees: [
          { email: 'me@example.com', self: true },
          { email: 'bob@example.com' },
          { email: 'room@example.com', resource: true },
          { email: 'not an address' },
        ],
      }),
    );
    const { records } = await sync.run();
    expect(records).toEqual([
      {
        kind: 'calendar_event',
        id: event.id,
        version: event['etag'],
        source: event,
        fields: someFields({
          title: 'Lunch',
          description: 'Bring cake & tea',
          location: 'Kitchen',
          visibility: 'private',
          joinUrl: 'https://meet.google.com/abc',
        }),
        attendees: ['bob@example.com'],
        copyOf: null,
      },
    ]);
  });

  it('reads whole days in the time zone of the calendar', async () => {
    google.edit(timed({ start: { date: `${year}-12-24` }, end: { date: `${year}-12-27` } }));
    const { records } = await sync.run(null, settings);
    expect(records[0]?.fields).toMatchObject({
      allDay: true,
      timezone: 'Europe/Berlin',
      startAt: `${year}-12-23T23:00:00.000Z`,
      endAt: `${year}-12-26T23:00:00.000Z`,
    });
  });

  it('reads a series before its changed and cancelled occurrences', async () => {
    google.edit(series());
    google.edit(
      timed({
        id: `dailies_${year}1203T080000Z`,
        ...daily,
        start: berlin(`${year}-12-03T12:00:00+01:00`),
        end: berlin(`${year}-12-03T13:00:00+01:00`),
      }),
    );
    google.remove(`dailies_${year}1204T080000Z`);
    const { records, cursor } = await sync.run(null, settings);
    expect(
      records.map(({ id, fields, occurrence, isDeleted }) => [id, fields.recurrence, occurrence, isDeleted]),
    ).toEqual([
      ['dailies', 'FREQ=DAILY;COUNT=7', undefined, undefined],
      [
        `dailies_${year}1204T080000Z`,
        null,
        { seriesId: 'dailies', originalStartAt: `${year}-12-04T08:00:00.000Z` },
        true,
      ],
      [`dailies_${year}1203T080000Z`, null, third, undefined],
    ]);
    google.remove(`dailies_${year}1205T080000Z`);
    const { records: later } = await sync.run(cursor, settings);
    expect(later.map(({ id }) => id)).toEqual(['dailies', `dailies_${year}1205T080000Z`]);
  });

  it('reads cancelled days of a series for whole days in the time zone of the series', async () => {
    google.state.timeZone = 'America/New_York';
    const fields = { allDay: true, startAt: `${year}-11-30T23:00:00.000Z`, endAt: `${year}-12-01T23:00:00.000Z` };
    const copy = await sync.put(anEvent({ ...fields, recurrence: 'FREQ=DAILY;COUNT=7' }));
    const { cursor } = await sync.run(null, settings);
    google.remove(`${copy.id}_${year}1203`);
    const { records } = await sync.run(cursor, settings);
    expect(records.at(-1)).toMatchObject({
      isDeleted: true,
      occurrence: { seriesId: copy.id, originalStartAt: `${year}-12-02T23:00:00.000Z` },
    });
  });

  it('reads the dates that a series leaves out as cancelled occurrences', async () => {
    const exdates = [
      `EXDATE;TZID=Europe/Berlin:${year}1202T090000,${year}1203T090000`,
      `EXDATE:${year}1204T080000Z,never,${year}9901`,
    ];
    google.edit(series({ recurrence: ['RRULE:FREQ=DAILY;COUNT=7', ...exdates] }));
    const { records } = await sync.run(null, settings);
    expect(records.map(({ id, isDeleted = false }) => [id, isDeleted])).toEqual([
      ['dailies', false],
      [`dailies_${year}1202T080000Z`, true],
      [`dailies_${year}1203T080000Z`, true],
      [`dailies_${year}1204T080000Z`, true],
    ]);
    expect(records[2]?.occurrence).toEqual(third);
  });

  it('returns at most 100 records of a page, and the others afterwards', async () => {
    const dates = Array.from({ length: 150 }, (_, index) => new Date(Date.UTC(year, 11, 2 + index, 8)));
    const exdate = `EXDATE:${dates.map((date) => date.toISOString().replace(/[-:]|\.\d{3}/g, '')).join(',')}`;
    google.edit(series({ recurrence: ['RRULE:FREQ=DAILY', exdate] }));
    const first = await sync.read(null, settings);
    expect([first.records.length, first.isLast]).toEqual([100, false]);
    const { records, cursor, pages } = await sync.run(first.cursor, settings);
    expect([records.length, pages]).toEqual([51, 1]);
    expect((await sync.run(cursor, settings)).records).toEqual([]);
  });

  it.each([
    ['further dates', { recurrence: ['RRULE:FREQ=DAILY;COUNT=7', `RDATE;VALUE=DATE:${year + 1}0101`] }],
    ['two rules', { recurrence: ['RRULE:FREQ=DAILY;COUNT=7', 'RRULE:FREQ=YEARLY'] }],
    ['a working location', { eventType: 'workingLocation' }],
    ['a birthday', { eventType: 'birthday' }],
  ])('leaves out %s, with its occurrences', async (_, event) => {
    google.edit(series(event));
    if ('recurrence' in event) google.remove(`dailies_${year}1203T080000Z`);
    google.edit(timed());
    expect((await sync.run(null, settings)).records).toHaveLength(1);
  });

  it('survives hostile fields', async () => {
    const odd = { start: { date: '2026-02-31' }, end: null, summary: { a: 1 }, attendees: 'x', recurrence: {} };
    google.events.set('odd', { id: 'odd', etag: 7, ...odd });
    const texts = {
      summary: `a\0b\n${'t'.repeat(300)}`,
      description: 'd'.repeat(500_000),
      location: 7,
      visibility: [],
    };
    const times = { start: { dateTime: 'tomorrow', timeZone: '../etc' }, end: { dateTime: '2026-13-01T00:00:00Z' } };
    google.events.set('texts', {
      id: 'texts',
      ...texts,
      ...times,
      extendedProperties: { private: 'x' },
      conferenceData: [],
    });
    google.events.set('nothing', null as unknown as Event);
    google.events.set('instance', {
      id: 'instance',
      recurringEventId: '..',
      originalStartTime: null,
      status: 'cancelled',
    });
    const { records } = await readRaw([...google.events.values()]);
    expect(records.map(({ id, fields }) => [id, fields.title.slice(0, 4), fields.startAt, fields.timezone])).toEqual([
      ['odd', '(No ', '', 'UTC'],
      ['texts', 'ab t', 'tomorrow', 'UTC'],
      ['instance', '(No ', '1970-01-01T00:00:00.000Z', 'UTC'],
    ]);
    expect([records[1]?.fields.title.length, records[1]?.fields.description?.length]).toEqual([200, 5_000]);
  });

  it('begins again when Google does not know the token any more', async () => {
    const { cursor } = await sync.run();
    google.expireTokens();
    await expect(sync.run(cursor)).rejects.toThrow(CursorExpiredError);
  });

  it('begins again for other settings, after half of the days ahead, and for a cursor that it cannot read', async () => {
    const { cursor } = await sync.run(null, { daysAhead: 10 });
    await expect(sync.run(cursor, { daysAhead: 20 })).rejects.toThrow(CursorExpiredError);
    await expect(sync.run(cursor, { daysAhead: 10, calendarId: 'x' })).rejects.toThrow(CursorExpiredError);
    const old = { ...cursor, until: Date.now() + days(4) };
    await expect(sync.run(old, { daysAhead: 10 })).rejects.toThrow(CursorExpiredError);
    await expect(sync.run({ syncToken: 7 })).rejects.toThrow(CursorExpiredError);
  });

  it('does not request the page again that it has just read', async () => {
    const call = async () => ({ status: 200, body: { items: [], nextPageToken: 'same' } });
    const read = (cursor: SyncPage['cursor'] | null) =>
      googleCalendar.sync?.read({ call, settings: {}, cursor } as never) as Promise<SyncPage>;
    const { cursor } = await read(null);
    expect(cursor).toMatchObject({ next: expect.stringContaining('pageToken=same') });
    await expect(read(cursor)).rejects.toMatchObject({ failure: 'provider_unavailable' });
  });

  it.each([
    [403, 'rateLimitExceeded', 'provider_unavailable'],
    [403, 'quotaExceeded', 'provider_unavailable'],
    [403, 'forbidden', 'status_403'],
    [429, 'rateLimitExceeded', 'provider_unavailable'],
    [500, 'backendError', 'provider_unavailable'],
    [401, 'authError', 'credentials_rejected'],
  ])('reports %i %s as %s', async (status, reason, failure) => {
    google.failNext(status, reason, { headers: { 'retry-after': '60' } });
    const error = await sync.read(null).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure });
    const retryAt = (error as { retryAt?: Date }).retryAt?.getTime();
    if (status === 429) expect(retryAt).toBeGreaterThan(Date.now());
  });

  it('requests smaller pages when a response is too large', async () => {
    for (let index = 0; index < 60; index++) google.edit(timed({ description: 'd'.repeat(index < 30 ? 60_000 : 10) }));
    const { records } = await sync.run();
    expect(new Set(records.map(({ id }) => id)).size).toBe(60);
    expect(google.requests.map(({ query }) => query['maxResults'])).toContain('10');
  });

  it('finds out whether an event was deleted', async () => {
    google.edit(series());
    google.edit(timed({ id: 'event' }));
    const third = `dailies_${year}1203T080000Z`;
    const all = () => Promise.all(['event', 'dailies', third, 'unknown'].map((id) => sync.isGone(id)));
    expect(await all()).toEqual([false, false, false, true]);
    google.remove('event');
    google.remove(third);
    expect(await all()).toEqual([true, false, true, true]);
    expect(await sync.isGone('event', { direction: 'push' })).toBe(false);
  });

  it('reads nothing if events are only written', async () => {
    const { cursor } = await sync.run();
    google.edit(timed());
    expect((await sync.run(cursor, { direction: 'push' })).records).toEqual([]);
    expect(google.requests).toHaveLength(1);
    const { kinds, push } = googleCalendar.sync as Sync;
    const directions = ['both', 'pull', 'push'].map((direction) => ({ direction }));
    expect(directions.map((one) => [kinds(one).length, push?.isWanted(one)])).toEqual([
      [1, true],
      [1, false],
      [0, true],
    ]);
  });

  it('reads the period again when Google returns no token', async () => {
    const { cursor } = await readRaw([], {});
    google.edit(timed());
    expect((await sync.run(cursor)).records).toHaveLength(1);
  });

  it('reads the calendar of the settings', async () => {
    google.edit(timed());
    expect((await sync.run(null, { calendarId: 'team@group.calendar.google.com' })).records).toEqual([]);
    await expect(sync.run(null, { calendarId: 'other' })).rejects.toMatchObject({ failure: 'status_404' });
  });
});

describe('a copy', () => {
  const full = () =>
    someFields({
      title: 'Demo <live> & more',
      description: 'Bring tea & <b>cake</b>\n\nThanks > 2',
      location: 'Room 4',
      joinUrl: 'https://meet.example.com/abc?a=1&b=2',
      visibility: 'private',
      timezone: 'America/New_York',
    });
  const wholeDays = {
    allDay: true,
    timezone: 'Asia/Tokyo',
    startAt: `${year}-12-23T15:00:00.000Z`,
    endAt: `${year}-12-26T15:00:00.000Z`,
  };

  it.each([
    ['all fields', full()],
    ['no optional fields', someFields()],
    ['whole days of another time zone', someFields(wholeDays)],
    ['a series', someFields({ recurrence: `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=${year + 1}1231T225959Z` })],
    ['a series of whole days', someFields({ ...wholeDays, recurrence: `FREQ=YEARLY;UNTIL=${year + 4}1231` })],
  ])('has %s, and reading it returns the same', async (_, fields) => {
    const put = await sync.put(anEvent(fields));
    const { records } = await sync.run(null, settings);
    expect(records).toEqual([put]);
    expect(put).toMatchObject({ fields, copyOf: anEvent().id });
    const updated = await sync.put(anEvent({ ...fields, title: 'Changed' }), put);
    expect(updated.fields).toEqual({ ...fields, title: 'Changed' });
    expect([updated.id, updated.version === put.version, google.events.size]).toEqual([put.id, false, 1]);
    expect((await sync.run(null, settings)).records).toEqual([updated]);
  });

  it('has an UNTIL in the form that Google requires', async () => {
    await sync.put(anEvent({ recurrence: `FREQ=DAILY;UNTIL=${year + 1}1231` }));
    await sync.put(anEvent({ ...wholeDays, recurrence: `FREQ=DAILY;UNTIL=${year + 1}1231T145959Z` }, { id: 'days' }));
    expect([...google.events.values()].map((event) => event['recurrence'])).toEqual([
      [`RRULE:FREQ=DAILY;UNTIL=${year + 1}1231T225959Z`],
      [`RRULE:FREQ=DAILY;UNTIL=${year + 1}1231`],
    ]);
  });

  it('is made once by repeated calls, and has the fields of the last one', async () => {
    const first = await sync.put(anEvent());
    const second = await sync.put(anEvent({ title: 'Again' }));
    expect([second.id, second.fields.title, google.events.size]).toEqual([first.id, 'Again', 1]);
  });

  it('is made again after it was deleted', async () => {
    const first = await sync.put(anEvent());
    google.remove(first.id);
    expect(await sync.put(anEvent({ title: 'Back' }), first)).toMatchObject({
      id: first.id,
      fields: { title: 'Back' },
    });
    expect((await sync.run()).records).toMatchObject([{ fields: { title: 'Back' } }]);
    google.events.delete(first.id);
    expect((await sync.put(anEvent(), first)).id).toBe(first.id);
  });

  it('keeps what the platform does not know: answers, rooms, the video call, and later dates', async () => {
    const attendees = [
      { email: 'room@example.com', resource: true, responseStatus: 'accepted' },
      { email: 'Bob@example.com', responseStatus: 'tentative' },
      { email: 'eve@example.com', responseStatus: 'accepted' },
    ];
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=7', `EXDATE:${year}1202T080000Z`];
    const texts = { description: '<b>Bring</b> cake', visibility: 'confidential', summary: undefined };
    google.edit(series({ attendees, recurrence, colorId: '7', hangoutLink: 'https://meet.google.com/abc', ...texts }));
    const { records } = await sync.run(null, settings);
    const [record] = records as [(typeof records)[number]];
    const event = anEvent(
      { ...record.fields, recurrence: 'FREQ=DAILY;COUNT=9' },
      { attendees: ['bob@example.com', 'new@example.com'].map((email) => ({ email, name: 'N' })) },
    );
    const put = await sync.put(event, record);
    expect(put).toMatchObject({ id: 'dailies', copyOf: null, fields: event.fields });
    expect(google.events.get('dailies')).toMatchObject({
      colorId: '7',
      description: '<b>Bring</b> cake',
      visibility: 'confidential',
      attendees: [...attendees, { email: 'new@example.com', displayName: 'N' }],
      recurrence: ['RRULE:FREQ=DAILY;COUNT=9', `EXDATE:${year}1202T080000Z`],
    });
    expect(google.events.get('dailies')).not.toHaveProperty('summary');
    const without = await sync.put({ ...event, attendees: [] }, put);
    expect(without.attendees).toEqual(['Bob@example.com', 'eve@example.com']);
    expect(google.state.mails).toBe(0);
  });

  it('is written again when somebody changes it at the same time', async () => {
    const first = await sync.put(anEvent());
    google.failNext(412, 'conditionNotMet', { after: 1 });
    expect(await sync.put(anEvent({ title: 'Ours' }), first)).toMatchObject({ fields: { title: 'Ours' } });
    google.failNext(412, 'conditionNotMet', { after: 1 });
    google.failNext(412, 'conditionNotMet', { after: 1 });
    await expect(sync.put(anEvent(), first)).rejects.toMatchObject({ failure: 'status_412' });
    google.interrupt(() => google.edit({ id: first.id, summary: 'Theirs', colorId: '3' }));
    expect(await sync.put(anEvent(), first)).toMatchObject({ fields: { title: 'Demo' }, source: { colorId: '3' } });
  });

  it('of a cancelled event is deleted', async () => {
    const first = await sync.put(anEvent());
    const cancelled = anEvent({}, { status: 'cancelled' });
    expect(await sync.put(cancelled, first)).toMatchObject({ id: first.id, isDeleted: true });
    expect(google.events.get(first.id)?.['status']).toBe('cancelled');
    expect(await sync.put(cancelled)).toMatchObject({ id: first.id, isDeleted: true });
  });

  it('is removed once', async () => {
    const first = await sync.put(anEvent());
    await sync.remove(first);
    await sync.remove(first);
    google.events.clear();
    await sync.remove(first);
    await expect(sync.remove({ ...first, id: '..' })).rejects.toMatchObject({ failure: 'request_rejected' });
  });

  it('is not confused with its duplicate', async () => {
    const first = await sync.put(anEvent());
    google.edit({ ...(google.events.get(first.id) as Event), id: 'duplicate' });
    const { records } = await sync.run();
    expect(Object.fromEntries(records.map(({ id, copyOf }) => [id, copyOf]))).toEqual({
      [first.id]: anEvent().id,
      duplicate: null,
    });
  });
});

it('has a scope for each calendar, so that events of another one are neither gone nor written', () => {
  const scopeOf = (given: object) => googleCalendar.sync?.scope?.({ ...settings, ...given });
  expect([scopeOf({}), scopeOf({ calendarId: 'team' })]).toEqual(['primary', 'team']);
});

describe('a copy of an occurrence', () => {
  const dailies = { startAt: `${year}-12-01T08:00:00.000Z`, endAt: `${year}-12-01T09:00:00.000Z` };
  const moved = { startAt: `${year}-12-03T11:00:00.000Z`, endAt: `${year}-12-03T12:00:00.000Z` };
  const wholeDays = { allDay: true, startAt: `${year}-11-30T23:00:00.000Z`, endAt: `${year}-12-01T23:00:00.000Z` };
  const recurrence = 'FREQ=DAILY;COUNT=7';

  it('changes the instance of the series, and is cancelled', async () => {
    const copy = await sync.put(anEvent({ ...dailies, recurrence }));
    const occurrence = { seriesId: copy.id, originalStartAt: third.originalStartAt };
    const event = anEvent({ ...moved, title: 'Later' }, { id: 'occurrence', occurrence });
    const put = await sync.put(event);
    expect(put).toMatchObject({
      id: `${copy.id}_${year}1203T080000Z`,
      occurrence,
      fields: event.fields,
      copyOf: 'occurrence',
    });
    const again = await sync.put(anEvent({ ...moved, title: 'Later' }, { id: 'occurrence', occurrence }), put);
    expect(again.id).toBe(put.id);
    const { records, cursor } = await sync.run(null, settings);
    expect(records).toEqual([copy, again]);
    const cancelled = await sync.put({ ...event, status: 'cancelled' }, put);
    expect(cancelled).toMatchObject({ id: put.id, isDeleted: true, occurrence });
    expect((await sync.run(cursor, settings)).records).toMatchObject([
      { id: copy.id },
      { id: put.id, isDeleted: true, occurrence },
    ]);
  });

  it('changes a day of a series for whole days to a time of day', async () => {
    google.state.timeZone = 'America/New_York';
    const copy = await sync.put(anEvent({ ...wholeDays, recurrence }));
    const occurrence = { seriesId: copy.id, originalStartAt: `${year}-12-02T23:00:00.000Z` };
    const event = anEvent(moved, { id: 'occurrence', occurrence });
    const put = await sync.put(event);
    expect(put).toMatchObject({ id: `${copy.id}_${year}1203`, occurrence, fields: event.fields });
    expect((await sync.run(null, settings)).records).toEqual([copy, put]);
  });

  it('does not pass for a copy of the series when the user changes an instance', async () => {
    const copy = await sync.put(anEvent({ ...dailies, recurrence }));
    google.edit({ id: `${copy.id}_${year}1203T080000Z`, summary: 'Changed by the user' });
    const { records } = await sync.run(null, settings);
    expect(records.map(({ fields, copyOf }) => [fields.title, copyOf])).toEqual([
      ['Demo', anEvent().id],
      ['Changed by the user', null],
    ]);
  });

  it.each([
    ['no such occurrence', `${year}-12-03T08:30:00.000Z`],
    ['no series', third.originalStartAt],
  ])('is refused if there is %s', async (name, originalStartAt) => {
    const copy = await sync.put(anEvent({ ...dailies, recurrence }));
    const occurrence = { seriesId: name === 'no series' ? 'nothing' : copy.id, originalStartAt };
    await expect(sync.put(anEvent(moved, { occurrence }))).rejects.toMatchObject({ failure: 'status_404' });
    expect(await sync.put(anEvent(moved, { occurrence, status: 'cancelled' }))).toMatchObject({ isDeleted: true });
  });
});

/** The records of a page with these items, which no calendar would store. */
async function readRaw(items: unknown[], token: object = { nextSyncToken: 'sync-1' }) {
  const call = async () => ({ status: 200, body: { items, timeZone: 'Nowhere/City', ...token } });
  const page = await googleCalendar.sync?.read({ call, settings: {}, cursor: null } as never);
  return page as unknown as Awaited<ReturnType<typeof sync.run>>;
}
