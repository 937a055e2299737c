import { until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('resumeAgent', () => {
  it('lets a paused agent run again, and emits agent.updated', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    await api.pauseAgent({ params });
    const { status, data } = await api.resumeAgent({ params });
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({ status: 'active', allowedTransitions: ['paused', 'disabled'], version: 3 }),
    ]);
    const run = await api.runAgentInBulk({ params, body: { leadIds: [codeOf(api, service.aLead())] } });
    expect(run.status).toBe(200);
    const changes = { status: { from: 'paused', to: 'active' } };
    const event = await until('the event arrives', () =>
      service.events.find(
        (one) =>
          one.name === 'agent.updated' &&
          one.tenantId === api.caller.tenantId &&
          (one.record as { status: string }).status === 'active',
      ),
    );
    expect(event).toMatchObject({ data: { agentId: params.id }, changes });
  });

  it('returns 409 for an agent that is active already, and 412 for an older version', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    const again = await api.resumeAgent({ params });
    expect([again.status, again.body.code, again.body.errors]).toEqual([
      409,
      'wrong_status',
      [{ field: 'status', message: 'The status is active; it can change to paused, disabled' }],
    ]);
    await api.updateAgent({ params, body: { status: 'paused' } });
    const stale = await api.resumeAgent({ params, headers: { 'if-match': '"1"' } });
    expect([stale.status, (await api.getAgent({ params })).data.status]).toEqual([412, 'paused']);
  });

  it('returns 404 for an agent of another tenant', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    await api.pauseAgent({ params });
    const { status, body } = await service.as().resumeAgent({ params });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect((await api.getAgent({ params })).data.status).toBe('paused');
  });
});
