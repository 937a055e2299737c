import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, roles, type TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

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

/** The tenant of a pipeline whose deals only sellers move, seen by a seller and by another user. */
async function aTenant() {
  identity.rolesOf.set(members.seller, roles.sales).set(members.both, roles.support);
  const admin = service.as();
  const { data } = await admin.listPipelines();
  const pipeline = { id: data[0].id as string };
  const rules = await admin.setPipelineRules({ params: pipeline, body: { allowedRoleIds: [roles.sales] } });
  expect(rules.data.rules.allowedRoleIds).toEqual([roles.sales]);
  const as = (userId: string) => service.as({ tenantId: admin.caller.tenantId as number, userId: Number(userId) });
  return { admin, seller: as(members.seller), other: as(members.both) };
}

async function aDeal(api: Api) {
  return { id: (await api.createOpportunity({ body: { name: 'Rollout' } })).data.id as string };
}

async function stageIdOf(api: Api, code: string): Promise<string> {
  const { data } = await api.listStatuses({ query: { entityType: 'opportunity' } });
  return data.find((stage: { code: string }) => stage.code === code).id;
}

describe('a pipeline with allowed roles', () => {
  it('lets their users move deals, and refuses others', async () => {
    const { seller, other } = await aTenant();
    const params = await aDeal(other);
    const refused = [
      await other.moveOpportunity({ params, body: { stage: 'proposal' } }),
      await other.updateOpportunity({ params, body: { stage: 'proposal' } }),
      await other.winOpportunity({ params, body: {} }),
      await other.loseOpportunity({ params, body: { reasonCode: 'price' } }),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(4).fill([409, 'move_refused']));
    expect((await seller.moveOpportunity({ params, body: { stage: 'proposal' } })).data.stage).toBe('proposal');
    expect((await other.updateOpportunity({ params, body: { value: 5 } })).status).toBe(200);
    await seller.winOpportunity({ params, body: {} });
    expect((await other.reopenOpportunity({ params, body: {} })).body.code).toBe('move_refused');
  });

  it('does so for many deals at once', async () => {
    const { admin, seller, other } = await aTenant();
    const { id } = await aDeal(other);
    const ids = [codec.encode('opportunity', admin.caller.tenantId as number, Number(id))];
    const body = { ids, change: { stage: 'proposal' } };
    expect((await other.bulkUpdateOpportunities({ body })).data.results).toMatchObject([
      { success: false, error: { code: 'move_refused' } },
    ]);
    expect((await seller.bulkUpdateOpportunities({ body })).data.results).toMatchObject([{ success: true }]);
  });

  it('lets everybody create deals in the default stage, and these users in other stages too', async () => {
    const { admin, seller, other } = await aTenant();
    const stageId = await stageIdOf(admin, 'proposal');
    const create = (api: Api) => api.createOpportunity({ body: { name: 'Rollout', stageId } });
    const convert = async (api: Api) => {
      const { data: lead } = await api.createLead({ body: aLead() });
      return api.convertLead({ body: { leadId: lead.id, stageId } });
    };
    expect((await aDeal(other)).id).toEqual(expect.any(String));
    for (const { status, body } of [await create(other), await convert(other)])
      expect([status, body.code]).toEqual([409, 'move_refused']);
    for (const { status } of [await create(seller), await convert(seller)]) expect(status).toBe(201);
  });

  it('names roles of the tenant only', async () => {
    const admin = service.as();
    const [{ id }] = (await admin.listPipelines()).data;
    const body = { allowedRoleIds: [roles.sales, '999'] };
    const { status, body: reply } = await admin.setPipelineRules({ params: { id }, body });
    expect([status, reply.errors?.[0]?.field]).toEqual([422, 'allowedRoleIds.1']);
  });
});
