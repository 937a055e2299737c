import { until } from '@tandem/testing';
import { type Agents, type Api, agentOf, eventOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());
afterEach(() => service.users('active'));

/** A daily schedule for one lead. */
async function aSchedule(api: Api, fields: object = {}) {
  const body = {
    ...{ agentId: await agentOf(api, 'recommender'), name: 'Daily', timezone: 'Europe/Berlin' },
    ...('cron' in fields ? {} : { every: { value: 1, unit: 'days' } }),
    target: { leadIds: [String(service.aLead())] },
    ...fields,
  };
  const reply = await api.createAgentSchedule({ body });
  expect([reply.status, reply.body.errors]).toEqual([201, undefined]);
  return reply.data;
}

/** Lets the next time of the schedules of a tenant come, or one that passed so many minutes ago. */
async function letTimeCome(api: Api, minutesAgo = 0) {
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  await service.sqlWithin(api.caller, `UPDATE agent_schedule SET next_run_at = '${at}' WHERE next_run_at IS NOT NULL`);
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now(), payload = jsonb_set(payload, '{scheduledFor}', '"${at}"')
     WHERE name = 'start-scheduled-run'`,
  );
}

const scheduleOf = async (api: Api, id: string) => (await api.getAgentSchedule({ params: { id } })).data;
const started = (api: Api, id: string, before: string | null = null) =>
  until('the run begins', async () => {
    const schedule = await scheduleOf(api, id);
    return schedule.lastBulkRunId !== before && schedule;
  });
const executionsOf = async (api: Api, bulkRunId: string) =>
  (await api.listExecutions({ query: { bulkRunId, limit: '100' } })).data;

describe('the times of a schedule', () => {
  it('are those of a cron expression in its time zone, also across a clock change', async () => {
    const api = service.as();
    // The clocks go forward on 28 March 2027.
    const data = await aSchedule(api, { cron: '30 9 * * *', startsAt: '2027-03-26T12:00:00Z' });
    expect(data.nextRuns).toEqual([
      '2027-03-27T08:30:00.000Z',
      '2027-03-28T07:30:00.000Z',
      '2027-03-29T07:30:00.000Z',
      '2027-03-30T07:30:00.000Z',
      '2027-03-31T07:30:00.000Z',
    ]);
    expect(data).toMatchObject({ nextRunAt: data.nextRuns[0], every: null, status: 'active', misfire: 'skip' });
  });

  it('are those of an interval from its start: days keep the clock time, hours do not', async () => {
    const api = service.as();
    const startsAt = '2027-03-27T08:30:00.000Z';
    const days = await aSchedule(api, { every: { value: 1, unit: 'days' }, startsAt });
    const hours = await aSchedule(api, { every: { value: 24, unit: 'hours' }, startsAt });
    expect(days.nextRuns.slice(0, 2)).toEqual([startsAt, '2027-03-28T07:30:00.000Z']);
    expect(hours.nextRuns.slice(0, 2)).toEqual([startsAt, '2027-03-28T08:30:00.000Z']);
    // The clocks skip half past two on this day.
    const night = await aSchedule(api, { every: { value: 1, unit: 'days' }, startsAt: '2027-03-27T01:30:00.000Z' });
    const cron = await aSchedule(api, { cron: '30 2 * * *', startsAt: '2027-03-27T01:30:00.000Z' });
    const nights = ['2027-03-27T01:30:00.000Z', '2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z'];
    expect([night.nextRuns.slice(0, 3), cron.nextRuns.slice(0, 3)]).toEqual([nights, nights]);
  });

  it('end before the end of the schedule', async () => {
    const api = service.as();
    const times = { startsAt: '2027-01-01T08:00:00Z', endsAt: '2027-01-03T08:00:00Z' };
    expect((await aSchedule(api, times)).nextRuns).toEqual(['2027-01-01T08:00:00.000Z', '2027-01-02T08:00:00.000Z']);
  });

  it.each([
    [{ cron: '* * * * *' }, 'cron', 'at least 15 apart'],
    [{ cron: '0 9 31 2 *' }, 'cron', 'Must name a day that exists'],
    [{ cron: 'daily' }, 'cron', 'five fields'],
    [{ every: { value: 5, unit: 'minutes' } }, 'every.value', 'Must be at least 15 minutes'],
    [{ cron: '0 9 * * *', every: { value: 1, unit: 'days' } }, 'every', 'Must not be sent together with cron'],
    [{}, 'cron', 'Is required'],
    [{ cron: '0 9 * * *', timezone: 'Berlin' }, 'timezone', 'time zone'],
    [
      { cron: '0 9 * * *', startsAt: '2027-01-02T00:00:00Z', endsAt: '2027-01-01T00:00:00Z' },
      'endsAt',
      'after startsAt',
    ],
    [{ cron: '0 9 * * *', startsAt: '2020-01-01T00:00:00Z', endsAt: '2020-02-01T00:00:00Z' }, 'endsAt', 'no time'],
    [{ cron: '0 9 * * *', target: {} }, 'target', 'leadIds or filter'],
    [{ cron: '0 9 * * *', target: { leadIds: ['999999'] } }, 'target.leadIds.0', 'No lead with this id'],
    [{ cron: '0 9 * * *', agentId: '999999' }, 'agentId', 'No agent with this id'],
  ])('refuse %j', async (fields, field, message) => {
    const api = service.as();
    const agentId = await agentOf(api, 'recommender');
    const target = { leadIds: [String(service.aLead())] };
    const { status, body } = await api.createAgentSchedule({
      body: { agentId, name: 'Daily', timezone: 'Europe/Berlin', target, ...fields },
    });
    expect([status, body.errors]).toEqual([422, [{ field, message: expect.stringContaining(message) }]]);
    expect((await api.listAgentSchedules()).data).toEqual([]);
  });
});

describe('a scheduled run', () => {
  it('starts once at its time, also when its job is repeated, and the next time follows', async () => {
    const api = service.as({ userId: 7 });
    const leadId = service.aLead();
    const { id } = await aSchedule(api, { target: { leadIds: [String(leadId)] }, input: { product: 'Engine' } });
    await service.sqlWithin(
      api.caller,
      `INSERT INTO platform.job (name, payload, due_at)
       SELECT name, payload, due_at FROM platform.job, generate_series(1, 5) WHERE name = 'start-scheduled-run'`,
    );
    await letTimeCome(api);
    const schedule = await started(api, id);
    await until('no job is left but that of the next time', async () => {
      const jobs = await service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = 'start-scheduled-run'`);
      return jobs.length === 1;
    });
    const [execution, ...others] = (await api.listExecutions({ query: { trigger: 'schedule' } })).data;
    expect(others).toEqual([]);
    expect(execution).toMatchObject({
      ...{ bulkRunId: schedule.lastBulkRunId, scheduleId: id, leadId: String(leadId), actingUserId: '7' },
      input: { product: 'Engine' },
    });
    expect(Date.parse(schedule.nextRunAt)).toBeGreaterThan(Date.now());
    expect((await api.getBulkRun({ params: { id: schedule.lastBulkRunId } })).data).toMatchObject({ scheduleId: id });
  });

  it('takes up to 250 leads of a filter; the next run continues after them, then begins again', async () => {
    const api = service.as({ userId: 7 });
    const leads = Array.from({ length: 260 }, () => service.aLead({ status: 'contacted' }));
    const target = { filter: [{ field: 'status', operator: 'equals', value: 'contacted' }] };
    const { id } = await aSchedule(api, { target });
    const counts: number[] = [];
    const seen = new Set<string>();
    let before: string | null = null;
    for (let round = 0; round < 3; round++) {
      await letTimeCome(api);
      before = (await started(api, id, before)).lastBulkRunId as string;
      const params = { id: before };
      await until('the run is over', async () => (await api.getBulkRun({ params })).data.status !== 'running', 60_000);
      counts.push((await api.getBulkRun({ params })).data.total);
      for (const { leadId } of await executionsOf(api, before)) seen.add(leadId);
    }
    expect(counts).toEqual([250, 10, 250]);
    for (const lead of leads) service.forget(lead);
  }, 120_000);

  it('leaves a time out that passed long ago, or starts one run for all of them', async () => {
    const api = service.as({ userId: 7 });
    const skipping = await aSchedule(api, { misfire: 'skip' });
    const once = await aSchedule(api, { misfire: 'run_once' });
    await letTimeCome(api, 60);
    await started(api, once.id);
    const left = await until('the time is left out', async () => {
      const now = await scheduleOf(api, skipping.id);
      return now.lastError && now;
    });
    expect(left).toMatchObject({ lastBulkRunId: null, lastError: { code: 'missed' }, status: 'active' });
    expect(Date.parse(left.nextRunAt)).toBeGreaterThan(Date.now());
    expect((await api.listExecutions({ query: { trigger: 'schedule' } })).data).toHaveLength(1);
  });

  it('does not start while the agent is paused; the schedule stays', async () => {
    const api = service.as({ userId: 7 });
    const { id, agentId } = await aSchedule(api);
    await api.pauseAgent({ params: { id: agentId } });
    await letTimeCome(api);
    const schedule = await until('the time passes', async () => {
      const now = await scheduleOf(api, id);
      return now.lastError && now;
    });
    expect(schedule).toMatchObject({ status: 'active', lastError: { code: 'agent_paused' }, lastRunAt: null });
    await api.resumeAgent({ params: { id: agentId } });
    await letTimeCome(api);
    expect(await started(api, id)).toMatchObject({ lastError: null });
  });

  it('pauses its schedule when the plan has no agents any more', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aSchedule(api);
    service.known.features = [];
    await letTimeCome(api);
    await until('it is paused', async () => (await scheduleOf(api, id)).lastError?.code === 'feature_not_available');
    service.known.features = ['agents'];
    expect((await scheduleOf(api, id)).status).toBe('paused');
  });

  it.each([
    ['is not active', 'deactivated', ['agents:write', 'leads:read']],
    ['may not run agents any more', 'active', ['leads:read']],
  ] as const)('pauses its schedule when its user %s', async (_, status, permissions) => {
    const api = service.as({ userId: 7 });
    const { id, agentId } = await aSchedule(api);
    service.users(status, [...permissions]);
    await letTimeCome(api);
    const event = await eventOf(service, api, 'agent.schedule_stopped');
    expect(event.data).toMatchObject({ agentScheduleId: id, agentId, code: 'owner_not_permitted' });
    expect(await scheduleOf(api, id)).toMatchObject({
      status: 'paused',
      nextRunAt: null,
      nextRuns: [],
      lastRunAt: null,
    });
    service.users('active');
    const { data } = await api.resumeAgentSchedule({ params: { id } });
    expect(data).toMatchObject({ status: 'active', lastError: null });
  });

  it('ends the schedule after its last time', async () => {
    const api = service.as({ userId: 7 });
    const endsAt = new Date(Date.now() + 36 * 3_600_000).toISOString();
    const { id } = await aSchedule(api, { startsAt: new Date(Date.now() + 3_600_000).toISOString(), endsAt });
    const soon = new Date(Date.now() + 1_000).toISOString();
    await service.sqlWithin(api.caller, `UPDATE agent_schedule SET ends_at = '${soon}'`);
    await letTimeCome(api);
    expect(await started(api, id)).toMatchObject({ status: 'ended', nextRunAt: null, allowedTransitions: [] });
    const { data } = await api.updateAgentSchedule({ params: { id }, body: { endsAt: null } });
    expect(data).toMatchObject({ status: 'active', endsAt: null });
  });
});

