import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { filesPeer } from './files-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let files: Awaited<ReturnType<typeof filesPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  [identity, files] = await Promise.all([identityPeer(), filesPeer()]);
  service = await startCrm({ IDENTITY_URL: identity.url, FILES_URL: files.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([identity?.close(), files?.close()]);
});

type Api = ReturnType<typeof service.as>;
type Type = 'Lead' | 'Account' | 'Opportunity';

/** Imports a file that updates existing records. */
async function imported(
  api: Api,
  type: Type,
  { file, by, ...body }: { file: string; by: string; [field: string]: unknown },
) {
  const dedupe = { by, action: 'update' };
  const { data } = await api[`create${type}Import`]({ body: { fileId: files.add(file), dedupe, ...body } });
  const params = { id: data.id };
  const reaches = (status: string) =>
    until(`the import is ${status}`, async () => {
      const { data: found } = await api[`get${type}Import`]({ params });
      return found.status === status && found;
    });
  await reaches('validated');
  await api[`start${type}Import`]({ params });
  return reaches('completed');
}

describe('a default of an import', () => {
  it('of a consent or a custom field changes no existing lead, also when the row has another one', async () => {
    const api = service.as();
    const consent = { email: { state: 'denied' } };
    const customFields = { plan: 'own' };
    const { data: lead } = await api.createLead({ body: aLead({ email: 'ada@example.com', consent, customFields }) });
    const done = await imported(api, 'Lead', {
      by: 'email',
      file: 'email,vorname,nachname,sms,size\nada@example.com,Ada,Lovelace,yes,5\nnew@example.com,New,One,yes,6\n',
      mapping: {
        email: 'email',
        vorname: 'firstName',
        nachname: 'lastName',
        sms: 'consent.sms',
        size: 'customFields.size',
      },
      defaults: { 'consent.email': 'granted', 'customFields.plan': 'default' },
    });
    expect(done.counts).toMatchObject({ created: 1, updated: 1, failed: 0 });
    const { data: updated } = await api.getLead({ params: { id: lead.id } });
    expect(updated.consent).toEqual({ ...lead.consent, sms: expect.objectContaining({ state: 'granted' }) });
    expect(updated.customFields).toEqual({ plan: 'own', size: '5' });
    const created = (await api.listLeads({ query: { sort: '-email' } })).data[0];
    expect(created).toMatchObject({
      email: 'new@example.com',
      consent: { email: { state: 'granted' }, sms: { state: 'granted' } },
      customFields: { plan: 'default', size: '6' },
    });
  });

  it('of an address column or a custom field changes no existing account, also when the row has another one', async () => {
    const api = service.as();
    const address = { city: 'Paris', country: 'FR' };
    const body = { name: 'Engines', domain: 'engines.example', address, customFields: { plan: 'own' } };
    const { data: account } = await api.createAccount({ body });
    const done = await imported(api, 'Account', {
      by: 'domain',
      file: 'name,domain,street,size\nEngines,engines.example,Rue 1,5\n',
      mapping: { name: 'name', domain: 'domain', street: 'street', size: 'customFields.size' },
      defaults: { city: 'London', region: 'Kent', 'customFields.plan': 'default' },
    });
    expect(done.counts).toMatchObject({ updated: 1, failed: 0 });
    const { data: updated } = await api.getAccount({ params: { id: account.id } });
    expect(updated.address).toEqual({ ...account.address, street: 'Rue 1' });
    expect(updated.customFields).toEqual({ plan: 'own', size: '5' });
  });

  it('of a custom field changes no existing opportunity, also when the row has another one', async () => {
    const api = service.as({ userId: 5 });
    const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout', customFields: { plan: 'own' } } });
    const done = await imported(api, 'Opportunity', {
      by: 'name',
      file: 'name,value,size\nRollout,7,5\n',
      mapping: { name: 'name', value: 'value', size: 'customFields.size' },
      defaults: { notes: 'default', 'customFields.plan': 'default' },
    });
    expect(done.counts).toMatchObject({ updated: 1, failed: 0 });
    const { data: updated } = await api.getOpportunity({ params: { id: deal.id } });
    expect(updated).toMatchObject({ value: 7, notes: null, customFields: { plan: 'own', size: '5' } });
  });
});

it('a score that an import changes has the importing user as author', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead({ email: 'ada@example.com' }) });
  const file = 'email,vorname,nachname,score\nada@example.com,Ada,Lovelace,40\n';
  expect((await imported(api, 'Lead', { by: 'email', file })).counts).toMatchObject({ updated: 1 });
  const { data: history } = await api.listLeadScoreHistory({ params: { id: lead.id } });
  expect(history).toMatchObject([{ score: 40, cause: 'manual', byUserId: `${api.caller.userId}` }]);
});
