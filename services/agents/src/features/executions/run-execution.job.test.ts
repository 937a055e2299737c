import { type CallScript, until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, runThrough, startAgents } from '../../agents.test-service.ts';
import { simulateCall } from '../../telephony.ts';

const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString();

let service: Agents;
beforeAll(async () => {
  service = await startAgents({ callRetryMs: 10 });
});
afterAll(() => service?.close());

const aLeadWho = (...scripts: CallScript[]) => {
  const lead = service.aLead();
  service.script(lead, ...scripts);
  return lead;
};
const eventsOf = (tenantId: number, executionId: string) =>
  service.events.filter(
    (event) => event.tenantId === tenantId && (event.data as { executionId?: string }).executionId === executionId,
  );

describe('the caller', () => {
  it('calls a lead that answers once, and emits agent.execution_completed', async () => {
    const api = service.as();
    const lead = service.aLead();
    const { run, executions } = await runThrough(api, 'caller', [lead], { input: { topic: 'x' } });
    expect(run).toMatchObject({ status: 'completed', counts: { succeeded: 1, failed: 0 } });
    expect(executions).toMatchObject([
      {
        kind: 'caller',
        status: 'succeeded',
        attempt: 1,
        input: { topic: 'x' },
        error: null,
        source: 'template',
        output: {
          ...{ outcome: 'answered', durationSeconds: 42, isSimulated: false, attempts: 1 },
          callId: service.callsTo(lead)[0]?.sid,
        },
        steps: [{ name: 'Call, attempt 1', type: 'call', status: 'succeeded', error: null }],
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
      },
    ]);
    const { id, agentId, leadId } = executions[0];
    const [event] = await until('the event arrives', () => {
      const found = eventsOf(api.caller.tenantId as number, id);
      return found.length > 0 && found;
    });
    expect(event).toMatchObject({ name: 'agent.execution_completed', data: { executionId: id, agentId, leadId } });
  });

  it('retries after the outcomes in its limits, with one call each time', async () => {
    const lead = aLeadWho('no-answer', 'busy', 'completed');
    const { executions } = await runThrough(service.as(), 'caller', [lead]);
    const [{ status, attempt, steps, error }] = executions;
    expect([status, attempt, error]).toEqual(['succeeded', 3, null]);
    expect(steps.map((step: { error: { code: string } | null }) => step.error?.code)).toEqual([
      'no_answer',
      'busy',
      undefined,
    ]);
    expect(service.callsTo(lead).map((call) => call.status)).toEqual(['no-answer', 'busy', 'completed']);
  });

  it('gives up after the maximum number of attempts, and emits agent.execution_failed', async () => {
    const api = service.as();
    const { run, executions } = await runThrough(api, 'caller', [aLeadWho('busy', 'busy', 'busy', 'completed')]);
    expect(run).toMatchObject({ status: 'completed_with_errors', counts: { failed: 1 } });
    const error = { code: 'busy', message: 'The line was busy', retryable: true };
    expect(executions).toMatchObject([{ status: 'failed', attempt: 3, error }]);
    const [event] = await until('the event arrives', () => {
      const found = eventsOf(api.caller.tenantId as number, executions[0].id);
      return found.length > 0 && found;
    });
    expect(event?.name).toBe('agent.execution_failed');
  });

  it('does not retry after other outcomes, and does not call leads without a phone', async () => {
    const leads = [aLeadWho('failed', 'completed'), service.aLead({ phone: null }), aLeadWho('canceled')];
    const { executions } = await runThrough(service.as(), 'caller', leads);
    const codes = executions.map(({ error }: { error: { code: string } }) => error.code);
    expect(codes).toEqual(['failed', 'no_phone', 'failed']);
  });

  it('calls nobody in the sandbox, and says that the calls are simulated', async () => {
    const sandbox = service.as({ environment: 'sandbox' });
    const [lead, requests] = [service.aLead(), service.line.requests()];
    const params = { id: await agentOf(sandbox, 'caller') };
    await sandbox.updateAgent({ params, body: { limits: { maxAttempts: 1 } } });
    const { executions } = await runThrough(sandbox, 'caller', [lead]);
    expect(executions[0]).toMatchObject({
      output: { isSimulated: true, attempts: 1 },
      steps: [{ name: 'Simulated call, attempt 1' }],
    });
    expect(service.line.requests()).toBe(requests);
    const isSimulated = async (api: typeof sandbox) => (await api.getAgentDashboard()).data.agents.caller.isSimulated;
    expect([await isSimulated(sandbox), await isSimulated(service.as())]).toEqual([true, false]);
  });

  it('skips a lead that was deleted before the run', async () => {
    const api = service.as();
    const id = await agentOf(api, 'caller');
    const lead = service.aLead();
    const scheduledFor = new Date(Date.now() + 1_000).toISOString();
    const started = runThrough(api, 'caller', [lead], { scheduledFor });
    await until('it is queued', async () => (await api.listExecutions({ query: { agentId: id } })).data.length === 1);
    service.forget(lead);
    const { run, executions } = await started;
    expect([run.status, executions[0].status, executions[0].output]).toEqual([
      'completed',
      'skipped',
      { reason: 'The lead was deleted' },
    ]);
  });
});

