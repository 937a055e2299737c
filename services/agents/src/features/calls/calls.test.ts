import { aPerson, publish, until } from '@tandem/testing';
import {
  type Agents,
  type Api,
  aCaller,
  agentOf,
  codeOf,
  executionOf,
  runThrough,
  startAgents,
} from '../../agents.test-service.ts';
import { callsOf, inStatus } from './calls.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents({ callRetryMs: 10 });
});
afterAll(() => service?.close());
afterEach(() => {
  service.line.mute(false);
  service.line.down(undefined);
});

const { sql, jobsOf, run, aRingingCall, check } = callsOf(() => service);

describe('a call in progress', () => {
  it('keeps its execution running beyond the job, shows the status, and ends with the report', async () => {
    const api = service.as();
    const { id, call } = await aRingingCall(api);
    expect(await executionOf(api, id)).toMatchObject({
      status: 'running',
      output: { callStatus: 'ringing', callId: call.sid, isSimulated: false, attempts: 1 },
    });
    await until('its job is done', async () => (await jobsOf(api, 'run-execution')).length === 0);
    const [row] = await sql(api, 'SELECT deadline - started_at AS time, provider, call_id FROM phone_call');
    expect(row).toMatchObject({ provider: 'twilio', call_id: call.sid, time: { minutes: 15 } });
    for (const status of ['in-progress', 'completed']) expect(await service.line.report(call, status)).toBe(200);
    expect(await inStatus(api, id, 'succeeded')).toMatchObject({
      output: { outcome: 'answered', durationSeconds: 42, callId: call.sid },
      steps: [{ name: 'Call, attempt 1', status: 'succeeded' }],
    });
  });

  it.each([
    ['completed', { CallDuration: '1' }, 'succeeded', 'answered'],
    ['completed', { CallDuration: '0' }, 'failed', 'no_answer'],
    ['busy', {}, 'failed', 'busy'],
    ['no-answer', {}, 'failed', 'no_answer'],
    ['failed', {}, 'failed', 'failed'],
    ['canceled', {}, 'failed', 'failed'],
  ])('that is %s with %j is %s: %s', async (status, fields, expected, outcome) => {
    const api = service.as();
    await aCaller(api, { limits: { maxAttempts: 1 } });
    const { id, call } = await aRingingCall(api);
    await service.line.report(call, status, { fields: fields as Record<string, string> });
    expect(await inStatus(api, id, expected)).toMatchObject({ output: { outcome } });
  });

  it('is hung up when its execution or its bulk run is cancelled, also while the provider is down for a moment', async () => {
    const api = service.as();
    const { id, call } = await aRingingCall(api);
    service.line.down(429);
    expect((await api.cancelAgentExecution({ params: { id }, body: {} })).status).toBe(200);
    const checks = () => jobsOf(api, 'check-call');
    await until('it is asked again later', async () => (await checks()).some(({ state }) => state === 'waiting'));
    expect(call.status).toBe('ringing');
    service.line.down(undefined);
    await check(api);
    await until('it is hung up', () => call.status === 'completed');
    expect((await executionOf(api, id)).status).toBe('cancelled');

    const lead = service.aLead();
    service.script(lead, 'held');
    const params = { id: await agentOf(api, 'caller') };
    const { data } = await api.runAgentInBulk({ params, body: { leadIds: [codeOf(api, lead)] } });
    await until('it rings', () => service.callsTo(lead)[0]?.status === 'ringing');
    await api.cancelBulkRun({ params: { id: data.bulkRunId }, body: {} });
    await until('it is hung up', () => service.callsTo(lead)[0]?.status === 'completed');
  });
});

it('a call to a person who is erased is hung up', async () => {
  const api = service.as();
  const { lead, id, call } = await aRingingCall(api);
  const data = { person: aPerson({ leadIds: [lead] }), services: ['agents'] };
  const event = { target: { type: 'erasure', id: 1 }, data, record: { id: '1' } };
  const tenantId = api.caller.tenantId as number;
  await publish({ service, tenantId }, 'personal_data.erasure_requested', event);
  await until('it is hung up', () => call.status === 'completed');
  expect((await api.getExecution({ params: { id } })).status).toBe(404);
});

