import type { crm } from '@tandem/crm-contract';
import { type Mailbox, type ReceivedMail, startMailbox } from '@tandem/mailbox';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let mailbox: Mailbox;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  mailbox = await startMailbox();
  service = await startCrm({ IDENTITY_URL: identity.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
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
const eventNamed = (api: Api, name: string) =>
  until(`${name} arrives`, () => eventsOf(api, name).at(-1)) as Promise<{
    data: Fields;
    record: Fields;
    changes: Fields;
  }>;
let addresses = 0;
const anAddress = () => `guest${++addresses}@example.com`;
const mailTo = (address: string, subject: RegExp) =>
  until(`the message ${subject} arrives`, () =>
    mailbox.to(address).findLast((mail) => subject.test(mail.subject)),
  ) as Promise<ReceivedMail & { invitation: string }>;
const tokenIn = ({ text }: ReceivedMail) => /\/rsvp\/(\S+)/.exec(text)?.[1] as string;
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

describe('createCalendarEvent', () => {
  it('requires title and times; the event is scheduled, in the zone of the tenant, of the acting user', async () => {
    const api = service.as();
    const reply = await api.createCalendarEvent({ body: anEvent() });
    expect([reply.status, reply.body.message, reply.headers['etag']]).toEqual([
      201,
      'Event created',
      expect.stringMatching(/^"1-/),
    ]);
    expect(reply.data).toMatchObject({
      ...anEvent(),
      timezone: 'Europe/Berlin',
      allDay: false,
      status: 'scheduled',
      allowedTransitions: ['completed', 'cancelled'],
      visibility: 'default',
      organizerId: '1',
      createdBy: '1',
      attendees: [],
      recurrence: null,
      recurringEventId: null,
      version: 1,
    });
    expect((await api.getCalendarEvent({ params: { id: reply.data.id } })).data).toEqual(reply.data);
    const event = await eventNamed(api, 'created');
    expect(event.data).toEqual({ calendarEventId: reply.data.id, title: 'Demo' });
  });

  it('stores links, attendees and texts, and widens an event for whole days to them', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const data = await create(api, {
      leadId: lead.id,
      allDay: true,
      endAt: at('03-11T10:00:00.000Z'),
      location: 'Room 4',
      joinUrl: 'https://meet.example.com/x',
      description: 'Bring the numbers',
      attendees: [{ userId: users.active }, { email: 'ada@example.com', name: 'Ada' }],
    });
    expect(data).toMatchObject({
      leadId: lead.id,
      startAt: at('03-09T23:00:00.000Z'),
      endAt: at('03-11T23:00:00.000Z'),
      location: 'Room 4',
      attendees: [
        { userId: users.active, email: null, response: 'pending' },
        { userId: null, email: 'ada@example.com', name: 'Ada', response: 'pending' },
      ],
    });
  });

  it.each([
    ['an end at the start', { endAt: anEvent().startAt }, 'endAt'],
    ['an end before the start', { endAt: at('03-10T08:00:00Z') }, 'endAt'],
    ['more than 31 days', { endAt: at('05-10T08:00:00Z') }, 'endAt'],
    ['a zone that does not exist', { timezone: 'Mars/Base' }, 'timezone'],
    ['a call without https', { joinUrl: 'http://meet.example.com' }, 'joinUrl'],
    ['an unknown lead', { leadId: '999999' }, 'leadId'],
    ['an unknown opportunity', { opportunityId: '999999' }, 'opportunityId'],
    ['an unknown user', { attendees: [{ userId: users.nobody }] }, 'attendees.0.userId'],
    ['a suspended user', { attendees: [{ userId: users.suspended }] }, 'attendees.0.userId'],
    ['an attendee without user and address', { attendees: [{ name: 'Ada' }] }, 'attendees.0'],
    ['an address twice', { attendees: [{ email: 'a@example.com' }, { email: 'A@example.com' }] }, 'attendees.1'],
    [
      '101 attendees',
      { attendees: Array.from({ length: 101 }, (_, n) => ({ email: `a${n}@example.com` })) },
      'attendees',
    ],
    ['a rule that is none', { recurrence: 'every day' }, 'recurrence'],
    ['a rule without the start', { recurrence: 'FREQ=MONTHLY;BYMONTHDAY=1' }, 'recurrence'],
  ])('refuses %s', async (_, fields, field) => {
    const api = service.as();
    const reply = await api.createCalendarEvent({ body: anEvent(fields) });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await api.listCalendarEvents()).data).toEqual([]);
  });

  it('requires leads:read for a lead', async () => {
    const api = service.as({ can: ['calendar:write'] });
    expect((await api.createCalendarEvent({ body: anEvent({ leadId: '1' }) })).status).toBe(403);
  });
});

