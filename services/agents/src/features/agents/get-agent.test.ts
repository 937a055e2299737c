import { type Agents, agentOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('getAgent', () => {
  it('returns a default agent with its limits', async () => {
    const api = service.as();
    const id = await agentOf(api, 'caller');
    expect((await api.getAgent({ params: { id } })).data).toMatchObject({
      id,
      kind: 'caller',
      status: 'active',
      allowedTransitions: ['paused', 'disabled'],
      approvalPolicy: 'never',
      version: 1,
      limits: { dailyCap: null, maxAttempts: 3, retryOn: ['no_answer', 'busy'] },
    });
  });

  it('returns 404 for an agent of another environment or tenant', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'caller') };
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [sandbox, service.as()]) {
      const { status, body } = await other.getAgent({ params });
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });
});
