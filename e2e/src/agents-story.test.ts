import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// An agent on a schedule proposes actions; people edit and approve them, and crm shows what they did.

let fleet: TestFleet;
let tenant: TestTenant;
let owner: TestTenant['owner'];
let agentId: string;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'agents'] });
  tenant = await aTenant(fleet, { plan: 'enterprise' });
  owner = tenant.owner;
  agentId = (await owner.listAgents({ query: { kind: 'recommender' } })).data[0]?.id as string;
}, 120_000);
afterAll(() => fleet?.stop());

async function aLead(fields: object = {}) {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { email, firstName: 'Grace', lastName: 'Hopper', phone: '+4915112345678', ...fields };
  return (await owner.createLead({ body })).data;
}

const approvalOf = (leadId: string) =>
  until('the approval arrives', async () => {
    const { data } = await owner.listApprovals();
    return data.find((one) => one.leadId === leadId);
  });
const tasksOf = async (leadId: string) => (await owner.listTasks({ query: { leadId } })).data;
const aTaskOf = (leadId: string) => until('crm has the task', async () => (await tasksOf(leadId))[0]);

it('an agent on a schedule asks for approvals; one is edited, and crm has the edited task', async () => {
  const lead = await aLead({ tags: ['fair'] });
  await aLead();
  await owner.updateAgent({ params: { id: agentId }, body: { approvalPolicy: 'always' } });
  const filter = [{ field: 'tags', operator: 'contains' as const, value: 'fair' }];
  const { data: schedule } = await owner.createAgentSchedule({
    body: { agentId, name: 'Every morning', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', target: { filter } },
  });
  expect(schedule).toMatchObject({ status: 'active', createdBy: tenant.userId });
  expect(schedule.nextRuns).toHaveLength(5);
  const { data: run } = await owner.runAgentSchedule({ params: { id: schedule.id } });
  expect([run.total, run.results[0]?.leadId]).toEqual([1, lead.id]);

  const approval = await approvalOf(lead.id);
  expect(approval).toMatchObject({ risk: 'low', proposedAction: { type: 'create_task', taskType: 'email' } });
  const editedAction = {
    type: 'create_task',
    title: 'Invite Grace to lunch',
    taskType: 'meeting',
    dueInDays: 3,
  } as const;
  await owner.approveExecution({ params: { id: approval.id }, body: { editedAction } });
  expect(await aTaskOf(lead.id)).toMatchObject({
    title: editedAction.title,
    type: 'meeting',
    assignedTo: tenant.userId,
  });
  const execution = await until('the execution ends', async () => {
    const { data } = await owner.getExecution({ params: { id: approval.executionId } });
    return data.status === 'succeeded' && data;
  });
  expect(execution).toMatchObject({ trigger: 'schedule', scheduleId: schedule.id });
  const { data: seen } = await owner.getAgentSchedule({ params: { id: schedule.id } });
  expect(seen.lastBulkRunId).toBe(run.bulkRunId);
  await owner.deleteAgentSchedule({ params: { id: schedule.id } });
}, 60_000);

it('the button of the notification approves the action of the agent', async () => {
  const lead = await aLead();
  await tenant.api.runAgent({ params: { id: agentId }, body: { leadId: lead.id } });
  const approval = await approvalOf(lead.id);
  const notification = await until('the notification arrives', async () => {
    const { data } = await owner.listNotifications();
    return data.find(({ actions }) => actions.some(({ url }) => url?.includes(approval.id)));
  });
  const { data: pressed } = await owner.pressNotificationAction({
    params: { id: notification.id, actionId: 'approve' },
  });
  expect(pressed.result).toEqual({ status: 200, code: null });
  expect(await aTaskOf(lead.id)).toMatchObject({ title: 'Write to Grace Hopper', type: 'email' });
}, 60_000);

it('accepting a recommendation converts the lead, and the recommendation shows the deal', async () => {
  await owner.updateAgent({ params: { id: agentId }, body: { approvalPolicy: 'never' } });
  const lead = await aLead({ score: 90 });
  await owner.changeLeadStatus({ params: { id: lead.id }, body: { status: 'qualified' } });
  await owner.runAgent({ params: { id: agentId }, body: { leadId: lead.id } });
  const recommendation = await until('it is recommended', async () => {
    const { data } = await owner.listRecommendations({ query: { leadId: lead.id } });
    return data[0];
  });
  expect(recommendation.proposal).toEqual({ type: 'convert', name: null });
  const seller = fleet.api({ apiKey: tenant.live });
  await seller.acceptRecommendation({ params: { id: recommendation.id } });
  const accepted = await until('the deal exists', async () => {
    const { data } = await owner.listRecommendations({ query: { leadId: lead.id } });
    return data[0]?.effect?.status === 'succeeded' && data[0];
  });
  const id = accepted.effect?.opportunityId as string;
  expect((await owner.getOpportunity({ params: { id } })).data).toMatchObject({ leadId: lead.id, status: 'open' });
  expect((await owner.getLead({ params: { id: lead.id } })).data.convertedOpportunityId).toBe(id);
}, 60_000);

it('a lead who has refused calls is not called', async () => {
  // Without a telephone provider agents call nobody in live; the sandbox simulates calls.
  const sandbox = fleet.api({ apiKey: tenant.sandbox });
  const [caller] = (await sandbox.listAgents({ query: { kind: 'caller' } })).data;
  const params = { id: caller?.id as string };
  const aPerson = async (consent: object) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const body = { email, firstName: 'Grace', lastName: 'Hopper', phone: '+4915112345678', consent };
    return (await sandbox.createLead({ body })).data;
  };
  const [refusing, other] = [await aPerson({ phone: { state: 'denied', source: 'Form' } }), await aPerson({})];
  const call = sandbox.runAgent({ params, body: { leadId: refusing.id } });
  await expect(call).rejects.toMatchObject({ status: 409, code: 'do_not_contact' });
  const { data: run } = await sandbox.runAgentInBulk({ params, body: { leadIds: [refusing.id, other.id] } });
  expect(run.results).toMatchObject([{ error: { code: 'do_not_contact' } }, { status: 'success' }]);
});
