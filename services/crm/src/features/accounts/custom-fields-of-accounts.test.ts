import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';
import { filesPeer } from '../imports/files-peer.test-service.ts';

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

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
type Api = ReturnType<typeof service.as>;

/** A tenant whose accounts have a unique and a sortable custom field. */
async function withFields(): Promise<Api> {
  const api = service.as();
  const field = (fields: object) =>
    api.createCustomField({ body: { entityType: 'account', label: 'Field', type: 'text', ...fields } });
  await field({ key: 'vat', unique: true });
  await field({ key: 'region', sortable: true });
  await until('the fields can be used', async () => {
    const { data } = await api.listCustomFields({ query: { entityType: 'account' } });
    return data.every(({ status }: { status: string }) => status === 'ready');
  });
  return api;
}

const account = async (api: Api, customFields: object) =>
  (await api.createAccount({ body: { name: 'Engines', customFields } })).data;
const names = async (api: Api, query: object = {}) =>
  (await api.listAccounts({ query: { sort: 'name', ...query } })).data.map(({ name }: { name: string }) => name);

describe('custom fields of accounts', () => {
  it('creates no account for an item whose unique value another account has', async () => {
    const api = await withFields();
    const items = ['One', 'Two'].map((name) => ({ name, customFields: { vat: 'DE1' } }));
    const { data } = await api.bulkCreateAccounts({ body: { items } });
    expect(data.results).toMatchObject([{ outcome: 'created' }, { error: { code: 'value_taken' } }]);
    const upsert = [{ name: 'Three', externalId: 'x', customFields: { vat: 'DE1' } }];
    const { data: upserted } = await api.bulkUpsertAccounts({ body: { key: 'externalId', items: upsert } });
    expect(upserted.results).toMatchObject([{ error: { code: 'value_taken' } }]);
    const { data: four } = await api.createAccount({ body: { name: 'Four' } });
    const code = ids.encode('account', api.caller.tenantId as number, Number(four.id));
    const change = { customFields: { vat: 'DE1' } };
    const { data: updated } = await api.bulkUpdateAccounts({ body: { ids: [code], change } });
    expect(updated.results).toMatchObject([{ error: { code: 'value_taken' } }]);
    expect(await names(api)).toEqual(['Four', 'One']);
  });

  it('creates no account for a row of a file whose unique value another account has', async () => {
    const api = await withFields();
    const fileId = files.add('name,vat\nOne,DE1\nTwo,DE1\nThree,DE3\n');
    const mapping = { name: 'name', vat: 'customFields.vat' };
    const { data: created } = await api.createAccountImport({ body: { fileId, mapping } });
    const reaches = (status: string) =>
      until(`the import is ${status}`, async () => {
        const { data } = await api.getAccountImport({ params: { id: created.id } });
        return data.status === status && data;
      });
    await reaches('validated');
    await api.startAccountImport({ params: { id: created.id } });
    expect((await reaches('completed')).counts).toMatchObject({ created: 2, failed: 1 });
    expect(await names(api)).toEqual(['One', 'Three']);
  });

  it('gives the survivor of a merge the unique values, and sorts it by its merged ones', async () => {
    const api = await withFields();
    const survivor = await account(api, {});
    const other = await account(api, { vat: 'DE1', region: 'b' });
    await account(api, { vat: 'DE2', region: 'a' });
    const { data: merged } = await api.mergeAccounts({ params: { id: survivor.id }, body: { mergeIds: [other.id] } });
    expect(merged.survivor.customFields).toEqual({ vat: 'DE1', region: 'b' });
    const { data: sorted } = await api.listAccounts({ query: { sort: '-customFields.region' } });
    expect(sorted.map(({ id }: { id: string }) => id)[0]).toBe(survivor.id);
    const again = await api.createAccount({ body: { name: 'Again', customFields: { vat: 'DE1' } } });
    expect([again.status, again.body.code]).toEqual([409, 'value_taken']);
  });

  it('releases unique values of merged accounts that the survivor does not take', async () => {
    const api = await withFields();
    const survivor = await account(api, { vat: 'DE1' });
    const other = await account(api, { vat: 'DE2' });
    await api.mergeAccounts({ params: { id: survivor.id }, body: { mergeIds: [other.id] } });
    const { status } = await api.createAccount({ body: { name: 'New', customFields: { vat: 'DE2' } } });
    expect(status).toBe(201);
  });

  it('refuses a merge whose custom fields do not fit into one account', async () => {
    const api = service.as();
    const many = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${prefix}${index}`, index]));
    const survivor = await account(api, many('a'));
    const other = await account(api, many('b'));
    const { status, body } = await api.mergeAccounts({ params: { id: survivor.id }, body: { mergeIds: [other.id] } });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'mergeIds']);
  });
});
