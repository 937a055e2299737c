import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

async function anOpportunity(fields = {}, api = service.as()) {
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data } = await api.convertLead({ body: { leadId: lead.id, value: 100, currency: 'EUR', ...fields } });
  return { api, opportunity: data, params: { id: data.id as string } };
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

const closingEvents = (api: Api) =>
  until('both events arrive', () => {
    const found = service.events.filter(
      ({ tenantId, name }) => tenantId === api.caller.tenantId && /^opportunity\.(stage|won|lost)/.test(name),
    );
    return found.length === 2 && found;
  });

describe('winOpportunity', () => {
  it('closes the deal with 100 %, stores the reason, and emits both events', async () => {
    const { api, params } = await anOpportunity();
    const body = { value: 4800, reasonCode: 'price', note: 'Signed', closedAt: new Date().toISOString() };
    const reply = await api.winOpportunity({ params, body });
    expect([reply.status, reply.headers['etag']]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(reply.data).toMatchObject({
      status: 'won',
      stage: 'won',
      probability: 100,
      forecastCategory: 'closed',
      value: 4800,
      daysInStage: 0,
      closedAt: body.closedAt,
      allowedTransitions: ['open'],
      outcome: { result: 'won', reasonCode: 'price', note: 'Signed', competitor: null, byUserId: '1' },
    });
    expect((await api.getOpportunity({ params })).data).toEqual(reply.data);
    const [moved, won] = await closingEvents(api);
    expect([moved?.name, moved?.data]).toEqual([
      'opportunity.stage_changed',
      { opportunityId: params.id, from: 'prospecting', to: 'won' },
    ]);
    expect([won?.name, won?.data]).toEqual([
      'opportunity.won',
      { opportunityId: params.id, value: 4800, currency: 'EUR' },
    ]);
    expect(won?.record).toEqual(reply.data);
    expect(moved?.changes).toMatchObject({ status: { from: 'open', to: 'won' }, value: { from: 100, to: 4800 } });
  });

  it('accepts an empty body: the value stays and the time is now', async () => {
    const { api, params } = await anOpportunity();
    const { data } = await api.winOpportunity({ params, body: {} });
    expect([data.value, data.outcome.reasonCode]).toEqual([100, null]);
    expect(Date.parse(data.closedAt)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('moves to the first won stage', async () => {
    const { api, params } = await anOpportunity();
    const stage = { entityType: 'opportunity', code: 'signed', name: 'Signed', isClosed: true, isWon: true };
    await api.createStatus({ body: { ...stage, sortOrder: 0 } });
    expect((await api.winOpportunity({ params, body: {} })).data.stage).toBe('signed');
  });

  it('rejects a value with more decimals than the currency has', async () => {
    const { api, params } = await anOpportunity();
    const reply = await api.winOpportunity({ params, body: { value: 1.005 } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'value']);
    expect((await api.getOpportunity({ params })).data).toMatchObject({ status: 'open', version: 1 });
  });

  it('rejects a stale If-Match', async () => {
    const { api, params } = await anOpportunity();
    const reply = await api.winOpportunity({ params, body: {}, headers: { 'if-match': '"9"' } });
    expect(reply.status).toBe(412);
  });
});

describe('loseOpportunity', () => {
  it('closes the deal with 0 %, stores reason and competitor, and emits both events', async () => {
    const { api, params } = await anOpportunity();
    const body = { reasonCode: 'price', competitor: 'Difference Ltd', note: 'Half the price' };
    const { data, status } = await api.loseOpportunity({ params, body });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      status: 'lost',
      stage: 'lost',
      probability: 0,
      forecastCategory: 'omitted',
      value: 100,
      outcome: { result: 'lost', ...body, byUserId: '1' },
    });
    const [moved, lost] = await closingEvents(api);
    expect(moved?.data).toEqual({ opportunityId: params.id, from: 'prospecting', to: 'lost' });
    expect([lost?.name, lost?.data]).toEqual(['opportunity.lost', { opportunityId: params.id, reason: 'price' }]);
    expect(lost?.record).toEqual(data);
  });

  it('rejects a loss without a reason', async () => {
    const { api, params } = await anOpportunity();
    const reply = await api.loseOpportunity({ params, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'reasonCode', message: 'Is required' }]]);
  });
});

it.each([
  [
    'before the creation of the deal',
    () => '1970-01-01T00:00:00.000Z',
    'Must not be before the opportunity was created',
  ],
  ['an hour before the creation', () => inMs(-3_600_000), 'Must not be before the opportunity was created'],
  ['in the future', () => inMs(3_600_000), 'Must not be in the future'],
])('a deal cannot be closed %s', async (_, at, message) => {
  const { api, params } = await anOpportunity();
  const closedAt = at();
  for (const reply of [
    await api.winOpportunity({ params, body: { closedAt } }),
    await api.loseOpportunity({ params, body: { closedAt, reasonCode: 'price' } }),
  ])
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'closedAt', message }]]);
  const reply = await api.winOpportunity({ params, body: { closedAt: inMs(30_000) } });
  expect(reply.status).toBe(200);
});

it('a closed deal does not take another reason by PATCH', async () => {
  const { api, params } = await anOpportunity();
  const { data } = await api.winOpportunity({ params, body: { note: 'a' } });
  const reply = await api.updateOpportunity({ params, body: { status: 'won', note: 'b' } });
  expect([reply.status, reply.body.code]).toEqual([409, 'opportunity_closed']);
  const same = await api.updateOpportunity({ params, body: { status: 'won' } });
  expect([same.status, same.data.version]).toEqual([200, data.version]);
});

it('a deal is closed once, even when win and loss are concurrent', async () => {
  const { api, params } = await anOpportunity();
  const lose = () => api.loseOpportunity({ params, body: { reasonCode: 'price' } });
  const win = () => api.winOpportunity({ params, body: {} });
  const replies = await Promise.all([win(), lose(), win(), lose()]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  for (const reply of [await win(), await lose()]) {
    expect([reply.status, reply.body.code]).toEqual([409, 'opportunity_closed']);
    expect(reply.body.errors).toEqual([
      { field: 'status', message: expect.stringMatching(/^The status is (won|lost); it can change to open$/) },
    ]);
  }
  expect((await api.getOpportunity({ params })).data.version).toBe(2);
});

it('a deal of another tenant is not found', async () => {
  const { params } = await anOpportunity();
  const other = service.as();
  for (const reply of [
    await other.getOpportunity({ params }),
    await other.winOpportunity({ params, body: {} }),
    await other.loseOpportunity({ params, body: { reasonCode: 'price' } }),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
});
