import { anEvent, dayAt, days, someFields, syncOf, year } from './calendar.test-service.ts';
import { startMicrosoftCalendar } from './microsoft-calendar.test-service.ts';
import { microsoftCalendar } from './microsoft-calendar.ts';
import { CursorExpiredError, type SyncPage } from './sync.ts';

let microsoft: Awaited<ReturnType<typeof startMicrosoftCalendar>>;
let sync: ReturnType<typeof syncOf>;
beforeEach(async () => {
  microsoft = await startMicrosoftCalendar();
  sync = syncOf(microsoftCalendar, microsoft.url);
});
afterEach(async () => {
  await sync.close();
  await microsoft.close();
});

const zone = 'W. Europe Standard Time';
const utc = (at: string) => ({ dateTime: at.slice(0, 19), timeZone: 'UTC' });
const berlin = (dateTime: string, timeZone = zone) => ({ dateTime, timeZone });
const timed = (event: object = {}) => ({
  subject: 'Lunch',
  start: utc(dayAt(1)),
  end: utc(dayAt(1, '10:00')),
  ...event,
});
const daily = (count: number) => ({
  pattern: { type: 'daily', interval: 1 },
  range: { type: 'numbered', startDate: `${year}-12-01`, numberOfOccurrences: count, recurrenceTimeZone: zone },
});
/** A series of seven days at nine in Berlin in winter. */
const series = (event: object = {}) =>
  timed({
    start: berlin(`${year}-12-01T09:00:00`),
    end: berlin(`${year}-12-01T10:00:00`),
    recurrence: daily(7),
    ...event,
  });
const settings = { daysBack: 365, daysAhead: 730 };
const third = { seriesId: 'dailies', originalStartAt: `${year}-12-03T08:00:00.000Z` };

