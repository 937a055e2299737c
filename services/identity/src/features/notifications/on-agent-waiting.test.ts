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
const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
type Tenant = Awaited<ReturnType<typeof aTenant>>;

/** A tenant with users of these roles, and their notifications. */
async function aTeam(...roles: string[]) {
  const tenant = await aTenant(service);
  const members = [];
  for (const role of roles) members.push(await tenant.addUser(role));
  const inboxOf = async (id: string) => (await tenant.as(id, ['notifications:read']).listNotifications()).data;
  return { tenant, members: members.map(({ id }) => id), inboxOf };
}

function publish(tenant: Tenant, name: string, fields: { target: string; data: object; record: object }) {
  const { target, ...event } = fields;
  const id = randomUUID();
  const of = { tenantId: tenant.tenantId, environment: 'live', occurredAt: time, action: `${target}.do` };
  const caller = { type: 'system', name: 'agents', requestId: 'req_1' };
  return service.publish(name, { id, name, ...of, target: { type: target, id: 7 }, caller, ...event }, id);
}

function askFor(tenant: Tenant, approvalId: number, fields: object = {}) {
  const record = {
    ...{ id: String(approvalId), executionId: '8', agentId: '9', leadId: '10', type: 'recommend', status: 'pending' },
    ...{ allowedTransitions: [], comment: null, reason: null, requestedAt: time, expiresAt },
    ...{ decidedBy: null, decidedAt: null, editedAction: null, risk: 'low', assignee: null },
    proposedAction: { type: 'create_task', title: 'Call Ada', taskType: 'call', dueInDays: 1 },
    rationale: 'The lead is warm',
    ...fields,
  };
  const data = { approvalId: String(approvalId), executionId: '8', leadId: '10' };
  return publish(tenant, 'agent.approval_requested', { target: 'approval', data, record });
}

it('the assignee of an approval gets buttons that approve and reject it, and others who decide get none', async () => {
  const { tenant, members, inboxOf } = await aTeam('manager', 'manager');
  const [assignee, other] = members as [string, string];
  await askFor(tenant, 7, { assignee });
  const [shown] = await until('it arrives', async () => {
    const list = await inboxOf(assignee);
    return list.length > 0 && list;
  });
  const id = ids.encode('approval', tenant.tenantId, 7);
  expect(shown).toMatchObject({
    ...{ category: 'approvals', expiresAt, groupKey: `approval-${id}`, data: { type: 'approval', id } },
    body: expect.stringContaining('“Call Ada” for a lead. The lead is warm.'),
    actions: [
      { id: 'approve', label: 'Approve', type: 'api', url: `/v1/agents/approvals/${id}/approve` },
      { id: 'reject', label: 'Reject', type: 'api', body: { reason: 'Rejected in the notification' } },
      { id: 'open', type: 'url' },
    ],
  });
  expect(await inboxOf(other)).toEqual([]);
});

it('everybody who decides is told of an approval without an assignee who may, also of an earlier release', async () => {
  const { tenant, members, inboxOf } = await aTeam('manager', 'member');
  const [manager, member] = members as [string, string];
  const earlier = { proposedAction: undefined, editedAction: undefined, rationale: undefined, risk: undefined };
  await askFor(tenant, 7, { ...earlier, assignee: undefined, type: 'call' });
  await askFor(tenant, 8, { assignee: member });
  await until('both arrive', async () => (await inboxOf(manager)).length === 2);
  expect(await inboxOf(member)).toEqual([]);
});

it('an approval that has expired is not announced', async () => {
  const { tenant, members, inboxOf } = await aTeam('manager');
  const [manager] = members as [string];
  await askFor(tenant, 7, { expiresAt: time });
  await askFor(tenant, 8);
  const [shown, ...others] = await until('one arrives', async () => {
    const list = await inboxOf(manager);
    return list.length > 0 && list;
  });
  expect([shown.data.id, others]).toEqual([ids.encode('approval', tenant.tenantId, 8), []]);
});

it('those who manage agents are told of a schedule that the platform has paused', async () => {
  const { tenant, members, inboxOf } = await aTeam('manager');
  const [manager] = members as [string];
  const record = {
    ...{ id: '7', agentId: '9', name: 'Daily', status: 'paused', allowedTransitions: ['active'], cron: '0 9 * * *' },
    ...{ every: null, timezone: 'UTC', target: { leadIds: ['10'], filter: null }, input: null, startsAt: time },
    ...{ endsAt: null, misfire: 'skip', nextRunAt: null, nextRuns: [], lastRunAt: null, lastBulkRunId: null },
    ...{ lastError: null, createdBy: manager, version: 2, createdAt: time, updatedAt: time },
  };
  const data = { agentScheduleId: '7', agentId: '9', code: 'owner_not_permitted', message: 'No' };
  await publish(tenant, 'agent.schedule_stopped', { target: 'agent_schedule', data, record });
  const [shown] = await until('it arrives', async () => {
    const list = await inboxOf(manager);
    return list.length > 0 && list;
  });
  expect(shown).toMatchObject({ category: 'agents', body: expect.stringContaining('“Daily” starts no runs any more') });
});
