import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

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

/** An account with an open deal. */
async function aDeal() {
  const api = service.as();
  const { data: account } = await api.createAccount({ body: { name: 'Engines' } });
  const { data: deal } = await api.createOpportunity({ body: { name: 'Deal', accountId: account.id } });
  return { api, account, deal, params: { id: deal.id } };
}

const remove = async (api: ReturnType<typeof service.as>, id: string) =>
  (await api.deleteAccount({ params: { id } })).status;

describe('a deal of a deleted account', () => {
  it('has no account when it is restored', async () => {
    const { api, account, params } = await aDeal();
    await api.deleteOpportunity({ params });
    expect(await remove(api, account.id)).toBe(200);
    expect((await api.restoreOpportunity({ params })).data.accountId).toBeNull();
  });

  it('has no account when it is reopened', async () => {
    const { api, account, params } = await aDeal();
    await api.winOpportunity({ params, body: {} });
    expect(await remove(api, account.id)).toBe(200);
    expect((await api.reopenOpportunity({ params, body: {} })).data).toMatchObject({ status: 'open', accountId: null });
  });

  it('has the account that the request which reopens it names', async () => {
    const { api, account, params } = await aDeal();
    await api.winOpportunity({ params, body: {} });
    const { data: other } = await api.createAccount({ body: { name: 'Other' } });
    expect(await remove(api, account.id)).toBe(200);
    const { data } = await api.updateOpportunity({ params, body: { status: 'open', accountId: other.id } });
    expect(data).toMatchObject({ status: 'open', accountId: other.id });
  });

  it('keeps the account when it is closed and restored, which the account may be as well', async () => {
    const { api, account, params } = await aDeal();
    await api.winOpportunity({ params, body: {} });
    await api.deleteOpportunity({ params });
    expect(await remove(api, account.id)).toBe(200);
    expect((await api.restoreOpportunity({ params })).data).toMatchObject({ status: 'won', accountId: account.id });
  });

  it('belongs to the survivor when the account was merged', async () => {
    const { api, account, params } = await aDeal();
    await api.deleteOpportunity({ params });
    const { data: survivor } = await api.createAccount({ body: { name: 'Survivor' } });
    await api.mergeAccounts({ params: { id: survivor.id }, body: { mergeIds: [account.id] } });
    expect((await api.restoreOpportunity({ params })).data.accountId).toBe(survivor.id);
  });

  it('keeps the survivor of a merge from being deleted while the deal waits to be moved', async () => {
    const { api, account } = await aDeal();
    const { data: survivor } = await api.createAccount({ body: { name: 'Survivor' } });
    await api.mergeAccounts({ params: { id: survivor.id }, body: { mergeIds: [account.id] } });
    expect(await remove(api, survivor.id)).toBe(409);
  });

  it('keeps the survivor of two merges as well', async () => {
    const { api, account } = await aDeal();
    const { data: middle } = await api.createAccount({ body: { name: 'Middle' } });
    const { data: survivor } = await api.createAccount({ body: { name: 'Survivor' } });
    await api.mergeAccounts({ params: { id: middle.id }, body: { mergeIds: [account.id] } });
    await api.mergeAccounts({ params: { id: survivor.id }, body: { mergeIds: [middle.id] } });
    expect(await remove(api, survivor.id)).toBe(409);
  });
});
