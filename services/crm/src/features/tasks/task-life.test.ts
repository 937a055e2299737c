import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
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
type Verb = 'startTask' | 'completeTask' | 'cancelTask' | 'reopenTask';

const aTask = async (api: Api, fields: object = {}) =>
  (await api.createTask({ body: { title: 'Call Ada back', ...fields } })).data;
const eventsOf = ({ caller }: Api, id: string, count: number) =>
  until('the events arrive', () => {
    const found = service.events.filter(
      ({ tenantId, target }) => tenantId === caller.tenantId && target.type === 'task' && target.id === Number(id),
    );
    return found.length >= count && found;
  });
const codeOf = (reply: { status: number; body: { code?: string | undefined } }) => [reply.status, reply.body.code];

/** The requests by which a task reaches each status. */
const ways: Record<string, Verb[]> = {
  pending: [],
  in_progress: ['startTask'],
  completed: ['completeTask'],
  cancelled: ['cancelTask'],
};
const verbs: [Verb, string][] = [
  ['startTask', 'in_progress'],
  ['completeTask', 'completed'],
  ['cancelTask', 'cancelled'],
  ['reopenTask', 'pending'],
];
const allowed: Record<string, string[]> = {
  pending: ['in_progress', 'completed', 'cancelled'],
  in_progress: ['pending', 'completed', 'cancelled'],
  completed: ['pending'],
  cancelled: ['pending'],
};

