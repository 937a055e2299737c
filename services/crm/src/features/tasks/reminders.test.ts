import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, testService, testSettings, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { alone, startCrm } from '../../crm.test-service.ts';
import { crmService } from '../../service.ts';

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

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
const aTask = async (api: Api, fields: object = {}) =>
  (await api.createTask({ body: { title: 'Call Ada back', ...fields } })).data;
const codeOf = (reply: { status: number; body: { code?: string | undefined } }) => [reply.status, reply.body.code];
const remindersOf = async (api: Api, id: string) =>
  (await api.listTaskReminders({ params: { id } })).data as { id: string; status: string; remindAt: string }[];
const sentOf = (from: TestService<typeof crm>, { caller }: Api) =>
  from.events.filter(({ name, tenantId }) => name === 'reminder.due' && tenantId === caller.tenantId);

describe('reminders of a task', () => {
  it('are at a fixed time or before the due time, in the order of their times, with one event per change', async () => {
    const api = service.as({ userId: 8 });
    const dueAt = inHours(5);
    const { id, reminders } = await aTask(api, { dueAt, reminders: [{ minutesBefore: 60, channel: 'email' }] });
    const params = { id };
    const remindAt = inHours(2);
    const added = await api.createTaskReminder({ params, body: { remindAt } });
    expect([added.status, added.data]).toEqual([
      201,
      expect.objectContaining({
        ...{ taskId: id, remindAt, minutesBefore: null, channel: 'in_app', status: 'scheduled', sentAt: null },
        ...{ createdBy: '8', version: 1, allowedTransitions: ['cancelled'] },
      }),
    ]);
    expect(reminders[0]).toMatchObject({
      ...{ channel: 'email', minutesBefore: 60 },
      remindAt: new Date(Date.parse(dueAt) - hourMs).toISOString(),
    });
    const listed = await remindersOf(api, id);
    expect(listed.map((one) => one.id)).toEqual([added.data.id, reminders[0].id]);
    const { data } = await api.getTask({ params });
    expect([data.reminders, data.version]).toEqual([listed, 2]);
  });

  it.each([
    ['without a time', {}, 'remindAt'],
    ['with both times', { remindAt: inHours(1), minutesBefore: 5 }, 'remindAt'],
    ['in the past', { remindAt: inHours(-1) }, 'remindAt'],
    ['without a due time', { minutesBefore: 5 }, 'minutesBefore'],
    ['with another channel', { remindAt: inHours(1), channel: 'sms' }, 'channel'],
    ['with negative minutes', { minutesBefore: -5 }, 'minutesBefore'],
  ])('are rejected %s', async (_, body, field) => {
    const api = service.as();
    const { id } = await aTask(api);
    const reply = await api.createTaskReminder({ params: { id }, body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    const withTask = await api.createTask({ body: { title: 'Call', reminders: [body] } });
    expect([withTask.status, withTask.body.errors?.map((error) => error.field)]).toEqual([
      422,
      [`reminders.0.${field}`],
    ]);
  });

  it('are rejected if their distance from the due time has passed', async () => {
    const api = service.as();
    const { id } = await aTask(api, { dueAt: inHours(1) });
    const reply = await api.createTaskReminder({ params: { id }, body: { minutesBefore: 61 } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'minutesBefore']);
  });

  it('are cancelled once; at most 20 are scheduled', async () => {
    const api = service.as();
    const reminders = Array.from({ length: 19 }, () => ({ remindAt: inHours(1) }));
    const { id, reminders: made } = await aTask(api, { reminders });
    const add = () => api.createTaskReminder({ params: { id }, body: { remindAt: inHours(1) } });
    expect((await Promise.all([add(), add()])).map(({ status }) => status).sort()).toEqual([201, 409]);
    const params = { id, reminderId: made[0].id };
    expect((await api.deleteTaskReminder({ params, headers: { 'if-match': '"7"' } })).status).toBe(412);
    expect((await api.deleteTaskReminder({ params })).data).toEqual({ id: made[0].id, deleted: true });
    expect(codeOf(await api.deleteTaskReminder({ params }))).toEqual([409, 'reminder_closed']);
    expect((await add()).status).toBe(201);
    const other = await aTask(api);
    expect((await api.deleteTaskReminder({ params: { ...params, id: other.id } })).status).toBe(404);
  });

  it('follow the due time, and the end, reopening, deletion and restoring of the task', async () => {
    const api = service.as();
    const dueAt = inHours(5);
    const { id, reminders } = await aTask(api, {
      dueAt,
      reminders: [{ minutesBefore: 60 }, { minutesBefore: 120 }, { minutesBefore: 30 }, { remindAt: inHours(9) }],
    });
    const params = { id };
    await api.deleteTaskReminder({
      params: {
        ...params,
        reminderId: reminders.find((one: { minutesBefore: number }) => one.minutesBefore === 30).id,
      },
    });
    const states = async () => {
      const rows = (await remindersOf(api, id)) as unknown as {
        minutesBefore: number | null;
        status: string;
        remindAt: string;
      }[];
      return Object.fromEntries(rows.map(({ minutesBefore, status }) => [String(minutesBefore), status]));
    };
    const later = inHours(1.5);
    await api.updateTask({ params, body: { dueAt: later } });
    expect(await states()).toEqual({ 60: 'scheduled', 120: 'cancelled', 30: 'cancelled', null: 'scheduled' });
    const moved = (await remindersOf(api, id)).find(({ status }) => status === 'scheduled');
    expect(moved?.remindAt).toBe(new Date(Date.parse(later) - hourMs).toISOString());
    await api.updateTask({ params, body: { dueAt: null } });
    expect(await states()).toEqual({ 60: 'cancelled', 120: 'cancelled', 30: 'cancelled', null: 'scheduled' });
    await api.updateTask({ params, body: { dueAt } });
    const all = { 60: 'scheduled', 120: 'scheduled', 30: 'cancelled', null: 'scheduled' };
    expect(await states()).toEqual(all);
    await api.completeTask({ params, body: {} });
    const none = { 60: 'cancelled', 120: 'cancelled', 30: 'cancelled', null: 'cancelled' };
    expect(await states()).toEqual(none);
    expect(codeOf(await api.createTaskReminder({ params, body: { remindAt: inHours(1) } }))).toEqual([
      409,
      'task_closed',
    ]);
    await api.reopenTask({ params, body: {} });
    expect(await states()).toEqual(all);
    await api.deleteTask({ params });
    await api.restoreTask({ params });
    expect(await states()).toEqual(all);
    await api.cancelTask({ params, body: {} });
    expect(await states()).toEqual(none);
  });
});

describe('sending reminders', () => {
  /** Two instances on one database, with the same namespace in Redis. */
  async function instances() {
    const settings = await testSettings('crm');
    const define = () => crmService({ ...settings, ...alone, IDENTITY_URL: identity.url });
    const first = await testService('crm', define, settings);
    const second = await testService('crm', define, settings);
    return { first, second, namespace: settings.NAMESPACE };
  }

  it('happens once with two instances, and in spite of an emptied Redis', async () => {
    const { first, second, namespace } = await instances();
    try {
      const api = first.as({ userId: 8 });
      const dueAt = inHours(1);
      const soon = new Date(Date.now() + 3_000).toISOString();
      const reminders = Array.from({ length: 5 }, () => ({ remindAt: soon, channel: 'email' }));
      const { id } = (await api.createTask({ body: { title: 'Call', dueAt, assignedTo: members.seller, reminders } }))
        .data;
      const redis = new Redis(process.env['TEST_REDIS_URL'] as string);
      const keys = await redis.keys(`*${namespace}*`);
      if (keys.length) await redis.del(...keys);
      redis.disconnect();
      const sent = await until('all are sent', async () => {
        const found = sentOf(second, api as never);
        return found.length >= 5 && found;
      });
      const row = (await api.listTaskReminders({ params: { id } })).data as {
        id: string;
        status: string;
        sentAt: string;
      }[];
      expect(row.map(({ status }) => status)).toEqual(Array(5).fill('sent'));
      expect(row.every(({ sentAt }) => sentAt >= soon)).toBe(true);
      expect(new Set(sent.map(({ data }) => (data as { reminderId: string }).reminderId)).size).toBe(5);
      expect(sent).toHaveLength(5);
      expect(sent[0]?.data).toEqual({
        ...{ taskId: id, reminderId: expect.any(String), userId: members.seller, channel: 'email' },
        ...{ title: 'Call', dueAt },
      });
      const reminderId = row[0]?.id as string;
      expect(codeOf(await api.deleteTaskReminder({ params: { id, reminderId } }))).toEqual([409, 'reminder_closed']);
    } finally {
      await second.close();
      await first.close();
    }
  });

  it('leaves out reminders that moved, and reminds the creator if nobody has the task', async () => {
    const api = service.as({ userId: 8 });
    const dueAt = new Date(Date.now() + 62_000).toISOString();
    const { id } = await aTask(api, { dueAt, reminders: [{ minutesBefore: 1 }] });
    await api.updateTask({ params: { id }, body: { dueAt: inHours(3) } });
    const other = await aTask(api, { reminders: [{ remindAt: new Date(Date.now() + 2_500).toISOString() }] });
    const [sent] = await until('the later one is sent', () => {
      const found = sentOf(service, api);
      return found.length > 0 && found;
    });
    expect(sent?.data).toMatchObject({ taskId: other.id, userId: '8' });
    expect((await remindersOf(api, id)).map(({ status }) => status)).toEqual(['scheduled']);
    expect(sentOf(service, api)).toHaveLength(1);
  });
});
