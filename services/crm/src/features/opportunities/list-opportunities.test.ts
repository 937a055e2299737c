import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
let api: ReturnType<typeof service.as>;
const leadIds: Record<string, string> = {};

const deals = [
  { name: 'Alpha', value: 100, currency: 'EUR', expectedCloseAt: '2027-01-10T00:00:00Z' },
  { name: 'Beta', value: 2500.5, currency: 'USD', expectedCloseAt: '2027-02-10T00:00:00Z' },
  { name: 'Gamma', value: 90_000, currency: 'JPY' },
  { name: 'Delta', value: 0, currency: 'EUR', ownerId: null },
];

beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
  api = service.as();
  for (const { name, ...deal } of deals) {
    const { data: lead } = await api.createLead({ body: aLead() });
    leadIds[name] = lead.id;
    const { data, status } = await api.convertLead({ body: { leadId: lead.id, name, ...deal } });
    expect(status).toBe(201);
    if (name === 'Beta') await api.winOpportunity({ params: { id: data.id }, body: {} });
    if (name === 'Gamma') await api.loseOpportunity({ params: { id: data.id }, body: { reasonCode: 'price' } });
  }
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const names = async (query: Record<string, string>, as = api) =>
  (await as.listOpportunities({ query })).data.map(({ name }: { name: string }) => name);

describe('listOpportunities', () => {
  it.each([
    [{}, ['Delta', 'Gamma', 'Beta', 'Alpha']],
    [{ status: 'open' }, ['Delta', 'Alpha']],
    [{ status: 'won' }, ['Beta']],
    [{ stage: 'lost' }, ['Gamma']],
    [{ stage: 'no_such_stage' }, []],
    [{ ownerId: '1', status: 'open' }, ['Alpha']],
    [{ currency: 'EUR' }, ['Delta', 'Alpha']],
    [{ valueMin: '100' }, ['Alpha']],
    [{ valueMax: '99.99' }, ['Delta']],
    [{ valueMin: '100.5', valueMax: '2500.5', currency: 'USD' }, ['Beta']],
    [{ valueMin: '90000', currency: 'JPY' }, ['Gamma']],
    [{ closeFrom: '2027-02-01T00:00:00Z' }, ['Beta']],
    [{ closeTo: '2027-02-01T00:00:00Z' }, ['Alpha']],
    [{ search: 'alp' }, ['Alpha']],
    [{ sort: 'value' }, ['Delta', 'Alpha']],
    [{ sort: '-value', currency: 'USD' }, ['Beta']],
    [{ sort: '-name' }, ['Gamma', 'Delta', 'Beta', 'Alpha']],
  ])('filters by %j', async (query, expected) => {
    expect(await names(query as Record<string, string>)).toEqual(expected);
  });

  it('filters by lead and by stage', async () => {
    expect(await names({ leadId: leadIds['Gamma'] as string })).toEqual(['Gamma']);
    const stages = (await api.listStatuses({ query: { entityType: 'opportunity' } })).data;
    const won = stages.find(({ code }: { code: string }) => code === 'won').id;
    expect(await names({ stageId: won })).toEqual(['Beta']);
  });

  it.each(['expectedCloseAt', '-expectedCloseAt', 'value', '-createdAt'])(
    'returns by cursor, sorted by %s, each deal once and in the order of the whole list',
    async (sort) => {
      const whole = await names({ sort });
      expect(whole).toHaveLength(sort === 'value' ? 2 : 4);
      const paged: string[] = [];
      for (let cursor: string | null = null, page = 0; page < whole.length; page++) {
        const query = { sort, limit: '1', ...(cursor && { cursor }) };
        const { data, body } = await api.listOpportunities({ query });
        paged.push(data[0].name);
        cursor = body.pagination?.nextCursor ?? null;
      }
      expect(paged).toEqual(whole);
    },
  );

  it('names the currency in which it compares amounts, unless the request does', async () => {
    const warningsOf = async (query: Record<string, string>) =>
      (await api.listOpportunities({ query })).body.meta?.warnings ?? [];
    expect(await warningsOf({ sort: '-value' })).toEqual([
      {
        code: 'part_missing',
        field: 'currency',
        message: expect.stringMatching(/only opportunities in EUR are listed$/),
      },
    ]);
    expect(await warningsOf({ valueMin: '1', currency: 'EUR' })).toEqual([]);
    expect(await warningsOf({})).toEqual([]);
  });

  it('finds open deals that stay in their stage, which won and lost deals do not', async () => {
    expect(await names({ staleDays: '2' })).toEqual([]);
    await service.sqlWithin(api.caller, `UPDATE opportunity SET stage_entered_at = now() - interval '49 hours'`);
    expect([await names({ staleDays: '2' }), await names({ staleDays: '3' })]).toEqual([['Delta', 'Alpha'], []]);
    expect((await api.listOpportunities({ query: { search: 'Alpha' } })).data[0].daysInStage).toBe(2);
  });

  it('returns only records of the tenant, and only own records to a narrowed caller', async () => {
    expect(await names({}, service.as())).toEqual([]);
    const tenantId = api.caller.tenantId as number;
    const narrow = service.as({ tenantId, userId: 9, can: ['opportunities:read:own'] });
    expect(await names({}, narrow as typeof api)).toEqual([]);
  });

  it.each([
    [{ valueMin: '-1' }, 'valueMin'],
    [{ valueMax: 'much' }, 'valueMax'],
    [{ status: 'closed' }, 'status'],
    [{ valueMin: '1.005' }, 'valueMin'],
    [{ staleDays: '0' }, 'staleDays'],
    [{ sort: 'stage' }, 'sort'],
  ])('rejects %j', async (query, field) => {
    const reply = await api.listOpportunities({ query: query as unknown as Record<string, string> });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });
});
