import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  type Api,
  closingReceivers,
  type Integrations,
  inStatus,
  leadData,
  publish,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const receiver = closingReceivers();
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

const fromWeb = { '==': [{ var: 'data.source' }, 'web'] };
const created = (api: Api, source: string, id = 7) =>
  publish(service, leadCreated, api.caller, { ...leadData(id), source });
const aFiltered = async (api: Api, url: string, filter: unknown) =>
  (await api.createWebhook({ body: { url, events: ['lead.created'], filter } })).data.id as string;
const deliveriesOf = async (api: Api, id: string) => (await api.listDeliveries({ params: { id } })).data;
const sourcesOf = (requests: { body: Buffer }[]) =>
  requests.map(({ body }) => JSON.parse(body.toString()).data.source).sort();

it('sends only the events that the filter matches; others have no delivery', async () => {
  const api = service.as();
  const hook = await receiver(200);
  const id = await aFiltered(api, hook.url, fromWeb);
  const all = await aFiltered(api, hook.url, undefined);
  await created(api, 'api', 7);
  await created(api, 'web', 8);
  await inStatus(api, id, 'succeeded');
  expect(await deliveriesOf(api, id)).toHaveLength(1);
  const both = await deliveriesOf(api, all);
  expect(both).toHaveLength(2);
});

it.each<[string, unknown, boolean]>([
  ['a comparison', { '<': [1, { var: 'data.missing' }, 3] }, false],
  ['a list of values', { in: [{ var: 'data.source' }, ['web', 'api']] }, true],
  ['a part of a text', { in: ['@example.com', { var: 'data.email' }] }, true],
  ['and, or and not', { and: [{ or: [false, { '!': false }] }, { '!==': [{ var: 'type' }, 'lead.deleted'] }] }, true],
  ['a condition', { if: [{ '==': [{ var: 'data.source' }, 'web'] }, true, false] }, true],
  ['a missing field', { '!': { missing: ['data.leadId'] } }, true],
  ['a default', { '===': [{ var: ['data.none', 5] }, 5] }, true],
  ['elements of a list', { none: [{ var: 'data.tags' }, { '==': [{ var: '' }, 'vip'] }] }, true],
])('applies %s', async (_, filter, isMatch) => {
  const api = service.as();
  const hook = await receiver(200);
  const id = await aFiltered(api, hook.url, filter);
  const { data } = await api.testWebhook({ params: { id }, body: {} });
  // A test is sent in any case.
  expect([data.matchesFilter, data.succeeded]).toEqual([isMatch, true]);
});

it('stores a skipped delivery for an event for which the filter cannot be evaluated', async () => {
  const api = service.as();
  const hook = await receiver(200);
  const id = await aFiltered(api, hook.url, { '>': [{ var: 'data.email' }, 5] });
  await created(api, 'web');
  expect(await inStatus(api, id, 'skipped')).toMatchObject({ lastError: 'filter_error', attemptCount: 0 });
  await api.updateWebhook({ params: { id }, body: { filter: null } });
  await api.recoverWebhook({ params: { id }, body: { since: new Date(0).toISOString() } });
  expect(await inStatus(api, id, 'succeeded')).toMatchObject({ lastError: null });
});

it('replays the events that the current filter matches', async () => {
  const api = service.as();
  const hook = await receiver(200);
  for (const [index, source] of ['web', 'api', 'web'].entries()) await created(api, source, index + 1);
  await until('the events are stored', async () => (await api.listEvents()).data.length === 3);
  const all = await api.createWebhook({ body: { url: hook.url, events: ['lead.created'], active: false } });
  await api.updateWebhook({ params: { id: all.data.id }, body: { active: true, filter: fromWeb } });
  const replay = await api.replayWebhook({ params: { id: all.data.id }, body: { since: '2020-01-01T00:00:00Z' } });
  expect(replay.status).toBe(202);
  await until('the replay is complete', async () => {
    const { data: job } = await api.getJob({ params: { id: replay.data.jobId } });
    return job.status === 'completed' && hook.requests.length >= 2;
  });
  expect(sourcesOf(hook.requests)).toEqual(['web', 'web']);
  expect(await deliveriesOf(api, all.data.id)).toHaveLength(2);
});

it('is shown, changed and removed with the webhook', async () => {
  const api = service.as();
  const id = await aFiltered(api, 'http://127.0.0.1:9/', fromWeb);
  expect((await api.getWebhook({ params: { id } })).data.filter).toEqual(fromWeb);
  const changed = { '!': [fromWeb] };
  expect((await api.updateWebhook({ params: { id }, body: { filter: changed } })).data.filter).toEqual(changed);
  expect((await api.updateWebhook({ params: { id }, body: { filter: null } })).data.filter).toBeNull();
});

const nested = (levels: number): unknown => (levels ? { '!': [nested(levels - 1)] } : true);

it.each<[string, unknown, string]>([
  ['an unknown operator', { and: [true, { log: 'x' }] }, 'filter.and.1.log'],
  ['a pattern', { match: [{ var: 'type' }, '(a+)+$'] }, 'filter.match'],
  ['a loop that builds values', { map: [{ var: 'data' }, 1] }, 'filter.map'],
  ['two operators', { '==': [1, 1], '!': [1] }, 'filter'],
  ['no operator', {}, 'filter'],
  ['an inherited operator', { constructor: [1] }, 'filter.constructor'],
  ['too few arguments', { '==': [1] }, 'filter.=='],
  ['a field outside of the event', { '!': { var: 'tenant' } }, 'filter.!.var'],
  ['an inherited field', { '!': { var: 'data.__proto__.x' } }, 'filter.!.var'],
  ['a computed field', { var: [{ var: 'type' }] }, 'filter.var'],
  ['nested loops', { some: [{ var: 'data.tags' }, { all: [{ var: '' }, true] }] }, 'filter.some.1.all'],
  ['a loop over a list of the filter', { all: [Array(1_600).fill(0), { '!': 0 }] }, 'filter.all.0'],
  ['a long list', { in: [{ var: 'data.source' }, Array(101).fill('web')] }, 'filter.in.1'],
  [
    'much work for each element',
    { all: [{ var: 'data.tags' }, { and: Array.from({ length: 30 }, () => ({ '!': 0 })) }] },
    'filter.all.1.and.19',
  ],
  ['too many levels', nested(30), `filter${'.!.0'.repeat(12)}.!`],
  ['too many operators', { and: Array.from({ length: 50 }, () => ({ '!': [{ '!': [true] }] })) }, 'filter.and.49.!.0'],
  ['too many bytes', { in: [{ var: 'type' }, 'x'.repeat(5_000)] }, 'filter'],
  ['no object', ['=='], 'filter'],
])('refuses %s, and names the part', async (_, filter, field) => {
  const api = service.as();
  const reply = await api.createWebhook({ body: { url: 'http://127.0.0.1:9/', events: ['*'], filter } });
  expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
});
