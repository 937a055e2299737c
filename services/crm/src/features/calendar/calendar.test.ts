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

const me = Number(users.active);
const asMe = (more: Parameters<typeof service.as>[0] = {}) => service.as({ userId: me, ...more });
const inMarch = { from: '2027-03-01T00:00:00.000Z', to: '2027-04-01T00:00:00.000Z' };
const anEvent = (api: Api, fields: Fields = {}) =>
  api.createCalendarEvent({
    body: { title: 'Demo', startAt: '2027-03-10T09:00:00.000Z', endAt: '2027-03-10T10:00:00.000Z', ...fields },
  });
const anAbsence = (api: Api, fields: Fields = {}) =>
  api.createTimeOff({ body: { from: '2027-03-15T00:00:00.000Z', to: '2027-03-17T00:00:00.000Z', ...fields } });
const eventOf = (api: Api, name: string) =>
  until(`${name} arrives`, () =>
    service.events.find((event) => event.name === name && event.tenantId === api.caller.tenantId),
  );

describe('getCalendar', () => {
  const entries = async (api: Api, query: Fields = {}) =>
    (await api.getCalendar({ query: { ...inMarch, ...query } })).data.entries as Fields[];

  it('returns events, tasks that are due and time off in one list by time', async () => {
    const api = asMe();
    await anAbsence(api);
    const { data: event } = await anEvent(api, { location: 'Room 4' });
    const { data: task } = await api.createTask({ body: { title: 'Call', dueAt: '2027-03-12T09:00:00.000Z' } });
    await api.createTask({ body: { title: 'Later', dueAt: '2027-04-12T09:00:00.000Z' } });
    await api.cancelCalendarEvent({ params: { id: (await anEvent(api)).data.id }, body: {} });
    expect(await entries(api)).toMatchObject([
      {
        type: 'event',
        eventId: event.id,
        title: 'Demo',
        location: 'Room 4',
        status: 'scheduled',
        userId: users.active,
      },
      { type: 'task', taskId: task.id, startAt: '2027-03-12T09:00:00.000Z', endAt: '2027-03-12T09:00:00.000Z' },
      { type: 'time_off', userId: users.active, eventId: null },
    ]);
    expect(await entries(api, { types: 'task,time_off' })).toHaveLength(2);
    expect((await api.getCalendar({ query: inMarch })).data.isTruncated).toBe(false);
  });

  it('has milestones that are due', async () => {
    const api = asMe();
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    const body = { title: 'Contract', dueAt: '2027-03-12T09:00:00.000Z' };
    const { data } = await api.createMilestone({ params: { oid: deal.id }, body });
    expect(await entries(api)).toMatchObject([{ type: 'milestone', milestoneId: data.id, opportunityId: deal.id }]);
  });

  it('has what reaches into the period', async () => {
    const api = asMe();
    await anEvent(api, { startAt: '2027-02-28T23:00:00.000Z', endAt: '2027-03-01T01:00:00.000Z' });
    await anEvent(api, { startAt: '2027-02-28T22:00:00.000Z', endAt: '2027-03-01T00:00:00.000Z' });
    await anEvent(api, {
      startAt: '2027-02-21T23:00:00.000Z',
      endAt: '2027-02-22T01:00:00.000Z',
      recurrence: 'FREQ=WEEKLY;COUNT=2',
    });
    expect((await entries(api)).map(({ startAt }) => startAt)).toEqual([
      '2027-02-28T23:00:00.000Z',
      '2027-02-28T23:00:00.000Z',
    ]);
  });

  it('limits the list to users, whose events are those that they organize or attend', async () => {
    const api = asMe();
    await anEvent(api, { title: 'Mine' });
    await anEvent(api, { title: 'Ours', attendees: [{ userId: members.seller }] });
    await api.createTask({ body: { title: 'Theirs', dueAt: '2027-03-12T09:00:00Z', assignedTo: members.seller } });
    const titles = async (userIds: string) => (await entries(api, { userIds })).map(({ title }) => title);
    expect(await titles(members.seller)).toEqual(['Ours', 'Theirs']);
    expect(await titles(`${members.seller},${users.active}`)).toEqual(['Mine', 'Ours', 'Theirs']);
  });

  it('leaves out what the caller cannot read, and hides private events of others', async () => {
    const api = asMe();
    const tenantId = api.caller.tenantId as number;
    await anEvent(api, { title: 'Doctor', visibility: 'private' });
    await api.createTask({ body: { title: 'Call', dueAt: '2027-03-12T09:00:00Z' } });
    const all = service.as({ tenantId, userId: 1, can: ['calendar:read'] });
    expect((await entries(all)).map(({ type, title }) => [type, title])).toEqual([['event', 'Busy']]);
    expect(await entries(service.as({ tenantId, userId: 1, can: ['calendar:read:own', 'tasks:read:own'] }))).toEqual(
      [],
    );
    expect(await entries(service.as({ tenantId, environment: 'sandbox' }))).toEqual([]);
    const own = service.as({ tenantId, userId: me, can: ['calendar:read:own', 'tasks:read:own'] });
    expect((await entries(own)).map(({ title }) => title)).toEqual(['Doctor', 'Call']);
  });

  it.each([
    ['no period', { from: '', to: '' }, ['from', 'to']],
    ['93 days', { to: '2027-06-02T00:00:00.000Z' }, ['to']],
    ['an end before the beginning', { to: '2027-02-01T00:00:00.000Z' }, ['to']],
    ['an unknown type', { types: 'event,party' }, ['types']],
    ['more than 20 users', { userIds: Array.from({ length: 21 }, (_, n) => n + 1).join(',') }, ['userIds']],
    ['something that is no id', { userIds: '5,x' }, ['userIds']],
    ['an unknown team', { teamId: '99' }, ['teamId']],
  ])('refuses %s', async (_, query, fields) => {
    const reply = await asMe().getCalendar({ query: { ...inMarch, ...query } });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, fields]);
  });
});

