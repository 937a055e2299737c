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
type Type = 'Lead' | 'Account';

const reaches = (api: Api, type: Type, { id, status }: { id: string; status: string }) =>
  until(`the import is ${status}`, async () => {
    const { data } = await api[`get${type}Import`]({ params: { id } });
    return data.status === status && data;
  });

async function checked(api: Api, type: Type, { file, ...dedupe }: { file: string; by: string; action?: string }) {
  const body = { fileId: files.add(file), dedupe: { action: 'update', ...dedupe } };
  const { data } = await api[`create${type}Import`]({ body });
  return reaches(api, type, { id: data.id, status: 'validated' });
}

async function started(api: Api, type: Type, id: string) {
  await api[`start${type}Import`]({ params: { id } });
  return reaches(api, type, { id, status: 'completed' });
}

const errorLines = async (api: Api, type: Type, id: string) =>
  (await api[`get${type}ImportErrors`]({ params: { id } })).text.trim().split('\r\n').slice(1);

const noLead = '"Is required, because no lead has the key yet"';

describe('an import that updates', () => {
  it('requires names only of rows without a lead, also in its check', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'ada@example.com', firstName: 'Ada', score: 1 }) });
    const file = `email,score,firstName,lastName
ada@example.com,20,,
new@example.com,30,,King
made@example.com,40,Made,Here
made@example.com,50,,
`;
    const found = await checked(api, 'Lead', { file, by: 'email' });
    expect(found.counts).toMatchObject({ rows: 4, valid: 3, invalid: 1 });
    const lines = [`3,firstName,firstName,,${noLead}`];
    expect(await errorLines(api, 'Lead', found.id)).toEqual(lines);
    const done = await started(api, 'Lead', found.id);
    expect(done.counts).toMatchObject({ created: 1, updated: 2, failed: 1 });
    expect(await errorLines(api, 'Lead', found.id)).toEqual(lines);
    expect((await api.listLeads({ query: { sort: 'email' } })).data).toMatchObject([
      { email: 'ada@example.com', firstName: 'Ada', score: 20 },
      { email: 'made@example.com', firstName: 'Made', score: 50 },
    ]);
  });

  it('requires an address only of rows without a lead when they are recognized by another key', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ externalId: 'L1' }) });
    const file = 'external id,score\nL1,20\nL2,30\n,40\n';
    const found = await checked(api, 'Lead', { file, by: 'externalId' });
    expect(found.counts).toMatchObject({ valid: 1, invalid: 2 });
    expect(await errorLines(api, 'Lead', found.id)).toEqual([
      ...['email', 'firstName', 'lastName'].map((field) => `3,,${field},,${noLead}`),
      ...['email', 'firstName', 'lastName'].map((field) => `4,,${field},,Is required`),
    ]);
    expect((await started(api, 'Lead', found.id)).counts).toMatchObject({ updated: 1, failed: 2 });
    const { data } = await api.getLead({ params: { id: lead.id } });
    expect(data).toMatchObject({ email: lead.email, firstName: lead.firstName, score: 20 });
  });

  it('fails a row whose lead is deleted before the start', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ email: 'ada@example.com' }) });
    const found = await checked(api, 'Lead', { file: 'email,score\nada@example.com,20\n', by: 'email' });
    await api.deleteLead({ params: { id: lead.id } });
    expect((await started(api, 'Lead', found.id)).counts).toMatchObject({ processed: 1, created: 0, failed: 1 });
    expect(await errorLines(api, 'Lead', found.id)).toEqual(['firstName', 'lastName'].map((f) => `2,,${f},,${noLead}`));
  });

  it.each(['skip', 'create'])('requires the names of all rows when the action is %s', async (action) => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'ada@example.com' }) });
    const found = await checked(api, 'Lead', { file: 'email,score\nada@example.com,20\n', by: 'email', action });
    expect(found.counts).toMatchObject({ valid: 0, invalid: 1 });
  });

  it('requires the name only of rows without an account', async () => {
    const api = service.as();
    const { data: account } = await api.createAccount({ body: { name: 'Engines', domain: 'engines.example' } });
    const file = 'domain,industry\nENGINES.example,steam\nnew.example,navy\n';
    const found = await checked(api, 'Account', { file, by: 'domain' });
    expect(found.counts).toMatchObject({ valid: 1, invalid: 1 });
    const done = await started(api, 'Account', found.id);
    expect(done.counts).toMatchObject({ created: 0, updated: 1, failed: 1 });
    expect(await errorLines(api, 'Account', found.id)).toEqual([
      '3,,name,,"Is required, because no account has the key yet"',
    ]);
    const { data } = await api.getAccount({ params: { id: account.id } });
    expect(data).toMatchObject({ name: 'Engines', industry: 'steam' });
  });
});
