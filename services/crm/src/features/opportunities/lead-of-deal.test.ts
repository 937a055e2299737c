import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const aLeadOf = async (api: Api) => (await api.createLead({ body: aLead() })).data.id as string;

async function aDeal(fields: object = {}, api = service.as()) {
  const { data } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR', ...fields } });
  return { api, params: { id: data.id as string } };
}

describe('the lead of an open deal', () => {
  it('is set, changed and removed by an update', async () => {
    const { api, params } = await aDeal();
    const put = async (leadId: string | null) => (await api.updateOpportunity({ params, body: { leadId } })).data;
    const [first, second] = [await aLeadOf(api), await aLeadOf(api)];
    expect(await put(first)).toMatchObject({ leadId: first, version: 2 });
    expect(await put(first)).toMatchObject({ version: 2 });
    expect(await put(second)).toMatchObject({ leadId: second, version: 3 });
    expect(await put(null)).toMatchObject({ leadId: null, version: 4 });
  });

  it('must exist, and be a lead that the caller can read', async () => {
    const { api, params } = await aDeal();
    const leadId = await aLeadOf(api);
    const as = (can: string[]) => service.as({ tenantId: api.caller.tenantId as number, userId: 2, can });
    const field = async (by: Api, id: string) => {
      const { status, body } = await by.updateOpportunity({ params, body: { leadId: id } });
      return [status, body.errors?.[0]?.field];
    };
    expect(await field(api, '999999')).toEqual([422, 'leadId']);
    expect(await field(as(['opportunities:write', 'leads:read:own']), leadId)).toEqual([422, 'leadId']);
    expect((await field(as(['opportunities:write']), leadId))[0]).toBe(403);
    await api.deleteLead({ params: { id: leadId } });
    expect(await field(api, leadId)).toEqual([422, 'leadId']);
  });

  it('stays while the lead is converted to the deal', async () => {
    const api = service.as();
    const leadId = await aLeadOf(api);
    const { data } = await api.convertLead({ body: { leadId, currency: 'EUR' } });
    const { status, body } = await api.updateOpportunity({ params: { id: data.id }, body: { leadId: null } });
    expect([status, body.code]).toEqual([409, 'opportunity_has_lead']);
  });

  it('stays once the deal is closed', async () => {
    const { api, params } = await aDeal();
    await api.winOpportunity({ params, body: {} });
    const reply = await api.updateOpportunity({ params, body: { leadId: await aLeadOf(api) } });
    expect([reply.status, reply.body.code]).toEqual([409, 'opportunity_closed']);
  });
});