describe('a run', () => {
  it('reads the events of the period, page by page, and then what has changed', async () => {
    for (let index = 0; index < 120; index++) microsoft.add(`event-${index}`, timed({ subject: `Event ${index}` }));
    microsoft.add('before', timed({ start: utc(dayAt(-60)), end: utc(dayAt(-59)) }));
    microsoft.add('afterwards', timed({ start: utc(dayAt(400)), end: utc(dayAt(401)) }));
    const first = await sync.run();
    expect([first.pages, new Set(first.records.map(({ id }) => id)).size]).toEqual([3, 120]);
    expect(microsoft.requests[0]?.path).toBe('/v1.0/me/calendarView/delta');
    expect(microsoft.requests.map(({ prefer }) => prefer)).toContain(
      'odata.maxpagesize=50, outlook.timezone="UTC", outlook.body-content-type="text"',
    );

    expect((await sync.run(first.cursor)).records).toEqual([]);
    microsoft.edit('event-1', { subject: 'Moved' });
    microsoft.remove('event-2');
    const { records, cursor } = await sync.run(first.cursor);
    expect(records.map(({ id, isDeleted = false, fields }) => [id, isDeleted, fields.title])).toEqual([
      ['event-1', false, 'Moved'],
      ['event-2', true, '(No title)'],
    ]);
    expect((await sync.run(cursor)).records).toEqual([]);
  });

  it('does not take an event that leaves the period for a deleted one', async () => {
    microsoft.add('event', timed());
    const { cursor } = await sync.run();
    microsoft.edit('event', { start: utc(dayAt(500)), end: utc(dayAt(500, '10:00')) });
    const { records } = await sync.run(cursor);
    expect(records).toMatchObject([{ id: 'event', fields: { startAt: dayAt(500) } }]);
    expect(records[0]?.isDeleted).toBeUndefined();
  });

  it('returns the fields of an event', async () => {
    microsoft.add(
      'event',
      timed({
        start: berlin(`${year}-12-01T09:00:00`, 'Romance Standard Time'),
        end: berlin(`${year}-12-01T10:00:00`, 'Romance Standard Time'),
        body: { contentType: 'text', content: 'Bring\ncake' },
        location: { displayName: 'Kitchen' },
        sensitivity: 'confidential',
        isOnlineMeeting: true,
        onlineMeeting: { joinUrl: 'https://teams.microsoft.com/abc' },
        organizer: { emailAddress: { address: 'me@example.com' } },
        attendees: [
          { type: 'required', emailAddress: { address: 'me@example.com' } },
          { type: 'required', emailAddress: { address: 'bob@example.com' } },
          { type: 'resource', emailAddress: { address: 'room@example.com' } },
          { type: 'optional' },
        ],
      }),
    );
    const { records } = await sync.run(null, settings);
    expect(records).toEqual([
      {
        kind: 'calendar_event',
        id: 'event',
        version: 'key-2',
        source: expect.objectContaining({ subject: 'Lunch' }),
        fields: someFields({
          title: 'Lunch',
          description: 'Bring\ncake',
          startAt: `${year}-12-01T08:00:00.000Z`,
          endAt: `${year}-12-01T09:00:00.000Z`,
          timezone: 'Europe/Paris',
          location: 'Kitchen',
          joinUrl: 'https://teams.microsoft.com/abc',
          visibility: 'private',
        }),
        attendees: ['bob@example.com'],
        copyOf: null,
      },
    ]);
  });

  it('reads whole days in the time zone of the event', async () => {
    const [start, end] = [berlin(`${year}-12-24T00:00:00`), berlin(`${year}-12-27T00:00:00`)];
    microsoft.add('days', timed({ isAllDay: true, start, end }));
    const { records } = await sync.run(null, settings);
    expect(records[0]?.fields).toMatchObject({
      allDay: true,
      timezone: 'Europe/Berlin',
      startAt: `${year}-12-23T23:00:00.000Z`,
      endAt: `${year}-12-26T23:00:00.000Z`,
    });
  });

  it('reads a series before its changed and cancelled occurrences', async () => {
    microsoft.add('dailies', series());
    microsoft.edit(`dailies.OCC.${year}-12-03`, {
      start: berlin(`${year}-12-03T12:00:00`),
      end: berlin(`${year}-12-03T13:00:00`),
    });
    microsoft.remove(`dailies.OCC.${year}-12-04`);
    const { records, cursor } = await sync.run(null, settings);
    expect(records.map(({ id, fields, occurrence, isDeleted }) => [id, fields.startAt, occurrence, isDeleted])).toEqual(
      [
        ['dailies', `${year}-12-01T08:00:00.000Z`, undefined, undefined],
        [`dailies~${year}1203T080000Z`, `${year}-12-03T11:00:00.000Z`, third, undefined],
        [
          `dailies~${year}1204T080000Z`,
          `${year}-12-04T08:00:00.000Z`,
          { seriesId: 'dailies', originalStartAt: `${year}-12-04T08:00:00.000Z` },
          true,
        ],
      ],
    );
    expect(records.map(({ fields }) => fields.recurrence)).toEqual(['FREQ=DAILY;COUNT=7', null, null]);
    microsoft.remove(`dailies.OCC.${year}-12-03`);
    const later = await sync.run(cursor, settings);
    expect(later.records.map(({ id, isDeleted = false }) => [id, isDeleted])).toEqual([
      ['dailies', false],
      [`dailies~${year}1204T080000Z`, true],
      [`dailies~${year}1203T080000Z`, true],
    ]);
    microsoft.remove('dailies');
    const last = await sync.run(later.cursor, settings);
    expect(last.records.map(({ isDeleted }) => isDeleted)).not.toContain(undefined);
    expect(last.records.map(({ id }) => id)).toContain('dailies');
  });

  it('reads occurrences at the same clock time after the clocks have changed', async () => {
    // The last Sunday of March.
    const change = new Date(Date.UTC(year, 2, 31));
    change.setUTCDate(31 - change.getUTCDay());
    const day = (offset: number) =>
      new Date(change.getTime() + days(offset)).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const range = { type: 'endDate', startDate: day(-1), endDate: day(2), recurrenceTimeZone: zone };
    const [start, end] = [berlin(`${day(-1)}T09:00:00`), berlin(`${day(-1)}T10:00:00`)];
    microsoft.add('dailies', series({ start, end, recurrence: { ...daily(1), range } }));
    microsoft.remove(`dailies.OCC.${day(1)}`);
    const { records } = await sync.run(null, settings);
    expect(records.map(({ fields }) => [fields.startAt, fields.recurrence])).toEqual([
      [`${day(-1)}T08:00:00.000Z`, `FREQ=DAILY;UNTIL=${day(2).replaceAll('-', '')}`],
      [`${day(1)}T07:00:00.000Z`, null],
    ]);
  });

  it('reads what a list of changes leaves out', async () => {
    microsoft.state.omits = ['subject', 'originalStart'];
    microsoft.add('event', timed());
    microsoft.add('dailies', series());
    microsoft.edit(`dailies.OCC.${year}-12-03`, { subject: 'Longer' });
    const { records } = await sync.run(null, settings);
    expect(records.map(({ fields, occurrence }) => [fields.title, occurrence])).toEqual([
      ['Lunch', undefined],
      ['Lunch', undefined],
      ['Longer', third],
    ]);
  });

  it('reads the series of an occurrence that is on another page', async () => {
    microsoft.add('dailies', series({ recurrence: daily(60) }));
    microsoft.edit(`dailies.OCC.${year}-12-03`, { subject: 'Longer' });
    const first = await sync.read(null, settings);
    expect(first.records.map(({ id }) => id)).toEqual(['dailies', `dailies~${year}1203T080000Z`]);
    expect(first.isLast).toBe(false);
  });

  it('returns at most 100 records of a page, and the others afterwards', async () => {
    microsoft.add('dailies', series({ recurrence: daily(180) }));
    for (let day = 1; day < 150; day++)
      microsoft.remove(`dailies.OCC.${new Date(Date.UTC(year, 11, 1 + day)).toISOString().slice(0, 10)}`);
    const first = await sync.read(null, settings);
    expect([first.records.length, first.isLast]).toEqual([100, false]);
    const { records } = await sync.run(first.cursor, settings);
    expect(records).toHaveLength(50);
  });

  it.each([
    ['a series whose pattern cannot be read', { recurrence: { ...daily(7), pattern: { type: 'lunar' } } }],
    ['a series of unknown length', { recurrence: { ...daily(7), range: { type: 'endDate' } } }],
  ])('leaves out %s, with its occurrences', async (_, fields) => {
    const items = [
      { id: 'series', type: 'seriesMaster', ...hostile(), ...fields },
      {
        id: 'exception',
        type: 'exception',
        seriesMasterId: 'series',
        originalStart: third.originalStartAt,
        ...hostile(),
      },
    ];
    expect((await readRaw(items)).records).toEqual([]);
  });

  it('deletes a meeting that its organizer has cancelled', async () => {
    microsoft.add('event', timed({ isCancelled: true }));
    expect((await sync.run()).records).toMatchObject([{ id: 'event', isDeleted: true }]);
  });

  it('survives hostile fields', async () => {
    const { records } = await readRaw([
      null,
      { id: '..', '@removed': {} },
      { id: 7, type: 'singleInstance', ...hostile() },
      { id: 'odd', type: 'singleInstance', ...hostile() },
      { id: 'exception', type: 'exception', seriesMasterId: {}, originalStart: 'never', ...hostile() },
      {
        id: 'texts',
        type: 'singleInstance',
        subject: `a\0b\n${'t'.repeat(300)}`,
        body: { contentType: 'text', content: 'd'.repeat(500_000) },
        start: { dateTime: 'tomorrow', timeZone: 'Custom' },
        end: { dateTime: '2026-13-01T00:00:00' },
        isAllDay: 'yes',
        originalStartTimeZone: 'tzone://Microsoft/Custom',
        sensitivity: null,
      },
    ]);
    expect(records.map(({ id, fields }) => [id, fields.title.slice(0, 4), fields.startAt, fields.timezone])).toEqual([
      ['odd', '(No ', '', 'UTC'],
      ['texts', 'ab t', 'tomorrow', 'UTC'],
      ['exception', '(No ', '', 'UTC'],
    ]);
    expect([records[1]?.fields.title.length, records[1]?.fields.description?.length]).toEqual([200, 5_000]);
  });

  it('begins again when Microsoft does not know the link any more', async () => {
    const { cursor } = await sync.run();
    microsoft.expireLinks();
    await expect(sync.run(cursor)).rejects.toThrow(CursorExpiredError);
    microsoft.failNext(400, 'resyncRequired');
    await expect(sync.read(cursor)).rejects.toThrow(CursorExpiredError);
    microsoft.failNext(410, 'resyncRequired');
    await expect(sync.read(null)).rejects.toMatchObject({ failure: 'status_410' });
  });

  it('begins again for other settings, after half of the days ahead, and for a cursor that it cannot read', async () => {
    const { cursor } = await sync.run(null, { daysAhead: 10 });
    await expect(sync.run(cursor, { daysAhead: 20 })).rejects.toThrow(CursorExpiredError);
    await expect(sync.run(cursor, { daysAhead: 10, calendarId: 'team' })).rejects.toThrow(CursorExpiredError);
    const old = { ...cursor, until: Date.now() + days(4) };
    await expect(sync.run(old, { daysAhead: 10 })).rejects.toThrow(CursorExpiredError);
    const paths = ['//evil.example/delta', '/v1.0/me/../../x', '/v1.0/me/messages', 'https://evil.example/v1.0/delta'];
    for (const next of paths)
      await expect(sync.run({ ...cursor, next }, { daysAhead: 10 })).rejects.toThrow(CursorExpiredError);
  });

  it.each([['https://evil.example/v1.0/me/calendarView/delta?$skiptoken=1'], ['not a link'], [7]])(
    'does not follow the link %s',
    async (link) => {
      const call = async () => ({ status: 200, body: { value: [], '@odata.nextLink': link } });
      const page = microsoftCalendar.sync?.read({ call, settings: {}, cursor: null } as never);
      await expect(page).rejects.toMatchObject({ failure: 'provider_unavailable' });
    },
  );

  it('does not follow the link of the page that it has just read', async () => {
    const next = '/v1.0/me/calendarView/delta?$skiptoken=1';
    const link = `https://graph.microsoft.com${next}`;
    const call = async () => ({ status: 200, body: { value: [], '@odata.nextLink': link } });
    const read = (cursor: SyncPage['cursor'] | null) =>
      microsoftCalendar.sync?.read({ call, settings: {}, cursor } as never) as Promise<SyncPage>;
    const { cursor } = await read(null);
    expect(cursor).toMatchObject({ next });
    await expect(read(cursor)).rejects.toMatchObject({ failure: 'provider_unavailable' });
  });

  it.each([
    [429, 'ApplicationThrottled', 'provider_unavailable'],
    [503, 'serviceNotAvailable', 'provider_unavailable'],
    [403, 'ErrorAccessDenied', 'status_403'],
    [401, 'InvalidAuthenticationToken', 'credentials_rejected'],
  ])('reports %i %s as %s', async (status, code, failure) => {
    microsoft.failNext(status, code, { headers: { 'retry-after': '60' } });
    const error = await sync.read(null).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure });
  });

  it('reports a limit within a batch, with the time at which it ends', async () => {
    microsoft.add('event', timed());
    const { cursor } = await sync.run();
    microsoft.remove('event');
    microsoft.failNext(429, 'ApplicationThrottled', { headers: { 'Retry-After': '60' }, after: 1 });
    const error = await sync.read(cursor).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure: 'provider_unavailable', retryAt: expect.any(Date) });
    expect((await sync.run(cursor)).records).toMatchObject([{ id: 'event', isDeleted: true }]);
  });

  it('requests smaller pages when a response is too large', async () => {
    const body = { contentType: 'text', content: 'd'.repeat(60_000) };
    for (let index = 0; index < 40; index++) microsoft.add(`event-${index}`, timed(index < 30 ? { body } : {}));
    const { records } = await sync.run();
    expect(new Set(records.map(({ id }) => id)).size).toBe(40);
  });

  it('finds out whether an event was deleted', async () => {
    microsoft.add('event', timed());
    microsoft.add('meeting', timed());
    microsoft.add('dailies', series());
    const third = `dailies~${year}1203T080000Z`;
    const all = () => Promise.all(['event', 'meeting', 'dailies', third].map((id) => sync.isGone(id)));
    expect(await all()).toEqual([false, false, false, false]);
    microsoft.remove('event');
    microsoft.edit('meeting', { isCancelled: true });
    microsoft.remove(`dailies.OCC.${year}-12-03`);
    expect(await all()).toEqual([true, true, false, true]);
    microsoft.remove('dailies');
    expect(await all()).toEqual([true, true, true, true]);
    expect(await sync.isGone('event', { direction: 'push' })).toBe(false);
  });

  it('reads nothing if events are only written', async () => {
    microsoft.add('event', timed());
    expect((await sync.run(null, { direction: 'push' })).records).toEqual([]);
    expect(microsoft.requests).toEqual([]);
  });

  it('reads the calendar of the settings', async () => {
    microsoft.add('event', timed());
    expect((await sync.run(null, { calendarId: 'team' })).records).toHaveLength(1);
    expect(microsoft.requests[0]?.path).toBe('/v1.0/me/calendars/team/calendarView/delta');
    await expect(sync.run(null, { calendarId: 'other' })).rejects.toMatchObject({ failure: 'status_404' });
  });
});

