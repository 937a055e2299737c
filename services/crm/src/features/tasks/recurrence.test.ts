import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, until } from '@tandem/testing';
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
interface Shown {
  id: string;
  dueAt: string;
  status: string;
}

const berlin = { rrule: 'FREQ=DAILY', timezone: 'Europe/Berlin' };
const aTask = async (api: Api, fields: object) => (await api.createTask({ body: { title: 'Report', ...fields } })).data;
const tasksOf = async (api: Api) => (await api.listTasks({ query: { sort: 'dueAt' } })).data as Shown[];
const done = (api: Api, id: string) => api.completeTask({ params: { id }, body: {} });

/** Completes the open task of a series until there is none; returns the due times. */
async function dueTimes(api: Api, max: number): Promise<string[]> {
  for (let count = 0; count < max; count++) {
    const open = (await tasksOf(api)).find(({ status }) => status === 'pending');
    if (!open) break;
    expect((await done(api, open.id)).status).toBe(200);
  }
  return (await tasksOf(api)).map(({ dueAt }) => dueAt);
}

it.each([
  [
    'Berlin in March',
    { ...berlin, count: 3 },
    ['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z', '2026-03-30T07:00:00.000Z'],
  ],
  [
    'Berlin in October',
    { ...berlin, until: '2026-10-26T08:00:00Z' },
    ['2026-10-24T07:00:00.000Z', '2026-10-25T08:00:00.000Z', '2026-10-26T08:00:00.000Z'],
  ],
  [
    'Lord Howe in October, by half an hour',
    { rrule: 'FREQ=DAILY;COUNT=3', timezone: 'Australia/Lord_Howe' },
    ['2026-10-02T22:30:00.000Z', '2026-10-03T22:00:00.000Z', '2026-10-04T22:00:00.000Z'],
  ],
  [
    'Lord Howe in April',
    { rrule: 'FREQ=DAILY;UNTIL=20260406', timezone: 'Australia/Lord_Howe' },
    ['2026-04-03T22:00:00.000Z', '2026-04-04T22:30:00.000Z', '2026-04-05T22:30:00.000Z'],
  ],
  [
    'a first task on another day than those of the rule',
    { rrule: 'FREQ=WEEKLY;BYDAY=MO', timezone: 'Europe/Berlin', count: 3 },
    ['2026-03-24T08:00:00.000Z', '2026-03-30T07:00:00.000Z', '2026-04-06T07:00:00.000Z'],
  ],
])('keeps the time of day across the clock change: %s', async (_, recurrence, expected) => {
  const api = service.as();
  const { recurrence: shown } = await aTask(api, { dueAt: expected[0], recurrence });
  expect(shown).toMatchObject({ rrule: recurrence.rrule, timezone: recurrence.timezone, occurrence: 1 });
  expect(await dueTimes(api, 5)).toEqual(expected);
});

it('ends after the COUNT of its rule if count is null', async () => {
  const api = service.as();
  const recurrence = { rrule: 'FREQ=DAILY;COUNT=2', timezone: 'UTC', count: null };
  await aTask(api, { dueAt: '2099-03-10T08:00:00Z', recurrence });
  expect(await dueTimes(api, 4)).toHaveLength(2);
});

it.each([
  ['FREQ=DAILY;UNTIL=20990312T080000Z', 'UTC', '2099-03-12T08:00:00.000Z'],
  ['FREQ=DAILY;UNTIL=20990312', 'Asia/Tokyo', '2099-03-12T14:59:59.000Z'],
])('shows the UNTIL of the rule %s as until, which can be sent back', async (rrule, timezone, until) => {
  const api = service.as();
  const { id, recurrence } = await aTask(api, { dueAt: '2099-03-10T08:00:00Z', recurrence: { rrule, timezone } });
  expect(recurrence).toEqual({ rrule, timezone, until, count: null, occurrence: 1 });
  expect((await api.getTask({ params: { id } })).data.recurrence).toEqual(recurrence);
  const again = await api.setTaskRecurrence({ params: { id }, body: { rrule, timezone, until, count: null } });
  expect([again.status, again.data.recurrence]).toEqual([200, recurrence]);
  expect(await dueTimes(api, 5)).toHaveLength(3);
});

