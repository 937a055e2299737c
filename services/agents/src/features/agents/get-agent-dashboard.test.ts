import { type Agents, agentOf, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('getAgentDashboard', () => {
  const emptyDashboard = {
    agents: {
      caller: { status: 'active', isSimulated: false, totalCalls: 0, successRate: 0 },
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
        caller: { status: 'active', isSimulated: false, totalCalls: 1, successRate: 0 },
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
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00Z', '2026-01-01T10:00:00Z'],
  ])('a day in %s is that of the tenant: %s', async (zone, day, start, end) => {
    service.timezone(zone);
    const api = service.as();
    await runThrough(api, 'recommender', [service.aLead()]);
    const executionsAt = async (at: number) => {
      await service.sqlWithin(api.caller, 'UPDATE execution SET created_at = $1', [new Date(at)]);
      return (await api.getAgentDashboard({ query: { dateFrom: day, dateTo: day } })).data.recentExecutions;
    };
    const [first, after] = [Date.parse(start), Date.parse(end)];
    expect([await executionsAt(first - 1), await executionsAt(first)]).toEqual([0, 1]);
    expect([await executionsAt(after - 1), await executionsAt(after)]).toEqual([1, 0]);
    service.timezone('UTC');
  });

  it.each([
    [{ dateFrom: '2026-02-01', dateTo: '2026-01-31' }, 'Must not be after dateTo'],
    [{ dateFrom: 'yesterday' }, 'Must be an ISO 8601 date and time with a zone, or must be a date such as 2026-01-31'],
  ])('rejects %j', async (query, message) => {
    const reply = await service.as().getAgentDashboard({ query });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'dateFrom', message }]]);
  });
});
