import { LeadSourceCode, LeadStatusCode } from '@tandem/analytics-contract';
import { leadSources as sources, leadStatuses as statuses } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { report, type Version } from '../../records.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const at = (day: number, hour = 12) => new Date(Date.UTC(2026, 2, day, hour)).toISOString();
const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };

const opened = { event: 'email_open' };

interface Step {
  name: string;
  count: number;
  fromPrevious: number | null;
  medianSeconds: number | null;
}

function aTenant() {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  return {
    api,
    lead: (version: Version) => report(told, 'lead.created', version, { data: { email: 'a@b.example', source: null } }),
    moved: (version: Version, to: string, occurredAt: string) =>
      report(
        told,
        'lead.status_changed',
        { ...version, status: to },
        { data: { from: 'new', to, reason: null }, occurredAt },
      ),
    report: (name: string, version: Version, options: { data?: object; occurredAt?: string } = {}) =>
      report(told, name, version, options),
    async happened(leadId: string, eventType: string, timestamp: string, fields: object = {}) {
      const { status } = await api.recordEvent({ body: { leadId, eventType, timestamp, ...fields } });
      expect(status).toBe(201);
    },
    async counted() {
      await report(told, 'partner.deleted', { id: '999', version: 1 });
      await until('everything is counted', async () => {
        return (await service.sqlWithin(api.caller, 'SELECT 1 FROM partner_fact WHERE id = 999')).length > 0;
      });
    },
    async query(body: object) {
      const reply = await api.queryFunnel({ body: { ...march, ...body } });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return reply.data;
    },
  };
}
const countsOf = ({ steps }: { steps: Step[] }) => steps.map(({ count }) => count);