describe('an execution whose job fails permanently', () => {
  // The last attempt of a job fails, or its last run never finishes.
  it.each([
    ['with an error', `due_at = now(), attempts = 9`],
    ['by runs that never finish', `state = 'running', attempts = 10, lease_until = now() - interval '1 s'`],
  ])('%s is failed, and emits agent.execution_failed', async (_, now) => {
    const api = service.as();
    const lead = service.aLead();
    const started = runThrough(api, 'caller', [lead], { scheduledFor: inAMonth() });
    await until('it is queued', async () => (await api.listExecutions()).data.length === 1);
    // The job cannot read the agent.
    const [before] = await service.sqlWithin(api.caller, `SELECT limits FROM agent WHERE kind = 'caller'`);
    await service.sqlWithin(api.caller, `UPDATE agent SET limits = '1' WHERE kind = 'caller'`);
    await service.sqlWithin(api.caller, `UPDATE platform.job SET ${now}`);
    const { run, executions } = await started;
    expect(run).toMatchObject({ status: 'completed_with_errors', counts: { failed: 1 } });
    const error = { code: 'given_up', message: 'An internal error occurred on every attempt', retryable: true };
    expect(executions).toMatchObject([
      {
        status: 'failed',
        error,
        steps: [{ name: 'Fail after the last attempt', status: 'failed' }],
        finishedAt: expect.any(String),
      },
    ]);
    expect(service.callsTo(lead)).toEqual([]);
    const [event] = await until('the event arrives', () => {
      const found = eventsOf(api.caller.tenantId as number, executions[0].id);
      return found.length > 0 && found;
    });
    expect(event?.name).toBe('agent.execution_failed');
    await service.sqlWithin(api.caller, `UPDATE agent SET limits = $1 WHERE kind = 'caller'`, [before?.['limits']]);
    const again = await api.runAgentInBulk({
      params: { id: executions[0].agentId },
      body: { leadIds: [codeOf(api, lead)], scheduledFor: inAMonth() },
    });
    expect(again.data.accepted).toBe(1);
  });
});

describe('the recommender', () => {
  const longAgo = '2020-01-01T00:00:00Z';
  it.each([
    [{ status: 'unqualified' }, 'nurture'],
    [{ status: 'qualified', score: 70 }, 'convert'],
    [{ status: 'qualified', score: 69 }, 'create_task'],
    [{ status: 'new', createdAt: longAgo }, 'nurture'],
    [{ status: 'new', score: 50 }, 'call'],
    [{ status: 'new', source: 'referral', createdAt: longAgo }, 'call'],
    [{ status: 'contacted' }, 'create_task'],
    [{ status: 'new', score: 50, phone: null }, 'email'],
  ] as const)('recommends for %j: %s', async (fields, action) => {
    const api = service.as();
    const { executions } = await runThrough(api, 'recommender', [service.aLead(fields)]);
    const { data } = await api.listRecommendations({ query: { leadId: executions[0].leadId, status: 'pending' } });
    expect(data).toMatchObject([
      { executionId: executions[0].id, action, status: 'pending', allowedTransitions: ['accepted', 'dismissed'] },
    ]);
    expect(data[0].factors).toContainEqual({ name: 'status', value: fields.status });
    expect(executions[0].output).toEqual({ action, confidence: data[0].confidence });
  });

  it('accepts one decision per recommendation, and emits agent.recommendation_decided', async () => {
    const api = service.as();
    await runThrough(api, 'recommender', [service.aLead(), service.aLead()]);
    const [one, other] = (await api.listRecommendations()).data;
    const params = { id: one.id };
    const replies = await Promise.all([
      api.acceptRecommendation({ params }),
      api.dismissRecommendation({ params, body: {} }),
      api.acceptRecommendation({ params }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { data } = await api.dismissRecommendation({ params: { id: other.id }, body: { reason: 'Known already' } });
    expect(data).toMatchObject({
      status: 'dismissed',
      dismissReason: 'Known already',
      decidedBy: '1',
      allowedTransitions: [],
    });
    const theirs = await service.as().acceptRecommendation({ params: { id: other.id } });
    expect(theirs.status).toBe(404);
    await until('both events arrive', () => {
      const isOurs = (event: { name: string; tenantId: number }) =>
        event.name === 'agent.recommendation_decided' && event.tenantId === api.caller.tenantId;
      return service.events.filter(isOurs).length === 2;
    });
  });
});

it('a simulated call has the same outcome for a lead and attempt, and calls have all outcomes', () => {
  const outcomeOf = (leadId: number) => simulateCall({ leadId, attempt: 1 });
  expect(outcomeOf(7)).toEqual(outcomeOf(7));
  const outcomes = Array.from({ length: 200 }, (_, lead) => outcomeOf(lead).outcome);
  expect(new Set(outcomes)).toEqual(new Set(['answered', 'no_answer', 'busy', 'failed']));
});