const hostile = () => ({
  subject: { a: 1 },
  start: null,
  end: [],
  isAllDay: true,
  attendees: 'x',
  location: 7,
  body: 3,
});

/** The records of a page with these items; requests in batches find nothing. */
async function readRaw(value: unknown[]): Promise<Awaited<ReturnType<typeof sync.run>>> {
  const link = 'https://graph.microsoft.com/v1.0/me/calendarView/delta?$deltatoken=1';
  const call = async ({ url }: { url: string }) => ({
    status: 200,
    body: url.endsWith('$batch') ? { responses: [{ id: 'x' }, null] } : { value, '@odata.deltaLink': link },
  });
  const page = (await microsoftCalendar.sync?.read({ call, settings: {}, cursor: null } as never)) as SyncPage;
  return { ...page, pages: 1 } as Awaited<ReturnType<typeof sync.run>>;
}

describe('a copy', () => {
  const wholeDays = {
    allDay: true,
    timezone: 'Asia/Tokyo',
    startAt: `${year}-12-23T15:00:00.000Z`,
    endAt: `${year}-12-26T15:00:00.000Z`,
  };

  it.each([
    [
      'all fields',
      someFields({
        title: 'Demo <live> & more',
        description: 'Bring tea & <b>cake</b>\n\nThanks > 2',
        location: 'Room 4',
        joinUrl: 'https://meet.example.com/abc?a=1&b=2',
        visibility: 'private',
        timezone: 'America/New_York',
      }),
    ],
    ['no optional fields', someFields()],
    ['whole days', someFields(wholeDays)],
    ['a series', someFields({ recurrence: `FREQ=DAILY;INTERVAL=2;UNTIL=${year + 1}1231` })],
    ['a series of whole days', someFields({ ...wholeDays, recurrence: 'FREQ=DAILY;COUNT=3' })],
  ])('has %s, and reading it returns the same', async (_, fields) => {
    const put = await sync.put(anEvent(fields));
    const { records } = await sync.run(null, settings);
    expect(records).toEqual([put]);
    expect(put).toMatchObject({ fields, copyOf: anEvent().id });
    const updated = await sync.put(anEvent({ ...fields, title: 'Changed' }), put);
    expect(updated.fields).toEqual({ ...fields, title: 'Changed' });
    expect([updated.id, updated.version === put.version, microsoft.events.size]).toEqual([put.id, false, 1]);
    expect((await sync.run(null, settings)).records).toEqual([updated]);
  });

  it('is at the right time when the clocks show it twice', async () => {
    const fields = { startAt: '2027-10-31T01:30:00.000Z', endAt: '2027-10-31T03:00:00.000Z' };
    expect((await sync.put(anEvent(fields))).fields).toMatchObject(fields);
  });

  it('has the zone of its name at Microsoft, which several zones share', async () => {
    expect((await sync.put(anEvent({ timezone: 'Europe/Zurich' }))).fields.timezone).toBe('Europe/Berlin');
    expect((await sync.put(anEvent({ timezone: 'Europe/Kyiv' }, { id: 'kyiv' }))).fields.timezone).toBe('Europe/Kiev');
  });

  it.each([
    ['returns the event', false],
    ['reports a conflict', true],
  ])('is made once by repeated calls, and has the fields of the last one, if Graph %s', async (_, conflicts) => {
    microsoft.state.conflicts = conflicts;
    const first = await sync.put(anEvent());
    const second = await sync.put(anEvent({ title: 'Again' }));
    expect([second.id, second.fields.title, microsoft.events.size]).toEqual([first.id, 'Again', 1]);
  });

  it('is made again after it was deleted, once', async () => {
    const first = await sync.put(anEvent());
    await sync.remove(first);
    const second = await sync.put(anEvent({ title: 'Back' }), first);
    const third = await sync.put(anEvent({ title: 'Back' }), first);
    expect([second.copyOf, second.id === first.id, third.id]).toEqual([anEvent().id, false, second.id]);
    expect(microsoft.events.size).toBe(1);
  });

  it('invites nobody, and keeps attendees and the data of an online meeting', async () => {
    const attendees = [{ emailAddress: { address: 'bob@example.com' } }];
    const meeting = { isOnlineMeeting: true, onlineMeeting: { joinUrl: 'https://teams.microsoft.com/abc' } };
    microsoft.add('event', timed({ attendees, ...meeting, body: { contentType: 'html', content: 'Join by Teams' } }));
    const { records } = await sync.run();
    const [record] = records as [(typeof records)[number]];
    const event = anEvent(
      { ...record.fields, title: 'Renamed' },
      { attendees: [{ email: 'new@example.com', name: null }] },
    );
    const put = await sync.put(event, record);
    expect(put).toMatchObject({ fields: event.fields, attendees: ['bob@example.com'], copyOf: null });
    expect(microsoft.events.get('event')?.fields['body']).toEqual({ contentType: 'html', content: 'Join by Teams' });
    await sync.put(anEvent({}, { attendees: [{ email: 'new@example.com', name: null }] }));
    expect(microsoft.state.invitations).toBe(0);
  });

  it.each([['FREQ=MONTHLY;BYDAY=5MO'], ['FREQ=YEARLY;BYDAY=1MO']])(
    'is refused with the rule %s',
    async (recurrence) => {
      await expect(sync.put(anEvent({ recurrence }))).rejects.toMatchObject({ failure: 'request_rejected' });
      expect(microsoft.events.size).toBe(0);
    },
  );

  it('keeps a body with markup, and more of a place than its name', async () => {
    const location = { displayName: 'Room 4', locationUri: 'https://example.com/rooms/4' };
    const body = { contentType: 'html', content: 'Bring cake' };
    microsoft.add('event', timed({ body, location, sensitivity: 'confidential' }));
    const { records } = await sync.run();
    const [record] = records as [(typeof records)[number]];
    const put = await sync.put(anEvent({ ...record.fields, title: 'Renamed' }), record);
    expect(put.fields).toEqual({ ...record.fields, title: 'Renamed' });
    const fields = { subject: 'Renamed', body, location, sensitivity: 'confidential' };
    expect(microsoft.events.get('event')?.fields).toMatchObject(fields);
  });

  it('stops to repeat', async () => {
    const first = await sync.put(anEvent({ recurrence: 'FREQ=DAILY;COUNT=3' }));
    expect((await sync.put(anEvent(), first)).fields).toEqual(someFields());
  });

  it('of a cancelled event is deleted', async () => {
    const first = await sync.put(anEvent());
    const cancelled = anEvent({}, { status: 'cancelled' });
    expect(await sync.put(cancelled, first)).toMatchObject({ id: first.id, isDeleted: true });
    await sync.put(anEvent());
    expect(await sync.put(cancelled)).toMatchObject({ isDeleted: true });
    expect(microsoft.events.size).toBe(0);
    expect(await sync.put(cancelled)).toMatchObject({ isDeleted: true });
  });

  it('is removed once', async () => {
    const first = await sync.put(anEvent());
    await sync.remove(first);
    await sync.remove(first);
    expect(microsoft.events.size).toBe(0);
  });
});

