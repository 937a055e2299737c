import { type CallScript, until } from '@tandem/testing';
import {
  type Agents,
  type Api,
  aCaller,
  agentOf,
  aWaitingExecution,
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

const later = { scheduledFor: new Date(Date.now() + 86_400_000).toISOString() };

async function run(api: Api, leadId: number, body: object = {}, kind: 'caller' | 'recommender' = 'recommender') {
  const id = kind === 'caller' ? await aCaller(api) : await agentOf(api, kind);
  return api.runAgent({ params: { id }, body: { leadId: String(leadId), ...body } });
}

const inStatus = (api: Api, id: string, status: string) =>
  until(`the execution is ${status}`, async () => {
    const execution = await executionOf(api, id);
    return execution.status === status && execution;
  });

describe('runAgent', () => {
  it('queues one execution, which is run', async () => {
    const api = service.as();
    const leadId = service.aLead();
    const { status, data } = await run(api, leadId, { input: { product: 'Engine' } });
    expect([status, data]).toMatchObject([
      202,
      {
        status: 'queued',
        trigger: 'manual',
        bulkRunId: null,
        retryOf: null,
        input: { product: 'Engine' },
        allowedTransitions: ['cancelled'],
      },
    ]);
    const done = await inStatus(api, data.id, 'succeeded');
    expect(done.allowedTransitions).toEqual([]);
    const completed = await eventOf(service, api, 'agent.execution_completed');
    expect(completed.record).toMatchObject({ status: 'succeeded', allowedTransitions: [] });
    const params = { id: data.agentId };
    expect((await api.listAgentExecutions({ params })).data).toEqual([done]);
    expect((await api.listAgentExecutions({ params, query: { trigger: 'bulk' } })).data).toEqual([]);
    expect((await api.listAgentExecutions({ params: { id: await agentOf(api, 'caller') } })).data).toEqual([]);
  });

  it('refuses a lead that does not exist or is busy, a paused agent, and more than the daily limit', async () => {
    const api = service.as();
    const unknown = await run(api, 888_888);
    expect([unknown.status, unknown.body.errors?.map(({ field }) => field)]).toEqual([422, ['leadId']]);
    const leadId = service.aLead();
    expect((await run(api, leadId, later)).status).toBe(202);
    const busy = await run(api, leadId);
    expect([busy.status, busy.body.code]).toEqual([409, 'already_running']);
    const params = { id: await agentOf(api, 'recommender') };
    await api.updateAgent({ params, body: { limits: { dailyCap: 1 } } });
    expect((await run(api, service.aLead())).status).toBe(202);
    const capped = await run(api, service.aLead());
    expect([capped.status, capped.body.code]).toEqual([409, 'limit_reached']);
    await api.pauseAgent({ params });
    const paused = await run(api, service.aLead());
    expect([paused.status, paused.body.code]).toEqual([409, 'agent_paused']);
  });

  it('queues one execution for two requests at once', async () => {
    const api = service.as();
    const leadId = service.aLead();
    const replies = await Promise.all([run(api, leadId, later), run(api, leadId, later)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
  });
});

describe('cancelAgentExecution', () => {
  it('ends a queued execution, which frees its lead', async () => {
    const api = service.as();
    const leadId = service.aLead();
    const { data } = await run(api, leadId, later);
    const params = { id: data.id };
    const { status, data: cancelled } = await api.cancelAgentExecution({ params, body: { reason: 'They called us' } });
    expect([status, cancelled.status, cancelled.cancelReason]).toEqual([200, 'cancelled', 'They called us']);
    expect(await executionOf(api, data.id)).toEqual(cancelled);
    const again = await api.cancelAgentExecution({ params, body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'wrong_status']);
    await eventOf(service, api, 'agent.execution_cancelled');
    expect((await run(api, leadId, later)).status).toBe(202);
  });

  it('cancels the approval that an execution waits for', async () => {
    const { api, executionId, approval } = await aWaitingExecution(service);
    expect((await api.getApproval({ params: { id: approval.id } })).data).toEqual(approval);
    expect((await api.cancelAgentExecution({ params: { id: executionId }, body: {} })).status).toBe(200);
    const { data } = await api.getApproval({ params: { id: approval.id } });
    expect([data.status, data.allowedTransitions, data.decidedBy]).toEqual(['cancelled', [], '1']);
    const late = await api.approveExecution({ params: { id: approval.id }, body: {} });
    expect([late.status, late.body.code]).toEqual([409, 'already_decided']);
    expect((await eventOf(service, api, 'agent.approval_decided')).data).toMatchObject({ status: 'cancelled' });
    expect((await executionOf(api, executionId)).status).toBe('cancelled');
  });

  it('of a call in progress hangs up, and keeps its outcome from being recorded', async () => {
    const api = service.as();
    const leadId = service.aLead();
    service.script(leadId, 'held');
    const { data } = await run(api, leadId, {}, 'caller');
    await until('it rings', async () => (await executionOf(api, data.id)).output?.callStatus === 'ringing');
    expect((await api.cancelAgentExecution({ params: { id: data.id }, body: {} })).status).toBe(200);
    await until('it is hung up', () => service.callsTo(leadId)[0]?.status === 'completed');
    // The next call of the lead is finished after the first one.
    const retried = (await api.retryAgentExecution({ params: { id: data.id } })).data;
    await inStatus(api, retried.id, 'succeeded');
    expect(await executionOf(api, data.id)).toMatchObject({ status: 'cancelled', steps: [] });
    expect(service.callsTo(leadId)).toHaveLength(2);
  });
});

describe('retryAgentExecution', () => {
  it('repeats a failed execution with its lead and input', async () => {
    const api = service.as();
    const leadId = service.aLead();
    service.script(leadId, 'failed', 'failed');
    const { executions } = await runThrough(api, 'caller', [leadId], { input: { product: 'Engine' } });
    const [failed] = executions;
    expect(failed.status).toBe('failed');
    const { status, data } = await api.retryAgentExecution({ params: { id: failed.id } });
    expect([status, data]).toMatchObject([
      202,
      { retryOf: failed.id, trigger: 'manual', bulkRunId: null, input: { product: 'Engine' }, leadId: failed.leadId },
    ]);
    await inStatus(api, data.id, 'failed');
    expect(await executionOf(api, failed.id)).toEqual(failed);
  });

  it('repeats an execution once, also for two requests at once and beside its bulk run, and then the new one', async () => {
    const api = service.as();
    const leadId = service.aLead();
    service.script(leadId, ...Array<CallScript>(5).fill('failed'));
    const { executions, run } = await runThrough(api, 'caller', [leadId]);
    const retry = (id: string) => api.retryAgentExecution({ params: { id } });
    const first = (await retry(executions[0].id)).data;
    await inStatus(api, first.id, 'failed');
    const again = await retry(executions[0].id);
    expect([again.status, again.body.code]).toEqual([409, 'already_repeated']);
    const ofRun = await api.retryFailed({ params: { id: run.id } });
    expect([ofRun.status, ofRun.body.code]).toEqual([409, 'nothing_failed']);

    const both = await Promise.all([retry(first.id), retry(first.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
    const second = both.find(({ status }) => status === 202)?.data;
    expect(second.retryOf).toBe(first.id);
    await inStatus(api, second.id, 'failed');
    expect((await api.listExecutions({ query: { leadId: String(leadId) } })).data).toHaveLength(3);
  });

  it('refuses what the bulk run repeats, whichever request is first, under a maximum of all agents', async () => {
    service.runsPerDay(100);
    try {
      const api = service.as();
      const leadId = service.aLead();
      service.script(leadId, 'failed', 'failed');
      const { executions, run } = await runThrough(api, 'caller', [leadId]);
      const replies = await Promise.all([
        api.retryFailed({ params: { id: run.id } }),
        api.retryAgentExecution({ params: { id: executions[0].id } }),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
      const list = () => api.listExecutions({ query: { leadId: String(leadId) } });
      await until('the repetition is over', async () =>
        (await list()).data.every(({ status }: { status: string }) => status === 'failed'),
      );
      expect((await list()).data).toHaveLength(2);
      const late = await api.retryAgentExecution({ params: { id: executions[0].id } });
      expect([late.status, late.body.code]).toEqual([409, 'already_repeated']);
      expect((await api.retryFailed({ params: { id: run.id } })).body.code).toBe('nothing_failed');
    } finally {
      service.runsPerDay(undefined);
    }
  });

  it('refuses one that is not over or has succeeded, and one whose lead is gone', async () => {
    const api = service.as();
    const leadId = service.aLead();
    const { data: queued } = await run(api, leadId, later);
    const refused = await api.retryAgentExecution({ params: { id: queued.id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'wrong_status']);
    const { executions } = await runThrough(api, 'recommender', [service.aLead()]);
    expect((await api.retryAgentExecution({ params: { id: executions[0].id } })).body.code).toBe('wrong_status');
    await api.cancelAgentExecution({ params: { id: queued.id }, body: {} });
    service.forget(leadId);
    const gone = await api.retryAgentExecution({ params: { id: queued.id } });
    expect([gone.status, gone.body.code]).toEqual([409, 'lead_gone']);
  });
});

it('a caller who may read own leads runs, sees and cancels only executions for these', async () => {
  const api = service.as();
  const [mine, other] = [service.aLead({ assignedTo: '8' }), service.aLead({ assignedTo: '9' })];
  const seller = service.as({
    tenantId: api.caller.tenantId as number,
    userId: 8,
    can: ['agents:read', 'agents:write', 'leads:read:own'],
  });
  const { data: foreign } = await run(api, other, later);
  expect((await run(seller, other, later)).status).toBe(422);
  for (const refused of [
    await seller.cancelAgentExecution({ params: { id: foreign.id }, body: {} }),
    await seller.retryAgentExecution({ params: { id: foreign.id } }),
  ])
    expect(refused.status).toBe(404);
  const { data: own } = await run(seller, mine, later);
  const { data: listed } = await seller.listAgentExecutions({ params: { id: own.agentId } });
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  expect((await seller.cancelAgentExecution({ params: { id: own.id }, body: {} })).status).toBe(200);
});
