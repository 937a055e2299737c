import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';
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

async function reaches(api: Api, id: string, status: string) {
  return until(`the import is ${status}`, async () => {
    const { data } = await api.getAccountImport({ params: { id } });
    return data.status === status && data;
  });
}

async function imported(api: Api, content: string, body: object = {}) {
  const { data } = await api.createAccountImport({ body: { fileId: files.add(content), ...body } });
  await reaches(api, data.id, 'validated');
  await api.startAccountImport({ params: { id: data.id } });
  return reaches(api, data.id, 'completed');
}

const accountsOf = async (api: Api) => (await api.listAccounts({ query: { sort: 'name' } })).data;

it('creates, updates and undoes accounts by the rules of a single one', async () => {
  const api = service.as();
  await api.createAccount({ body: { name: 'Engines', domain: 'engines.example', industry: 'old' } });
  const file =
    'Firma,Domain,Branche,Ort,PLZ\nEngines,ENGINES.example,steam,London,W1\nMarine,marine.example,navy,,\n,none.example,x,,\nMarine 2,marine.example,y,,\n';
  const done = await imported(api, file, { dedupe: { by: 'domain', action: 'update' } });
  expect(done.counts).toMatchObject({ processed: 4, created: 1, updated: 2, failed: 1 });
  expect(await accountsOf(api)).toMatchObject([
    { name: 'Engines', industry: 'steam', address: { city: 'London', postalCode: 'W1', street: null } },
    { name: 'Marine 2', domain: 'marine.example', industry: 'y' },
  ]);
  const errors = (await api.getAccountImportErrors({ params: { id: done.id } })).text.trim().split('\r\n');
  expect(errors.slice(1)).toEqual(['4,Firma,name,,Is required']);
  expect((await api.getLeadImport({ params: { id: done.id } })).status).toBe(404);
  await api.undoAccountImport({ params: { id: done.id } });
  await reaches(api, done.id, 'undone');
  expect(await accountsOf(api)).toMatchObject([{ name: 'Engines', industry: 'old', address: { city: null } }]);
});

it('puts imported leads to the account of their domain', async () => {
  const api = service.as();
  const { data: account } = await api.createAccount({ body: { name: 'Engines', domain: 'engines.example' } });
  const file = 'email,vorname,nachname\nada@engines.example,Ada,Lovelace\nada@gmail.com,Ada,Private\n';
  const { data } = await api.createLeadImport({ body: { fileId: files.add(file) } });
  const isNow = (status: string) =>
    until(
      `the import is ${status}`,
      async () => (await api.getLeadImport({ params: { id: data.id } })).data.status === status,
    );
  await isNow('validated');
  await api.startLeadImport({ params: { id: data.id } });
  await isNow('completed');
  const leads = (await api.listLeads({ query: { sort: 'email' } })).data;
  expect(leads.map(({ accountId }: { accountId: string | null }) => accountId)).toEqual([account.id, null]);
});

it('exports accounts', async () => {
  const api = service.as({ userId: 5 });
  await api.createAccount({ body: { name: 'Engines', domain: 'engines.example' } });
  const { data } = await api.createAccountExport({ body: { format: 'csv', columns: ['name', 'domain'] } });
  const job = await until('the export ends', async () => {
    const { data: found } = await api.getJob({ params: { id: data.jobId } });
    return found.completedAt !== null && found;
  });
  expect(job.result.rows).toBe(1);
});
