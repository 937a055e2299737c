import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from './crm.test-service.ts';

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

describe('a custom field with a name that every object inherits', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty'])('has no value unless one was sent: %s', async (key) => {
    const api = service.as();
    for (const entityType of ['lead', 'opportunity', 'account'])
      await api.createCustomField({ body: { entityType, key, label: 'Field', type: 'text' } });
    const created = [
      await api.createLead({ body: aLead() }),
      await api.createOpportunity({ body: { name: 'Deal' } }),
      await api.createAccount({ body: { name: 'Engines' } }),
      await api.createLead({ body: aLead({ customFields: { [key]: 'x' } }) }),
    ];
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  it('is missing in a deal that enters a stage which requires it', async () => {
    const api = service.as();
    const { data: deal } = await api.createOpportunity({ body: { name: 'Deal' } });
    const params = { id: deal.pipelineId };
    const requiredFields = { proposal: ['customFields.constructor'] };
    expect((await api.setPipelineRules({ params, body: { requiredFields } })).status).toBe(200);
    const move = () => api.moveOpportunity({ params: { id: deal.id }, body: { stage: 'proposal' } });
    expect((await move()).body.errors?.map(({ field }) => field)).toEqual(['customFields.constructor']);
    await api.updateOpportunity({ params: { id: deal.id }, body: { customFields: { constructor: 'x' } } });
    expect((await move()).status).toBe(200);
  });

  it('is an empty column of an export', async () => {
    const api = service.as();
    await api.createLead({ body: aLead() });
    const body = { format: 'csv', columns: ['email', 'customFields.constructor'] };
    const { data } = await api.createLeadExport({ body });
    const job = await until('the export is complete', async () => {
      const found = (await api.getJob({ params: { id: data.jobId } })).data;
      return found.status === 'completed' && found;
    });
    expect(job.result.rows).toBe(1);
  });
});
