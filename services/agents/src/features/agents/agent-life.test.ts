import { until } from '@tandem/testing';
import { type Agents, agentOf, aWaitingExecution, codeOf, eventOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('an agent', () => {
  it('is created with defaults, updated, disabled and deleted', async () => {
    const api = service.as();
    const { status, data } = await api.createAgent({
      body: { name: 'Fair caller', kind: 'caller', config: { goal: 'A meeting' }, limits: { maxConcurrent: 2 } },
    });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      ...{ name: 'Fair caller', kind: 'caller', status: 'active', description: null, approvalPolicy: 'risky' },
      config: { goal: 'A meeting', script: null, tone: null, model: null },
      limits: { maxConcurrent: 2, dailyCap: null, callingWindow: null, maxAttempts: 3, retryOn: ['no_answer', 'busy'] },
    });
    const params = { id: data.id };
    const callingWindow = { days: [1, 2], start: '09:00', end: '17:00', timezone: 'lead' };
    const changed = await api.updateAgent({ params, body: { limits: { callingWindow } } });
    expect(changed.data.limits).toMatchObject({ maxConcurrent: 2, callingWindow });
    const disabled = await api.updateAgent({ params, body: { status: 'disabled' } });
    expect(disabled.data).toMatchObject({ status: 'disabled', allowedTransitions: ['active'] });
    expect((await api.listAgents({ query: { status: 'disabled' } })).data).toMatchObject([{ id: data.id }]);
    expect((await api.deleteAgent({ params })).data).toEqual({ id: data.id, deleted: true });
    for (const call of ['getAgent', 'pauseAgent', 'deleteAgent'] as const)
      expect((await api[call]({ params })).status).toBe(404);
    const leadId = String(service.aLead());
    expect((await api.runAgent({ params, body: { leadId } })).status).toBe(404);
    expect((await api.listAgents()).data).toHaveLength(2);
    await eventOf(service, api, 'agent.created');
    await eventOf(service, api, 'agent.deleted');
  });

  it('with running work is not deleted; afterwards its schedules go with it, and its executions stay', async () => {
    const { api, id, executionId } = await aWaitingExecution(service, service.as({ userId: 7 }));
    const refused = await api.deleteAgent({ params: { id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'has_running_work']);
    const target = { leadIds: [String(service.aLead())] };
    const body = { agentId: id, name: 'Daily', cron: '0 9 * * *', timezone: 'UTC', target };
    await api.createAgentSchedule({ body });
    await api.cancelAgentExecution({ params: { id: executionId }, body: {} });
    expect((await api.deleteAgent({ params: { id } })).status).toBe(200);
    expect((await api.listAgentSchedules()).data).toEqual([]);
    expect((await api.getExecution({ params: { id: executionId } })).data.status).toBe('cancelled');
    const { data } = await api.getAgentDashboard();
    expect(data.agents.recommender.status).toBe('disabled');
    expect((await api.createAgentSchedule({ body })).status).toBe(422);
  });

  it('that is disabled skips its queued executions', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    const leadIds = [codeOf(api, service.aLead())];
    const { data: run } = await api.runAgentInBulk({ params: { id }, body: { leadIds, scheduledFor } });
    await api.updateAgent({ params: { id }, body: { status: 'disabled' } });
    expect((await api.runAgentInBulk({ params: { id }, body: { leadIds } })).body.code).toBe('agent_paused');
    await service.sqlWithin(api.caller, 'UPDATE platform.job SET due_at = now()');
    await until('it is skipped', async () => {
      const { data } = await api.getBulkRun({ params: { id: run.bulkRunId } });
      return data.counts.skipped === 1;
    });
    const { data: execution } = await api.getExecution({ params: { id: run.results[0].executionId } });
    expect(execution.output).toEqual({ reason: 'The agent was disabled' });
    expect((await api.resumeAgent({ params: { id } })).data.status).toBe('active');
  });

  it('is refused beyond the maximum, also by requests at once', async () => {
    const api = service.as();
    const create = () => api.createAgent({ body: { name: 'One more', kind: 'recommender' } });
    const replies = await Promise.all(Array.from({ length: 52 }, create));
    const statuses = replies.map(({ status }) => status);
    expect([statuses.filter((one) => one === 201).length, statuses.filter((one) => one === 409).length]).toEqual([
      48, 4,
    ]);
  });
});
