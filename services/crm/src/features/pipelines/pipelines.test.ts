import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const convert = async (api: Api, body = {}) => {
  const { data } = await api.createLead({ body: aLead() });
  return api.convertLead({ body: { leadId: data.id, currency: 'EUR', ...body } });
};
const defaultsOf = async (api: Api) =>
  (await api.listPipelines()).data.filter((one: { isDefault: boolean }) => one.isDefault);

describe('pipelines', () => {
  it('begin with one default pipeline that has the standard stages', async () => {
    const api = service.as();
    const { data } = await api.listPipelines();
    expect(data).toMatchObject([
      {
        name: 'Sales',
        isDefault: true,
        teamIds: [],
        rules: { noSkip: false, noBackward: false, requiredFields: {}, allowedRoleIds: [] },
      },
    ]);
    const { data: detail } = await api.getPipeline({ params: { id: data[0].id } });
    expect(detail.stages.map((one: { code: string }) => one.code)).toEqual([
      'prospecting',
      'qualification',
      'proposal',
      'negotiation',
      'won',
      'lost',
    ]);
    expect((await convert(api)).data.pipelineId).toBe(data[0].id);
  });

  it('have stages whose codes are read for other services, each once', async () => {
    const api = service.as();
    await api.createPipeline({ body: { name: 'Renewals' } });
    const { data: other } = await api.createPipeline({ body: { name: 'Small' } });
    const body = { entityType: 'opportunity', pipelineId: other.id, code: 'trial', name: 'Trial', sortOrder: 99 };
    expect((await api.createStatus({ body })).status).toBe(201);
    const crm = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
    const { data } = await crm.readStageCodes({ body: {} });
    expect(data.codes).toEqual([
      ...['prospecting', 'qualification', 'proposal', 'negotiation', 'won', 'lost'],
      'trial',
    ]);
  });

  it('are created with standard stages or their own, and as the default for new deals', async () => {
    const api = service.as();
    const first = await api.createPipeline({ body: { name: 'Renewals' } });
    expect([first.status, first.data.stages.length]).toEqual([201, 6]);
    const stages = [
      { code: 'open', name: 'Open' },
      { code: 'won', name: 'Won', isClosed: true, isWon: true },
      { code: 'lost', name: 'Lost', isClosed: true },
    ];
    const own = await api.createPipeline({ body: { name: 'Small', isDefault: true, stages } });
    expect(own.data.stages.map((one: { isDefault: boolean }) => one.isDefault)).toEqual([true, false, false]);
    expect((await defaultsOf(api)).map((one: { name: string }) => one.name)).toEqual(['Small']);
    expect((await convert(api)).data).toMatchObject({ pipelineId: own.data.id, stage: 'open' });
    const listed = await api.listStatuses({ query: { pipelineId: own.data.id } });
    expect(listed.data).toHaveLength(3);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'pipeline.created' && one.tenantId === api.caller.tenantId),
    );
    expect(event.data).toMatchObject({ name: 'Renewals' });
  });

  it.each([
    [
      'without a won stage',
      {
        stages: [
          { code: 'a', name: 'A' },
          { code: 'b', name: 'B' },
          { code: 'c', name: 'C', isClosed: true },
        ],
      },
      'stages',
    ],
    ['without a name', { name: '' }, 'name'],
    ['with a team that does not exist', { teamIds: ['nonsense'] }, 'teamIds.0'],
  ])('are not created %s', async (_, body, field) => {
    const api = service.as();
    const reply = await api.createPipeline({ body: { name: 'Renewals', ...body } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
    expect((await api.listPipelines()).data).toHaveLength(1);
  });

  it('keep one default when two become it at once, and honour If-Match', async () => {
    const api = service.as();
    const made = await Promise.all(['A', 'B'].map((name) => api.createPipeline({ body: { name } })));
    const replies = await Promise.all(
      made.map(({ data }) => api.updatePipeline({ params: { id: data.id }, body: { isDefault: true } })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const [kept] = await defaultsOf(api);
    expect(await defaultsOf(api)).toHaveLength(1);
    const params = { id: kept.id };
    expect((await api.updatePipeline({ params, body: { isDefault: false } })).body.code).toBe('default_pipeline');
    const headers = { 'If-Match': '"1-x"' };
    expect((await api.updatePipeline({ params, body: { name: 'X' }, headers })).status).toBe(412);
    expect((await api.deletePipeline({ params })).body.code).toBe('default_pipeline');
  });

  it('with deals cannot be deleted, others are with their stages', async () => {
    const api = service.as();
    const { data: used } = await api.createPipeline({ body: { name: 'Used' } });
    const { data: unused } = await api.createPipeline({ body: { name: 'Unused' } });
    const open = used.stages.find((one: { isDefault: boolean }) => one.isDefault);
    expect((await convert(api, { stageId: open.id })).data.pipelineId).toBe(used.id);
    const refused = await api.deletePipeline({ params: { id: used.id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'pipeline_in_use']);
    expect((await api.deletePipeline({ params: { id: unused.id } })).data).toEqual({ id: unused.id, deleted: true });
    expect((await api.getStatus({ params: { id: unused.stages[0].id } })).status).toBe(404);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.getPipeline({ params: { id: used.id } })).status).toBe(404);
  });

  it('are at most 50, and are not changed or deleted by a request with another version', async () => {
    const api = service.as();
    const create = () => api.createPipeline({ body: { name: 'Renewals' } });
    const { data } = await create();
    for (let count = 2; count < 49; count++) await create();
    const last = await Promise.all([create(), create()]);
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(last.find(({ status }) => status === 409)?.body.code).toBe('too_many_pipelines');
    const stale = { params: { id: data.id }, headers: { 'If-Match': '"9"' } };
    const replies = [await api.setPipelineRules({ ...stale, body: {} }), await api.deletePipeline(stale)];
    expect(replies.map(({ status }) => status)).toEqual([412, 412]);
  });

  it('have stages whose codes are unique in each pipeline', async () => {
    const api = service.as();
    const { data } = await api.createPipeline({ body: { name: 'Renewals' } });
    const stage = (pipelineId?: string) =>
      api.createStatus({ body: { entityType: 'opportunity', code: 'demo', name: 'Demo', pipelineId } });
    expect((await stage(data.id)).data.pipelineId).toBe(data.id);
    expect((await stage()).status).toBe(201);
    expect((await stage(data.id)).body.code).toBe('code_taken');
  });

  it('win and lose deals in their own closed stages', async () => {
    const api = service.as();
    const { data } = await api.createPipeline({ body: { name: 'Renewals', isDefault: true } });
    const { data: deal } = await convert(api);
    const won = await api.winOpportunity({ params: { id: deal.id }, body: {} });
    const stage = data.stages.find((one: { code: string }) => one.code === 'won');
    expect([won.data.stageId, won.data.pipelineId]).toEqual([stage.id, data.id]);
  });
});

describe('setPipelineRules', () => {
  it('replaces all rules, and refuses stages and fields that do not exist', async () => {
    const api = service.as();
    const [{ id }] = (await api.listPipelines()).data;
    const set = (body: object) => api.setPipelineRules({ params: { id }, body });
    const rules = { noSkip: true, requiredFields: { proposal: ['value', 'customFields.budget'] } };
    expect((await set(rules)).data).toMatchObject({ rules: { ...rules, noBackward: false }, version: 2 });
    expect((await set(rules)).data.version).toBe(2);
    expect((await set({ requiredFields: { demo: ['value'] } })).body.errors?.[0]?.field).toBe('requiredFields.demo');
    expect((await set({ requiredFields: { proposal: ['colour'] } })).status).toBe(422);
    expect((await set({})).data.rules).toEqual({
      noSkip: false,
      noBackward: false,
      requiredFields: {},
      allowedRoleIds: [],
    });
  });
});
