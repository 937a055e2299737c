import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };
const [from, to] = ['2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z'];
const created = { createdFrom: from, createdTo: to };

describe('the lists of a built-in funnel', () => {
  const listsOf = async (query: Record<string, string>) => {
    const { status, data } = await service.as().getFunnel({ query: { ...march, ...query } });
    expect(status).toBe(200);
    return data.lists;
  };

  it('are those of all leads and of the converted ones', async () => {
    const query = { ...created, assignedTo: '5', teamId: '6' };
    expect(await listsOf({ userId: '5', teamId: '6' })).toEqual([
      { number: 'steps.0.count', path: '/v1/leads', query },
      { number: 'steps.3.count', path: '/v1/leads', query: { ...query, converted: 'true' } },
    ]);
  });

  it('are those of all deals of the pipeline and of the won ones', async () => {
    const query = { ...created, pipelineId: '1', ownerId: '5' };
    expect(await listsOf({ type: 'opportunity', userId: '5' })).toEqual([
      { number: 'steps.0.count', path: '/v1/opportunities', query },
      { number: 'steps.2.count', path: '/v1/opportunities', query: { ...query, status: 'won' } },
    ]);
  });
});

it('are absent from funnels and cohorts for a caller with some of the records', async () => {
  const api = service.as({ userId: 5, can: ['analytics:read', 'leads:read:own', 'opportunities:read:team'] });
  const steps = [{ converted: true }, { event: 'email_reply' }];
  const replies = [
    await api.getFunnel({ query: march }),
    await api.getFunnel({ query: { ...march, type: 'opportunity' } }),
    await api.queryFunnel({ body: { ...march, steps } }),
    await api.getCohorts({ query: march }),
  ];
  expect(replies.map(({ status, data }) => [status, data.lists])).toEqual(new Array(4).fill([200, []]));
});

describe('the list of the first step', () => {
  const listOf = async (first: object, body: object = {}) => {
    const steps = [first, { event: 'email_reply' }];
    const { status, data } = await service.as().queryFunnel({ body: { ...march, steps, ...body } });
    expect(status).toBe(200);
    return data.lists;
  };
  const converted = { converted: true };
  const opens = (filters: object = {}) => ({ event: 'email_open', filters });

  it('has every filter of the number', async () => {
    const filter = { source: 'web', status: 'qualified', assignedTo: '5', teamId: '6' };
    const convertedIn = { convertedFrom: from, convertedTo: to };
    expect(await listOf(converted, { filter })).toEqual([
      { number: 'steps.0.count', path: '/v1/leads', query: { ...filter, ...convertedIn } },
    ]);
    expect(await listOf(opens({ workflowExecutionId: 'run-1', includeAutomated: true }))).toEqual([
      {
        number: 'steps.0.count',
        path: '/v1/analytics/events',
        query: { type: 'email_open', from, to, workflowExecutionId: 'run-1', includeAutomated: 'true' },
      },
    ]);
    expect(await listOf(opens(), { filter: {}, exclude: [{ event: 'email_bounce' }] })).toHaveLength(1);
  });

  it.each([
    ['leads of a partner', converted, { filter: { partnerId: '7' } }],
    ['events of leads of a source', opens(), { filter: { source: 'web' } }],
    ['events of leads of a user', opens(), { filter: { assignedTo: '5' } }],
    ['events of a message', opens({ messageId: 'm1' }), {}],
    ['events of an address', opens({ url: 'https://example.com' }), {}],
    ['events that end the attempt that they begin', opens(), { exclude: [opens()] }],
    ['changes of a status', { leadStatus: 'qualified' }, {}],
    ['steps in any order', opens(), { order: 'any' }],
  ])('does not exist for %s', async (_, first, body) => {
    expect(await listOf(first, body)).toEqual([]);
  });
});