describe('working hours', () => {
  const weekly = [
    { day: 'monday', start: '13:00', end: '18:00' },
    { day: 'monday', start: '08:00', end: '12:00' },
  ];
  const params = { userId: users.active };

  it('are the default until they are set, then what was set, in order', async () => {
    const api = asMe();
    const before = await api.getUserAvailability({ params });
    expect(before.data).toMatchObject({ isDefault: true, timezone: 'Europe/Berlin', version: 0 });
    expect(before.data.weekly).toHaveLength(5);
    const body = { timezone: 'Asia/Tokyo', weekly, bufferBeforeMinutes: 10 };
    const { data } = await api.setUserAvailability({ params, body });
    expect(data).toMatchObject({ ...body, weekly: weekly.toReversed(), bufferAfterMinutes: 0, isDefault: false });
    expect((await api.getUserAvailability({ params })).data).toEqual(data);
    expect((await api.setUserAvailability({ params, body })).data.version).toBe(data.version);
    const stale = await api.setUserAvailability({ params, body, headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
    expect((await eventOf(api, 'user_availability.updated')).data).toEqual({ userId: users.active });
  });

  it.each([
    ['an end before the start', [{ day: 'monday', start: '12:00', end: '12:00' }], 'weekly.0.end'],
    ['an overlap inside a day', [...weekly, { day: 'monday', start: '11:00', end: '14:00' }], 'weekly.2'],
    ['a time that does not exist', [{ day: 'monday', start: '25:00', end: '26:00' }], 'weekly.0.start'],
    ['an unknown day', [{ day: 'someday', start: '08:00', end: '12:00' }], 'weekly.0.day'],
  ])('refuse %s', async (_, hours, field) => {
    const reply = await asMe().setUserAvailability({ params, body: { timezone: 'UTC', weekly: hours } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('of others are not found by a caller narrowed to their own, and of unknown users by nobody', async () => {
    const narrow = service.as({ userId: 1, can: ['calendar:read:own', 'calendar:write:own'] });
    const body = { timezone: 'UTC', weekly: [] };
    expect((await narrow.getUserAvailability({ params })).status).toBe(404);
    expect((await narrow.setUserAvailability({ params, body })).status).toBe(404);
    expect((await asMe().getUserAvailability({ params: { userId: users.nobody } })).status).toBe(404);
  });
});

describe('time off', () => {
  it('is created for the acting user by default, listed, changed and deleted, with events', async () => {
    const api = asMe();
    const created = await anAbsence(api, { reason: 'Holiday' });
    expect([created.status, created.data]).toEqual([
      201,
      expect.objectContaining({ userId: users.active, reason: 'Holiday', createdBy: users.active, version: 1 }),
    ]);
    const params = { id: created.data.id };
    expect((await api.listTimeOff({ query: { userId: users.active, current: 'true' } })).data).toEqual([created.data]);
    expect((await api.listTimeOff({ query: { current: 'false' } })).data).toEqual([]);
    const changed = await api.updateTimeOff({ params, body: { to: '2027-03-18T00:00:00.000Z' } });
    expect(changed.data).toMatchObject({ version: 2, to: '2027-03-18T00:00:00.000Z' });
    expect((await api.updateTimeOff({ params, body: { reason: 'Holiday' } })).data.version).toBe(2);
    const stale = { 'if-match': '"1"' };
    expect((await api.deleteTimeOff({ params, headers: stale })).status).toBe(412);
    expect((await api.deleteTimeOff({ params })).data).toEqual({ id: params.id, deleted: true });
    expect((await api.getTimeOff({ params })).status).toBe(404);
    for (const name of ['created', 'updated', 'deleted']) await eventOf(api, `time_off.${name}`);
  });

  it('does not overlap other time off of the user, also with requests at once', async () => {
    const api = asMe();
    const replies = await Promise.all([anAbsence(api), anAbsence(api)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const next = await anAbsence(api, { from: '2027-03-17T00:00:00.000Z', to: '2027-03-18T00:00:00.000Z' });
    const params = { id: next.data.id };
    const moved = await api.updateTimeOff({ params, body: { from: '2027-03-16T00:00:00.000Z' } });
    expect([next.status, moved.status, moved.body.code]).toEqual([201, 409, 'time_off_overlaps']);
    expect((await anAbsence(api, { userId: members.seller })).status).toBe(201);
  });

  it.each([
    ['an end before the beginning', { to: '2027-03-14T00:00:00.000Z' }, 'to'],
    ['more than 366 days', { to: '2028-04-14T00:00:00.000Z' }, 'to'],
    ['an unknown user', { userId: users.nobody }, 'userId'],
  ])('refuses %s', async (_, fields, field) => {
    const reply = await anAbsence(asMe(), fields);
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('of others cannot be entered by a caller narrowed to their own, and is not found', async () => {
    const api = asMe();
    const { data } = await anAbsence(api);
    const can = ['calendar:read:own', 'calendar:write:own', 'calendar:delete:own'];
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: Number(members.seller), can });
    expect((await anAbsence(other, { userId: users.active })).status).toBe(422);
    expect((await anAbsence(other)).status).toBe(201);
    expect((await other.getTimeOff({ params: { id: data.id } })).status).toBe(404);
    expect((await other.deleteTimeOff({ params: { id: data.id } })).status).toBe(404);
  });
});

describe('findAvailability', () => {
  // A Friday and, after the clocks go forward on 28 March, a Monday.
  const period = { from: '2027-03-26T00:00:00.000Z', to: '2027-03-30T00:00:00.000Z', userIds: users.active };
  const slots = async (api: Api, query: Fields = {}) =>
    (await api.findAvailability({ query: { ...period, durationMinutes: '60', ...query } })).data.slots.map(
      ({ startAt, userIds }: { startAt: string; userIds: string[] }) => `${startAt.slice(5, 16)} ${userIds.join('+')}`,
    );

  it('finds slots in working hours, which keep their clock time across clock changes', async () => {
    const all = await slots(asMe());
    expect([all.length, all[0], all[14], all[15], all[29]]).toEqual([
      30,
      '03-26T08:00 5',
      '03-26T15:00 5',
      '03-29T07:00 5',
      '03-29T14:00 5',
    ]);
  });

  it('leaves out events, time off and buffers, and reports them as busy; declined events are free', async () => {
    const api = asMe();
    const monday = { startAt: '2027-03-29T09:00:00.000Z', endAt: '2027-03-29T10:00:00.000Z' };
    await anEvent(api, monday);
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: Number(members.seller) });
    const { data: invited } = await anEvent(other, {
      startAt: '2027-03-29T12:00:00.000Z',
      endAt: '2027-03-29T13:00:00.000Z',
      attendees: [{ userId: users.active }],
    });
    await api.respondToCalendarEvent({ params: { id: invited.id }, body: { response: 'declined' } });
    await anAbsence(api, { from: '2027-03-25T00:00:00.000Z', to: '2027-03-27T00:00:00.000Z' });
    const weekly = [{ day: 'monday', start: '10:00', end: '16:00' }];
    const body = { timezone: 'Europe/Berlin', weekly, bufferAfterMinutes: 30 };
    await api.setUserAvailability({ params: { userId: users.active }, body });
    expect(await slots(api)).toEqual([
      '03-29T08:00 5',
      '03-29T10:30 5',
      '03-29T11:00 5',
      '03-29T11:30 5',
      '03-29T12:00 5',
      '03-29T12:30 5',
      '03-29T13:00 5',
    ]);
    const { data } = await api.findAvailability({ query: period });
    expect(data.busy.map(({ type, startAt }: Fields) => [type, startAt])).toEqual([
      ['time_off', '2027-03-25T00:00:00.000Z'],
      ['event', monday.startAt],
    ]);
  });

  it('requires all users to be free, or any of them', async () => {
    const api = asMe();
    await api.setUserAvailability({
      params: { userId: members.seller },
      body: { timezone: 'Europe/Berlin', weekly: [{ day: 'monday', start: '16:00', end: '18:00' }] },
    });
    const userIds = `${users.active},${members.seller}`;
    expect(await slots(api, { userIds })).toEqual(['03-29T14:00 5+8']);
    const any = await slots(api, { userIds, mode: 'any' });
    expect([any.length, any.at(-2), any.at(-1)]).toEqual([32, '03-29T14:30 8', '03-29T15:00 8']);
  });

  it.each([
    ['32 days', { to: '2027-04-28T00:00:00.000Z' }, 'to'],
    ['no users', { userIds: '' }, 'userIds'],
    ['an unknown user', { userIds: users.nobody }, 'userIds'],
    ['slots of a minute', { durationMinutes: '1' }, 'durationMinutes'],
  ])('refuses %s', async (_, query, field) => {
    const reply = await asMe().findAvailability({ query: { ...period, ...query } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('shows a caller narrowed to their own calendar no other one', async () => {
    const own = asMe({ can: ['calendar:read:own'] });
    expect((await own.findAvailability({ query: period })).status).toBe(200);
    const others = await own.findAvailability({ query: { ...period, userIds: `${users.active},${members.seller}` } });
    expect([others.status, others.body.errors?.[0]?.field]).toEqual([422, 'userIds']);
  });
});
