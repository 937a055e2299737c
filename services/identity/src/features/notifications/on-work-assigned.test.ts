import { randomUUID } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { aTenant, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

const ids = createIdCodec(secrets.IDS_ALPHABET);
let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const time = '2026-11-21T10:00:00.000Z';
type Tenant = Awaited<ReturnType<typeof aTenant>>;

/** An event as another service publishes it. */
function eventOf(
  tenant: Tenant,
  name: string,
  fields: { record: object; data: object; by?: string; caller?: object; environment?: string },
) {
  const { record, data, by = tenant.user.id, environment = 'live' } = fields;
  const { caller = { type: 'user', userId: Number(by), name: 'Ada Lovelace', requestId: 'req_1' } } = fields;
  const [type] = name.split('.') as [string];
  return {
    id: randomUUID(),
    name,
    tenantId: tenant.tenantId,
    environment,
    occurredAt: time,
    action: `${type}.do`,
    target: { type, id: 7 },
    caller,
    data,
    record,
  };
}
const send = (event: { id: string; name: string }) => service.publish(event.name, event, event.id);

const task = (assignedTo: string | null, title = 'Call back') => ({
  id: '7',
  tenantId: '1',
  title,
  description: null,
  type: 'call',
  priority: 'normal',
  status: 'pending',
  allowedTransitions: [],
  overdue: false,
  dueAt: null,
  assignedTo,
  teamId: null,
  leadId: null,
  opportunityId: null,
  createdBy: null,
  version: 1,
  createdAt: time,
  updatedAt: time,
});
const taskCreated = (
  tenant: Tenant,
  assignedTo: string,
  more: { by?: string; environment?: string; title?: string } = {},
) =>
  eventOf(tenant, 'task.created', {
    record: task(assignedTo, more.title),
    data: { taskId: '7', title: more.title ?? 'Call back', assigneeId: assignedTo },
    ...more,
  });

const taskUpdated = (
  tenant: Tenant,
  assignedTo: string,
  fields: string[],
  more: { by?: string; caller?: object } = {},
) => eventOf(tenant, 'task.updated', { record: task(assignedTo), data: { taskId: '7', fields }, ...more });
const opportunityUpdated = (tenant: Tenant, ownerId: string, fields: string[]) => {
  const record = {
    id: '7',
    tenantId: '1',
    name: 'Rollout',
    leadId: null,
    value: 4_800,
    currency: 'EUR',
    status: 'open',
    allowedTransitions: [],
    stage: 'prospecting',
    stageId: '1',
    probability: 10,
    forecastCategory: 'pipeline',
    expectedCloseAt: null,
    closedAt: null,
    ownerId,
    teamId: null,
    outcome: null,
    daysInStage: 0,
    createdBy: null,
    version: 2,
    createdAt: time,
    updatedAt: time,
  };
  return eventOf(tenant, 'opportunity.updated', { record, data: { opportunityId: '7', fields } });
};

async function aMember(role = 'member') {
  const tenant = await aTenant(service);
  const member = await tenant.addUser(role);
  const inbox = async () => (await tenant.as(member.id, ['notifications:read']).listNotifications()).data;
  return { tenant, member, inbox };
}

it('notifies the assignee of a task, once per event', async () => {
  const { tenant, member, inbox } = await aMember();
  const event = taskCreated(tenant, member.id);
  await send(event);
  await send(event);
  await until('the notification arrives', async () => (await inbox()).length > 0);
  await send(taskCreated(tenant, member.id, { title: 'Second' }));
  // Grouped: the second one takes the place of the first, and the repeated event was not counted.
  const [shown] = await until('the second one arrives', async () => {
    const list = await inbox();
    return list[0]?.groupCount > 1 && list;
  });
  const id = ids.encode('task', tenant.tenantId, 7);
  expect(shown).toMatchObject({
    title: 'A task was assigned to you',
    body: 'Ada Lovelace assigned the task “Second” to you.',
    category: 'assignments',
    groupCount: 2,
    environment: 'live',
    data: { type: 'task', id },
    actions: [{ id: 'open', url: `/tasks/${id}` }],
  });
});

it('does not notify users of their own assignments, or of records that they may not read', async () => {
  const { tenant, member, inbox } = await aMember();
  const { data: role } = await tenant.owner.createRole({ body: { name: 'Narrow', permissions: ['leads:read'] } });
  const blind = await tenant.addUser('member', { roleId: role.id });
  await send(taskCreated(tenant, member.id, { by: member.id }));
  await send(taskCreated(tenant, blind.id));
  await send(taskCreated(tenant, member.id, { title: 'From somebody else' }));
  await until('the last one arrives', async () => (await inbox()).length > 0);
  expect((await inbox()).map(({ body }: { body: string }) => body)).toEqual([
    'Ada Lovelace assigned the task “From somebody else” to you.',
  ]);
  expect((await tenant.as(blind.id, ['notifications:read']).listNotifications()).data).toEqual([]);
});

it('notifies the new assignee of a task or opportunity that somebody else reassigns, and of no other change', async () => {
  const { tenant, member, inbox } = await aMember();
  await send(taskUpdated(tenant, member.id, ['title']));
  await send(opportunityUpdated(tenant, member.id, ['stage']));
  await send(taskUpdated(tenant, member.id, ['assignedTo'], { by: member.id }));
  await send(taskUpdated(tenant, member.id, ['assignedTo', 'teamId']));
  await send(opportunityUpdated(tenant, member.id, ['ownerId']));
  await until('both arrive', async () => (await inbox()).length === 2);
  const shown = (await inbox()).map(({ body, groupCount }: { body: string; groupCount: number }) => [body, groupCount]);
  expect(shown.sort()).toEqual([
    ['Ada Lovelace assigned the opportunity “Rollout” to you.', 1],
    ['Ada Lovelace assigned the task “Call back” to you.', 1],
  ]);
});

it('leaves one notice in the inbox for the records of a hand-over', async () => {
  const { tenant, member, inbox } = await aMember();
  const caller = { type: 'system', name: 'crm', requestId: 'job_1' };
  const records = 60;
  await Promise.all(
    Array.from({ length: records }, () => send(taskUpdated(tenant, member.id, ['assignedTo'], { caller }))),
  );
  const counts = async () => (await inbox()).map(({ groupCount }: { groupCount: number }) => groupCount);
  await until('all are counted', async () => (await counts())[0] === records);
  expect(await counts()).toEqual([records]);
  const { total } = (
    await tenant.as(member.id, ['notifications:read']).listNotifications({ query: { status: 'archived' } })
  ).body.pagination as { total: number };
  // They arrive in batches of several.
  expect(total + 1).toBeLessThan(records);
});

it('writes to each recipient in their language', async () => {
  const { tenant, member, inbox } = await aMember();
  await tenant
    .as(member.id)
    .updateUserPreferences({ params: { id: member.id }, body: { locale: 'de-AT', timezone: 'Europe/Vienna' } });
  await send(taskCreated(tenant, member.id));
  const [shown] = await until('it arrives', async () => {
    const list = await inbox();
    return list.length > 0 && list;
  });
  expect(shown).toMatchObject({
    title: 'Ihnen wurde eine Aufgabe zugewiesen',
    body: 'Ada Lovelace hat Ihnen die Aufgabe „Call back“ zugewiesen.',
    actions: [{ id: 'open', label: 'Öffnen' }],
  });
  const created = await until('the event arrives', () =>
    service.events.find(
      ({ name, tenantId }) => name === 'notification.created' && Number(tenantId) === tenant.tenantId,
    ),
  );
  expect((created as unknown as { data: { title: string } }).data.title).toBe('A task was assigned to you');
});

it('marks notifications about the sandbox', async () => {
  const { tenant, member, inbox } = await aMember();
  await send(taskCreated(tenant, member.id, { environment: 'sandbox' }));
  const [shown] = await until('it arrives', async () => {
    const list = await inbox();
    return list.length > 0 && list;
  });
  expect(shown.environment).toBe('sandbox');
});

it('moves an event that cannot be read to the dead letters', async () => {
  const { tenant } = await aMember();
  await send(eventOf(tenant, 'task.created', { record: { id: 'none' }, data: {} }));
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-work')).length > 0);
});
