import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
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
const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);

async function someTasks(api: Api, count: number, fields: object = {}) {
  const ids: string[] = [];
  for (let index = 0; index < count; index++)
    ids.push((await api.createTask({ body: { title: `Task ${index}`, ...fields } })).data.id);
  return { ids, codes: ids.map((id) => codec.encode('task', api.caller.tenantId as number, Number(id))) };
}

const read = async (api: Api, id: string | undefined) => (await api.getTask({ params: { id } })).data;

it('completes by ids, each with its event, result and next task; one that cannot be completed stops no other', async () => {
  const api = service.as({ userId: 8 });
  const { ids, codes } = await someTasks(api, 3);
  const recurring = await someTasks(api, 1, {
    dueAt: '2099-03-10T08:00:00Z',
    recurrence: { rrule: 'FREQ=DAILY', timezone: 'UTC' },
    reminders: [{ minutesBefore: 5 }],
  });
  await api.createSubtask({ params: { id: ids[0] }, body: { title: 'Open' } });
  await api.cancelTask({ params: { id: ids[1] }, body: {} });
  const body = { ids: [...codes, ...recurring.codes], outcome: 'Done', note: 'All' };
  const { data } = await api.bulkCompleteTasks({ body });
  expect(data.results.map(({ error }: { error: { code: string } | null }) => error?.code)).toEqual([
    'open_subtasks',
    'transition_refused',
    undefined,
    undefined,
  ]);
  expect(await read(api, ids[2])).toMatchObject({
    status: 'completed',
    completedBy: '8',
    outcome: 'Done',
    outcomeNote: 'All',
  });
  const open = (await api.listTasks({ query: { status: 'pending', sort: '-dueAt' } })).data;
  const next = open.find(({ dueAt }: { dueAt: string | null }) => dueAt !== null);
  expect((await read(api, next.id)).reminders).toMatchObject([{ status: 'scheduled' }]);
  await until('the events arrive', () => {
    const found = service.events.filter(
      ({ name, tenantId }) => name === 'task.completed' && tenantId === api.caller.tenantId,
    );
    return found.length === 2;
  });
});

it('updates, assigns and deletes by ids; bad values reject the request', async () => {
  const api = service.as();
  const { ids, codes } = await someTasks(api, 2);
  const updated = await api.bulkUpdateTasks({
    body: { ids: codes, change: { priority: 'urgent', status: 'in_progress' } },
  });
  expect(updated.data.succeeded).toBe(2);
  await api.bulkAssignTasks({ body: { ids: codes, assignedTo: members.seller } });
  for (const id of ids)
    expect(await read(api, id)).toMatchObject({
      priority: 'urgent',
      status: 'in_progress',
      assignedTo: members.seller,
      version: 3,
    });
  const inactive = await api.bulkAssignTasks({ body: { ids: codes, assignedTo: users.suspended } });
  expect([inactive.status, inactive.body.errors?.[0]?.field]).toEqual([422, 'assignedTo']);
  const nested = await api.bulkUpdateTasks({ body: { ids: codes, change: { assignedTo: users.nobody } } });
  expect([nested.status, nested.body.errors?.[0]?.field]).toEqual([422, 'change.assignedTo']);
  expect((await api.bulkDeleteTasks({ body: { ids: codes } })).data.succeeded).toBe(2);
  expect((await api.listTasks()).data).toEqual([]);
  expect((await api.bulkDeleteTasks({ body: { ids: codes } })).data.failed).toBe(2);
});

it('completes the tasks of a filter in the background, as the user who asked', async () => {
  const api = service.as({ userId: 8 });
  await someTasks(api, 3, { type: 'call' });
  await someTasks(api, 1);
  const wrong = await api.bulkCompleteTasks({ body: { filter: { type: 'call' }, expectedCount: 4 } });
  expect([wrong.status, wrong.body.code]).toEqual([409, 'count_changed']);
  const { status, data } = await api.bulkCompleteTasks({ body: { filter: { type: 'call' }, expectedCount: 3 } });
  expect(status).toBe(202);
  await until('the job ends', async () => (await api.getJob({ params: { id: data.jobId } })).data.completedAt !== null);
  const done = (await api.listTasks({ query: { status: 'completed' } })).data;
  expect(done.map(({ type, completedBy }: Record<string, unknown>) => [type, completedBy])).toEqual(
    Array(3).fill(['call', '8']),
  );
});

it('lists the tasks of the caller by `me`', async () => {
  const api = service.as({ userId: Number(members.seller) });
  await someTasks(api, 1, { assignedTo: members.seller });
  await someTasks(api, 1, { assignedTo: users.active });
  const assignees = async (assignedTo: string) =>
    (await api.listTasks({ query: { assignedTo } })).data.map((one: { assignedTo: string }) => one.assignedTo);
  expect(await assignees('me')).toEqual([members.seller]);
  expect(await assignees(users.active)).toEqual([users.active]);
  expect((await api.listTasks({ query: { assignedTo: 'you' } })).status).toBe(422);
});
