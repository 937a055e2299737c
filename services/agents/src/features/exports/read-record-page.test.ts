import { type Agents, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

it.each(['listExecutions', 'listRecommendations'] as const)(
  '%s is read page by page by another service, within its tenant and environment',
  async (list) => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    await runThrough(api, 'recommender', [service.aLead(), service.aLead(), service.aLead()]);
    const read = (after: number, scope: object = { tenantId }) =>
      service.as({ type: 'system', ...scope }).readRecordPage({ body: { list, filters: {}, after, limit: 2 } });
    const first = await read(0);
    const second = await read(first.data.next);
    expect([first.data.records.length, second.data.records.length, second.data.next]).toEqual([2, 1, null]);
    const { data } = await api[list]({ query: { sort: 'createdAt' } });
    expect([...first.data.records, ...second.data.records]).toEqual(data);
    const others = [await read(0, {}), await read(0, { tenantId, environment: 'sandbox' })];
    expect(others.map((reply) => reply.data.records)).toEqual([[], []]);
  },
);

it('a narrowed page is refused: the lists are limited by the leads of the caller, which only crm knows', async () => {
  const api = service.as();
  const narrow = { userId: 7 };
  const reader = service.as({ type: 'system', tenantId: api.caller.tenantId as number, narrow });
  const body = { list: 'listExecutions', filters: {}, after: 0, limit: 2 };
  expect((await reader.readRecordPage({ body })).status).toBe(403);
});
