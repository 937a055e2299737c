import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

async function aDealBesideA(pipelineBody: object = {}) {
  const api = service.as();
  const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout' } });
  const { data: pipeline } = await api.createPipeline({ body: { name: 'Renewals', ...pipelineBody } });
  const stageIdOf = (code: string) => pipeline.stages.find((one: { code: string }) => one.code === code).id;
  return { api, params: { id: deal.id as string }, deal, pipeline, stageIdOf };
}

describe('a deal', () => {
  it('moves to the default stage of another pipeline, after which its former one can be deleted', async () => {
    const { api, params, deal, pipeline, stageIdOf } = await aDealBesideA({ isDefault: true });
    const move = (body: object) => api.moveOpportunity({ params, body });
    const former = { id: deal.pipelineId };
    expect((await api.deletePipeline({ params: former })).body.code).toBe('pipeline_in_use');
    const { data } = await move({ pipelineId: pipeline.id, reason: 'Is a renewal' });
    expect(data).toMatchObject({ pipelineId: pipeline.id, stageId: stageIdOf('prospecting'), version: 2 });
    expect((await move({ pipelineId: pipeline.id })).data.version).toBe(2);
    const [, entry] = (await api.listStageHistory({ params, query: { sort: 'enteredAt' } })).data;
    expect(entry).toMatchObject({ stageId: stageIdOf('prospecting'), reason: 'Is a renewal' });
    const event = await until('the event arrives', () =>
      service.events.find(
        ({ name, tenantId }) => name === 'opportunity.stage_changed' && tenantId === api.caller.tenantId,
      ),
    );
    expect(event.changes).toEqual({ pipelineId: { from: Number(former.id), to: Number(pipeline.id) } });
    expect((await api.deletePipeline({ params: former })).status).toBe(200);
  });

  it('moves to a stage of another pipeline that is named with it', async () => {
    const { api, params, pipeline, stageIdOf } = await aDealBesideA();
    const move = (body: object) => api.moveOpportunity({ params, body });
    const alone = await move({ stageId: stageIdOf('proposal') });
    expect([alone.status, alone.body.errors?.[0]?.field]).toEqual([422, 'stageId']);
    const { data } = await move({ stageId: stageIdOf('proposal'), pipelineId: pipeline.id });
    expect(data).toMatchObject({ pipelineId: pipeline.id, stage: 'proposal', probability: 50 });
    expect((await move({ stage: 'negotiation' })).data.stageId).toBe(stageIdOf('negotiation'));
    const unknown = await move({ pipelineId: '999999' });
    expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'pipelineId']);
  });

  it('keeps its pipeline once it is closed', async () => {
    const { api, params, pipeline } = await aDealBesideA();
    await api.winOpportunity({ params, body: {} });
    const refused = await api.moveOpportunity({ params, body: { pipelineId: pipeline.id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'opportunity_closed']);
  });

  it('enters a pipeline without skipping in its default stage', async () => {
    const { api, params, pipeline } = await aDealBesideA({ isDefault: true });
    await api.setPipelineRules({ params: { id: pipeline.id }, body: { noSkip: true } });
    const move = (stage: string) => api.moveOpportunity({ params, body: { pipelineId: pipeline.id, stage } });
    expect((await move('proposal')).body.code).toBe('move_refused');
    expect((await move('prospecting')).status).toBe(200);
  });

  it('moves to an earlier stage of another pipeline, with the fields that this stage requires', async () => {
    const { api, params, pipeline, deal } = await aDealBesideA();
    const rules = { noBackward: true, requiredFields: { proposal: ['value'] } };
    for (const id of [pipeline.id, deal.pipelineId]) await api.setPipelineRules({ params: { id }, body: rules });
    const move = () => api.moveOpportunity({ params, body: { pipelineId: pipeline.id, stage: 'proposal' } });
    const refused = await move();
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'value']);
    await api.updateOpportunity({ params, body: { value: 10 } });
    expect((await move()).data).toMatchObject({ pipelineId: pipeline.id, stage: 'proposal' });
  });
});
