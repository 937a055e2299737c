import { until } from '@tandem/testing';
import { type Agents, aCaller, agentOf, codeOf, executionOf, startAgents } from '../../agents.test-service.ts';
import { nextCallTime } from './calling-window.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

const denied = { phone: { state: 'denied' as const, at: '2026-01-01T00:00:00.000Z', source: null } };
const granted = { phone: { ...denied.phone, state: 'granted' as const } };

describe('a lead who has refused calls', () => {
  it('is not called: neither in a single run nor in a bulk run', async () => {
    const api = service.as();
    const id = await agentOf(api, 'caller');
    const [refusing, other] = [service.aLead({ consent: denied }), service.aLead()];
    const one = await api.runAgent({ params: { id }, body: { leadId: String(refusing) } });
    expect([one.status, one.body.code]).toEqual([409, 'do_not_contact']);
    const leadIds = [refusing, other].map((lead) => codeOf(api, lead));
    const { data } = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    expect(data.results).toMatchObject([
      { status: 'error', error: { code: 'do_not_contact', message: 'The lead has refused to be called' } },
      { status: 'success' },
    ]);
    const recommender = await agentOf(api, 'recommender');
    expect((await api.runAgent({ params: { id: recommender }, body: { leadId: String(refusing) } })).status).toBe(202);
  });

  it('after the run was queued is skipped', async () => {
    const api = service.as();
    const id = await aCaller(api);
    const lead = service.aLead();
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    const { data } = await api.runAgent({ params: { id }, body: { leadId: String(lead), scheduledFor } });
    service.aLead();
    service.known.leads.set(lead, { ...(service.known.leads.get(lead) as object), consent: denied } as never);
    await service.sqlWithin(api.caller, 'UPDATE platform.job SET due_at = now()');
    await until('it is skipped', async () => (await executionOf(api, data.id)).status === 'skipped');
    expect(service.callsTo(lead)).toEqual([]);
  });
});

it('a call without recorded consent is risky, one with consent is not; an approver edits the script', async () => {
  const api = service.as({ userId: 7 });
  const id = await aCaller(api, { approvalPolicy: 'risky', config: { goal: 'A meeting', script: 'Hello' } });
  const [unknown, willing] = [service.aLead(), service.aLead({ consent: granted })];
  const leadIds = [unknown, willing].map((lead) => codeOf(api, lead));
  await api.runAgentInBulk({ params: { id }, body: { leadIds } });
  await until('one is called', () => service.callsTo(willing).length === 1);
  expect(service.callsTo(unknown)).toEqual([]);
  const [approval] = await until('the other waits', async () => {
    const { data } = await api.listApprovals();
    return data.length > 0 && data;
  });
  expect(approval).toMatchObject({
    ...{ type: 'call', risk: 'high', leadId: String(unknown) },
    proposedAction: { type: 'call', goal: 'A meeting', script: 'Hello' },
  });
  const editedAction = { type: 'call', goal: 'A demonstration', script: 'Good morning' };
  await api.approveExecution({ params: { id: approval.id }, body: { editedAction } });
  const [call] = await until('it is called', () => service.callsTo(unknown).length > 0 && service.callsTo(unknown));
  expect(call?.twiml).toBe('<Response><Say>Good morning</Say></Response>');
});

describe('a calling window', () => {
  const weekdays = { days: [1, 2, 3, 4, 5], start: '09:00', end: '18:00' };
  it.each([
    ['2026-11-30T10:00:00Z', 'Europe/Berlin', undefined],
    ['2026-11-30T07:59:59Z', 'Europe/Berlin', '2026-11-30T08:00:00.000Z'],
    ['2026-11-30T17:00:00Z', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    ['2026-11-27T20:00:00Z', 'Europe/Berlin', '2026-11-30T08:00:00.000Z'],
    ['2026-11-30T10:00:00Z', 'America/New_York', '2026-11-30T14:00:00.000Z'],
    // The clocks go forward on a Sunday, so Monday begins an hour earlier.
    ['2027-03-27T12:00:00Z', 'Europe/Berlin', '2027-03-29T07:00:00.000Z'],
  ])('at %s in %s opens at %s', (now, zone, expected) => {
    expect(nextCallTime(weekdays, zone, new Date(now))?.toISOString()).toBe(expected);
  });

  it('puts a call off until it opens in the time zone of the lead, and queues it meanwhile', async () => {
    const api = service.as();
    // In one of these zones it is not the hour of the window.
    const hour = new Date().getUTCHours();
    const [start, end] = [hour, hour + 1].map((one) => `${String(one % 24).padStart(2, '0')}:00`);
    const days = [1, 2, 3, 4, 5, 6, 7];
    const callingWindow = { days, start, end: end === '00:00' ? '23:59' : end, timezone: 'lead' };
    const id = await aCaller(api, { limits: { callingWindow } });
    const [near, far] = [service.aLead({ timezone: 'UTC' }), service.aLead({ timezone: 'Asia/Tokyo' })];
    const leadIds = [near, far].map((lead) => codeOf(api, lead));
    const { data } = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
    await until('the near one is called', () => service.callsTo(near).length === 1);
    expect(service.callsTo(far)).toEqual([]);
    const [job] = await until('the far one waits', () =>
      service
        .sqlWithin(
          api.caller,
          `SELECT due_at FROM platform.job WHERE name = 'run-execution' AND due_at > now() + '1 min'`,
        )
        .then((rows) => rows.length > 0 && (rows as { due_at: Date }[])),
    );
    expect(job?.due_at.getUTCMinutes()).toBe(0);
    expect((await executionOf(api, data.results[1].executionId)).status).toBe('queued');
  });
});

it('no more calls of an agent are in progress at once than it allows', async () => {
  const api = service.as();
  const id = await aCaller(api, { limits: { maxConcurrent: 2 } });
  const leads = Array.from({ length: 5 }, () => service.aLead());
  for (const lead of leads) service.script(lead, 'held');
  const leadIds = leads.map((lead) => codeOf(api, lead));
  const { data } = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
  const countsOf = async () => (await api.getBulkRun({ params: { id: data.bulkRunId } })).data.counts;
  const called = () => leads.flatMap((lead) => service.callsTo(lead));
  await until('two run and three wait', async () => {
    const waiting = await service.sqlWithin(
      api.caller,
      `SELECT 1 FROM platform.job WHERE name = 'run-execution' AND due_at > now() + '5 s'`,
    );
    const { running, queued } = await countsOf();
    return running === 2 && queued === 3 && waiting.length === 3;
  });
  expect(called()).toHaveLength(2);
  await until('all are done', async () => {
    for (const call of called())
      if (call.status === 'ringing') {
        service.line.set(call, 'completed');
        await service.line.report(call, 'completed');
      }
    expect((await countsOf()).running).toBeLessThanOrEqual(2);
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'run-execution'`);
    return (await countsOf()).succeeded === 5;
  });
});
