import { agents } from '@tandem/agents-contract';
import { everyOperation, until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

everyOperation(agents, () => service);

describe('the agents of a tenant', () => {
  it('are one caller and one recommender by default, in each environment', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const one of [api, sandbox]) {
      const replies = await Promise.all([one.listAgents(), one.listAgents({ query: { status: 'active' } })]);
      for (const { data } of replies)
        expect(data.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['caller', 'recommender']);
    }
    const id = await agentOf(api, 'caller');
    expect((await sandbox.getAgent({ params: { id } })).status).toBe(404);
    expect((await service.as().getAgent({ params: { id } })).status).toBe(404);
    expect((await api.getAgent({ params: { id } })).data).toMatchObject({
      id,
      kind: 'caller',
      status: 'active',
      allowedTransitions: ['paused'],
      approvalPolicy: 'never',
      version: 1,
      limits: { dailyCap: null, maxAttempts: 3, retryOn: ['no_answer', 'busy'] },
    });
  });

  it('are updated field by field, including config and limits, and emit agent.updated', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'caller') };
    const body = { name: 'Anna', config: { goal: 'A meeting' }, limits: { dailyCap: 5 }, kind: 'x' };
    const { status, data, headers } = await api.updateAgent({ params, body });
    expect([status, headers['etag']]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(data).toMatchObject({
      name: 'Anna',
      kind: 'caller',
      status: 'active',
      config: { goal: 'A meeting', script: null, tone: null },
      limits: { dailyCap: 5, maxAttempts: 3, retryOn: ['no_answer', 'busy'] },
    });
    const isOurs = (name: string) => (event: { name: string; tenantId: number }) =>
      event.name === name && event.tenantId === api.caller.tenantId;
    const event = await until('the event arrives', () => service.events.find(isOurs('agent.updated')));
    expect(event).toMatchObject({ data: { agentId: params.id }, changes: { name: { from: 'Caller', to: 'Anna' } } });
    const stale = await api.updateAgent({ params, body: { name: 'B' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it.each([
    [{ approvalPolicy: 'risky' }, 'approvalPolicy', 'Must be one of always, never'],
    [{ limits: { maxAttempts: 11 } }, 'limits.maxAttempts', 'Must be a whole number from 1 to 10'],
    [{ limits: { retryOn: ['answered'] } }, 'limits.retryOn.0', 'Must be one of no_answer, busy, failed'],
    [{ name: ' ' }, 'name', 'Must not be empty'],
  ])('reject %j', async (body, field, message) => {
    const api = service.as();
    const reply = await api.updateAgent({ params: { id: await agentOf(api, 'caller') }, body });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
  });

  it('can be paused and resumed, with a 409 when already in that status', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    expect((await api.resumeAgent({ params })).status).toBe(409);
    expect((await api.pauseAgent({ params })).data).toMatchObject({ status: 'paused', allowedTransitions: ['active'] });
    const again = await api.pauseAgent({ params });
    expect([again.status, again.body.code, again.body.errors]).toEqual([
      409,
      'wrong_status',
      [{ field: 'status', message: 'The status is paused; it can change to active' }],
    ]);
    const run = () => api.runAgentInBulk({ params, body: { leadIds: [codeOf(api, service.aLead())] } });
    const refused = await run();
    expect([refused.status, refused.body.code]).toEqual([409, 'agent_paused']);
    expect((await api.resumeAgent({ params })).data.status).toBe('active');
    expect((await run()).status).toBe(200);
  });
});

describe('the status of an agent', () => {
  it('can also be changed with an update', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    const { data } = await api.updateAgent({ params, body: { status: 'paused' } });
    expect(data).toMatchObject({ status: 'paused', allowedTransitions: ['active'], version: 2 });
    const run = () => api.runAgentInBulk({ params, body: { leadIds: [codeOf(api, service.aLead())] } });
    expect((await run()).body.code).toBe('agent_paused');
    expect((await api.updateAgent({ params, body: { status: 'paused' } })).data.version).toBe(2);
    expect((await api.updateAgent({ params, body: { status: 'active', name: 'Anna' } })).data).toMatchObject({
      status: 'active',
      name: 'Anna',
      version: 3,
    });
    expect((await run()).status).toBe(200);
    const wrong = await api.updateAgent({ params, body: { status: 'gone' } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ field: 'status', message: 'Must be one of active, paused' }],
    ]);
  });
});

describe('getAgentDashboard', () => {
  const emptyDashboard = {
    agents: {
      caller: { status: 'active', totalCalls: 0, successRate: 0 },
      recommender: { status: 'active', totalRecommendations: 0, acceptRate: 0 },
    },
    recentExecutions: 0,
    pendingApprovals: 0,
  };

  it('returns zeros without activity, and the status of each agent', async () => {
    const api = service.as();
    const { status, data } = await api.getAgentDashboard();
    expect([status, data]).toEqual([200, emptyDashboard]);
    await api.pauseAgent({ params: { id: await agentOf(api, 'caller') } });
    expect((await api.getAgentDashboard()).data.agents.caller.status).toBe('paused');
  });

  it('counts activity within the requested range', async () => {
    const api = service.as();
    const leads = [service.aLead(), service.aLead(), service.aLead(), service.aLead()];
    await runThrough(api, 'recommender', leads);
    await runThrough(api, 'caller', [service.aLead({ phone: null })]);
    const { data: recommendations } = await api.listRecommendations();
    await api.acceptRecommendation({ params: { id: recommendations[0].id } });
    await api.dismissRecommendation({ params: { id: recommendations[1].id }, body: { reason: 'Known' } });
    const { data } = await api.getAgentDashboard();
    expect(data).toEqual({
      agents: {
        caller: { status: 'active', totalCalls: 1, successRate: 0 },
        recommender: { status: 'active', totalRecommendations: 4, acceptRate: 0.25 },
      },
      recentExecutions: 5,
      pendingApprovals: 0,
    });
    const today = new Date().toISOString().slice(0, 10);
    expect((await api.getAgentDashboard({ query: { dateFrom: today, dateTo: today } })).data).toEqual(data);
    expect((await api.getAgentDashboard({ query: { dateTo: '2020-01-31' } })).data).toEqual(emptyDashboard);
    expect((await service.as().getAgentDashboard()).data).toEqual(emptyDashboard);
  });

  it.each([
    [{ dateFrom: '2026-02-01', dateTo: '2026-01-31' }, 'Must not be after dateTo'],
    [{ dateFrom: 'yesterday' }, 'Must be an ISO 8601 date and time with a zone, or must be a date such as 2026-01-31'],
  ])('rejects %j', async (query, message) => {
    const reply = await service.as().getAgentDashboard({ query });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'dateFrom', message }]]);
  });
});
