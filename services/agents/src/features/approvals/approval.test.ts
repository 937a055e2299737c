import { type Agents, aWaitingExecution, eventOf, executionOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('an agent that requires approval', () => {
  it('waits up to three days before it acts, and counts as running for the lead', async () => {
    const { api, id, leadIds, executionId, approval, bulkRunId } = await aWaitingExecution(service);
    expect(approval).toMatchObject({ executionId, agentId: id, type: 'recommend', status: 'pending', decidedBy: null });
    expect(approval.allowedTransitions).toEqual(['approved', 'rejected']);
    expect(Date.parse(approval.expiresAt) - Date.parse(approval.requestedAt)).toBeGreaterThan(71.9 * 3_600_000);
    expect(await executionOf(api, executionId)).toMatchObject({
      approvalId: approval.id,
      steps: [{ type: 'recommend', status: 'succeeded' }],
      output: { action: 'email' },
    });
    expect((await api.listRecommendations()).data).toMatchObject([
      { status: 'awaiting_approval', allowedTransitions: [], effect: null },
    ]);
    expect(service.known.changes).toEqual([]);
    expect((await api.getAgentDashboard()).data.pendingApprovals).toBe(1);
    expect((await api.getBulkRun({ params: { id: bulkRunId } })).data).toMatchObject({
      status: 'running',
      counts: { awaiting_approval: 1 },
    });
    const again = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    expect(again.data.results[0].error.code).toBe('already_running');
    const event = await eventOf(service, api, 'agent.approval_requested');
    expect(event).toMatchObject({ data: { approvalId: approval.id, executionId } });
  });

  it('accepts one of several concurrent decisions', async () => {
    const { api, approval } = await aWaitingExecution(service);
    const params = { id: approval.id };
    const replies = await Promise.all([
      api.approveExecution({ params, body: {} }),
      api.rejectExecution({ params, body: { reason: 'No' } }),
      api.approveExecution({ params, body: {} }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});
