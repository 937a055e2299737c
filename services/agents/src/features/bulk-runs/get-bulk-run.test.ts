import { type Agents, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('getBulkRun', () => {
  it('counts the executions by status; a run without errors is completed', async () => {
    const api = service.as();
    const { run } = await runThrough(api, 'recommender', [service.aLead(), service.aLead()]);
    expect(run).toMatchObject({ status: 'completed', counts: { succeeded: 2, failed: 0, queued: 0 } });
  });

  it('is completed with errors if an execution failed', async () => {
    const api = service.as();
    const { run } = await runThrough(api, 'caller', [service.aLead({ phone: null })]);
    expect(run).toMatchObject({ status: 'completed_with_errors', counts: { succeeded: 0, failed: 1 } });
  });

  it('returns 404 for a run of another tenant or environment', async () => {
    const api = service.as();
    const { run } = await runThrough(api, 'recommender', [service.aLead()]);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const stranger of [service.as(), sandbox]) {
      const { status, body } = await stranger.getBulkRun({ params: { id: run.id } });
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });
});
