import { type Agents, aWaitingExecution, executionOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('rejectExecution', () => {
  it('is cancelled by a rejection, which requires a reason', async () => {
    const { api, executionId, approval, bulkRunId } = await aWaitingExecution(service);
    const params = { id: approval.id };
    const silent = await api.rejectExecution({ params, body: { reason: ' ' } });
    expect([silent.status, silent.body.errors]).toEqual([422, [{ field: 'reason', message: 'Must not be empty' }]]);
    const { data } = await api.rejectExecution({ params, body: { reason: 'Not now' } });
    expect(data).toMatchObject({ status: 'rejected', reason: 'Not now' });
    expect(await executionOf(api, executionId)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect((await api.getBulkRun({ params: { id: bulkRunId } })).data.counts.cancelled).toBe(1);
    const late = await api.approveExecution({ params, body: {} });
    expect([late.status, late.body.code, late.body.errors]).toEqual([
      409,
      'already_decided',
      [{ field: 'status', message: 'The status is rejected; it cannot change' }],
    ]);
  });

  it('returns 404 for an approval of another tenant or environment', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const stranger of [service.as(), sandbox]) {
      const reply = await stranger.rejectExecution({ params: { id: approval.id }, body: { reason: 'No' } });
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    }
    expect((await executionOf(api, executionId)).status).toBe('awaiting_approval');
  });
});