describe('a report', () => {
  it('has its effect once, however often and in whichever order reports arrive', async () => {
    const api = service.as();
    const { id, lead, call } = await aRingingCall(api);
    const report = (status: string) => service.line.report(call, status);
    for (const status of ['in-progress', 'ringing', 'initiated']) expect(await report(status)).toBe(200);
    expect((await executionOf(api, id)).output.callStatus).toBe('in-progress');
    expect(await Promise.all(['completed', 'completed', 'ringing'].map(report))).toEqual([200, 200, 200]);
    const done = await inStatus(api, id, 'succeeded');
    for (const status of ['completed', 'failed', 'busy']) await report(status);
    expect(await executionOf(api, id)).toEqual(done);
    expect([done.steps.length, service.callsTo(lead).length]).toEqual([1, 1]);
  });

  it('that arrives before the answer of the provider ends the call', async () => {
    const api = service.as();
    const { lead, id } = await run(api, 'early');
    const { output, attempt } = await inStatus(api, id, 'succeeded');
    expect([attempt, output.callId]).toEqual([1, service.callsTo(lead)[0]?.sid]);
    await until('its job is done', async () => (await jobsOf(api, 'run-execution')).length === 0);
    expect([service.callsTo(lead).length, await jobsOf(api, 'check-call')]).toEqual([1, []]);
  });

  it('is refused without the signature of the provider, for another address, and with other parameters', async () => {
    const api = service.as();
    const theirs = service.as();
    const [mine, other] = [await aRingingCall(api), await aRingingCall(theirs)];
    const { line } = service;
    expect(await line.report(mine.call, 'busy', { signature: '' })).toBe(403);
    expect(await line.report(mine.call, 'busy', { signature: 'A'.repeat(28) })).toBe(403);
    const signature = line.sign(other.call.statusUrl, line.formOf(mine.call, 'busy'));
    expect(await line.report(mine.call, 'busy', { signature })).toBe(403);
    expect([(await executionOf(api, mine.id)).status, mine.call.status]).toEqual(['running', 'ringing']);
    // The token of another tenant's call: the id of the call does not belong to it.
    expect(await line.report(mine.call, 'busy', { url: other.call.statusUrl })).toBe(200);
    for (const [by, { id }] of [
      [api, mine],
      [theirs, other],
    ] as const)
      expect(await executionOf(by, id)).toMatchObject({ status: 'running', output: { callStatus: 'ringing' } });
    const unknown = mine.call.statusUrl.replace(/calls\/[^/]+/, 'calls/unknown');
    expect(await line.report(mine.call, 'busy', { url: unknown })).toBe(404);
  });

  it('ends a call whose tenant was suspended meanwhile; a retry waits until the tenant is active again', async () => {
    const api = service.as();
    const [answered, busy] = [await aRingingCall(api), await aRingingCall(api)];
    await sql(api, `INSERT INTO platform.tenant_state (state, version) VALUES ('suspended', 1)`);
    expect(await service.line.report(answered.call, 'completed')).toBe(200);
    expect(await service.line.report(busy.call, 'busy')).toBe(200);
    expect(await sql(api, 'SELECT status, ended_at IS NULL AS open FROM phone_call ORDER BY id')).toEqual([
      { status: 'completed', open: false },
      { status: 'busy', open: false },
    ]);
    const statuses = await sql(api, 'SELECT status, attempt FROM execution ORDER BY id');
    expect(statuses).toEqual([
      { status: 'succeeded', attempt: 1 },
      { status: 'queued', attempt: 2 },
    ]);
    await until('the retry is paused', async () => (await jobsOf(api, 'run-execution'))[0]?.['state'] === 'paused');
    expect(service.callsTo(busy.lead)).toHaveLength(1);
  });

  it.each(['removing', 'removed'])('is ignored when the data of its tenant is %s', async (state) => {
    const api = service.as();
    const { call } = await aRingingCall(api);
    await sql(api, `INSERT INTO platform.tenant_state (state, version) VALUES ('${state}', 1)`);
    expect(await service.line.report(call, 'busy')).toBe(200);
    expect(await sql(api, 'SELECT status FROM phone_call')).toEqual([{ status: 'ringing' }]);
  });

  it('about an execution that was erased is ignored', async () => {
    const api = service.as();
    const { call } = await aRingingCall(api);
    await sql(api, 'DELETE FROM execution');
    expect(await service.line.report(call, 'busy')).toBe(200);
  });
});

describe('a provider', () => {
  it('that is down postpones the call, which then counts as one attempt', async () => {
    const api = service.as();
    service.line.down(429);
    const { id, lead } = await run(api);
    const state = async () => (await sql(api, 'SELECT status, starts, error FROM phone_call'))[0];
    await until('it is postponed', async () => (await state())?.['status'] === 'postponed');
    expect(await state()).toMatchObject({ starts: 1, error: '429 Not available' });
    expect((await executionOf(api, id)).status).toBe('queued');
    service.line.down(undefined);
    await sql(api, 'UPDATE platform.job SET due_at = now()');
    expect(await inStatus(api, id, 'succeeded')).toMatchObject({ attempt: 1, steps: [{ name: 'Call, attempt 1' }] });
    expect(service.callsTo(lead)).toHaveLength(1);
  });

  it('that refuses the number fails the call, and the error does not show the number', async () => {
    const api = service.as();
    const lead = service.aLead();
    service.script(lead, 'invalid');
    const { executions } = await runThrough(api, 'caller', [lead]);
    expect(executions[0]).toMatchObject({ status: 'failed', error: { code: 'refused' } });
    const message = `The provider refuses the call: 400 21211 Invalid 'To' Phone Number: [number]`;
    expect(executions[0].error.message).toBe(message);
    expect(executions[0].steps[0].error.message).toBe(message);
    expect(await sql(api, 'SELECT error FROM phone_call')).toEqual([{ error: expect.stringContaining('[number]') }]);
  });

  // Last, because the breaker then stays open.
  it('that stays down fails the call in the end', async () => {
    const api = service.as();
    const { id } = await run(api, ...Array<number>(8).fill(429));
    await until('it has failed', async () => {
      await sql(api, `UPDATE platform.job SET due_at = now() WHERE state = 'waiting'`);
      return (await executionOf(api, id)).status === 'failed';
    });
    expect((await executionOf(api, id)).error).toMatchObject({ code: 'provider_unavailable' });
  });
});