describe('updateCalendarEvent', () => {
  it('changes fields once, keeps the length of a moved event, and reports what changed', async () => {
    const api = service.as();
    const { id } = await create(api);
    const moved = await api.updateCalendarEvent({ params: { id }, body: { startAt: at('03-11T09:00:00.000Z') } });
    expect(moved.data).toMatchObject({ endAt: at('03-11T10:00:00.000Z'), version: 2 });
    const again = await api.updateCalendarEvent({ params: { id }, body: { startAt: at('03-11T09:00:00.000Z') } });
    expect(again.data.version).toBe(2);
    const event = await eventNamed(api, 'updated');
    expect(event.data).toEqual({ calendarEventId: id, fields: ['startAt', 'endAt'] });
    expect(eventsOf(api, 'updated')).toHaveLength(1);
  });

  it('replaces attendees; those who stay keep their answers', async () => {
    const api = service.as();
    const { id } = await create(api, { attendees: [{ userId: users.active }, { userId: members.seller }] });
    const theirs = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
    await theirs.respondToCalendarEvent({ params: { id }, body: { response: 'accepted' } });
    const attendees = [{ userId: users.active }, { userId: members.both }];
    const { data } = await api.updateCalendarEvent({ params: { id }, body: { attendees } });
    expect(data.attendees.map((one: Fields) => [one['userId'], one['response']])).toEqual([
      [users.active, 'accepted'],
      [members.both, 'pending'],
    ]);
  });

  it('refuses a stale version, an end before the start, and a finished event', async () => {
    const api = service.as();
    const { id } = await create(api);
    const params = { id };
    const stale = await api.updateCalendarEvent({ params, body: { title: 'X' }, headers: { 'if-match': '"9"' } });
    const ends = await api.updateCalendarEvent({ params, body: { endAt: at('03-10T08:00:00Z') } });
    await api.completeCalendarEvent({ params });
    const finished = await api.updateCalendarEvent({ params, body: { title: 'X' } });
    expect([stale.status, ends.status, finished.status]).toEqual([412, 422, 409]);
  });
});

