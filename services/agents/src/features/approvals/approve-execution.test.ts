import { until } from '@tandem/testing';
import { type Agents, aWaitingExecution, eventOf, executionOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('approveExecution', () => {
  it('continues after approval', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
    const reply = await api.approveExecution({ params: { id: approval.id }, body: { comment: 'Go' } });
    expect([reply.status, reply.data]).toEqual([
      200,
      expect.objectContaining({ status: 'approved', comment: 'Go', decidedBy: '1', allowedTransitions: [] }),
    ]);
    await until('it is done', async () => (await executionOf(api, executionId)).status === 'succeeded');
    expect((await api.listRecommendations()).data).toHaveLength(1);
    expect((await api.getAgentDashboard()).data.pendingApprovals).toBe(0);
    expect((await api.listApprovals()).data).toEqual([]);
    expect((await api.listApprovals({ query: { status: 'approved' } })).data).toHaveLength(1);
    expect((await eventOf(service, api, 'agent.approval_decided')).data).toMatchObject({ status: 'approved' });
  });

  it('returns 409 to a second approval, and keeps the first comment', async () => {
    const { api, approval } = await aWaitingExecution(service);
    const params = { id: approval.id };
    await api.approveExecution({ params, body: { comment: 'Go' } });
    const again = await api.approveExecution({ params, body: { comment: 'Go again' } });
    expect([again.status, again.body.code, again.body.errors]).toEqual([
      409,
      'already_decided',
      [{ field: 'status', message: 'The status is approved; it cannot change' }],
    ]);
    const { data } = await api.listApprovals({ query: { status: 'approved' } });
    expect(data).toMatchObject([{ id: approval.id, comment: 'Go' }]);
  });

  it('returns 404 for an approval of another tenant or environment', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const stranger of [service.as(), sandbox]) {
      const reply = await stranger.approveExecution({ params: { id: approval.id }, body: {} });
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    }
    expect((await executionOf(api, executionId)).status).toBe('awaiting_approval');
  });
});