describe('the status of a task', () => {
  const pairs = Object.keys(ways).flatMap((from) => verbs.map(([verb, to]) => [from, to, verb] as const));

  it.each(pairs)('from %s to %s follows the state table, by its operation and by PATCH', async (from, to, verb) => {
    const api = service.as();
    const made = async () => {
      const { id } = await aTask(api);
      const params = { id };
      for (const way of ways[from] as Verb[]) expect((await api[way]({ params, body: {} })).status).toBe(200);
      return params;
    };
    const params = await made();
    expect((await api.getTask({ params })).data.allowedTransitions).toEqual(allowed[from]);
    const reply = await api[verb]({ params, body: {} });
    const patched = await api.updateTask({ params: await made(), body: { status: to } });
    if ((allowed[from] as string[]).includes(to)) {
      expect([reply.status, reply.data.status]).toEqual([200, to]);
      expect([patched.status, patched.data.status]).toEqual([200, to]);
      return;
    }
    expect(codeOf(reply)).toEqual([409, 'transition_refused']);
    expect(reply.body.errors).toEqual([
      { field: 'status', message: expect.stringContaining((allowed[from] as string[])[0] as string) },
    ]);
    expect(codeOf(patched)).toEqual(from === to ? [200, undefined] : [409, 'transition_refused']);
    expect((await api.getTask({ params })).data.status).toBe(from);
  });

  it('is recorded with the result of the completion, which reopening removes, and each change has its event', async () => {
    const api = service.as({ userId: 8 });
    const { id } = await aTask(api);
    const params = { id };
    await api.startTask({ params });
    const done = await api.completeTask({ params, body: { outcome: 'Reached', note: 'Wants an offer' } });
    expect(done.data).toMatchObject({
      status: 'completed',
      completedAt: expect.any(String),
      completedBy: '8',
      outcome: 'Reached',
      outcomeNote: 'Wants an offer',
      overdue: false,
      version: 3,
    });
    const reopened = await api.reopenTask({ params, body: { reason: 'Not yet' } });
    expect(reopened.data).toMatchObject({ completedAt: null, completedBy: null, outcome: null, outcomeNote: null });
    await api.cancelTask({ params, body: { reason: 'Obsolete' } });
    const events = await eventsOf(api, id, 5);
    expect(events.map(({ name, data }) => [name, data])).toEqual([
      ['task.created', { taskId: id, title: 'Call Ada back', assigneeId: null }],
      ['task.updated', { taskId: id, fields: ['status'] }],
      ['task.completed', { taskId: id }],
      ['task.reopened', { taskId: id, from: 'completed', reason: 'Not yet' }],
      ['task.updated', { taskId: id, fields: ['status'], reason: 'Obsolete' }],
    ]);
    expect(events.map(({ changes }) => changes?.['status'])).toEqual([
      undefined,
      { from: 'pending', to: 'in_progress' },
      { from: 'in_progress', to: 'completed' },
      { from: 'completed', to: 'pending' },
      { from: 'pending', to: 'cancelled' },
    ]);
  });

  it('has one winner when a task is completed twice at once', async () => {
    const api = service.as();
    const params = { id: (await aTask(api)).id };
    const replies = await Promise.all([1, 2, 3].map(() => api.completeTask({ params, body: {} })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await api.getTask({ params })).data.version).toBe(2);
  });

  it('changes only for the version of If-Match', async () => {
    const api = service.as();
    const { id } = await aTask(api);
    const params = { id };
    const headers = { 'if-match': '"9"' };
    const replies = [
      await api.updateTask({ params, headers, body: { title: 'Later' } }),
      await api.completeTask({ params, headers, body: {} }),
      await api.assignTask({ params, headers, body: { assignedTo: null } }),
      await api.deleteTask({ params, headers }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([412, 412, 412, 412]);
    const match = { 'if-match': '"1"' };
    expect((await api.startTask({ params, headers: match })).data.version).toBe(2);
  });
});

describe('updateTask', () => {
  it('changes fields with one event, and writes nothing without a change', async () => {
    const api = service.as();
    const { id } = await aTask(api, { priority: 'low' });
    const body = {
      title: 'Visit',
      description: 'At ten',
      type: 'meeting',
      priority: 'urgent',
      dueAt: '2027-01-10T09:00:00.000Z',
    };
    const { data } = await api.updateTask({ params: { id }, body });
    expect(data).toMatchObject({ ...body, version: 2 });
    expect((await api.updateTask({ params: { id }, body })).data.version).toBe(2);
    const [, event] = await eventsOf(api, id, 2);
    expect(event).toMatchObject({
      name: 'task.updated',
      data: { taskId: id, fields: ['title', 'description', 'dueAt', 'type', 'priority'] },
      changes: { priority: { from: 'low', to: 'urgent' } },
    });
  });

  it.each([
    [{ title: ' ' }, 'title'],
    [{ status: 'done' }, 'status'],
    [{ assignedTo: users.suspended }, 'assignedTo'],
    [{ assignedTo: users.nobody }, 'assignedTo'],
    [{ teamId: '99' }, 'teamId'],
    [{ leadId: '999999' }, 'leadId'],
    [{ opportunityId: '999999' }, 'opportunityId'],
  ])('rejects %j and changes nothing', async (body, field) => {
    const api = service.as();
    const { id } = await aTask(api);
    const reply = await api.updateTask({ params: { id }, body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await api.getTask({ params: { id } })).data.version).toBe(1);
  });
});

describe('assignTask', () => {
  it('moves the task to the user and their team, with the events that notify and record it', async () => {
    const api = service.as();
    const { id } = await aTask(api);
    const { data } = await api.assignTask({
      params: { id },
      body: { assignedTo: members.seller, note: 'You know them' },
    });
    expect(data).toMatchObject({ assignedTo: members.seller, teamId: teams.sales, version: 2 });
    const [, updated, assigned] = await eventsOf(api, id, 3);
    expect(updated).toMatchObject({ name: 'task.updated', data: { fields: ['assignedTo', 'teamId'] } });
    expect(assigned).toMatchObject({
      name: 'task.assigned',
      data: { taskId: id, from: null, to: members.seller, note: 'You know them' },
    });
    expect((await api.assignTask({ params: { id }, body: { assignedTo: members.seller } })).data.version).toBe(2);
    expect((await api.assignTask({ params: { id }, body: { assignedTo: null } })).data.assignedTo).toBeNull();
  });

  it.each([[users.suspended], [users.nobody]])('rejects user %s', async (assignedTo) => {
    const api = service.as();
    const { id } = await aTask(api);
    const reply = await api.assignTask({ params: { id }, body: { assignedTo } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'assignedTo']);
  });
});

describe('a deleted task', () => {
  it('is gone from reads, lists, counts and names, and comes back by restore', async () => {
    const api = service.as({ userId: Number(users.active) });
    const { tenantId } = api.caller;
    const { id } = await aTask(api, { assignedTo: users.active, dueAt: '2020-01-01T00:00:00Z' });
    const params = { id };
    const found = async () => {
      const as = service.as({
        tenantId: tenantId as number,
        type: 'system',
        onBehalfOf: Number(users.active),
        can: ['tasks:read'],
      });
      const counts = (await as.countDueTasks({ body: { until: '2999-01-01T00:00:00Z' } })).data;
      const names = (await as.nameCrmRecords({ body: { task: [id] } })).data.task;
      const open = (
        await service
          .as({ tenantId: tenantId as number, type: 'system' })
          .countOpenWork({ body: { userId: users.active } })
      ).data.tasks;
      return [
        (await api.getTask({ params })).status,
        (await api.listTasks()).data.length,
        counts?.overdue,
        names?.length,
        open,
      ];
    };
    expect(await found()).toEqual([200, 1, 1, 1, 1]);
    expect((await api.deleteTask({ params })).data).toEqual({ id, deleted: true });
    expect(await found()).toEqual([404, 0, 0, 0, 0]);
    expect((await api.listTasks({ query: { deleted: 'true' } })).data).toHaveLength(1);
    for (const verb of ['completeTask', 'deleteTask', 'startTask'] as const)
      expect((await api[verb]({ params, ...(verb === 'completeTask' && { body: {} }) })).status).toBe(404);
    expect((await api.restoreTask({ params })).data).toMatchObject({ id, status: 'pending', version: 3 });
    expect(codeOf(await api.restoreTask({ params }))).toEqual([409, 'not_deleted']);
    expect(await found()).toEqual([200, 1, 1, 1, 1]);
    const events = await eventsOf(api, id, 3);
    expect(events.map(({ name }) => name)).toEqual(['task.created', 'task.deleted', 'task.restored']);
  });

  it('is purged after 30 days with what belongs to it', async () => {
    const api = service.as();
    const { id } = await aTask(api, { reminders: [{ remindAt: '2999-01-01T00:00:00Z' }] });
    await api.createSubtask({ params: { id }, body: { title: 'Prepare' } });
    await api.deleteTask({ params: { id } });
    await service.sqlWithin(api.caller, `UPDATE task SET deleted_at = now() - interval '31 days'`);
    expect(await service.housekeep()).toEqual([]);
    const rows = await service.sqlWithin(
      api.caller,
      'SELECT id FROM task UNION ALL SELECT id FROM subtask UNION ALL SELECT id FROM reminder',
    );
    expect(rows).toEqual([]);
  });
});

describe('a narrowed caller', () => {
  it('changes own tasks only, and none of another environment', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const { id } = await aTask(api);
    const own = service.as({ tenantId, userId: 8, can: ['tasks:read:own', 'tasks:write:own', 'tasks:delete:own'] });
    const params = { id };
    const all = async (as: Api) => [
      (await as.getTask({ params })).status,
      (await as.updateTask({ params, body: { title: 'Mine' } })).status,
      (await as.createSubtask({ params, body: { title: 'Mine' } })).status,
      (await as.listSubtasks({ params })).status,
      (await as.createTaskReminder({ params, body: { remindAt: '2999-01-01T00:00:00Z' } })).status,
      (await as.listTaskReminders({ params })).status,
      (await as.completeTask({ params, body: {} })).status,
      (await as.deleteTask({ params })).status,
    ];
    expect(await all(own)).toEqual([404, 404, 404, 404, 404, 404, 404, 404]);
    expect(await all(service.as({ tenantId, environment: 'sandbox' }))).toEqual([
      404, 404, 404, 404, 404, 404, 404, 404,
    ]);
    await api.assignTask({ params, body: { assignedTo: members.seller } });
    expect(await all(own)).toEqual([200, 200, 201, 200, 201, 200, 409, 200]);
  });
});
