import { until } from '@tandem/testing';
import { type Agents, type Api, aCaller, executionOf, startAgents } from '../../agents.test-service.ts';
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

const { sql, jobsOf, run, placed, aRingingCall, check } = callsOf(() => service);

describe('a call whose answer was lost', () => {
  it('goes on with its reports, which name it', async () => {
    const api = service.as();
    const { lead, id } = await run(api, 'lost');
    const call = await placed(lead);
    await until('its check is scheduled', async () => (await jobsOf(api, 'check-call')).length > 0);
    expect((await executionOf(api, id)).status).toBe('running');
    await service.line.report(call, 'in-progress');
    expect((await executionOf(api, id)).output).toMatchObject({ callId: call.sid, callStatus: 'in-progress' });
    await service.line.report(call, 'completed');
    await inStatus(api, id, 'succeeded');
    expect(service.callsTo(lead)).toHaveLength(1);
  });

  it('and whose reports are lost is found by its number', async () => {
    const api = service.as();
    const { lead, id } = await run(api, 'lost');
    const call = await placed(lead);
    service.line.set(call, 'completed');
    // Too early: the request may still be answered.
    await check(api);
    await until('it waits', async () => (await jobsOf(api, 'check-call'))[0]?.['state'] === 'waiting');
    await check(api, { after: '70 s' });
    const { output } = await inStatus(api, id, 'succeeded');
    expect([output.callId, service.callsTo(lead).length]).toEqual([call.sid, 1]);
  });

  it('fails if the provider has no such call, and is retried as the limits say', async () => {
    const api = service.as();
    await aCaller(api, { limits: { retryOn: ['failed'], maxAttempts: 2 } });
    const { lead, id } = await run(api, 502, 'completed');
    // Too early: the request may still be answered.
    await check(api);
    await until('it waits', async () => (await jobsOf(api, 'check-call'))[0]?.['state'] === 'waiting');
    await check(api, { after: '70 s' });
    const { attempt, steps } = await inStatus(api, id, 'succeeded');
    expect([attempt, steps[0].error]).toMatchObject([2, { code: 'not_placed', retryable: true }]);
    expect(service.callsTo(lead)).toHaveLength(1);
  });
});

describe('a process that is killed', () => {
  const loseLease = (api: Api) =>
    sql(api, `UPDATE platform.job SET lease_until = now() - interval '1 s' WHERE name = 'run-execution'`);

  it('before the provider answered does not lead to a second call', async () => {
    const api = service.as();
    const { lead, id } = await run(api, 'silent');
    const call = await placed(lead);
    await loseLease(api);
    await until('another run takes over', async () => (await jobsOf(api, 'check-call')).length > 0);
    expect(service.callsTo(lead)).toHaveLength(1);
    for (const status of ['ringing', 'completed']) await service.line.report(call, status);
    expect(await inStatus(api, id, 'succeeded')).toMatchObject({ attempt: 1, output: { callId: call.sid } });
    expect(service.callsTo(lead)).toHaveLength(1);
  });

  it('after its execution was cancelled hangs up as soon as the call is known', async () => {
    const api = service.as();
    const { lead, id } = await run(api, 'silent');
    const call = await placed(lead);
    await api.cancelAgentExecution({ params: { id }, body: {} });
    await service.line.report(call, 'ringing');
    await until('it is hung up', () => call.status === 'completed');
  });
});