it('lists tasks with their recurrence, and links an ended task to the next one', async () => {
  const api = service.as();
  const { id, nextTaskId } = await aTask(api, { dueAt: '2099-03-10T08:00:00Z', recurrence: berlin });
  const single = await aTask(api, { dueAt: '2099-03-11T07:00:00Z' });
  expect([nextTaskId, single.nextTaskId, single.recurrence]).toEqual([null, null, null]);
  const { data: completed } = await done(api, id);
  const second = await api.cancelTask({ params: { id: completed.nextTaskId }, body: {} });
  expect((await done(api, single.id)).data.nextTaskId).toBeNull();
  const { data: tasks } = await api.listTasks({ query: { sort: 'dueAt' } });
  const shown = { ...berlin, until: null, count: null };
  expect(tasks).toMatchObject([
    { id, recurrence: { ...shown, occurrence: 1 }, nextTaskId: completed.nextTaskId },
    { id: single.id, recurrence: null, nextTaskId: null },
    { id: completed.nextTaskId, recurrence: { ...shown, occurrence: 2 }, nextTaskId: second.data.nextTaskId },
    { id: second.data.nextTaskId, recurrence: { ...shown, occurrence: 3 }, nextTaskId: null },
  ]);
  expect((await api.getTask({ params: { id } })).data.nextTaskId).toBe(completed.nextTaskId);
  await api.deleteTask({ params: { id: second.data.nextTaskId } });
  expect((await api.getTask({ params: { id: completed.nextTaskId } })).data.nextTaskId).toBeNull();
});

it('does not link to a next task that a narrowed caller cannot read', async () => {
  const api = service.as();
  const { id } = await aTask(api, { dueAt: '2099-03-10T08:00:00Z', assignedTo: members.seller, recurrence: berlin });
  const { data } = await done(api, id);
  await api.assignTask({ params: { id: data.nextTaskId }, body: { assignedTo: null } });
  const own = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can: ['tasks:read:own'] });
  expect((await own.getTask({ params: { id } })).data).toMatchObject({ recurrence: berlin, nextTaskId: null });
  expect((await own.listTasks()).data).toMatchObject([{ id, nextTaskId: null }]);
});

it('keeps the clock time of subtasks across the clock change', async () => {
  const api = service.as();
  const dueAt = '2026-03-28T08:00:00.000Z';
  const { id } = await aTask(api, { dueAt, recurrence: berlin });
  for (const time of ['07:00', '23:30'])
    await api.createSubtask({ params: { id }, body: { title: time, dueAt: `2026-03-28T${time}:00Z` } });
  await api.completeTask({ params: { id }, body: { force: true } });
  const [, next] = await tasksOf(api);
  expect((await api.getTask({ params: { id: next?.id } })).data.subtasks).toMatchObject([
    { dueAt: '2026-03-29T06:00:00.000Z' },
    { dueAt: '2026-03-29T22:30:00.000Z' },
  ]);
});

it('creates the next task once, with its fields, subtasks and relative reminders, on completion and on cancellation', async () => {
  const api = service.as();
  const dueAt = '2099-03-10T08:00:00.000Z';
  const fields = { description: 'Numbers', type: 'call', priority: 'high', assignedTo: members.seller };
  const reminders = [{ minutesBefore: 30, channel: 'email' }, { remindAt: '2098-01-01T00:00:00Z' }];
  const { id } = await aTask(api, { ...fields, dueAt, reminders, recurrence: berlin });
  const params = { id };
  await api.createSubtask({ params, body: { title: 'Collect', dueAt: '2099-03-10T07:00:00Z' } });
  await Promise.all([1, 2, 3].map(() => api.completeTask({ params, body: { force: true } })));
  await api.reopenTask({ params, body: {} });
  await api.cancelTask({ params, body: {} });
  const [, next, ...more] = await tasksOf(api);
  expect(more).toEqual([]);
  const shown = (await api.getTask({ params: { id: next?.id } })).data;
  expect(shown).toMatchObject({ ...fields, status: 'pending', dueAt: '2099-03-11T08:00:00.000Z', title: 'Report' });
  expect(shown.subtasks).toMatchObject([{ title: 'Collect', status: 'pending', dueAt: '2099-03-11T07:00:00.000Z' }]);
  expect(shown.reminders).toMatchObject([
    { remindAt: '2099-03-11T07:30:00.000Z', channel: 'email', status: 'scheduled' },
  ]);
  expect(shown.recurrence).toMatchObject({ ...berlin, occurrence: 2, until: null, count: null });
  await api.cancelTask({ params: { id: shown.id }, body: {} });
  expect((await tasksOf(api)).map((one) => one.dueAt).at(-1)).toBe('2099-03-12T08:00:00.000Z');
  await until('each task has its event', () => {
    const created = service.events.filter(
      ({ name, tenantId }) => name === 'task.created' && tenantId === api.caller.tenantId,
    );
    return created.length === 3;
  });
});

