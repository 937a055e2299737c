import { until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('pauseAgent', () => {
  it('stops an agent from running, and emits agent.updated', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    const { status, data } = await api.pauseAgent({ params });
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({ status: 'paused', allowedTransitions: ['active', 'disabled'], version: 2 }),
    ]);
    const run = await api.runAgentInBulk({ params, body: { leadIds: [codeOf(api, service.aLead())] } });
    expect([run.status, run.body.code]).toEqual([409, 'agent_paused']);
    const changes = { status: { from: 'active', to: 'paused' } };
    const event = await until('the event arrives', () =>
      service.events.find(
        (one) =>
          one.name === 'agent.updated' &&
          one.tenantId === api.caller.tenantId &&
          (one.record as { status: string }).status === 'paused',
      ),
    );
    expect(event).toMatchObject({ data: { agentId: params.id }, changes });
  });

  it('returns 409 for an agent that is paused already, and 412 for an older version', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    await api.pauseAgent({ params });
    const again = await api.pauseAgent({ params });
    expect([again.status, again.body.code, again.body.errors]).toEqual([
      409,
      'wrong_status',
      [{ field: 'status', message: 'The status is paused; it can change to active, disabled' }],
    ]);
    await api.updateAgent({ params, body: { status: 'active' } });
    const stale = await api.pauseAgent({ params, headers: { 'if-match': '"1"' } });
    expect([stale.status, (await api.getAgent({ params })).data.status]).toEqual([412, 'active']);
  });

  it('returns 404 for an agent of another tenant', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    const { status, body } = await service.as().pauseAgent({ params });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect((await api.getAgent({ params })).data.status).toBe('active');
  });
});