describe('a funnel of steps', () => {
  it('counts each lead once, by the steps that it takes within the window of its first one', async () => {
    const { happened, query } = aTenant();
    for (const day of [2, 3, 4]) await happened('1', 'email_open', at(day));
    await happened('1', 'link_click', at(5));
    await happened('1', 'form_submission', at(6));
    await happened('2', 'email_open', at(2));
    await happened('2', 'link_click', at(20));
    await happened('3', 'link_click', at(2));
    const steps = [{ event: 'email_open' }, { event: 'link_click', name: 'Clicked' }, { event: 'form_submission' }];
    const data = await query({ steps, window: { value: 14, unit: 'day' } });
    expect(data.steps).toEqual([
      { name: 'email_open', count: 2, fromPrevious: null, fromStart: 100, medianSeconds: null },
      { name: 'Clicked', count: 1, fromPrevious: 50, fromStart: 50, medianSeconds: 86_400 },
      { name: 'form_submission', count: 1, fromPrevious: 100, fromStart: 50, medianSeconds: 86_400 },
    ]);
    expect(data.pending).toBe(0);
    expect(countsOf(await query({ steps, window: { value: 18, unit: 'day' } }))).toEqual([2, 2, 1]);
    expect(countsOf(await query({ steps, order: 'any' }))).toEqual([3, 2, 1]);
  });

  it('has events, statuses of leads, stages of their opportunities and conversions as steps, and none of deleted leads', async () => {
    const tenant = aTenant();
    for (const id of ['1', '2', '3']) await tenant.lead({ id, version: 1, createdAt: at(1) });
    await tenant.happened('1', 'email_sent', at(2));
    await tenant.happened('2', 'email_sent', at(2));
    await tenant.happened('3', 'email_sent', at(2));
    await tenant.moved({ id: '1', version: 2, createdAt: at(1) }, 'qualified', at(3));
    await tenant.moved({ id: '2', version: 2, createdAt: at(1) }, 'qualified', at(3));
    await tenant.moved({ id: '3', version: 2, createdAt: at(1) }, 'qualified', at(3));
    await tenant.report(
      'lead.converted',
      { id: '1', version: 3, createdAt: at(1), convertedAt: at(4) },
      { data: { opportunityId: '5' } },
    );
    await tenant.report(
      'opportunity.created',
      { id: '5', version: 1, leadId: '1', createdAt: at(4) },
      { data: { value: 1, stage: 'prospecting' } },
    );
    await tenant.report(
      'opportunity.stage_changed',
      { id: '5', version: 2, leadId: '1', createdAt: at(4), stage: 'proposal' },
      { data: { from: 'prospecting', to: 'proposal' }, occurredAt: at(5) },
    );
    await tenant.report('lead.deleted', { id: '3', version: 3, createdAt: at(1) });
    await tenant.counted();
    const steps = [
      { leadStatus: 'new' },
      { event: 'email_sent' },
      { leadStatus: 'qualified' },
      { converted: true },
      { stage: 'proposal' },
    ];
    const data = await tenant.query({ steps });
    expect(countsOf(data)).toEqual([2, 2, 2, 1, 1]);
    expect(data.steps.map(({ name }: Step) => name)).toEqual([
      'new',
      'email_sent',
      'qualified',
      'converted',
      'proposal',
    ]);
    expect(countsOf(await tenant.query({ steps, exclude: [{ leadStatus: 'qualified' }] }))).toEqual([2, 2, 0, 0, 0]);
    expect(
      countsOf(await tenant.query({ steps: [{ event: 'email_sent' }, { converted: true }], order: 'strict' })),
    ).toEqual([2, 1]);
  });

  it('ignores events of software unless they are asked for, and obeys the conditions of a step', async () => {
    const { happened, query } = aTenant();
    await happened('1', 'email_open', at(2), { messageId: 'm1', automated: true });
    await happened('1', 'link_click', at(3), { messageId: 'm1', properties: { url: 'https://example.com/a' } });
    await happened('2', 'email_open', at(2), { messageId: 'm2' });
    await happened('2', 'link_click', at(3), { messageId: 'm2', properties: { url: 'https://example.com/b' } });
    const steps = (filters: object, then: object = {}) => ({
      steps: [
        { event: 'email_open', filters },
        { event: 'link_click', filters: then },
      ],
    });
    expect(countsOf(await query(steps({})))).toEqual([1, 1]);
    expect(countsOf(await query(steps({ includeAutomated: true })))).toEqual([2, 2]);
    expect(countsOf(await query(steps({ messageId: 'm1' })))).toEqual([0, 0]);
    expect(countsOf(await query(steps({}, { url: 'https://example.com/a' })))).toEqual([1, 0]);
  });

  it('counts the leads of a filter, and those of each value apart', async () => {
    const tenant = aTenant();
    await tenant.lead({ id: '1', version: 1, source: 'web', assignedTo: '5' });
    await tenant.lead({ id: '2', version: 1, source: 'web', assignedTo: '6' });
    await tenant.lead({ id: '3', version: 1, source: null });
    await tenant.counted();
    for (const id of ['1', '2', '3']) await tenant.happened(id, 'email_open', at(2));
    await tenant.happened('1', 'email_reply', at(3));
    const steps = [{ event: 'email_open' }, { event: 'email_reply' }];
    const bySource = await tenant.query({ steps, breakdown: 'source' });
    expect(bySource.breakdown.map((one: { value: string; steps: Step[] }) => [one.value, countsOf(one)])).toEqual([
      ['web', [2, 1]],
      [null, [1, 0]],
    ]);
    const byUser = await tenant.query({ steps, breakdown: 'assignedTo' });
    expect(byUser.breakdown.map(({ userId }: { userId: string }) => userId).sort()).toEqual(['5', '6', null].sort());
    expect(countsOf(await tenant.query({ steps, filter: { assignedTo: '6' } }))).toEqual([1, 0]);
    expect(countsOf(await tenant.query({ steps, filter: { source: 'api' } }))).toEqual([0, 0]);
  });

  it('counts leads of the 50 most frequent values apart, and those of other values in none of them', async () => {
    const tenant = aTenant();
    const leads = Array.from({ length: 52 }, (_, index) => String(index + 1));
    // Two leads of the first user, and one of each other user.
    const userOf = (id: string) => String(Math.max(1, Number(id) - 1));
    for (const id of leads) await tenant.lead({ id, version: 1, assignedTo: userOf(id) });
    await tenant.counted();
    for (const id of leads) await tenant.happened(id, 'email_open', at(2));
    const steps = [{ event: 'email_open' }, { event: 'email_reply' }];
    const data = await tenant.query({ steps, breakdown: 'assignedTo' });
    expect(countsOf(data)).toEqual([52, 0]);
    expect(data.breakdown.map(countsOf)).toEqual([[2, 0], ...new Array(49).fill([1, 0])]);
  });

  it('has leads pending that can still reach the last step', async () => {
    const { happened, query } = aTenant();
    await happened('1', 'email_open', new Date(Date.now() - 3_600_000).toISOString());
    await happened('2', 'email_open', new Date(Date.now() - 3 * 86_400_000).toISOString());
    const steps = [{ event: 'email_open' }, { event: 'email_reply' }];
    const recent = { dateFrom: undefined, dateTo: undefined, steps };
    expect((await query({ ...recent, window: { value: 2, unit: 'day' } })).pending).toBe(1);
    expect((await query({ ...recent, window: { value: 4, unit: 'day' } })).pending).toBe(2);
  });

  it.each([
    [{ steps: [{ event: 'email_open' }] }, 'steps'],
    [{ steps: [{ event: 'email_open' }, {}] }, 'steps.1'],
    [{ steps: [{ event: 'email_open', stage: 'proposal' }, { event: 'email_open' }] }, 'steps.0'],
    [{ steps: [{ stage: 'proposal', filters: {} }, { event: 'email_open' }] }, 'steps.0.filters'],
    [{ steps: [{ event: 'email_open' }, { event: 'email_open' }], window: { value: 400, unit: 'day' } }, 'window'],
  ])('refuses %j', async (body, field) => {
    const reply = await service.as().queryFunnel({ body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it.each<[object, string, string]>([
    [{ steps: [opened, { leadStatus: 'qualifed' }] }, 'steps.1.leadStatus', statuses.join(', ')],
    [{ steps: [opened, { stage: 'propsal' }] }, 'steps.1.stage', 'prospecting, proposal, closed_won, closed_lost'],
    [
      { steps: [opened, opened], exclude: [{ stage: 'propsal' }] },
      'exclude.0.stage',
      'prospecting, proposal, closed_won, closed_lost',
    ],
    [{ steps: [opened, opened], filter: { source: 'wbe' } }, 'filter.source', sources.join(', ')],
    [{ steps: [opened, opened], filter: { status: 'nwe' } }, 'filter.status', statuses.join(', ')],
  ])('refuses the misspelt value in %j, and names the accepted ones', async (body, field, accepted) => {
    const error = { field, message: `Must be one of ${accepted}` };
    const reply = await service.as().queryFunnel({ body });
    expect([reply.status, reply.body.errors]).toEqual([422, [error]]);
    const report = { name: 'Steps', type: 'funnel', query: body };
    const created = await service.as({ userId: 1 }).createReport({ body: report });
    expect([created.status, created.body.errors]).toEqual([422, [{ ...error, field: `query.${field}` }]]);
  });

  it('accepts the statuses and sources that crm has', () => {
    expect([LeadStatusCode.options, LeadSourceCode.options]).toEqual([statuses, sources]);
  });

  it('has a stage that opportunities were in before it was removed', async () => {
    const tenant = aTenant();
    await tenant.lead({ id: '1', version: 1, createdAt: at(1) });
    await tenant.happened('1', 'email_open', at(2));
    await tenant.report(
      'opportunity.created',
      { id: '5', version: 1, leadId: '1', createdAt: at(3), stage: 'old_stage' },
      { data: { value: 1, stage: 'old_stage' }, occurredAt: at(3) },
    );
    await tenant.counted();
    expect(countsOf(await tenant.query({ steps: [opened, { stage: 'old_stage' }] }))).toEqual([1, 1]);
  });

  it('is separate for each tenant', async () => {
    await aTenant().happened('1', 'email_open', at(2));
    expect(countsOf(await aTenant().query({ steps: [{ event: 'email_open' }, { event: 'email_open' }] }))).toEqual([
      0, 0,
    ]);
  });
});

describe('the built-in funnels', () => {
  it('count leads in each status that they reached or skipped', async () => {
    const tenant = aTenant();
    for (const id of ['1', '2', '3', '4']) await tenant.lead({ id, version: 1, createdAt: at(1) });
    await tenant.moved({ id: '1', version: 2, createdAt: at(1) }, 'contacted', at(2));
    await tenant.moved({ id: '2', version: 2, createdAt: at(1) }, 'qualified', at(4));
    await tenant.report(
      'lead.converted',
      { id: '2', version: 3, createdAt: at(1), status: 'qualified', convertedAt: at(6) },
      { data: { opportunityId: '5' } },
    );
    await tenant.moved({ id: '3', version: 2, createdAt: at(1) }, 'unqualified', at(4));
    await tenant.counted();
    const { data } = await tenant.api.getFunnel({ query: march });
    expect(data.steps.map(({ name, count, medianSeconds }: Step) => [name, count, medianSeconds])).toEqual([
      ['new', 4, null],
      ['contacted', 2, 2 * 86_400],
      ['qualified', 1, 0],
      ['converted', 1, 2 * 86_400],
    ]);
    expect(data.pending).toBe(2);
    expect(data.lists[0]).toMatchObject({ path: '/v1/leads', query: { createdFrom: at(1, 0) } });
  });

  it('count opportunities in each stage of the pipeline that they reached or skipped', async () => {
    const tenant = aTenant();
    const deal = (id: string, fields: object = {}) => ({
      id,
      version: 1,
      createdAt: at(1),
      pipelineId: '1',
      stage: 'prospecting',
      ...fields,
    });
    const created = { data: { value: 1, stage: 'prospecting' } };
    for (const id of ['1', '2', '3']) await tenant.report('opportunity.created', deal(id), created);
    await tenant.report('opportunity.created', deal('4', { pipelineId: '2' }), created);
    await tenant.report('opportunity.stage_changed', deal('1', { version: 2, stage: 'proposal' }), {
      data: { from: 'prospecting', to: 'proposal' },
      occurredAt: at(3),
    });
    await tenant.report(
      'opportunity.won',
      deal('2', { version: 2, stage: 'closed_won', status: 'won', closedAt: at(5) }),
      { data: { value: 1 } },
    );
    await tenant.counted();
    const { data } = await tenant.api.getFunnel({ query: { ...march, type: 'opportunity' } });
    expect(data.steps.map(({ name, count, medianSeconds }: Step) => [name, count, medianSeconds])).toEqual([
      ['prospecting', 3, null],
      ['proposal', 2, 3 * 86_400],
      ['closed_won', 1, 0],
    ]);
    expect(data.pending).toBe(2);
    const { status, body } = await tenant.api.getFunnel({ query: { ...march, type: 'opportunity', pipelineId: '7' } });
    expect([status, body.errors]).toEqual([422, [{ field: 'pipelineId', message: 'No pipeline with this id' }]]);
  });
});
