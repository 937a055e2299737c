import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';
import { filesPeer } from './files-peer.test-service.ts';
import { chunkRows } from './import.ts';

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

const reaches = (api: ReturnType<typeof service.as>, id: string, status: string) =>
  until(`the import is ${status}`, async () => {
    const { data } = await api.getLeadImport({ params: { id } });
    return data.status === status && data;
  });

const rows = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@example.com,A,B\n`).join('');

it('checks an import whose settings change while its file is read once more, in the same background job', async () => {
  const api = service.as();
  const release = files.hold();
  const fileId = files.add(`email,firstName,name\n${rows(1_200)}`);
  const { data: created } = await api.createLeadImport({ body: { fileId } });
  await until('the file is read', () => files.reading() === 1);
  const params = { id: created.id };
  const mapping = { email: 'email', firstName: 'firstName', name: 'lastName' };
  const { data: changed } = await api.updateLeadImport({ params, body: { mapping } });
  const { data: again } = await api.updateLeadImport({ params, body: { dedupe: { by: 'email', action: 'create' } } });
  expect([changed.status, changed.jobId, again.jobId]).toEqual(['mapped', created.jobId, created.jobId]);
  release();
  const found = await reaches(api, created.id, 'validated');
  expect([found.counts, found.mapping]).toMatchObject([{ rows: 1_200, valid: 1_200 }, mapping]);
  expect((await api.getJob({ params: { id: found.jobId } })).data.status).toBe('completed');
});

it('fails instead of ending early when rows of the file are missing', async () => {
  const api = service.as();
  const fileId = files.add(`email,firstName,lastName\n${rows(1_200)}`);
  const { data: created } = await api.createLeadImport({ body: { fileId } });
  await reaches(api, created.id, 'validated');
  await service.sqlWithin(api.caller, 'DELETE FROM import_chunk WHERE number = 1');
  await api.startLeadImport({ params: { id: created.id } });
  const found = await reaches(api, created.id, 'failed');
  expect([found.error.code, found.counts.processed]).toEqual(['rows_missing', chunkRows]);
});

it('refuses to start while no row is valid, until the mapping is corrected', async () => {
  const api = service.as();
  const fileId = files.add('email,firstName,remark\nada@example.com,Ada,Lovelace\n');
  const { data: created } = await api.createLeadImport({ body: { fileId } });
  const params = { id: created.id };
  const found = await reaches(api, created.id, 'validated');
  const refused = await api.startLeadImport({ params });
  expect([refused.status, refused.body.code]).toEqual([409, 'no_valid_rows']);
  expect((await api.getLeadImport({ params })).data).toMatchObject({ status: 'validated', version: found.version });
  const mapping = { email: 'email', firstName: 'firstName', remark: 'lastName' };
  await api.updateLeadImport({ params, body: { mapping } });
  await reaches(api, created.id, 'validated');
  expect((await api.startLeadImport({ params })).status).toBe(202);
  expect((await reaches(api, created.id, 'completed')).counts).toMatchObject({ created: 1 });
});

it('guesses columns of an export and of defined fields, and reads the texts that an export escapes', async () => {
  const api = service.as();
  await api.createCustomField({ body: { entityType: 'lead', key: 'renewal', label: 'Renewal date', type: 'date' } });
  const names = 'email,firstName,lastName,phone,customFields,customFields.tier,Renewal Date,Nickname';
  const row = `ada@example.com,Ada,Lovelace,'+49301234567,"{""tier"":""gold""}",gold,2027-03-01,Countess`;
  const { data: created } = await api.createLeadImport({ body: { fileId: files.add(`${names}\n${row}\n`) } });
  const found = await reaches(api, created.id, 'validated');
  expect(found.mapping).toMatchObject({
    phone: 'phone',
    customFields: null,
    'customFields.tier': 'customFields.tier',
    'Renewal Date': 'customFields.renewal',
    Nickname: null,
  });
  await api.startLeadImport({ params: { id: created.id } });
  await reaches(api, created.id, 'completed');
  const { data } = await api.listLeads();
  expect(data).toMatchObject([{ phone: '+49301234567', customFields: { tier: 'gold', renewal: '2027-03-01' } }]);
});

it('rests between chunks while the API answers many requests', async () => {
  const api = service.as();
  const fileId = files.add(`email,firstName,lastName\n${rows(10 * chunkRows)}`);
  const { data: created } = await api.createLeadImport({ body: { fileId } });
  await reaches(api, created.id, 'validated');
  await Promise.all(Array.from({ length: 100 }, () => api.listLeads({ query: { limit: '1' } })));
  await api.startLeadImport({ params: { id: created.id } });
  await until('the next chunk is due later', async () => {
    await Promise.all(Array.from({ length: 5 }, () => api.listLeads({ query: { limit: '1' } })));
    const later = "SELECT FROM platform.job WHERE name = 'run-import' AND attempts = 0 AND due_at > now() + '50 ms'";
    return (await service.sqlWithin(api.caller, later)).length > 0;
  });
  expect((await reaches(api, created.id, 'completed')).counts).toMatchObject({ created: 10 * chunkRows });
});
