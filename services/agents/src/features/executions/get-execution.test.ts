import { type Agents, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('getExecution', () => {
  it('returns an execution with its steps and output', async () => {
    const api = service.as();
    const { executions } = await runThrough(api, 'recommender', [service.aLead()]);
    const { status, data } = await api.getExecution({ params: { id: executions[0].id } });
    expect([status, data]).toEqual([200, executions[0]]);
    expect(data).toMatchObject({ status: 'succeeded', finishedAt: expect.any(String) });
    expect(data.steps).toMatchObject([{ type: 'recommend', status: 'succeeded' }]);
  });

  it('returns 404 for an execution of another tenant or environment', async () => {
    const api = service.as();
    const { executions } = await runThrough(api, 'recommender', [service.aLead()]);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const stranger of [service.as(), sandbox]) {
      const { status, body } = await stranger.getExecution({ params: { id: executions[0].id } });
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });
});
