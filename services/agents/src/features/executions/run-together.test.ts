import { until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

// Leaves time for the steps of a test between the request and the run.
const soon = () => ({ scheduledFor: new Date(Date.now() + 1_500).toISOString() });

describe('recommendations that are due together', () => {
  it('read up to fifty leads from crm per request, and emit one event each', async () => {
    const api = service.as();
    const leads = Array.from({ length: 120 }, () => service.aLead());
    const before = service.asked();
    const { run } = await runThrough(api, 'recommender', leads, soon());
    expect(run).toMatchObject({ status: 'completed', counts: { succeeded: 120 } });
    // One call of the request and three of the runs.
    expect(service.asked() - before).toBe(4);
    await until('an event is received for each', () => {
      const isOurs = (event: { name: string; tenantId: number }) =>
        event.name === 'agent.execution_completed' && event.tenantId === api.caller.tenantId;
      return service.events.filter(isOurs).length === 120;
    });
    expect(await service.sqlWithin(api.caller, 'SELECT id FROM platform.job')).toEqual([]);
  });

  it('fail independently', async () => {
    const api = service.as();
    const [fine, gone, odd] = [service.aLead(), service.aLead(), service.aLead()] as [number, number, number];
    const started = runThrough(api, 'recommender', [fine, gone, odd], soon());
    const id = await agentOf(api, 'recommender');
    const queued = () => api.listExecutions({ query: { agentId: id } });
    await until('they are queued', async () => (await queued()).data.length === 3);
    service.forget(gone);
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET payload = '{}' WHERE (payload->>'executionId')::int =
        (SELECT id FROM execution WHERE lead_id = ${odd})`,
    );
    const of = async (leadId: number) =>
      (await api.listExecutions({ query: { leadId: String(leadId) } })).data[0].status as string;
    await until('the others are done', async () => (await of(fine)) === 'succeeded' && (await of(gone)) === 'skipped');
    expect(await of(odd)).toBe('queued');
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now(), payload = jsonb_build_object('executionId', e.id::text,
        'tenantId', e.tenant_id, 'environment', e.environment) FROM execution e WHERE e.lead_id = ${odd}`,
    );
    expect((await started).run).toMatchObject({ status: 'completed', counts: { succeeded: 2, skipped: 1 } });
  });

  it('are retried when crm is unavailable', async () => {
    const api = service.as();
    const leads = [service.aLead(), service.aLead(), service.aLead()];
    const started = runThrough(api, 'recommender', leads, soon());
    const id = await agentOf(api, 'recommender');
    await until(
      'they are queued',
      async () => (await api.listExecutions({ query: { agentId: id } })).data.length === 3,
    );
    service.failNext(1);
    expect((await started).run).toMatchObject({ status: 'completed', counts: { succeeded: 3 } });
  });

  it('each wait for their own approval when the agent requires it', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { approvalPolicy: 'always' } });
    const leadIds = [1, 2, 3].map(() => codeOf(api, service.aLead()));
    await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    const approvals = async () => (await api.listApprovals()).data as { id: string; executionId: string }[];
    await until('all wait', async () => (await approvals()).length === 3);
    const [one] = await approvals();
    if (!one) throw new Error('no approval');
    await api.approveExecution({ params: { id: one.id }, body: {} });
    const statusOf = async (status: 'succeeded' | 'awaiting_approval') =>
      (await api.listExecutions({ query: { status } })).data as { id: string }[];
    const [done] = await until('one is done', async () => {
      const found = await statusOf('succeeded');
      return found.length > 0 && found;
    });
    expect(done?.id).toBe(one.executionId);
    expect(await statusOf('awaiting_approval')).toHaveLength(2);
  });

  it('wait while their agent is paused, and continue when it resumes', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    const started = runThrough(api, 'recommender', [service.aLead(), service.aLead()], soon());
    await until(
      'they are queued',
      async () => (await api.listExecutions({ query: { agentId: id } })).data.length === 2,
    );
    await api.pauseAgent({ params: { id } });
    await until('they are put off', async () => {
      const put = await service.sqlWithin(api.caller, `SELECT id FROM platform.job WHERE due_at > now() + '30 s'`);
      return put.length === 2;
    });
    await api.resumeAgent({ params: { id } });
    await service.sqlWithin(api.caller, 'UPDATE platform.job SET due_at = now()');
    expect((await started).run).toMatchObject({ status: 'completed', counts: { succeeded: 2 } });
  });
});
