import { until } from '@tandem/testing';
import { type Agents, type Api, agentOf, codeOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

/** A recommender that requires approval, and an execution that waits for it. */
async function aWaitingExecution(api: Api = service.as()) {
  const id = await agentOf(api, 'recommender');
  await api.updateAgent({ params: { id }, body: { approvalPolicy: 'always' } });
  const leadIds = [codeOf(api, service.aLead())];
  const { data } = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
  const executionId = data.results[0].executionId as string;
  await until('it waits', async () => (await execution(api, executionId)).status === 'awaiting_approval');
  const { data: approvals } = await api.listApprovals();
  const approval = approvals.find((one: { executionId: string }) => one.executionId === executionId);
  return { api, id, leadIds, executionId, approval, bulkRunId: data.bulkRunId as string };
}

const execution = async (api: Api, id: string) => (await api.getExecution({ params: { id } })).data;
const eventOf = (api: Api, name: string) =>
  until(`${name} arrives`, () =>
    service.events.find((event) => event.name === name && event.tenantId === api.caller.tenantId),
  );

describe('an agent that requires approval', () => {
  it('waits up to three days before it acts, and counts as running for the lead', async () => {
    const { api, id, leadIds, executionId, approval, bulkRunId } = await aWaitingExecution();
    expect(approval).toMatchObject({ executionId, agentId: id, type: 'recommend', status: 'pending', decidedBy: null });
    expect(approval.allowedTransitions).toEqual(['approved', 'rejected']);
    expect(Date.parse(approval.expiresAt) - Date.parse(approval.requestedAt)).toBeGreaterThan(71.9 * 3_600_000);
    expect(await execution(api, executionId)).toMatchObject({ approvalId: approval.id, steps: [], output: null });
    expect((await api.listRecommendations()).data).toEqual([]);
    expect((await api.getAgentDashboard()).data.pendingApprovals).toBe(1);
    expect((await api.getBulkRun({ params: { id: bulkRunId } })).data).toMatchObject({
      status: 'running',
      counts: { awaiting_approval: 1 },
    });
    const again = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    expect(again.data.results[0].error.code).toBe('already_running');
    const event = await eventOf(api, 'agent.approval_requested');
    expect(event).toMatchObject({ data: { approvalId: approval.id, executionId } });
  });

  it('continues after approval', async () => {
    const { api, executionId, approval } = await aWaitingExecution();
    const reply = await api.approveExecution({ params: { id: approval.id }, body: { comment: 'Go' } });
    expect([reply.status, reply.data]).toEqual([
      200,
      expect.objectContaining({ status: 'approved', comment: 'Go', decidedBy: '1', allowedTransitions: [] }),
    ]);
    await until('it is done', async () => (await execution(api, executionId)).status === 'succeeded');
    expect((await api.listRecommendations()).data).toHaveLength(1);
    expect((await api.getAgentDashboard()).data.pendingApprovals).toBe(0);
    expect((await api.listApprovals()).data).toEqual([]);
    expect((await api.listApprovals({ query: { status: 'approved' } })).data).toHaveLength(1);
    expect((await eventOf(api, 'agent.approval_decided')).data).toMatchObject({ status: 'approved' });
  });

  it('is cancelled by a rejection, which requires a reason', async () => {
    const { api, executionId, approval, bulkRunId } = await aWaitingExecution();
    const params = { id: approval.id };
    const silent = await api.rejectExecution({ params, body: { reason: ' ' } });
    expect([silent.status, silent.body.errors]).toEqual([422, [{ field: 'reason', message: 'Must not be empty' }]]);
    const { data } = await api.rejectExecution({ params, body: { reason: 'Not now' } });
    expect(data).toMatchObject({ status: 'rejected', reason: 'Not now' });
    expect(await execution(api, executionId)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect((await api.getBulkRun({ params: { id: bulkRunId } })).data.counts.cancelled).toBe(1);
    const late = await api.approveExecution({ params, body: {} });
    expect([late.status, late.body.code, late.body.errors]).toEqual([
      409,
      'already_decided',
      [{ field: 'status', message: 'The status is rejected; it cannot change' }],
    ]);
  });

  it('accepts one of several concurrent decisions', async () => {
    const { api, approval } = await aWaitingExecution();
    const params = { id: approval.id };
    const replies = await Promise.all([
      api.approveExecution({ params, body: {} }),
      api.rejectExecution({ params, body: { reason: 'No' } }),
      api.approveExecution({ params, body: {} }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('is cancelled when the approval expires', async () => {
    const { api, executionId, approval } = await aWaitingExecution();
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'expire-approval'`);
    await until('it is cancelled', async () => (await execution(api, executionId)).status === 'cancelled');
    const { data } = await api.listApprovals({ query: { status: 'expired' } });
    expect(data).toMatchObject([{ id: approval.id, status: 'expired', decidedBy: null }]);
  });

  it('rejects decisions after the expiry time, even before the expiry job runs', async () => {
    const { api, executionId, approval } = await aWaitingExecution();
    await service.sqlWithin(api.caller, `UPDATE approval SET expires_at = now() - interval '1 s'`);
    const params = { id: approval.id };
    const late = [
      await api.approveExecution({ params, body: {} }),
      await api.rejectExecution({ params, body: { reason: 'No' } }),
    ];
    for (const { status, body } of late)
      expect([status, body.code, body.errors]).toEqual([
        409,
        'already_decided',
        [{ field: 'status', message: 'The status is expired; it cannot change' }],
      ]);
    expect((await execution(api, executionId)).status).toBe('awaiting_approval');
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'expire-approval'`);
    await until('it is cancelled', async () => (await execution(api, executionId)).status === 'cancelled');
  });

  it('can only be decided by its own tenant', async () => {
    const { approval } = await aWaitingExecution();
    const params = { id: approval.id };
    const other = service.as();
    expect((await other.approveExecution({ params, body: {} })).status).toBe(404);
    expect((await other.rejectExecution({ params, body: { reason: 'x' } })).status).toBe(404);
  });
});
