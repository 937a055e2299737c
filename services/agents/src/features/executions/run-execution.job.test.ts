import { until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, runThrough, startAgents } from '../../agents.test-service.ts';
import { type CallOutcome, simulatedLine } from '../../telephony.ts';

// Outcomes of the calls to a lead, in order.
const plannedOutcomes = new Map<number, CallOutcome[]>();
// Leads whose calls return an invalid result, so that the job fails.
const failingLeads = new Set<number>();
// Leads whose calls never end.
const hangingLeads = new Set<number>();
let placed: string[] = [];
// The `input` of the run that each call received.
const inputs = new Map<number, unknown>();
const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString();

let service: Agents;
beforeAll(async () => {
  const telephony = {
    async place({ key, leadId, attempt, input }: { key: string; leadId: number; attempt: number; input: unknown }) {
      placed.push(key);
      inputs.set(leadId, input);
      if (failingLeads.has(leadId)) return undefined as never;
      if (hangingLeads.has(leadId)) return new Promise<never>(() => {});
      const outcome = plannedOutcomes.get(leadId)?.[attempt - 1];
      if (!outcome) throw new Error('The line is down');
      return { outcome, durationSeconds: 5, isSimulated: true };
    },
  };
  service = await startAgents({ telephony, callRetryMs: 10, callMaxMs: 500 });
});
beforeEach(() => {
  placed = [];
});
afterAll(() => service?.close());

const aLeadWhoIs = (...outcomes: CallOutcome[]) => {
  const lead = service.aLead();
  plannedOutcomes.set(lead, outcomes);
  return lead;
};
const eventsOf = (tenantId: number, executionId: string) =>
  service.events.filter(
    (event) => event.tenantId === tenantId && (event.data as { executionId?: string }).executionId === executionId,
  );

describe('the caller', () => {
  it('calls a lead that answers once, and emits agent.execution_completed', async () => {
    const api = service.as();
    const lead = aLeadWhoIs('answered');
    const { run, executions } = await runThrough(api, 'caller', [lead], { input: { topic: 'x' } });
    expect(inputs.get(lead)).toEqual({ topic: 'x' });
    expect(run).toMatchObject({ status: 'completed', counts: { succeeded: 1, failed: 0 } });
    expect(executions).toMatchObject([
      {
        kind: 'caller',
        status: 'succeeded',
        attempt: 1,
        input: { topic: 'x' },
        error: null,
        source: 'template',
        output: { outcome: 'answered', durationSeconds: 5, isSimulated: true, attempts: 1 },
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

  it('retries after the outcomes in its limits, with a new key each time', async () => {
    const { executions } = await runThrough(service.as(), 'caller', [aLeadWhoIs('no_answer', 'busy', 'answered')]);
    const [{ id, status, attempt, steps, error }] = executions;
    expect([status, attempt, error]).toEqual(['succeeded', 3, null]);
    expect(steps.map((step: { error: { code: string } | null }) => step.error?.code)).toEqual([
      'no_answer',
      'busy',
      undefined,
    ]);
    expect(placed).toEqual([`${id}/1`, `${id}/2`, `${id}/3`]);
  });

  it('times out a call that never ends', async () => {
    const lead = aLeadWhoIs();
    hangingLeads.add(lead);
    const { executions } = await runThrough(service.as(), 'caller', [lead]);
    expect(executions).toMatchObject([{ status: 'timed_out', error: { code: 'timed_out' } }]);
    expect(executions[0].steps).toHaveLength(placed.length);
  });

  it('gives up after the maximum number of attempts, and emits agent.execution_failed', async () => {
    const api = service.as();
    const { run, executions } = await runThrough(api, 'caller', [aLeadWhoIs('busy', 'busy', 'busy', 'answered')]);
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
    const leads = [aLeadWhoIs('failed', 'answered'), service.aLead({ phone: null }), aLeadWhoIs()];
    const { executions } = await runThrough(service.as(), 'caller', leads);
    const codes = executions.map(({ error }: { error: { code: string } }) => error.code);
    expect(codes).toEqual(['failed', 'no_phone', 'failed']);
  });

  it('makes no real calls in the sandbox', async () => {
    const sandbox = service.as({ environment: 'sandbox' });
    const lead = aLeadWhoIs('answered');
    await sandbox.updateAgent({
      params: { id: await agentOf(sandbox, 'caller') },
      body: { limits: { maxAttempts: 1 } },
    });
    const { executions } = await runThrough(sandbox, 'caller', [lead]);
    expect([placed, executions[0].output]).toEqual([[], expect.objectContaining({ isSimulated: true, attempts: 1 })]);
  });

  it('skips a lead that was deleted before the run', async () => {
    const api = service.as();
    const id = await agentOf(api, 'caller');
    const lead = aLeadWhoIs('answered');
    const gone = new Promise<void>((resolve) => setImmediate(resolve)).then(() => lead);
    const scheduledFor = new Date(Date.now() + 1_000).toISOString();
    const started = runThrough(api, 'caller', [await gone], { scheduledFor });
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
    ['with an error', `due_at = now(), attempts = 9`, 1],
    ['by runs that never finish', `state = 'running', attempts = 10, lease_until = now() - interval '1 s'`, 0],
  ])('%s is failed, and emits agent.execution_failed', async (_, now, calls) => {
    const api = service.as();
    const lead = service.aLead();
    failingLeads.add(lead);
    const started = runThrough(api, 'caller', [lead], { scheduledFor: inAMonth() });
    await until('it is queued', async () => (await api.listExecutions()).data.length === 1);
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
    expect(placed).toHaveLength(calls);
    const [event] = await until('the event arrives', () => {
      const found = eventsOf(api.caller.tenantId as number, executions[0].id);
      return found.length > 0 && found;
    });
    expect(event?.name).toBe('agent.execution_failed');
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

describe('the simulated line', () => {
  it('returns the same outcome for a lead and attempt, and covers all outcomes', async () => {
    const call = { key: '', phone: '', goal: null, script: null, tone: null, input: null };
    const { signal } = new AbortController();
    const ask = (leadId: number) => simulatedLine.place({ ...call, leadId, attempt: 1 }, signal);
    expect(await ask(7)).toEqual(await ask(7));
    const outcomes = await Promise.all(Array.from({ length: 200 }, async (_, lead) => (await ask(lead)).outcome));
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'no_answer', 'busy', 'failed']));
  });
});
