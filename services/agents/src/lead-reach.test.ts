import { until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, runThrough, startAgents } from './agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

/** A tenant with recommendations for one lead of user 8 and one lead of user 9. */
async function aTenant() {
  const api = service.as();
  const [mine, theirs] = [service.aLead({ assignedTo: '8' }), service.aLead({ assignedTo: '9' })];
  await runThrough(api, 'recommender', [mine, theirs]);
  const as = (...can: string[]) =>
    service.as({
      tenantId: api.caller.tenantId as number,
      userId: 8,
      can: ['agents:read', 'agents:write', 'tasks:write', ...can],
    });
  return { api, mine: String(mine), theirs: String(theirs), as, narrow: as('leads:read:own') };
}

const leadsOf = ({ data }: { data: { leadId: string }[] }) => data.map(({ leadId }) => leadId).sort();

describe('a caller who may read only own leads', () => {
  it('lists only recommendations and executions of own leads', async () => {
    const { api, mine, theirs, narrow } = await aTenant();
    expect(leadsOf(await api.listRecommendations())).toEqual([mine, theirs].sort());
    for (const list of [narrow.listRecommendations, narrow.listExecutions]) {
      const page = await list();
      expect([leadsOf(page), page.body.pagination?.total]).toEqual([[mine], 1]);
      expect(leadsOf(await list({ query: { leadId: theirs } }))).toEqual([]);
    }
  });

  it('cannot decide recommendations or read executions of other leads', async () => {
    const { api, mine, theirs, narrow } = await aTenant();
    const find = async (leadId: string) => (await api.listRecommendations({ query: { leadId } })).data[0];
    const [own, other] = [await find(mine), await find(theirs)];
    expect((await narrow.acceptRecommendation({ params: { id: other.id } })).status).toBe(404);
    expect((await narrow.dismissRecommendation({ params: { id: other.id }, body: {} })).status).toBe(404);
    expect((await narrow.getExecution({ params: { id: other.executionId } })).status).toBe(404);
    expect((await narrow.getExecution({ params: { id: own.executionId } })).status).toBe(200);
    expect((await narrow.acceptRecommendation({ params: { id: own.id } })).data.status).toBe('accepted');
    expect((await find(theirs)).status).toBe('pending');
  });

  it('sees own leads only in the numbers of the dashboard', async () => {
    const { api, narrow } = await aTenant();
    const numbersOf = async (by: typeof api) => {
      const { data } = await by.getAgentDashboard();
      return [data.recentExecutions, data.agents.recommender.totalRecommendations];
    };
    expect([await numbersOf(api), await numbersOf(narrow as typeof api)]).toEqual([
      [2, 2],
      [1, 1],
    ]);
  });

  it('reads only own bulk runs, whose numbers include other leads', async () => {
    const { api, mine, narrow } = await aTenant();
    const { data: executions } = await api.listExecutions({ query: { leadId: mine } });
    const theirs = { params: { id: executions[0].bulkRunId } };
    expect([(await api.getBulkRun(theirs)).status, (await narrow.getBulkRun(theirs)).status]).toEqual([200, 404]);
    const { run } = await runThrough(narrow, 'recommender', [Number(mine)]);
    expect(run.counts.succeeded).toBe(1);
  });

  it('cannot decide approvals for other leads', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { approvalPolicy: 'always' } });
    const leads = [service.aLead({ assignedTo: '8' }), service.aLead({ assignedTo: '9' })];
    const leadIds = leads.map((lead) => codeOf(api, lead));
    await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    const approvals = await until('both wait', async () => {
      const { data } = await api.listApprovals();
      return data.length === 2 && data;
    });
    const narrow = service.as({
      tenantId: api.caller.tenantId as number,
      userId: 8,
      can: ['agents:*', 'tasks:write', 'leads:read:own'],
    });
    expect(leadsOf(await narrow.listApprovals())).toEqual([String(leads[0])]);
    const idOf = (lead: number) =>
      approvals.find((one: { leadId: string }) => one.leadId === String(lead)).id as string;
    const [mine, theirs] = leads.map((lead) => ({ params: { id: idOf(lead) } })) as [object, object];
    expect((await narrow.approveExecution({ ...theirs, body: {} })).status).toBe(404);
    expect((await narrow.rejectExecution({ ...theirs, body: { reason: 'No' } })).status).toBe(404);
    expect((await narrow.approveExecution({ ...mine, body: {} })).data.status).toBe('approved');
  });

  it('cannot run an agent for other leads', async () => {
    const { api, mine, theirs, narrow } = await aTenant();
    const leadIds = [mine, theirs].map((id) => codeOf(api, Number(id)));
    const params = { id: await agentOf(narrow as typeof api, 'recommender') };
    const { data } = await narrow.runAgentInBulk({ params, body: { leadIds } });
    const outcome = ({ status, error }: { status: string; error?: { code: string } }) => error?.code ?? status;
    expect(data.results.map(outcome)).toEqual(['success', 'lead_not_found']);
  });
});
