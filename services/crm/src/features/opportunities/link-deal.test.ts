import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, until } from '@tandem/testing';
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

async function aStoredLead(fields = {}, api = service.as()) {
  const { data: lead } = await api.createLead({ body: aLead(fields) });
  return { api, lead, leadId: lead.id as string, params: { id: lead.id } };
}

async function stageId(api: Api, code: string): Promise<string> {
  const { data } = await api.listStatuses({ query: { entityType: 'opportunity', limit: '100' } });
  return data.find((stage: { code: string }) => stage.code === code).id;
}

const eventsOf = (api: Api) => service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);

describe('pipelines and custom fields of a conversion', () => {
  it('opens the deal in the default stage of the requested pipeline, else of that of its team', async () => {
    const { api, leadId } = await aStoredLead();
    const pipeline = async (fields: object) =>
      (await api.createPipeline({ body: { name: 'Renewals', ...fields } })).data;
    const [requested, ofTeam] = [await pipeline({}), await pipeline({ name: 'Team', teamIds: [teams.sales] })];
    const reply = await api.convertLead({ body: { leadId, pipelineId: requested.id } });
    expect([reply.status, reply.data.pipelineId]).toEqual([201, requested.id]);
    const { leadId: second } = await aStoredLead({ teamId: teams.sales }, api);
    const wrong = await api.convertLead({
      body: { leadId: second, pipelineId: requested.id, stageId: await stageId(api, 'proposal') },
    });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([422, 'stageId']);
    expect((await api.convertLead({ body: { leadId: second, pipelineId: '999999' } })).body.errors?.[0]?.field).toBe(
      'pipelineId',
    );
    expect((await api.convertLead({ body: { leadId: second } })).data.pipelineId).toBe(ofTeam.id);
  });

  it('requires the required custom fields of opportunities', async () => {
    const { api, leadId } = await aStoredLead();
    const body = { entityType: 'opportunity', key: 'region', label: 'Region', type: 'text', required: true };
    await api.createCustomField({ body });
    const missing = await api.convertLead({ body: { leadId } });
    expect([missing.status, missing.body.errors?.[0]?.field]).toEqual([422, 'customFields.region']);
    const { data, status } = await api.convertLead({ body: { leadId, customFields: { region: 'North' } } });
    expect([status, data.customFields]).toEqual([201, { region: 'North' }]);
  });
});

