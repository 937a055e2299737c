import { campaign } from '@tandem/campaign-contract';
import { everyOperation, type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

everyOperation(campaign, () => service);

describe('createCampaign', () => {
  it('returns 201 with the campaign, by default an email draft', async () => {
    const reply = await service.as().createCampaign({ body: { name: 'Spring' } });
    expect([reply.status, reply.body.message, reply.headers.etag]).toEqual([
      201,
      'Campaign created',
      expect.stringMatching(/^"1-/),
    ]);
    expect(reply.data).toMatchObject({
      name: 'Spring',
      description: null,
      type: 'email',
      status: 'draft',
      phase: 'draft',
      allowedTransitions: ['active'],
      createdBy: '1',
      version: 1,
      createdAt: expect.any(String),
    });
  });

  it.each(['draft', 'active', 'paused', 'completed'])('accepts the status %s', async (status) => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'A', description: 'B', type: 'mixed', status } });
    expect(data).toMatchObject({ description: 'B', type: 'mixed', status });
    expect((await api.getCampaign({ params: { id: data.id } })).data).toEqual(data);
  });

  it('reports invalid fields, and stores nothing', async () => {
    const api = service.as();
    const reply = await api.createCampaign({ body: { name: ' ', type: 'letter', status: 'scheduled' } });
    expect([reply.status, reply.body.errors?.map(({ field }) => field).sort()]).toEqual([
      422,
      ['name', 'status', 'type'],
    ]);
    expect((await api.listCampaigns()).body.pagination?.total).toBe(0);
  });

  it('emits campaign.created', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'Told', type: 'sms' } });
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'campaign.created' && one.tenantId === api.caller.tenantId),
    );
    expect(event).toMatchObject({
      data: { campaignId: data.id, name: 'Told', type: 'sms', status: 'draft' },
      action: 'campaign.create',
      target: { type: 'campaign', id: Number(data.id) },
    });
  });
});

describe('listCampaigns', () => {
  it.each<[Record<string, string>, string[]]>([
    [{}, ['Autumn', 'Spring']],
    [{ status: 'active' }, ['Spring']],
    [{ type: 'sms' }, ['Autumn']],
    [{ search: 'SPRI' }, ['Spring']],
    [{ search: 'harvest' }, ['Autumn']],
    [{ sort: 'name' }, ['Autumn', 'Spring']],
    [{ sort: '-name' }, ['Spring', 'Autumn']],
  ])('filters by %j', async (query, names) => {
    const api = service.as();
    await api.createCampaign({ body: { name: 'Spring', status: 'active' } });
    await api.createCampaign({ body: { name: 'Autumn', type: 'sms', description: 'Harvest' } });
    const { body, data } = await api.listCampaigns({ query });
    expect(data.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(body.pagination?.total).toBe(names.length);
  });
});

describe('records of a team', () => {
  it('belong to the only team of the user who created them, whose members find them', async () => {
    const api = service.as({ teamIds: [21] });
    const tenantId = api.caller.tenantId as number;
    const { data: campaign } = await api.createCampaign({ body: { name: 'Spring' } });
    const { data: workflow } = await api.createWorkflow({ body: { name: 'Welcome', nodes: [], edges: [] } });
    const { data: page } = await api.createLandingPage({ body: { name: 'Offer', slug: 'offer' } });
    expect([campaign.teamId, workflow?.teamId, page.teamId]).toEqual(['21', '21', '21']);
    const member = (teamIds: number[]) =>
      service.as({ tenantId, userId: 8, teamIds, can: ['campaigns:read:team', 'workflows:read:team'] });
    const found = async (teamIds: number[]) => {
      const as = member(teamIds);
      const lists = await Promise.all([as.listCampaigns(), as.listWorkflows(), as.listLandingPages()]);
      const gets = await Promise.all([
        as.getCampaign({ params: { id: campaign.id } }),
        as.getWorkflow({ params: { id: workflow.id } }),
        as.getLandingPage({ params: { id: page.id } }),
      ]);
      return [lists.map(({ body }) => body.pagination?.total), gets.map(({ status }) => status)];
    };
    expect(await found([21])).toEqual([
      [1, 1, 1],
      [200, 200, 200],
    ]);
    expect(await found([22])).toEqual([
      [0, 0, 0],
      [404, 404, 404],
    ]);
    const filtered = async (teamId: string) => (await api.listCampaigns({ query: { teamId } })).body.pagination?.total;
    expect([await filtered('21'), await filtered('22')]).toEqual([1, 0]);
  });

  it('belong to no team if the user is in several', async () => {
    const api = service.as({ teamIds: [21, 22] });
    expect((await api.createCampaign({ body: { name: 'Spring' } })).data.teamId).toBeNull();
  });
});

describe('access to campaigns', () => {
  it('hides campaigns of another tenant, environment or owner', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'Mine' } });
    const params = { id: data.id };
    const tenantId = api.caller.tenantId as number;
    const others = [
      service.as(),
      service.as({ tenantId, environment: 'sandbox' }),
      service.as({ tenantId, userId: 2, can: ['campaigns:read:own'] }),
    ];
    for (const other of others) {
      expect((await other.getCampaign({ params })).status).toBe(404);
      expect((await other.listCampaigns()).data).toEqual([]);
    }
    const own = service.as({ tenantId, can: ['campaigns:read:own'] });
    expect((await own.getCampaign({ params })).status).toBe(200);
  });

  it('lets other services find campaigns only within the tenant', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'Shared', status: 'active' } });
    const params = { id: data.id };
    const inside = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
    expect((await inside.findCampaign({ params })).data).toEqual({ id: data.id, name: 'Shared', status: 'active' });
    expect((await service.as({ type: 'system' }).findCampaign({ params })).status).toBe(404);
  });
});