describe('a call whose end is not reported', () => {
  /** Runs the check now, and returns when the next one is due. */
  const nextCheck = async (api: Api) => {
    const checks = () => jobsOf(api, 'check-call');
    await until('its check is scheduled', async () => (await checks()).length > 0);
    await sql(api, `UPDATE platform.job SET due_at = now() WHERE name = 'check-call'`);
    return until('the next check is scheduled', async () => {
      const [next] = await checks();
      return next?.['state'] === 'waiting' && (next['due_at'] as Date) > new Date() && (next['due_at'] as Date);
    });
  };

  it('ends at its deadline with what the provider says', async () => {
    const api = service.as();
    service.line.mute(true);
    const { id, lead } = await run(api, 'busy', 'completed');
    await until('it is over', () => service.callsTo(lead)[0]?.status === 'busy');
    await check(api, { isLate: true });
    await until('it is retried', () => service.callsTo(lead).length === 2);
    await until('it is over', () => service.callsTo(lead)[1]?.status === 'completed');
    await check(api, { isLate: true });
    const { steps } = await inStatus(api, id, 'succeeded');
    expect(steps.map(({ error }: { error: { code: string } | null }) => error?.code)).toEqual(['busy', undefined]);
  });

  it('is hung up and times out if it goes on', async () => {
    const api = service.as();
    const { id, call } = await aRingingCall(api);
    await check(api, { isLate: true });
    expect(await inStatus(api, id, 'timed_out')).toMatchObject({ error: { code: 'timed_out' } });
    expect(call.status).toBe('completed');
  });

  it('and that was answered late goes on for ten minutes from the answer', async () => {
    const api = service.as();
    const { id, call } = await aRingingCall(api);
    // It has waited at the provider for 14 minutes.
    await sql(api, `UPDATE phone_call SET deadline = deadline - interval '14 min'`);
    service.line.set(call, 'in-progress');
    await service.line.report(call, 'in-progress');
    const [row] = await sql(
      api,
      'SELECT deadline - answered_at AS time, answered_at > started_at AS later FROM phone_call',
    );
    expect(row).toMatchObject({ time: { minutes: 11 }, later: true });
    const dueAt = await nextCheck(api);
    expect([dueAt, call.status]).toEqual([
      (await sql(api, 'SELECT deadline FROM phone_call'))[0]?.['deadline'],
      'in-progress',
    ]);
    // A repeated report does not begin the time again.
    const before = await sql(api, 'SELECT answered_at, deadline FROM phone_call');
    await service.line.report(call, 'in-progress', { fields: { SequenceNumber: '3' } });
    expect(await sql(api, 'SELECT answered_at, deadline FROM phone_call')).toEqual(before);
    await service.line.report(call, 'completed', { fields: { SequenceNumber: '4' } });
    expect(await inStatus(api, id, 'succeeded')).toMatchObject({ output: { outcome: 'answered' } });
  });

  it('and whose answer was not reported either goes on for ten minutes from when it is seen, and is hung up then', async () => {
    const api = service.as();
    const { id, call } = await aRingingCall(api);
    service.line.mute(true);
    service.line.set(call, 'in-progress');
    await sql(api, `UPDATE phone_call SET deadline = now() - interval '1 s'`);
    await nextCheck(api);
    const [row] = await sql(api, 'SELECT deadline - answered_at AS time FROM phone_call');
    expect([row, call.status]).toMatchObject([{ time: { minutes: 11 } }, 'in-progress']);
    expect((await executionOf(api, id)).status).toBe('running');
    await check(api, { isLate: true });
    expect(await inStatus(api, id, 'succeeded')).toMatchObject({ output: { outcome: 'answered' } });
    expect(call.status).toBe('completed');
  });

  it('times out if the provider does not know it, or is unavailable for ten minutes more', async () => {
    const api = service.as();
    const first = await aRingingCall(api);
    service.line.calls.splice(service.line.calls.indexOf(first.call), 1);
    await check(api, { isLate: true });
    await inStatus(api, first.id, 'timed_out');

    const second = await aRingingCall(api);
    service.line.down(500);
    await check(api, { isLate: true });
    const checks = () => jobsOf(api, 'check-call');
    await until('it is asked again later', async () => (await checks())[0]?.['state'] === 'waiting');
    expect((await executionOf(api, second.id)).status).toBe('running');
    await sql(api, `UPDATE phone_call SET deadline = now() - interval '11 min'`);
    await sql(api, `UPDATE platform.job SET due_at = now() WHERE name = 'check-call'`);
    await inStatus(api, second.id, 'timed_out');
  });

  it('times out when its check has failed for good', async () => {
    const api = service.as();
    const { id } = await aRingingCall(api);
    await sql(api, `UPDATE platform.job SET state = 'running', attempts = 10, lease_until = now() - interval '1 s'`);
    await inStatus(api, id, 'timed_out');
  });
});
