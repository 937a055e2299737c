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

const aTask = async (api: Api) => ({ id: (await api.createTask({ body: { title: 'Offer' } })).data.id as string });
const codeOf = (reply: { status: number; body: { code?: string | undefined } }) => [reply.status, reply.body.code];

it('creates, reads, sorts, updates and deletes subtasks, each as a change of the task', async () => {
  const api = service.as();
  const task = await aTask(api);
  const add = async (body: object) => (await api.createSubtask({ params: task, body })).data;
  const first = await add({ title: 'Numbers', assignedTo: users.active, dueAt: '2027-01-10T09:00:00.000Z' });
  expect(first).toMatchObject({
    taskId: task.id,
    status: 'pending',
    order: 0,
    allowedTransitions: ['completed'],
    version: 1,
  });
  const second = await add({ title: 'Letter' });
  expect(second.order).toBe(1);
  const params = { ...task, subtaskId: second.id };
  const moved = await api.updateSubtask({ params, body: { order: 0, title: 'The letter' } });
  expect(moved.data).toMatchObject({ order: 0, title: 'The letter', version: 2 });
  expect((await api.updateSubtask({ params, body: { order: 0 } })).data.version).toBe(2);
  expect((await api.getSubtask({ params })).data).toEqual(moved.data);
  const titles = async () =>
    (await api.listSubtasks({ params: task })).data.map(({ title }: { title: string }) => title);
  expect(await titles()).toEqual(['Numbers', 'The letter']);
  expect((await api.getTask({ params: task })).data.subtasks).toHaveLength(2);
  expect((await api.deleteSubtask({ params })).data).toEqual({ id: second.id, deleted: true });
  expect(await titles()).toEqual(['Numbers']);
  expect((await api.getTask({ params: task })).data.version).toBe(5);
  await until('each change has its event', () => {
    const updates = service.events.filter(
      ({ name, tenantId }) => name === 'task.updated' && tenantId === api.caller.tenantId,
    );
    return (
      updates.length === 4 && updates.every(({ data }) => String((data as { fields: string[] }).fields) === 'subtasks')
    );
  });
});

it('completes and reopens by its operations and by PATCH; others are refused', async () => {
  const api = service.as({ userId: 8 });
  const task = await aTask(api);
  const { id: subtaskId } = (await api.createSubtask({ params: task, body: { title: 'Numbers' } })).data;
  const params = { ...task, subtaskId };
  expect(codeOf(await api.reopenSubtask({ params }))).toEqual([409, 'transition_refused']);
  const done = (await api.completeSubtask({ params })).data;
  expect(done).toMatchObject({ status: 'completed', completedAt: expect.any(String), completedBy: '8', version: 2 });
  expect(codeOf(await api.completeSubtask({ params }))).toEqual([409, 'transition_refused']);
  expect((await api.reopenSubtask({ params })).data).toMatchObject({
    status: 'pending',
    completedAt: null,
    completedBy: null,
  });
  expect((await api.updateSubtask({ params, body: { status: 'completed' } })).data.status).toBe('completed');
  expect((await api.updateSubtask({ params, headers: { 'if-match': '"1"' }, body: { title: 'X' } })).status).toBe(412);
  const both = await Promise.all([api.reopenSubtask({ params }), api.reopenSubtask({ params })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it('have one level, a valid assignee, and belong to the task of the path', async () => {
  const api = service.as();
  const [task, other] = [await aTask(api), await aTask(api)];
  const { id: subtaskId } = (await api.createSubtask({ params: task, body: { title: 'Numbers' } })).data;
  const child = await api.createSubtask({ params: task, body: { title: 'Child', parentSubtaskId: subtaskId } });
  expect([child.status, child.body.errors?.[0]?.field]).toEqual([422, 'parentSubtaskId']);
  const inactive = await api.createSubtask({ params: task, body: { title: 'Child', assignedTo: users.suspended } });
  expect([inactive.status, inactive.body.errors?.[0]?.field]).toEqual([422, 'assignedTo']);
  expect((await api.getSubtask({ params: { ...other, subtaskId } })).status).toBe(404);
  expect((await api.completeSubtask({ params: { ...other, subtaskId } })).status).toBe(404);
});

it('keep their task from being completed unless forced, and cannot change after its end', async () => {
  const api = service.as();
  const task = await aTask(api);
  const { id: subtaskId } = (await api.createSubtask({ params: task, body: { title: 'Numbers' } })).data;
  const params = { ...task, subtaskId };
  expect(codeOf(await api.completeTask({ params: task, body: {} }))).toEqual([409, 'open_subtasks']);
  expect(codeOf(await api.updateTask({ params: task, body: { status: 'completed' } }))).toEqual([409, 'open_subtasks']);
  expect((await api.completeTask({ params: task, body: { force: true } })).status).toBe(200);
  const replies = [
    await api.createSubtask({ params: task, body: { title: 'Late' } }),
    await api.updateSubtask({ params, body: { title: 'Late' } }),
    await api.completeSubtask({ params }),
    await api.deleteSubtask({ params }),
  ];
  expect(replies.map(codeOf)).toEqual(Array(4).fill([409, 'task_closed']));
  await api.reopenTask({ params: task, body: {} });
  await api.completeSubtask({ params });
  expect((await api.completeTask({ params: task, body: {} })).status).toBe(200);
});

it('are limited to 100 per task, also when added at once', async () => {
  const api = service.as();
  const task = await aTask(api);
  await service.sqlWithin(
    api.caller,
    `INSERT INTO subtask (task_id, title, sort_order) SELECT ${task.id}, 'Step', n FROM generate_series(1, 98) n`,
  );
  const add = () => api.createSubtask({ params: task, body: { title: 'Step' } });
  const statuses = (await Promise.all([add(), add(), add()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 201, 409]);
});

it('are added at the end after the highest order, too', async () => {
  const api = service.as();
  const task = await aTask(api);
  await api.createSubtask({ params: task, body: { title: 'Last', order: 10_000 } });
  const reply = await api.createSubtask({ params: task, body: { title: 'After it' } });
  expect([reply.status, reply.data.order]).toEqual([201, 10_000]);
  const { data } = await api.listSubtasks({ params: task });
  expect(data.map(({ title }: { title: string }) => title)).toEqual(['Last', 'After it']);
});
