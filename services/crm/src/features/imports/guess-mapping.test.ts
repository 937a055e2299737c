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

async function checked(api: Api, type: Type, { file, ...body }: { file: string; [field: string]: unknown }) {
  const { data } = await api[`create${type}Import`]({ body: { fileId: files.add(file), ...body } });
  return until('the import is checked', async () => {
    const { data: found } = await api[`get${type}Import`]({ params: { id: data.id } });
    return found.status === 'validated' && found;
  });
}

/** The guessed mapping of a file that has these columns only. */
const guessed = async (type: Type, columns: string) =>
  (await checked(service.as({ userId: 5 }), type, { file: `${columns}\n` })).mapping;

describe('the guessed mapping', () => {
  it.each(['id,externalId,name,firstName,lastName,email', 'email,lastName,firstName,name,externalId,id'])(
    'prefers the column with the name of the field: %s',
    async (columns) => {
      const mapping = await guessed('Lead', columns);
      expect(mapping).toMatchObject({ externalId: 'externalId', id: null, firstName: 'firstName', name: 'fullName' });
    },
  );

  it('takes the id of another system as the external id', async () => {
    expect(await guessed('Lead', 'id,email,firstName,lastName')).toMatchObject({ id: 'externalId' });
    expect(await guessed('Account', 'ID,Name,Created At')).toMatchObject({ ID: 'externalId' });
  });

  it('ignores the ids and addresses of our own exports', async () => {
    for (const sign of ['createdAt', 'tenantId', 'customFields.tier'])
      expect(await guessed('Lead', `id,email,${sign}`)).toMatchObject({ id: null, email: 'email' });
    const mapping = await guessed('Account', 'id,name,domain,address,createdBy');
    expect(mapping).toMatchObject({ id: null, address: null, domain: 'domain' });
    expect(await guessed('Opportunity', 'id,name,leadId,accountId,status,stage,createdAt')).toMatchObject({
      id: null,
      leadId: 'lead',
      accountId: 'account',
      status: null,
      stage: 'stage',
    });
  });

  it('of an exported file keeps the external ids of its leads', async () => {
    const api = service.as({ userId: 5 });
    const { data: lead } = await api.createLead({ body: aLead({ email: 'ada@example.com', externalId: 'L1' }) });
    const file = `id,email,firstName,lastName,externalId,createdAt\n${lead.id},ada@example.com,Ada,King,L1,2026-01-01\n`;
    const { id } = await checked(api, 'Lead', { file, dedupe: { by: 'email', action: 'update' } });
    await api.startLeadImport({ params: { id } });
    const { data } = await until('the lead is updated', async () => {
      const found = await api.getLead({ params: { id: lead.id } });
      return found.data.lastName === 'King' && found;
    });
    expect(data.externalId).toBe('L1');
  });
});