it('creates the next task once although a narrowed caller cannot see it any more', async () => {
  const api = service.as();
  const { id } = await aTask(api, { dueAt: '2099-03-10T08:00:00Z', assignedTo: members.seller, recurrence: berlin });
  const own = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can: ['tasks:write:own'] });
  expect((await done(own, id)).status).toBe(200);
  const [, next] = await tasksOf(api);
  await api.assignTask({ params: { id: next?.id }, body: { assignedTo: null } });
  await own.reopenTask({ params: { id }, body: {} });
  expect((await done(own, id)).status).toBe(200);
  expect(await tasksOf(api)).toHaveLength(2);
});

it('is set, replaced and ended for an open task, from its current due time', async () => {
  const api = service.as();
  const { id } = await aTask(api, { dueAt: '2099-03-10T08:00:00Z' });
  const params = { id };
  expect((await api.setTaskRecurrence({ params, headers: { 'if-match': '"3"' }, body: berlin })).status).toBe(412);
  const set = await api.setTaskRecurrence({ params, body: berlin });
  expect([set.status, set.data.recurrence, set.data.version]).toEqual([
    200,
    { ...berlin, until: null, count: null, occurrence: 1 },
    2,
  ]);
  const weekly = { rrule: 'FREQ=WEEKLY', timezone: 'UTC', count: 2 };
  expect((await api.setTaskRecurrence({ params, body: weekly })).data.recurrence).toMatchObject(weekly);
  // A task that is postponed does not move its series.
  const endless = await api.updateTask({ params, body: { dueAt: null } });
  expect([endless.status, endless.body.errors?.[0]?.field]).toEqual([422, 'dueAt']);
  const postponed = await api.updateTask({ params, body: { dueAt: '2099-03-12T08:00:00Z' } });
  expect(postponed.data).toHaveProperty('nextTaskId', null);
  expect(await dueTimes(api, 5)).toEqual(['2099-03-12T08:00:00.000Z', '2099-03-17T08:00:00.000Z']);
  expect((await api.setTaskRecurrence({ params, body: berlin })).body.code).toBe('task_closed');
  const other = await aTask(api, { dueAt: '2099-05-10T08:00:00Z', recurrence: berlin });
  const ended = { params: { id: other.id } };
  expect((await api.deleteTaskRecurrence(ended)).data).toEqual({ id: other.id, deleted: true });
  expect((await api.deleteTaskRecurrence(ended)).status).toBe(404);
  expect((await api.getTask(ended)).data.recurrence).toBeNull();
  await done(api, other.id);
  expect(await tasksOf(api)).toHaveLength(3);
});

it.each([
  ['no rule', { rrule: 'every day' }, 'rrule'],
  ['a rule with another frequency', { rrule: 'FREQ=HOURLY' }, 'rrule'],
  ['a rule that never matches', { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, 'rrule'],
  ['a rule that never matches by its interval', { rrule: 'FREQ=DAILY;INTERVAL=7;BYDAY=MO' }, 'rrule'],
  ['an offset as the zone', { timezone: '+01:00' }, 'timezone'],
  ['two ends', { until: '2099-04-01T00:00:00Z', count: 3 }, 'until'],
  ['an end in the rule too', { rrule: 'FREQ=DAILY;COUNT=2', count: 3 }, 'until'],
  ['an end before the due time', { until: '2099-01-01T00:00:00Z' }, 'until'],
  ['no occurrence at all', { count: 0 }, 'count'],
])('rejects %s', async (_, wrong, field) => {
  const api = service.as();
  // A Tuesday.
  const { id } = await aTask(api, { dueAt: '2099-03-10T08:00:00Z' });
  const reply = await api.setTaskRecurrence({ params: { id }, body: { ...berlin, ...wrong } });
  expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  const body = { title: 'Report', dueAt: '2099-03-10T08:00:00Z', recurrence: { ...berlin, ...wrong } };
  const created = await api.createTask({ body });
  expect([created.status, created.body.errors?.map((error) => error.field)]).toEqual([422, [`recurrence.${field}`]]);
});

it('rejects a recurrence without a due time', async () => {
  const api = service.as();
  const { id } = await aTask(api, {});
  const reply = await api.setTaskRecurrence({ params: { id }, body: berlin });
  expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'rrule']);
});

it('names the next task when an update completes a task', async () => {
  const api = service.as();
  const { id } = await aTask(api, {
    dueAt: '2099-03-10T08:00:00Z',
    recurrence: { rrule: 'FREQ=DAILY', timezone: 'UTC' },
  });
  const { data } = await api.updateTask({ params: { id }, body: { status: 'completed' } });
  const next = (await tasksOf(api)).find(({ status }) => status === 'pending');
  expect([data.status, data.nextTaskId]).toEqual(['completed', next?.id]);
});