describe('states of an event', () => {
  it.each([
    ['completeCalendarEvent', 'completed'],
    ['cancelCalendarEvent', 'cancelled'],
  ] as const)('%s ends a scheduled event, with its event, and nothing follows', async (operation, status) => {
    const api = service.as();
    const { id } = await create(api);
    const stale = await api[operation]({ params: { id }, body: {}, headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
    const { data } = await api[operation]({ params: { id }, body: {} });
    expect(data).toMatchObject({ status, allowedTransitions: [], version: 2 });
    await eventNamed(api, status);
    const refused = await Promise.all([
      api.completeCalendarEvent({ params: { id } }),
      api.cancelCalendarEvent({ params: { id }, body: {} }),
    ]);
    expect(refused.map((reply) => [reply.status, reply.body.code])).toEqual([
      [409, 'transition_refused'],
      [409, 'transition_refused'],
    ]);
  });

  it('has one winner of two requests at once', async () => {
    const api = service.as();
    const { id } = await create(api);
    const replies = await Promise.all([
      api.completeCalendarEvent({ params: { id } }),
      api.cancelCalendarEvent({ params: { id }, body: {} }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('deletes an event, with its event', async () => {
    const api = service.as();
    const { id } = await create(api);
    expect((await api.deleteCalendarEvent({ params: { id } })).data).toEqual({ id, deleted: true });
    expect((await api.getCalendarEvent({ params: { id } })).status).toBe(404);
    expect((await eventNamed(api, 'deleted')).data).toEqual({ calendarEventId: id });
  });
});

describe('callers', () => {
  it('of other tenants and environments do not find the event', async () => {
    const api = service.as();
    const { id } = await create(api);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox]) {
      expect((await other.getCalendarEvent({ params: { id } })).status).toBe(404);
      expect((await other.cancelCalendarEvent({ params: { id }, body: {} })).status).toBe(404);
      expect((await other.listCalendarEvents()).data).toEqual([]);
    }
  });

  it('narrowed to their own events reach those that they organize or attend', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const attended = await create(api, { attendees: [{ userId: users.active }] });
    const foreign = await create(api);
    const can = ['calendar:read:own', 'calendar:write:own', 'calendar:delete:own'];
    const own = service.as({ tenantId, userId: Number(users.active), can });
    const organized = await create(own);
    const ids = (await own.listCalendarEvents()).data.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([attended.id, organized.id].sort());
    const params = { id: foreign.id };
    const replies = [
      await own.getCalendarEvent({ params }),
      await own.updateCalendarEvent({ params, body: { title: 'X' } }),
      await own.deleteCalendarEvent({ params }),
      await own.downloadCalendarEvent({ params }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await own.getCalendarEvent({ params: { id: attended.id } })).status).toBe(200);
  });

  it('see of private events of others only that the time is taken', async () => {
    const api = service.as();
    const { id } = await create(api, {
      visibility: 'private',
      location: 'Clinic',
      attendees: [{ email: 'a@example.com' }],
    });
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
    const { data } = await other.getCalendarEvent({ params: { id } });
    expect(data).toMatchObject({ title: 'Busy', location: null, attendees: [], startAt: anEvent().startAt });
    expect((await other.downloadCalendarEvent({ params: { id } })).text).not.toMatch(/Demo|Clinic|a@example/);
    expect((await other.listCalendarEvents({ query: { search: 'Demo' } })).data).toEqual([]);
    expect((await other.listCalendarEvents()).data).toMatchObject([{ title: 'Busy' }]);
    expect((await api.listCalendarEvents({ query: { search: 'dem' } })).data).toMatchObject([{ title: 'Demo' }]);
  });
});

describe('respondToCalendarEvent', () => {
  it('stores the answer of an attendee once', async () => {
    const api = service.as();
    const { id } = await create(api, { attendees: [{ userId: users.active }] });
    const theirs = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
    const answer = () => theirs.respondToCalendarEvent({ params: { id }, body: { response: 'tentative' } });
    const { data } = await answer();
    expect(data).toMatchObject({ version: 2, attendees: [{ response: 'tentative', respondedAt: expect.any(String) }] });
    expect((await answer()).data.version).toBe(2);
    const event = await eventNamed(api, 'responded');
    expect(event.data).toEqual({ calendarEventId: id, userId: users.active, email: null, response: 'tentative' });
  });

  it('refuses callers who are not attendees with 403, and answers to a cancelled event with 409', async () => {
    const api = service.as();
    const { id } = await create(api, { attendees: [{ userId: users.active }] });
    const theirs = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
    const body = { response: 'accepted' };
    const outside = await api.respondToCalendarEvent({ params: { id }, body });
    await api.cancelCalendarEvent({ params: { id }, body: {} });
    const late = await theirs.respondToCalendarEvent({ params: { id }, body });
    expect([outside.status, outside.body.code, late.status, late.body.code]).toEqual([
      403,
      'not_an_attendee',
      409,
      'event_cancelled',
    ]);
  });
});

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

describe('invitations by mail', () => {
  /** A person outside of the tenant. */
  const visitor = () => {
    const { tenantId: _, ...caller } = service.as({ type: 'anonymous' }).caller;
    return caller;
  };
  const answer = (token: string, response: string) =>
    service.send(service.operations.answerRsvp, { params: { token }, body: { response } }, visitor());

  it('bring a link to answer and the event for calendars; changes and cancellations follow', async () => {
    const api = service.as();
    const email = anAddress();
    const { id } = await create(api, { attendees: [{ email, name: 'Ada' }] });
    const invited = await mailTo(email, /^Invitation: Demo$/);
    expect(invited.invitation).toMatch(/METHOD:REQUEST[\s\S]*SEQUENCE:0[\s\S]*DTSTART:\d{4}0310T090000Z/);
    await api.updateCalendarEvent({ params: { id }, body: { startAt: at('03-11T09:00:00.000Z') } });
    const changed = await mailTo(email, /^Changed: Demo$/);
    expect(changed.invitation).toMatch(/METHOD:REQUEST[\s\S]*SEQUENCE:1[\s\S]*DTSTART:\d{4}0311T090000Z/);
    await api.cancelCalendarEvent({ params: { id }, body: {} });
    const cancelled = await mailTo(email, /^Cancelled: Demo$/);
    expect(cancelled.invitation).toMatch(/METHOD:CANCEL[\s\S]*SEQUENCE:2[\s\S]*STATUS:CANCELLED/);
    const uids = [invited, changed, cancelled].map(({ invitation }) => /UID:(.*)/.exec(invitation)?.[1]);
    expect(new Set(uids).size).toBe(1);
  });

  it('tell removed attendees of the cancellation, and nobody of a past event', async () => {
    const api = service.as();
    const [gone, kept] = [anAddress(), anAddress()];
    const { id } = await create(api, { attendees: [{ email: gone }, { email: kept }] });
    await mailTo(gone, /^Invitation/);
    await create(api, { startAt: '2020-03-10T09:00:00Z', endAt: '2020-03-10T10:00:00Z', attendees: [{ email: kept }] });
    await api.updateCalendarEvent({ params: { id }, body: { attendees: [{ email: kept }] } });
    await mailTo(gone, /^Cancelled/);
    expect(mailbox.to(kept).map(({ subject }) => subject)).toEqual(['Invitation: Demo']);
  });

  it('send nothing in the sandbox', async () => {
    const api = service.as({ environment: 'sandbox' });
    const email = anAddress();
    await create(api, { attendees: [{ email }] });
    const [row] = await service.sqlWithin(api.caller, 'SELECT state FROM platform.mail');
    expect([row?.['state'], mailbox.to(email)]).toEqual(['suppressed', []]);
  });

  it('are shown by their link without a change, and answered by a POST', async () => {
    const api = service.as();
    const email = anAddress();
    const { id } = await create(api, { attendees: [{ email }] });
    const token = tokenIn(await mailTo(email, /^Invitation/));
    const show = () => service.send(service.operations.getRsvp, { params: { token } }, visitor());
    expect((await show()).body).toMatchObject({ data: { title: 'Demo', status: 'scheduled', response: 'pending' } });
    const page = await service.send(service.operations.showRsvpPage, { params: { token } }, visitor());
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`data-action="/v1/public/rsvp/${token}"`)]);
    expect((await api.getCalendarEvent({ params: { id } })).data.version).toBe(1);
    const reply = await answer(token, 'accepted');
    expect([reply.status, reply.body.message]).toEqual([200, 'Thank you for your answer']);
    const event = await eventNamed(api, 'responded');
    expect(event.data).toEqual({ calendarEventId: id, userId: null, email, response: 'accepted' });
    expect((await api.getCalendarEvent({ params: { id } })).data.attendees[0].response).toBe('accepted');
    await api.cancelCalendarEvent({ params: { id }, body: {} });
    expect([(await answer(token, 'declined')).status, (await show()).body.data]).toEqual([
      409,
      expect.objectContaining({ status: 'cancelled' }),
    ]);
    await api.deleteCalendarEvent({ params: { id } });
    expect([(await show()).status, (await answer('unknown', 'accepted')).status]).toEqual([404, 404]);
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
