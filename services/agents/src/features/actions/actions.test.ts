import { until } from '@tandem/testing';
import {
  type Agents,
  type Api,
  agentOf,
  aRecommendation,
  aWaitingExecution,
  codeOf,
  eventOf,
  executionOf,
  runThrough,
  startAgents,
} from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());
beforeEach(() => {
  service.known.changes.length = 0;
  service.known.refusal = undefined;
});

const recommendationOf = async (api: Api, id: string) =>
  (await api.listRecommendations()).data.find((one: { id: string }) => one.id === id);
const performed = (api: Api, id: string) =>
  until('the action is performed', async () => {
    const found = await recommendationOf(api, id);
    return found.effect?.status !== 'pending' && found;
  });

describe('accepting a recommendation', () => {
  it('performs its action once through crm, in the name of the user, and shows the outcome', async () => {
    const api = service.as({ userId: 7 });
    const { id, leadId, proposal } = await aRecommendation(service, api);
    expect(proposal).toEqual({ type: 'create_task', title: 'Write to Ada Lovelace', taskType: 'email', dueInDays: 1 });
    const { data } = await api.acceptRecommendation({ params: { id } });
    expect(data.effect).toEqual({
      status: 'pending',
      taskId: null,
      opportunityId: null,
      error: null,
      performedAt: null,
    });
    const { effect } = await performed(api, id);
    expect(effect).toMatchObject({ status: 'succeeded', taskId: expect.any(String), error: null });
    expect(service.known.changes).toEqual([
      {
        ...{ method: 'POST', path: '/v1/tasks' },
        body: expect.objectContaining({ title: proposal.title, type: 'email', leadId, assignedTo: '7' }),
        caller: expect.objectContaining({ userId: 7, permissions: ['tasks:write', 'leads:read'], name: 'agents' }),
      },
    ]);
    const event = await eventOf(service, api, 'agent.recommendation_performed');
    expect(event.data).toMatchObject({ recommendationId: id, leadId, status: 'succeeded' });
  });

  it.each([
    [{ status: 'qualified', score: 80 }, { type: 'convert', name: null }, '/v1/opportunities/convert', 'opportunityId'],
    [{ status: 'unqualified' }, { type: 'add_tags', tags: ['nurture'] }, '/v1/leads/', 'performedAt'],
  ])('of a lead with %j performs %j', async (fields, proposal, path, shown) => {
    const api = service.as({ userId: 7 });
    const leadId = service.aLead({ tags: ['fair'], ...fields } as never);
    await runThrough(api, 'recommender', [leadId]);
    const [found] = (await api.listRecommendations()).data;
    expect(found.proposal).toEqual(proposal);
    await api.acceptRecommendation({ params: { id: found.id } });
    const { effect } = await performed(api, found.id);
    expect([effect.status, typeof effect[shown]]).toEqual(['succeeded', 'string']);
    const [change, ...others] = service.known.changes;
    expect([change?.path.startsWith(path), others]).toEqual([true, []]);
    if (proposal.type === 'add_tags') expect(service.known.leads.get(leadId)?.tags).toEqual(['fair', 'nurture']);
  });

  it('shows why crm refuses it, and does not count it as accepted', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aRecommendation(service, api);
    service.known.refusal = 'team_mismatch';
    await api.acceptRecommendation({ params: { id } });
    const { effect } = await performed(api, id);
    expect(effect).toMatchObject({ status: 'failed', taskId: null, error: { code: 'team_mismatch' } });
    expect((await api.getAgentDashboard()).data.agents.recommender.acceptRate).toBe(0);
  });

  it('does not act for a user who is not active any more', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aRecommendation(service, api);
    service.users('deactivated');
    await api.acceptRecommendation({ params: { id } });
    const { effect } = await performed(api, id);
    service.users('active');
    expect(effect).toMatchObject({ status: 'failed', error: { code: 'decider_not_permitted' } });
    expect(service.known.changes).toEqual([]);
  });

  it('of an earlier run is dismissed when a newer one replaces it', async () => {
    const api = service.as({ userId: 7 });
    const lead = service.aLead();
    await runThrough(api, 'recommender', [lead]);
    await runThrough(api, 'recommender', [lead]);
    const { data } = await api.listRecommendations({ query: { leadId: String(lead), sort: 'createdAt' } });
    expect(data).toMatchObject([
      { status: 'dismissed', dismissReason: 'Replaced by a newer recommendation' },
      { status: 'pending' },
    ]);
  });

  it('waits for crm during an outage', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aRecommendation(service, api);
    service.known.failing = 0;
    const asked = service.known.asked;
    service.failNext(2);
    await api.acceptRecommendation({ params: { id } });
    await until('crm was asked', () => service.known.asked > asked);
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'perform-recommendation'`);
    expect((await performed(api, id)).effect.status).toBe('succeeded');
    expect(service.known.changes).toHaveLength(1);
  }, 60_000);

  it('requires the permission for the action, for this lead', async () => {
    const api = service.as({ userId: 7 });
    const tenantId = api.caller.tenantId as number;
    const leadId = service.aLead({ status: 'unqualified', assignedTo: '9' });
    await runThrough(api, 'recommender', [leadId]);
    const [{ id }] = (await api.listRecommendations()).data;
    for (const can of [[], ['leads:write:own'], ['tasks:write']]) {
      const other = service.as({ tenantId, type: 'user', userId: 8, can: ['agents:write', 'leads:read', ...can] });
      const { status, body } = await other.acceptRecommendation({ params: { id } });
      expect([status, body.code, body.errors]).toEqual([
        403,
        'action_not_permitted',
        [{ field: 'action', message: 'Requires the permission leads:write for the lead' }],
      ]);
    }
    const can = ['agents:write', 'agents:read', 'leads:read', 'leads:write:own'];
    const owner = service.as({ tenantId, type: 'user', userId: 9, can });
    expect((await owner.acceptRecommendation({ params: { id } })).status).toBe(200);
    await performed(api, id);
  });
});

describe('an approval of an action', () => {
  it('shows the action, its risk and who should decide, and performs it edited', async () => {
    const api = service.as({ userId: 7 });
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { approvalPolicy: 'always' } });
    const leadId = service.aLead({ assignedTo: '9' });
    const { data } = await api.runAgent({ params: { id }, body: { leadId: String(leadId) } });
    const [approval] = await until('it waits', async () => {
      const { data: waiting } = await api.listApprovals({ query: { assignee: '9' } });
      return waiting.length > 0 && waiting;
    });
    expect((await api.listApprovals({ query: { assignee: 'me' } })).data).toEqual([]);
    expect(approval).toMatchObject({
      ...{ executionId: data.id, assignee: '9', risk: 'low', editedAction: null },
      proposedAction: { type: 'create_task', title: 'Write to Ada Lovelace' },
      rationale: 'The lead has not been contacted yet',
    });
    const params = { id: approval.id };
    const edited = { ...approval.proposedAction, title: 'Invite Ada to the fair', dueInDays: 3 };
    const wrong = await api.approveExecution({ params, body: { editedAction: { type: 'convert', name: null } } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ field: 'editedAction.type', message: 'Must be create_task, as in proposedAction' }],
    ]);
    const empty = await api.approveExecution({ params, body: { editedAction: { ...edited, title: ' ' } } });
    expect([empty.status, empty.body.errors?.[0]?.field]).toEqual([422, 'editedAction.title']);
    const { data: approved } = await api.approveExecution({
      params,
      body: { editedAction: edited, comment: 'Sooner' },
    });
    expect(approved).toMatchObject({ status: 'approved', editedAction: edited, comment: 'Sooner', decidedBy: '7' });
    const execution = await until('it is done', async () => {
      const now = await executionOf(api, data.id);
      return now.status === 'succeeded' && now;
    });
    expect(execution.steps.map(({ type }: { type: string }) => type)).toEqual(['recommend', 'act']);
    expect(service.known.changes).toMatchObject([
      { path: '/v1/tasks', body: { title: edited.title, assignedTo: '9' } },
    ]);
    const [recommendation] = (await api.listRecommendations()).data;
    expect(recommendation).toMatchObject({ status: 'accepted', proposal: edited, effect: { status: 'succeeded' } });
  });

  it('that is rejected or cancelled dismisses the recommendation, and nothing acts', async () => {
    const rejected = await aWaitingExecution(service);
    await rejected.api.rejectExecution({ params: { id: rejected.approval.id }, body: { reason: 'Known' } });
    expect((await rejected.api.listRecommendations()).data).toMatchObject([
      { status: 'dismissed', dismissReason: 'Known', effect: null },
    ]);
    const cancelled = await aWaitingExecution(service);
    await cancelled.api.cancelAgentExecution({ params: { id: cancelled.executionId }, body: { reason: 'Called us' } });
    expect((await cancelled.api.listRecommendations()).data).toMatchObject([{ status: 'dismissed' }]);
    expect(service.known.changes).toEqual([]);
  });

  it.each([
    ['the lead is deleted', (of: { leadId: number }) => service.forget(of.leadId), 'skipped'],
    ['the agent is disabled', (of: { disable(): unknown }) => of.disable(), 'skipped'],
    ['the execution is cancelled', (of: { cancel(): unknown }) => of.cancel(), 'cancelled'],
  ])('fails when %s before it is performed', async (_, change, code) => {
    const { api, id, executionId, approval } = await aWaitingExecution(service, service.as({ userId: 7 }));
    // Crm is down while the approved action is due.
    service.failNext(1_000);
    const can = { params: { id } };
    await service.sqlWithin(api.caller, 'SELECT 1');
    service.failNext(0);
    await service.sqlWithin(
      api.caller,
      `UPDATE approval SET status = 'approved', decided_at = now(), decided_by = 7 WHERE id = ${approval.id}`,
    );
    await service.sqlWithin(
      api.caller,
      `UPDATE recommendation SET status = 'accepted', effect = 'pending', decided_by = 7 WHERE execution_id = ${executionId}`,
    );
    await service.sqlWithin(api.caller, `UPDATE execution SET status = 'queued' WHERE id = ${executionId}`);
    await change({
      leadId: Number(approval.leadId),
      disable: () => api.updateAgent({ ...can, body: { status: 'disabled' } }),
      cancel: () => api.cancelAgentExecution({ params: { id: executionId }, body: {} }),
    });
    const { tenantId, environment } = api.caller;
    const payload = JSON.stringify({ executionId, tenantId, environment });
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET name = 'perform-approved', payload = '${payload}', due_at = now() WHERE name = 'expire-approval'`,
    );
    const [shown] = await until('the effect is known', async () => {
      const { data } = await api.listRecommendations();
      return data[0].effect?.status === 'failed' && data;
    });
    expect(shown.effect.error.code).toBe(code);
    expect(service.known.changes).toEqual([]);
  });

  it('fails with its execution when crm refuses the action', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
    service.known.refusal = 'team_mismatch';
    await api.approveExecution({ params: { id: approval.id }, body: {} });
    const execution = await until('it fails', async () => {
      const now = await executionOf(api, executionId);
      return now.status === 'failed' && now;
    });
    expect(execution.error).toMatchObject({ code: 'team_mismatch' });
    expect((await api.listRecommendations()).data).toMatchObject([
      { status: 'accepted', effect: { status: 'failed' } },
    ]);
  });

  it('is required for risky actions only, with the policy risky', async () => {
    const api = service.as({ userId: 7 });
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { approvalPolicy: 'risky' } });
    const [plain, hot] = [service.aLead(), service.aLead({ status: 'qualified', score: 90 })];
    const leadIds = [plain, hot].map((lead) => codeOf(api, lead));
    await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    const [approval, ...others] = await until('one waits', async () => {
      const { data } = await api.listApprovals();
      return data.length > 0 && data;
    });
    expect([approval.leadId, approval.risk, others]).toEqual([String(hot), 'high', []]);
    await until('the other is recommended', async () => {
      const { data } = await api.listRecommendations({ query: { status: 'pending' } });
      return data.length === 1 && data[0].leadId === String(plain);
    });
  });
});

