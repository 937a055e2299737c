import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

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
const eventNamed = (api: Api, name: string) =>
  until(`${name} arrives`, () => eventsOf(api, name).at(-1)) as Promise<{
    data: Fields;
    record: Fields;
    changes: Fields;
  }>;

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

  it('refuses a deleted opportunity', async () => {
    const api = service.as();
    const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR' } });
    expect((await api.createCalendarEvent({ body: anEvent({ opportunityId: deal.id }) })).status).toBe(201);
    await api.deleteOpportunity({ params: { id: deal.id } });
    const reply = await api.createCalendarEvent({ body: anEvent({ opportunityId: deal.id }) });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, ['opportunityId']]);
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
    const { changes } = await eventNamed(api, 'updated');
    const usersOf = (list: Fields[]) => list.map(({ userId }) => userId);
    const { from, to } = changes['attendees'] as { from: Fields[]; to: Fields[] };
    expect([usersOf(from), usersOf(to)]).toEqual([
      [Number(users.active), Number(members.seller)],
      [Number(users.active), Number(members.both)],
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

  it.each(['completed', 'cancelled'] as const)('PATCH with the status %s does the same', async (status) => {
    const api = service.as();
    const { id } = await create(api);
    const patch = (body: Fields) => api.updateCalendarEvent({ params: { id }, body });
    expect((await patch({ status: 'scheduled' })).data).toMatchObject({ status: 'scheduled', version: 1 });
    expect((await patch({ status, title: 'Over' })).data).toMatchObject({ status, title: 'Over' });
    await eventNamed(api, status);
    const refused = await patch({ status: 'scheduled' });
    expect([refused.status, refused.body.code]).toEqual([409, 'transition_refused']);
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