describe('a conversion that links an opportunity', () => {
  const aDeal = async (api: Api, fields = {}) =>
    (await api.createOpportunity({ body: { name: 'Rollout', value: 70, ...fields } })).data;

  it('gives the open deal the lead, creates none, and is undone without deleting the deal', async () => {
    const { api, leadId, params } = await aStoredLead();
    const deal = await aDeal(api);
    const reply = await api.convertLead({ body: { leadId, linkOpportunityId: deal.id } });
    expect([reply.status, reply.data]).toEqual([201, { ...deal, leadId, version: 2, updatedAt: expect.any(String) }]);
    expect((await api.getLead({ params })).data).toMatchObject({
      status: 'qualified',
      convertedOpportunityId: deal.id,
    });
    expect((await api.listOpportunities()).body.pagination?.total).toBe(1);
    const updated = await until('the event arrives', () =>
      eventsOf(api).find(({ name }) => name === 'opportunity.updated'),
    );
    expect(updated.data).toEqual({ opportunityId: deal.id, fields: ['leadId'] });
    const undone = await api.unconvertOpportunity({ params: { id: deal.id }, body: {} });
    expect([undone.status, undone.data.convertedOpportunityId]).toEqual([200, null]);
    expect((await api.getOpportunity({ params: { id: deal.id } })).data).toMatchObject({ leadId: null, version: 3 });
  });

  it('refuses unknown, closed and linked deals, and fields of a new one', async () => {
    const { api, leadId, params } = await aStoredLead();
    const [open, closed] = [await aDeal(api), await aDeal(api)];
    await api.winOpportunity({ params: { id: closed.id }, body: {} });
    const linked = await aDeal(api, { leadId: (await aStoredLead({}, api)).leadId });
    const foreign = await aDeal(service.as());
    const answer = async (body: object) => {
      const reply = await api.convertLead({ body: { leadId, ...body } });
      return [reply.status, reply.body.code, reply.body.errors?.[0]?.field];
    };
    expect(await answer({ linkOpportunityId: foreign.id })).toEqual([422, 'validation_failed', 'linkOpportunityId']);
    expect((await answer({ linkOpportunityId: closed.id })).slice(0, 2)).toEqual([409, 'opportunity_closed']);
    expect(await answer({ linkOpportunityId: linked.id })).toEqual([409, 'opportunity_has_lead', 'linkOpportunityId']);
    expect(await answer({ linkOpportunityId: open.id, value: 5 })).toEqual([422, 'validation_failed', 'value']);
    const can = ['leads:write', 'leads:read', 'opportunities:write:own'];
    const narrow = service.as({ tenantId: api.caller.tenantId as number, userId: 2, can });
    expect((await narrow.convertLead({ body: { leadId, linkOpportunityId: open.id } })).status).toBe(422);
    expect((await api.getLead({ params })).data).toMatchObject({ convertedAt: null, version: 1 });
  });

  it('takes a restored deal of an undone conversion back, whose lead it has', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    const params = { id: deal.id };
    await api.unconvertOpportunity({ params, body: {} });
    await api.restoreOpportunity({ params });
    expect((await api.convertLead({ body: { leadId: lead.id, linkOpportunityId: deal.id } })).status).toBe(201);
    expect((await api.getLead({ params: { id: lead.id } })).data.convertedOpportunityId).toBe(deal.id);
  });

  it('leaves the lead to a deal that had it before, when the conversion is undone', async () => {
    const { api, leadId } = await aStoredLead();
    const deal = await aDeal(api, { leadId });
    await api.convertLead({ body: { leadId, linkOpportunityId: deal.id } });
    const undone = await api.unconvertOpportunity({ params: { id: deal.id }, body: {} });
    expect([undone.status, undone.data.convertedOpportunityId]).toEqual([200, null]);
    const shown = async () => (await api.getOpportunity({ params: { id: deal.id } })).data;
    expect(await shown()).toMatchObject({ leadId, status: 'open', version: 1 });
    // Linked a second time after the lead was removed by hand, the conversion sets it.
    await api.updateOpportunity({ params: { id: deal.id }, body: { leadId: null } });
    await api.convertLead({ body: { leadId, linkOpportunityId: deal.id } });
    await api.unconvertOpportunity({ params: { id: deal.id }, body: {} });
    expect((await shown()).leadId).toBeNull();
  });

  it('is possible for a deal that only the permission for opportunities reaches, and undone by that for leads', async () => {
    const { api, leadId } = await aStoredLead({ assignedTo: members.seller });
    const deal = await aDeal(api, { ownerId: members.both });
    const { leadId: foreignLead } = await aStoredLead({ assignedTo: members.both }, api);
    const as = (can: string[]) =>
      service.as({ tenantId: api.caller.tenantId as number, userId: Number(members.seller), can });
    const byLead = as(['leads:write:own', 'leads:read', 'opportunities:write']);
    expect((await byLead.convertLead({ body: { leadId, linkOpportunityId: deal.id } })).status).toBe(201);
    const foreign = await byLead.convertLead({ body: { leadId: foreignLead } });
    expect([foreign.status, foreign.body.errors?.[0]?.field]).toEqual([422, 'leadId']);
    const byDeal = as(['leads:write', 'leads:read', 'opportunities:write:own']);
    const own = await byDeal.convertLead({ body: { leadId: foreignLead } });
    expect(own.status).toBe(201);
    expect((await byDeal.unconvertOpportunity({ params: { id: own.data.id }, body: {} })).status).toBe(200);
    expect((await byDeal.unconvertOpportunity({ params: { id: deal.id }, body: {} })).status).toBe(404);
  });

  it('says what to do about a conversion whose deal is deleted', async () => {
    const { api, leadId } = await aStoredLead();
    const { data: deal } = await api.convertLead({ body: { leadId } });
    const params = { id: deal.id };
    await api.deleteOpportunity({ params });
    expect((await api.unconvertOpportunity({ params, body: {} })).body.code).toBe('opportunity_deleted');
    const again = await api.convertLead({ body: { leadId } });
    expect([again.body.code, again.body.errors?.[0]?.message]).toEqual([
      'lead_converted',
      expect.stringContaining('is deleted; restore it'),
    ]);
    await api.restoreOpportunity({ params });
    expect((await api.unconvertOpportunity({ params, body: {} })).status).toBe(200);
  });

  it('says that the lead of a conversion to undo is deleted', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    await api.deleteLead({ params: { id: lead.id } });
    const reply = await api.unconvertOpportunity({ params: { id: deal.id }, body: {} });
    expect([reply.status, reply.body.code]).toEqual([409, 'lead_deleted']);
  });

  it('has one winner of two leads at once', async () => {
    const { api, leadId } = await aStoredLead();
    const other = await aStoredLead({}, api);
    const deal = await aDeal(api);
    const replies = await Promise.all(
      [leadId, other.leadId].map((id) => api.convertLead({ body: { leadId: id, linkOpportunityId: deal.id } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
