import { type Agents, aRecommendation, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('listRecommendations', () => {
  const idsOf = (data: { id: string }[]) => data.map(({ id }) => id).sort();

  it('filters by lead and status', async () => {
    const api = service.as();
    const [pending, accepted] = [await aRecommendation(service, api), await aRecommendation(service, api)];
    await api.acceptRecommendation({ params: { id: accepted.id } });
    const list = async (query: Record<string, string>) => idsOf((await api.listRecommendations({ query })).data);
    expect([
      await list({}),
      await list({ leadId: pending.leadId }),
      await list({ status: 'accepted' }),
      await list({ leadId: pending.leadId, status: 'accepted' }),
      await list({ status: 'dismissed' }),
    ]).toEqual([idsOf([pending, accepted]), [pending.id], [accepted.id], [], []]);
  });

  it('shows a narrowed caller only recommendations for leads that they may read', async () => {
    const api = service.as();
    await runThrough(api, 'recommender', [service.aLead({ assignedTo: '7' }), service.aLead({ assignedTo: '8' })]);
    const narrowed = service.as({
      tenantId: api.caller.tenantId as number,
      userId: 7,
      can: ['agents:read', 'leads:read:own'],
    });
    const { status, data } = await narrowed.listRecommendations();
    expect([status, data.length, (await api.listRecommendations()).data.length]).toEqual([200, 1, 2]);
    const { data: own } = await api.listRecommendations({ query: { leadId: data[0].leadId } });
    expect(idsOf(own)).toEqual([data[0].id]);
  });

  it('does not contain those of another tenant or environment', async () => {
    const api = service.as();
    await aRecommendation(service, api);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect([(await service.as().listRecommendations()).data, (await sandbox.listRecommendations()).data]).toEqual([
      [],
      [],
    ]);
  });
});
