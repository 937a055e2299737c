import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const time = '2026-11-21T10:00:00.000Z';
type Tenant = Awaited<ReturnType<typeof aTenant>>;

const base = { id: '7', tenantId: '1', createdBy: null, version: 2, createdAt: time, updatedAt: time };
const reminder = {
  taskId: '7',
  remindAt: time,
  minutesBefore: null,
  status: 'sent',
  allowedTransitions: [],
  sentAt: time,
};
const task = {
  ...{
    title: 'Call back',
    description: null,
    type: 'call',
    priority: 'normal',
    status: 'pending',
    allowedTransitions: [],
  },
  ...{
    overdue: true,
    dueAt: time,
    assignedTo: null,
    teamId: null,
    leadId: null,
    opportunityId: null,
    escalationLevel: 2,
  },
};

function send(
  tenant: Tenant,
  name: string,
  { data, record }: { data: object; record: object },
  id: string = randomUUID(),
) {
  const caller = { type: 'system', name: 'crm', requestId: 'job_1' };
  const scope = { tenantId: tenant.tenantId, environment: 'live', occurredAt: time };
  return service.publish(
    name,
    { id, name, ...scope, action: 'task.do', target: { type: 'task', id: 7 }, caller, data, record },
    id,
  );
}

function reminderDue(tenant: Tenant, userId: string, channel: string, id?: string) {
  const data = { taskId: '7', reminderId: '7', userId, channel, title: 'Call back', dueAt: '2026-07-01T10:00:00.000Z' };
  return send(tenant, 'reminder.due', { data, record: { ...base, ...reminder, channel } }, id);
}

async function aMember() {
  const tenant = await aTenant(service);
  const member = await tenant.addUser('member');
  const inbox = async () => (await tenant.as(member.id, ['notifications:read']).listNotifications()).data;
  return { tenant, member, inbox };
}

it('reminds the user once in the inbox, with the time in their zone, and not for webhooks', async () => {
  const { tenant, member, inbox } = await aMember();
  await tenant.as(member.id, []).updateUserPreferences({
    params: { id: member.id },
    body: { timezone: 'Australia/Lord_Howe' },
  });
  const id = randomUUID();
  await reminderDue(tenant, member.id, 'webhook');
  await reminderDue(tenant, member.id, 'in_app', id);
  await reminderDue(tenant, member.id, 'in_app', id);
  const [shown] = await until('the reminder arrives', async () => {
    const list = await inbox();
    return list.length > 0 && list;
  });
  expect(shown).toMatchObject({ title: 'Reminder of a task', category: 'reminders', groupCount: 1 });
  // Half an hour ahead of UTC+10 in winter.
  expect(shown.body).toMatch(/^The task “Call back” is due on .*0?8:30/);
  await send(tenant, 'task.escalated', {
    data: {
      taskId: '7',
      title: 'Call back',
      level: 2,
      action: 'notify',
      toUserId: member.id,
      ruleId: null,
      reason: 'Called twice',
    },
    record: { ...base, ...task },
  });
  const list = await until('the escalation arrives', async () => (await inbox()).length > 1 && (await inbox()));
  expect(list.map(({ body, category }: Record<string, string>) => [category, body])).toContainEqual([
    'escalations',
    'The task “Call back” was escalated to you, on level 2. Reason: Called twice',
  ]);
  expect(list).toHaveLength(2);
});

it('moves an event that cannot be read to the dead letters', async () => {
  const { tenant } = await aMember();
  await send(tenant, 'reminder.due', { data: {}, record: { id: 'none' } });
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-due-tasks')).length > 0);
});