describe('decideApprovals', () => {
  /** So many approvals of an agent that always asks. */
  async function waiting(api: Api, count: number) {
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { approvalPolicy: 'always' } });
    const leadIds = Array.from({ length: count }, () => codeOf(api, service.aLead()));
    await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    const found = await until('all wait', async () => {
      const { data } = await api.listApprovals();
      return data.length === count && data;
    });
    return found.map((one: { id: string }) => service.encode('approval', api, Number(one.id))) as string[];
  }

  it('decides each once, and tells why others are not, in the order of the request', async () => {
    const api = service.as({ userId: 7 });
    const [first, second, third] = (await waiting(api, 3)) as [string, string, string];
    const rejected = await api.decideApprovals({ body: { ids: [third], decision: 'reject', reason: 'Later' } });
    expect(rejected.data).toMatchObject({ total: 1, succeeded: 1, failed: 0 });
    const ids = [second, first, third, first, 'nonsense'];
    const { status, data } = await api.decideApprovals({ body: { ids, decision: 'approve', comment: 'Go' } });
    expect([status, data.succeeded, data.failed]).toEqual([200, 2, 3]);
    expect(data.results.map((one: { id: string; error?: { code: string } }) => [one.id, one.error?.code])).toEqual([
      [second, undefined],
      [first, undefined],
      [third, 'already_decided'],
      [first, 'duplicate_in_request'],
      ['nonsense', 'not_found'],
    ]);
    await until('both act', () => service.known.changes.length === 2);
    expect((await api.listApprovals({ query: { status: 'rejected' } })).data).toMatchObject([{ reason: 'Later' }]);
  });

  it.each([
    [{ ids: [], decision: 'approve' }, 'ids', 'Must contain at least 1 id'],
    [{ ids: Array(101).fill('x'), decision: 'approve' }, 'ids', 'Must contain at most 100 ids'],
    [{ ids: ['x'], decision: 'reject' }, 'reason', 'Is required to reject approvals'],
  ])('refuses %j', async (body, field, message) => {
    const reply = await service.as().decideApprovals({ body });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
  });

  it('decides no approvals of another tenant, and none without the permission for the action', async () => {
    const api = service.as({ userId: 7 });
    const ids = await waiting(api, 1);
    const stranger = await service.as().decideApprovals({ body: { ids, decision: 'approve' } });
    expect(stranger.data.results).toMatchObject([{ status: 'error', error: { code: 'not_found' } }]);
    const can = ['agents:manage', 'leads:read'];
    const unable = service.as({ tenantId: api.caller.tenantId as number, type: 'user', userId: 8, can });
    const { data } = await unable.decideApprovals({ body: { ids, decision: 'approve' } });
    expect(data.results).toMatchObject([{ status: 'error', error: { code: 'action_not_permitted' } }]);
    expect((await unable.decideApprovals({ body: { ids, decision: 'reject', reason: 'No' } })).data.succeeded).toBe(1);
  });
});