describe('a copy of an occurrence', () => {
  const dailies = { startAt: `${year}-12-01T08:00:00.000Z`, endAt: `${year}-12-01T09:00:00.000Z` };
  const moved = { startAt: `${year}-12-03T11:00:00.000Z`, endAt: `${year}-12-03T12:00:00.000Z` };
  const recurrence = 'FREQ=DAILY;COUNT=7';

  it('changes the instance of the series, and is cancelled', async () => {
    const copy = await sync.put(anEvent({ ...dailies, recurrence }));
    const occurrence = { seriesId: copy.id, originalStartAt: third.originalStartAt };
    const event = anEvent({ ...moved, title: 'Later' }, { id: 'occurrence', occurrence });
    const put = await sync.put(event);
    expect(put).toMatchObject({ id: `${copy.id}~${year}1203T080000Z`, occurrence, fields: event.fields, copyOf: null });
    const again = await sync.put(event, put);
    expect(again.id).toBe(put.id);
    const { records, cursor } = await sync.run(null, settings);
    expect(records).toMatchObject([
      { id: copy.id, fields: copy.fields },
      { id: put.id, fields: again.fields, occurrence },
    ]);
    const cancelled = await sync.put({ ...event, status: 'cancelled' }, put);
    expect(cancelled).toMatchObject({ id: put.id, isDeleted: true, occurrence });
    expect((await sync.run(cursor, settings)).records).toMatchObject([
      { id: copy.id },
      { id: put.id, isDeleted: true, occurrence },
    ]);
    await expect(sync.put(event, put)).rejects.toMatchObject({ failure: 'status_404' });
  });

  it('changes a day of a series for whole days', async () => {
    const wholeDays = { allDay: true, startAt: `${year}-11-30T23:00:00.000Z`, endAt: `${year}-12-01T23:00:00.000Z` };
    const copy = await sync.put(anEvent({ ...wholeDays, recurrence }));
    const occurrence = { seriesId: copy.id, originalStartAt: `${year}-12-02T23:00:00.000Z` };
    const day = { startAt: `${year}-12-02T23:00:00.000Z`, endAt: `${year}-12-03T23:00:00.000Z` };
    const event = anEvent({ ...wholeDays, ...day, title: 'Day' }, { occurrence });
    const put = await sync.put(event);
    expect(put).toMatchObject({ occurrence, fields: event.fields });
    const { records } = await sync.run(null, settings);
    expect(records.map(({ fields }) => fields)).toEqual([copy.fields, put.fields]);
  });

  it('is removed', async () => {
    const copy = await sync.put(anEvent({ ...dailies, recurrence }));
    const occurrence = { seriesId: copy.id, originalStartAt: third.originalStartAt };
    const put = await sync.put(anEvent(moved, { occurrence }));
    await sync.remove(put);
    await sync.remove(put);
    expect([...(microsoft.events.get(copy.id)?.cancelled ?? [])]).toEqual([`${year}-12-03`]);
  });
});
