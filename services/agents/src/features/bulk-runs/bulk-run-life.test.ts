import { until } from '@tandem/testing';
import {
  type Agents,
  type Api,
  agentOf,
  codeOf,
  eventOf,
  executionOf,
  runThrough,
  startAgents,
} from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents({ callRetryMs: 10 });
});
afterAll(() => service?.close());

const later = { scheduledFor: new Date(Date.now() + 86_400_000).toISOString() };

const completions = (api: Api) =>
  service.events.filter(
    ({ name, tenantId }) => name === 'agent.bulk_run_completed' && tenantId === api.caller.tenantId,
  );

async function aRun(api: Api, leadIds: number[], body: object = {}) {
  const params = { id: await agentOf(api, 'recommender') };
  const { data } = await api.runAgentInBulk({
    params,
    body: { leadIds: leadIds.map((id) => codeOf(api, id)), ...body },
  });
  return data;
}

describe('a bulk run', () => {
  it('announces its end once, when its last execution has ended', async () => {
    const api = service.as();
    const { run } = await runThrough(api, 'recommender', [service.aLead(), service.aLead(), service.aLead()]);
    expect([run.status, run.completedAt]).toEqual(['completed', expect.any(String)]);
    const event = await eventOf(service, api, 'agent.bulk_run_completed');
    expect(event.data).toMatchObject({ bulkRunId: run.id, status: 'completed' });
    await runThrough(api, 'recommender', [service.aLead()]);
    await until('both are announced', () => completions(api).length === 2);
    expect(new Set(completions(api).map(({ target }) => target.id)).size).toBe(2);
  });

  it('whose leads are all rejected is over, with errors', async () => {
    const api = service.as();
    await aRun(api, [888_888]);
    const event = await eventOf(service, api, 'agent.bulk_run_completed');
    expect(event.data).toMatchObject({ status: 'completed_with_errors' });
  });

  it('shows its executions by status, to narrowed callers only those of an own run', async () => {
    const api = service.as();
    const [bad, good] = [service.aLead(), service.aLead({ assignedTo: '8' })];
    service.script(bad, 'failed');
    const { run } = await runThrough(api, 'caller', [bad, good]);
    const params = { id: run.id };
    expect((await api.listBulkRunItems({ params })).data).toHaveLength(2);
    const { data: failed } = await api.listBulkRunItems({ params, query: { status: 'failed' } });
    expect(failed.map(({ leadId }: { leadId: string }) => leadId)).toEqual([String(bad)]);
    const can = ['agents:read', 'agents:write', 'leads:read:own'];
    const seller = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can });
    for (const refused of [
      await seller.listBulkRunItems({ params }),
      await seller.cancelBulkRun({ params, body: {} }),
      await seller.retryFailed({ params }),
      await service.as().listBulkRunItems({ params }),
    ])
      expect(refused.status).toBe(404);
    const own = await aRun(seller, [good], later);
    expect((await seller.listBulkRunItems({ params: { id: own.bulkRunId } })).data).toHaveLength(1);
    expect((await seller.cancelBulkRun({ params: { id: own.bulkRunId }, body: {} })).status).toBe(200);
  });
});

describe('cancelBulkRun', () => {
  it('cancels what has not ended, with the approvals, once', async () => {
    const api = service.as();
    const agent = { id: await agentOf(api, 'recommender') };
    await api.updateAgent({ params: agent, body: { approvalPolicy: 'always' } });
    const { bulkRunId, results } = await aRun(api, [service.aLead(), service.aLead()]);
    await until('both wait', async () => (await api.listApprovals()).data.length === 2);
    const params = { id: bulkRunId };
    const { status, data } = await api.cancelBulkRun({ params, body: { reason: 'Wrong segment' } });
    expect([status, data.status, data.counts.cancelled]).toEqual([200, 'cancelled', 2]);
    const execution = await executionOf(api, results[0].executionId);
    expect([execution.status, execution.cancelReason]).toEqual(['cancelled', 'Wrong segment']);
    expect((await api.listApprovals()).data).toEqual([]);
    expect((await api.listApprovals({ query: { status: 'cancelled' } })).data).toHaveLength(2);
    const again = await api.cancelBulkRun({ params, body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'run_is_over']);
    const event = await eventOf(service, api, 'agent.bulk_run_completed');
    expect(event.data).toMatchObject({ bulkRunId, status: 'cancelled' });
    expect(completions(api)).toHaveLength(1);
  });

  it('ends with the last rejection of an approval too', async () => {
    const api = service.as();
    await api.updateAgent({ params: { id: await agentOf(api, 'recommender') }, body: { approvalPolicy: 'always' } });
    await aRun(api, [service.aLead(), service.aLead()]);
    const approvals = await until('both wait', async () => {
      const { data } = await api.listApprovals();
      return data.length === 2 && data;
    });
    // Each of the two transactions sees the execution of the other one as live, unless they wait for each other.
    await Promise.all(
      approvals.map(({ id }: { id: string }) => api.rejectExecution({ params: { id }, body: { reason: 'No' } })),
    );
    await eventOf(service, api, 'agent.bulk_run_completed');
    expect(completions(api)).toHaveLength(1);
  });
});

describe('retryFailed', () => {
  it('starts a run for the failed executions, each once', async () => {
    const api = service.as();
    const [bad, worse, good] = [service.aLead(), service.aLead(), service.aLead()];
    service.script(bad, 'failed');
    service.script(worse, 'failed', 'failed');
    const input = { product: 'Engine' };
    const { run, executions } = await runThrough(api, 'caller', [bad, worse, good], { input });
    expect([run.status, run.counts.failed]).toEqual(['completed_with_errors', 2]);
    const params = { id: run.id };
    const { status, data } = await api.retryFailed({ params });
    expect([status, data.total, data.accepted]).toEqual([202, 2, 2]);
    expect(data.results.map(({ leadId }: { leadId: string }) => leadId)).toEqual(
      [bad, worse].map((id) => codeOf(api, id)),
    );
    const second = await until('the second run is over', async () => {
      const { data: now } = await api.getBulkRun({ params: { id: data.bulkRunId } });
      return now.status !== 'running' && now;
    });
    expect(second).toMatchObject({ retryOf: run.id, counts: { failed: 1, succeeded: 1 } });
    const { data: items } = await api.listBulkRunItems({ params: { id: second.id }, query: { leadId: String(bad) } });
    const first = executions.find(({ leadId }: { leadId: string }) => leadId === String(bad));
    expect(items).toMatchObject([{ status: 'succeeded', retryOf: first.id, input }]);
    const again = await api.retryFailed({ params });
    expect([again.status, again.body.code]).toEqual([409, 'nothing_failed']);
    const both = await Promise.all([1, 2].map(() => api.retryFailed({ params: { id: second.id } })));
    expect(both.map((reply) => reply.status).sort()).toEqual([202, 409]);
  });
});