describe('a schedule', () => {
  it('whose leads were erased is still shown, starts nothing, and can be deleted', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aSchedule(api);
    await service.sqlWithin(api.caller, `UPDATE agent_schedule SET lead_ids = '{}'`);
    expect((await scheduleOf(api, id)).target).toEqual({ leadIds: [], filter: null });
    await letTimeCome(api);
    await until('the time passes', async () => (await scheduleOf(api, id)).lastError?.code === 'no_leads');
    expect((await api.runAgentSchedule({ params: { id } })).body.code).toBe('no_leads');
    expect((await api.deleteAgentSchedule({ params: { id } })).status).toBe(200);
  });

  it('is refused beyond the maximum, also by requests at once for several agents', async () => {
    const api = service.as({ userId: 7 });
    const agents = [await agentOf(api, 'recommender'), await agentOf(api, 'caller')];
    const target = { leadIds: [String(service.aLead())] };
    const { id } = await aSchedule(api);
    await service.sqlWithin(
      api.caller,
      `INSERT INTO agent_schedule (agent_id, name, cron, timezone, lead_ids, starts_at)
       SELECT agent_id, name, '0 9 * * *', timezone, lead_ids, starts_at FROM agent_schedule, generate_series(1, 97)
       WHERE id = ${id}`,
    );
    const create = (_: unknown, index: number) =>
      api.createAgentSchedule({
        body: { agentId: agents[index % 2], name: 'Daily', cron: '0 9 * * *', timezone: 'UTC', target },
      });
    const statuses = (await Promise.all(Array.from({ length: 6 }, create))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
  });

  it('is listed, updated, paused, resumed, run and deleted', async () => {
    const api = service.as({ userId: 7 });
    const { id, agentId } = await aSchedule(api);
    const { data: updated } = await api.updateAgentSchedule({
      params: { id },
      body: { name: 'On weekdays', cron: '0 9 * * 1-5' },
    });
    expect(updated).toMatchObject({ name: 'On weekdays', cron: '0 9 * * 1-5', every: null, version: 2 });
    const back = await api.updateAgentSchedule({ params: { id }, body: { every: { value: 2, unit: 'weeks' } } });
    expect(back.data).toMatchObject({ cron: null, every: { value: 2, unit: 'weeks' } });
    const { data: paused } = await api.pauseAgentSchedule({ params: { id } });
    expect(paused).toMatchObject({ status: 'paused', nextRunAt: null, allowedTransitions: ['active'] });
    expect((await api.pauseAgentSchedule({ params: { id } })).status).toBe(409);
    expect((await api.listAgentSchedules({ query: { agentId, status: 'paused', search: 'week' } })).data).toHaveLength(
      1,
    );
    const { data: run, status } = await api.runAgentSchedule({ params: { id } });
    expect([status, run.accepted]).toEqual([202, 1]);
    expect(await scheduleOf(api, id)).toMatchObject({ status: 'paused', lastBulkRunId: run.bulkRunId });
    expect((await api.resumeAgentSchedule({ params: { id } })).data.nextRuns).toHaveLength(5);
    expect((await api.deleteAgentSchedule({ params: { id } })).data).toEqual({ id, deleted: true });
    expect((await api.getAgentSchedule({ params: { id } })).status).toBe(404);
    await eventOf(service, api, 'agent.schedule_deleted');
    const names = service.events.flatMap((event) => (event.tenantId === api.caller.tenantId ? [event.name] : []));
    expect(names.filter((name) => name.startsWith('agent.schedule_'))).toEqual([
      'agent.schedule_created',
      ...Array(4).fill('agent.schedule_updated'),
      'agent.schedule_deleted',
    ]);
  });

  it('that is changed at its time does not run at the time that it had', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aSchedule(api);
    await api.updateAgentSchedule({ params: { id }, body: { cron: '0 9 * * *' } });
    const [{ old }] = (await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE id = (SELECT min(id) FROM platform.job
        WHERE name = 'start-scheduled-run') RETURNING id::text AS old`,
    )) as [{ old: string }];
    await until('the old job has run', async () => {
      const jobs = await service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE id = ${old}`);
      return jobs.length === 0;
    });
    expect((await api.listExecutions()).data).toEqual([]);
  });

  it('of others is hidden from callers who can read only some leads', async () => {
    const api = service.as({ userId: 7 });
    const { id } = await aSchedule(api);
    const tenantId = api.caller.tenantId as number;
    const can = ['agents:read', 'agents:write', 'leads:read:own'];
    const narrowed = service.as({ tenantId, type: 'user', userId: 8, can });
    expect((await narrowed.listAgentSchedules()).data).toEqual([]);
    for (const call of ['getAgentSchedule', 'pauseAgentSchedule', 'runAgentSchedule', 'deleteAgentSchedule'] as const)
      expect((await narrowed[call]({ params: { id } })).status).toBe(404);
    expect((await narrowed.updateAgentSchedule({ params: { id }, body: { name: 'Mine' } })).status).toBe(404);
    const lead = String(service.aLead({ assignedTo: '8' }));
    const own = await aSchedule(narrowed, { agentId: await agentOf(api, 'recommender'), target: { leadIds: [lead] } });
    expect((await narrowed.listAgentSchedules()).data).toMatchObject([{ id: own.id }]);
    const key = service.as({ tenantId, userId: 8, type: 'key', can });
    const body = { agentId: own.agentId, name: 'Key', cron: '0 9 * * *', timezone: 'UTC', target: { leadIds: [lead] } };
    expect((await key.createAgentSchedule({ body })).status).toBe(403);
  });
});