it.each([
  [null, 'no_script'],
  ['&'.repeat(1_000), 'script_too_long'],
])('a script that cannot be said fails the call: %.3s', async (script, code) => {
  const api = service.as();
  const id = await aCaller(api);
  // A script that an earlier release has stored.
  await sql(api, `UPDATE agent SET config = config || '${JSON.stringify({ script })}' WHERE id = ${id}`);
  const lead = service.aLead();
  const { data } = await api.runAgent({ params: { id }, body: { leadId: String(lead) } });
  expect(await inStatus(api, data.id, 'failed')).toMatchObject({ error: { code, retryable: false } });
  expect(service.callsTo(lead)).toEqual([]);
});

describe('without a telephone provider', () => {
  let without: Agents;
  beforeAll(async () => {
    const none = { TELEPHONY_ACCOUNT_SID: undefined, TELEPHONY_AUTH_TOKEN: undefined, TELEPHONY_FROM: undefined };
    without = await startAgents({}, none);
  });
  afterAll(() => without?.close());

  it('runs of the caller are refused in live at once, those of the recommender and of the sandbox are not', async () => {
    const [api, sandbox] = [without.as(), without.as({ environment: 'sandbox' })];
    const body = () => ({ leadId: String(without.aLead()) });
    const of = async (by: Api, kind: 'caller' | 'recommender') => ({ id: await agentOf(by, kind) });
    const refused = [
      await api.runAgent({ params: await of(api, 'caller'), body: body() }),
      await api.runAgentInBulk({ params: await of(api, 'caller'), body: { leadIds: ['1'] } }),
    ];
    for (const { status, body: reply } of refused)
      expect([status, reply.code, reply.message]).toEqual([
        409,
        'telephony_not_configured',
        expect.stringContaining('TELEPHONY_ACCOUNT_SID'),
      ]);
    expect((await api.runAgent({ params: await of(api, 'recommender'), body: body() })).status).toBe(202);
    expect((await sandbox.runAgent({ params: await of(sandbox, 'caller'), body: body() })).status).toBe(202);
  });

  it('a schedule of the caller starts nothing, says why, and stays', async () => {
    const api = without.as();
    const body = {
      ...{ agentId: await agentOf(api, 'caller'), name: 'Daily', timezone: 'UTC' },
      ...{ every: { value: 1, unit: 'days' }, target: { leadIds: [String(without.aLead())] } },
    };
    const params = { id: (await api.createAgentSchedule({ body })).data.id };
    const { status, body: reply } = await api.runAgentSchedule({ params });
    expect([status, reply.code]).toEqual([409, 'telephony_not_configured']);
    const now = new Date().toISOString();
    await without.sqlWithin(api.caller, `UPDATE agent_schedule SET next_run_at = '${now}'`);
    await without.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now(), payload = jsonb_set(payload, '{scheduledFor}', '"${now}"')
       WHERE name = 'start-scheduled-run'`,
    );
    const schedule = await until('the time passes', async () => {
      const { data } = await api.getAgentSchedule({ params });
      return data.lastError && data;
    });
    expect(schedule).toMatchObject({ status: 'active', lastError: { code: 'telephony_not_configured' } });
  });

  it('a call that was queued before fails, and reports are not found', async () => {
    const api = without.as();
    const agentId = await agentOf(api, 'caller');
    const [row] = await without.sqlWithin(
      api.caller,
      `INSERT INTO execution (agent_id, kind, trigger, lead_id) SELECT id, 'caller', 'manual', ${without.aLead()}
       FROM agent WHERE id = ${agentId} RETURNING id`,
    );
    const { tenantId, environment } = api.caller;
    const payload = JSON.stringify({ executionId: String(row?.['id']), tenantId, environment });
    const text = `INSERT INTO platform.job (name, payload, due_at) VALUES ('run-execution', $1, now())`;
    await without.sqlWithin(api.caller, text, [payload]);
    const failed = await until('it has failed', async () => {
      const execution = await executionOf(api, String(row?.['id']));
      return execution.status === 'failed' && execution;
    });
    expect(failed.error).toMatchObject({ code: 'telephony_not_configured' });
    const status = await without.line.report({ statusUrl: 'https://api.example.com/x/y/status' } as never, 'busy');
    expect(status).toBe(404);
  });
});
