import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, users } from '@tandem/testing';
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

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();

/** A task of a user who may change only their own tasks, and that user. */
async function aNarrowedTask(fields: object) {
  const api = service.as();
  const { data: task } = await api.createTask({
    body: { title: 'Report', assignedTo: users.active, reminders: [{ minutesBefore: 60 }], ...fields },
  });
  const can = ['tasks:read:own', 'tasks:write:own'];
  const assignee = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active), can });
  return { api, task, assignee, params: { id: task.id as string } };
}

it('reminders follow a due time that changes together with the assignee', async () => {
  const { api, assignee, params } = await aNarrowedTask({ dueAt: inHours(5) });
  const dueAt = inHours(9);
  const reply = await assignee.updateTask({ params, body: { assignedTo: members.seller, dueAt } });
  expect([reply.status, reply.data.assignedTo]).toEqual([200, members.seller]);
  const { data } = await api.getTask({ params });
  expect(data.reminders).toMatchObject([
    { status: 'scheduled', remindAt: new Date(Date.parse(dueAt) - hourMs).toISOString() },
  ]);
});

it('a recurring task that is handed over and completed cancels its reminders, and the next one has all parts', async () => {
  const recurrence = { rrule: 'FREQ=DAILY', timezone: 'Europe/Berlin' };
  const { api, task, assignee, params } = await aNarrowedTask({ dueAt: inHours(48), recurrence });
  await api.createSubtask({ params, body: { title: 'Collect the numbers' } });
  const body = { assignedTo: members.seller, status: 'completed' };
  const refused = await assignee.updateTask({ params, body });
  expect([refused.status, refused.body.code]).toEqual([409, 'open_subtasks']);
  const [subtask] = (await api.listSubtasks({ params })).data;
  await api.completeSubtask({ params: { ...params, subtaskId: subtask.id } });
  expect((await assignee.updateTask({ params, body })).status).toBe(200);
  expect((await api.getTask({ params })).data.reminders).toMatchObject([{ status: 'cancelled' }]);
  const tasks = (await api.listTasks()).data as { id: string }[];
  const next = tasks.find(({ id }) => id !== task.id) as { id: string };
  expect((await api.getTask({ params: { id: next.id } })).data).toMatchObject({
    assignedTo: members.seller,
    subtasks: [{ title: 'Collect the numbers', status: 'pending' }],
    reminders: [{ status: 'scheduled', minutesBefore: 60 }],
  });
});
