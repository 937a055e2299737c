import { type Agents, type Api, agentOf, codeOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

const dayMs = 86_400_000;
const inDays = (days: number) => ({ scheduledFor: new Date(Date.now() + days * dayMs).toISOString() });
const later = inDays(30);
const run = async (api: Api, leadIds: unknown, more: object = {}) => {
  const params = { id: await agentOf(api, 'recommender') };
  return api.runAgentInBulk({ params, body: { leadIds, ...more } });
};

describe('runAgentInBulk', () => {
  it('returns a result for each lead, with the order and ids of the request', async () => {
    const api = service.as();
    const [first, second] = [service.aLead(), service.aLead()].map((lead) => codeOf(api, lead)) as [string, string];
    const foreign = codeOf(service.as(), service.aLead());
    const unknown = codeOf(api, 888_888);
    const before = service.asked();
    const { status, data } = await run(api, [second, 'nonsense', first, `lead_${second}`, foreign, unknown, ''], later);
    expect(service.asked() - before).toBe(1);
    const notFound = { code: 'lead_not_found', message: 'No lead with this id' };
    const success = { status: 'success', executionId: expect.stringMatching(/^\d+$/) };
    expect([status, data]).toEqual([
      200,
      {
        bulkRunId: expect.stringMatching(/^\d+$/),
        agentId: await agentOf(api, 'recommender'),
        total: 7,
        accepted: 2,
        rejected: 5,
        results: [
          { leadId: second, ...success },
          { leadId: 'nonsense', status: 'error', error: notFound },
          { leadId: first, ...success },
          {
            leadId: `lead_${second}`,
            status: 'error',
            error: { code: 'duplicate_in_request', message: 'The request contains this lead twice' },
          },
          ...[foreign, unknown, ''].map((leadId) => ({ leadId, status: 'error', error: notFound })),
        ],
      },
    ]);
    const { data: execution } = await api.getExecution({ params: { id: data.results[2].executionId } });
    expect(execution).toMatchObject({
      status: 'queued',
      trigger: 'bulk',
      bulkRunId: data.bulkRunId,
      attempt: 1,
      steps: [],
    });
    const { data: queued } = await api.listExecutions({ query: { leadId: execution.leadId, status: 'queued' } });
    expect(queued).toEqual([execution]);
    expect((await service.as().getExecution({ params: { id: execution.id } })).status).toBe(404);
  });

  it('returns 200 when every lead is rejected', async () => {
    const api = service.as();
    const { status, data } = await run(api, ['nonsense']);
    expect([status, data.accepted, data.rejected]).toEqual([200, 0, 1]);
    const { data: bulkRun } = await api.getBulkRun({ params: { id: data.bulkRunId } });
    expect(bulkRun).toMatchObject({ status: 'completed_with_errors', total: 1, counts: { queued: 0, failed: 0 } });
  });

  it.each([
    [[], 'leadIds', 'Must contain at least 1 id'],
    [Array(251).fill('x'), 'leadIds', 'Must contain at most 250 ids'],
    [[7], 'leadIds.0', 'Must be a string'],
    [undefined, 'leadIds', 'Is required'],
  ])('rejects %#', async (leadIds, field, message) => {
    const reply = await run(service.as(), leadIds);
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
  });

  it.each([
    ['in the past', '1970-01-01T00:00:00Z', 'Must not be in the past'],
    ['an hour ago', inDays(-1 / 24).scheduledFor, 'Must not be in the past'],
    ['in two years', inDays(730).scheduledFor, 'Must be at most one year ahead'],
  ])('rejects a run %s', async (_, scheduledFor, message) => {
    const api = service.as();
    const reply = await run(api, [codeOf(api, service.aLead())], { scheduledFor });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'scheduledFor', message }]]);
  });

  it('accepts a time a few seconds in the past, to allow for clock differences', async () => {
    const api = service.as();
    const scheduledFor = new Date(Date.now() - 30_000).toISOString();
    expect((await run(api, [codeOf(api, service.aLead())], { scheduledFor })).data.accepted).toBe(1);
  });

  it('counts a run toward the daily cap of its due day', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { limits: { dailyCap: 1 } } });
    const accepted = async (more: object) => (await run(api, [codeOf(api, service.aLead())], more)).data.accepted;
    expect([await accepted(inDays(2)), await accepted(inDays(2)), await accepted(inDays(3))]).toEqual([1, 0, 1]);
    expect([await accepted({}), await accepted({})]).toEqual([1, 0]);
  });

  it('starts the day of the daily cap at midnight in the tenant’s time zone', async () => {
    service.timezone('Pacific/Kiritimati');
    try {
      const api = service.as();
      const id = await agentOf(api, 'recommender');
      await api.updateAgent({ params: { id }, body: { limits: { dailyCap: 1 } } });
      const day = new Date(Date.now() + 5 * dayMs).toISOString().slice(0, 10);
      // Midnight there is 10:00 in UTC.
      const accepted = async (time: string) =>
        (await run(api, [codeOf(api, service.aLead())], { scheduledFor: `${day}T${time}Z` })).data.accepted;
      expect([await accepted('09:59:59'), await accepted('10:00:00'), await accepted('23:00:00')]).toEqual([1, 1, 0]);
    } finally {
      service.timezone('UTC');
    }
  });

  it('accepts 250 leads', async () => {
    const api = service.as();
    const leads = Array.from({ length: 250 }, () => codeOf(api, service.aLead()));
    const { data } = await run(api, leads, later);
    expect(data.accepted).toBe(250);
    expect(data.results.map(({ leadId }: { leadId: string }) => leadId)).toEqual(leads);
    const { data: bulkRun } = await api.getBulkRun({ params: { id: data.bulkRunId } });
    expect(bulkRun).toMatchObject({ status: 'running', counts: { queued: 250 } });
  });

  it('does not start a second execution for a lead, even with concurrent requests', async () => {
    const api = service.as();
    const lead = codeOf(api, service.aLead());
    const replies = await Promise.all(Array.from({ length: 5 }, () => run(api, [lead], later)));
    const codes = replies.map(({ data }) => data.results[0].error?.code ?? 'started').sort();
    expect(codes).toEqual([...Array(4).fill('already_running'), 'started']);
    const caller = await agentOf(api, 'caller');
    const other = await api.runAgentInBulk({ params: { id: caller }, body: { leadIds: [lead], ...later } });
    expect(other.data.accepted).toBe(1);
  });

  it('stops at the daily cap of the agent', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { limits: { dailyCap: 2 } } });
    const leads = [1, 2, 3].map(() => codeOf(api, service.aLead()));
    const { data } = await run(api, leads, later);
    expect(data.results.map(({ error }: { error?: { code: string } }) => error?.code)).toEqual([
      undefined,
      undefined,
      'limit_reached',
    ]);
    expect((await run(api, [codeOf(api, service.aLead())], later)).data.results[0].error.code).toBe('limit_reached');
  });

  it('respects the daily cap and starts each lead once with concurrent requests', async () => {
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    const leads = Array.from({ length: 6 }, () => codeOf(api, service.aLead()));
    const uncapped = await Promise.all([leads, [...leads].reverse(), leads].map((some) => run(api, some, later)));
    expect(uncapped.reduce((all, { data }) => all + data.accepted, 0)).toBe(6);
    for (const { data } of uncapped) {
      const { data: bulkRun } = await api.getBulkRun({ params: { id: data.bulkRunId } });
      const { accepted, rejected } = data;
      expect(bulkRun).toMatchObject({ accepted, rejected, counts: { queued: accepted } });
    }
    await api.updateAgent({ params: { id }, body: { limits: { dailyCap: 8 } } });
    const others = Array.from({ length: 5 }, () => codeOf(api, service.aLead()));
    const capped = await Promise.all(others.map((lead) => run(api, [lead], later)));
    expect(capped.reduce((all, { data }) => all + data.accepted, 0)).toBe(2);
  });

  it('returns 404 for an agent of another tenant', async () => {
    const id = await agentOf(service.as(), 'caller');
    const reply = await service.as().runAgentInBulk({ params: { id }, body: { leadIds: ['x'] } });
    expect(reply.status).toBe(404);
  });
});

describe('the addon AI Agents', () => {
  it('limits the executions of all agents together to runsPerDay', async () => {
    const api = service.as();
    const leads = Array.from({ length: 4 }, () => codeOf(api, service.aLead()));
    service.runsPerDay(3);
    const runAs = async (kind: 'caller' | 'recommender', leadIds: string[]) =>
      (await api.runAgentInBulk({ params: { id: await agentOf(api, kind) }, body: { leadIds, ...later } })).data;
    const replies = await Promise.all([runAs('caller', leads.slice(0, 2)), runAs('recommender', leads.slice(2))]);
    expect(replies.map(({ accepted }) => accepted).sort()).toEqual([1, 2]);
    const rejected = replies.flatMap(({ results }) => results).filter(({ status }) => status === 'error');
    expect(rejected.map(({ error }) => error.code)).toEqual(['limit_reached']);
    // Another day has a maximum of its own.
    const { data } = await run(api, leads.slice(2), inDays(31));
    expect(data.accepted).toBeLessThanOrEqual(2);
    service.runsPerDay(undefined);
    const other = service.as();
    const many = Array.from({ length: 4 }, () => codeOf(other, service.aLead()));
    expect((await run(other, many, later)).data.accepted).toBe(4);
  });
});
