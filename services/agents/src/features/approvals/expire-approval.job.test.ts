import { until } from '@tandem/testing';
import { type Agents, aWaitingExecution, executionOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('an approval that nobody decides', () => {
  it('is cancelled when the approval expires', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'expire-approval'`);
    await until('it is cancelled', async () => (await executionOf(api, executionId)).status === 'cancelled');
    const { data } = await api.listApprovals({ query: { status: 'expired' } });
    expect(data).toMatchObject([{ id: approval.id, status: 'expired', decidedBy: null }]);
  });

  it('rejects decisions after the expiry time, even before the expiry job runs', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
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
    expect((await executionOf(api, executionId)).status).toBe('awaiting_approval');
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'expire-approval'`);
    await until('it is cancelled', async () => (await executionOf(api, executionId)).status === 'cancelled');
  });
});
