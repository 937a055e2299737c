import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, type TestService } from '@tandem/testing';
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

type Api = ReturnType<typeof service.as>;

const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);
const rounds = [1, 2, 3, 4, 5];

async function aStage(api: Api, code: string): Promise<string> {
  const body = { entityType: 'opportunity', code, name: code };
  return (await api.createStatus({ body })).data.id;
}

async function aDeal(api: Api): Promise<string> {
  return (await api.createOpportunity({ body: { name: 'Rollout' } })).data.id;
}

it.each(rounds)(
  'a stage that is deleted while deals move into it or begin in it takes all or none (%i)',
  async (round) => {
    const api = service.as();
    const stageId = await aStage(api, `demo${round}`);
    const [moved, updated, bulk] = await Promise.all([aDeal(api), aDeal(api), aDeal(api)]);
    const ids = [codec.encode('opportunity', api.caller.tenantId as number, Number(bulk))];
    const [deleted, ...others] = await Promise.all([
      api.deleteStatus({ params: { id: stageId } }),
      api.moveOpportunity({ params: { id: moved }, body: { stageId } }),
      api.updateOpportunity({ params: { id: updated }, body: { stageId } }),
      api.createOpportunity({ body: { name: 'New', stageId } }),
      api.bulkUpdateOpportunities({ body: { ids, change: { stageId } } }),
    ]);
    expect([200, 409]).toContain(deleted.status);
    for (const { status } of others) expect([200, 201, 422]).toContain(status);
    const { data } = await api.listOpportunities({ query: { stageId } });
    expect(data.length > 0).toBe(deleted.status === 409);
  },
);

it.each(rounds)('a pipeline that is deleted while deals begin in it has them, or they are refused (%i)', async () => {
  const api = service.as();
  const { data: pipeline } = await api.createPipeline({ body: { name: 'Renewals' } });
  const create = () => api.createOpportunity({ body: { name: 'New', pipelineId: pipeline.id } });
  const [deleted, ...created] = await Promise.all([
    api.deletePipeline({ params: { id: pipeline.id } }),
    ...rounds.map(create),
  ]);
  expect([200, 409]).toContain(deleted.status);
  for (const { status } of created) expect([201, 422]).toContain(status);
  const { data } = await api.listOpportunities();
  expect(data.length > 0).toBe(deleted.status === 409);
});
