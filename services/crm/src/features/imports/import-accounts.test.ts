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
  expect(errors.slice(1)).toEqual(['4,Firma,name,,"Is required, because no account has the key yet"']);
  expect((await api.getLeadImport({ params: { id: done.id } })).status).toBe(404);
  await api.undoAccountImport({ params: { id: done.id } });
  await reaches(api, done.id, 'undone');
  expect(await accountsOf(api)).toMatchObject([{ name: 'Engines', industry: 'old', address: { city: null } }]);
});

it('keeps an updated account at the undo when another one has its former unique values, and frees the later ones', async () => {
  const api = service.as();
  const field = { entityType: 'account', key: 'tax_id', label: 'Tax id', type: 'text', unique: true };
  expect((await api.createCustomField({ body: field })).status).toBe(201);
  const create = (name: string, domain: string, taxId: string) =>
    api.createAccount({ body: { name, domain, externalId: name, customFields: { tax_id: taxId } } });
  for (const name of ['a', 'b', 'c']) await create(name, `${name}.example`, `old ${name}`);
  const done = await imported(
    api,
    'name,domain,id,tax\nA,new-a.example,a,new a\nB,new-b.example,b,new b\nC,c.example,c,new c\n',
    {
      mapping: { name: 'name', domain: 'domain', id: 'externalId', tax: 'customFields.tax_id' },
      dedupe: { by: 'externalId', action: 'update' },
    },
  );
  expect(done.counts).toMatchObject({ updated: 3 });
  // One takes the former domain of the first account, and one the former custom value of the third.
  expect((await create('d', 'a.example', 'x')).status).toBe(201);
  expect((await create('e', 'e.example', 'old c')).status).toBe(201);
  await api.undoAccountImport({ params: { id: done.id } });
  const undone = await reaches(api, done.id, 'undone');
  const { result } = (await api.getJob({ params: { id: undone.jobId } })).data;
  expect(result).toEqual({ deleted: 0, restored: 1, kept: 2 });
  const shown = (await accountsOf(api)).map(({ name, domain, customFields }: Record<string, unknown>) => [
    name,
    domain,
    customFields,
  ]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ['A', 'new-a.example', { tax_id: 'new a' }],
      ['b', 'b.example', { tax_id: 'old b' }],
      ['C', 'c.example', { tax_id: 'new c' }],
    ]),
  );
  expect((await create('f', 'f.example', 'old b')).body.code).toBe('value_taken');
  expect((await create('g', 'g.example', 'new b')).status).toBe(201);
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
