import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, users } from '@tandem/testing';
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

type Api = ReturnType<typeof service.as>;

const march = { from: '2031-03-10T00:00:00Z', to: '2031-03-10T00:00:00Z' };
const { seller, both } = members;

/** A tenant in which the seller has a deal and a quota of 30, a colleague of 50, and their team one of 100. */
async function aTenant() {
  const api = service.as();
  const body = { value: 10, currency: 'EUR', expectedCloseAt: march.from };
  const deal = (fields: object) => api.createOpportunity({ body: { name: 'Rollout', ...body, ...fields } });
  await deal({ ownerId: seller, teamId: teams.sales });
  await deal({ ownerId: both, teamId: teams.sales });
  const quota = (fields: object) => api.createQuota({ body: { period: '2031-03', ...fields } });
  await quota({ ownerId: seller, amount: 30 });
  await quota({ ownerId: both, amount: 50 });
  await quota({ teamId: teams.sales, amount: 100 });
  const as = (can: string[], teamIds = [Number(teams.sales)]) =>
    service.as({ tenantId: api.caller.tenantId as number, userId: Number(seller), teamIds, can });
  return { api, as };
}

async function quotaOf(api: Api, query: Record<string, string> = {}): Promise<unknown> {
  const { data } = await api.getForecast({ query: { ...march, ...query } });
  return data.buckets[0].quota;
}

async function groupsOf(api: Api, groupBy: 'owner' | 'team', query: Record<string, string> = {}) {
  const { data } = await api.getForecast({ query: { ...march, ...query, groupBy } });
  return Object.fromEntries(
    data.buckets[0].groups.map((one: Record<string, unknown>) => [one[`${groupBy}Id`], one['quota']]),
  );
}

describe('the quota of a forecast', () => {
  it('is that of the tenant, or of the owner or team that the forecast is limited to', async () => {
    const { api } = await aTenant();
    expect([await quotaOf(api), await quotaOf(api, { ownerId: both })]).toEqual([100, 50]);
    expect(await quotaOf(api, { teamId: teams.sales })).toBe(100);
    expect(await groupsOf(api, 'owner')).toEqual({ [seller]: 30, [both]: 50 });
  });

  it('has a group for who has a quota and no deals, as far as the caller can read it', async () => {
    const { api, as } = await aTenant();
    const newcomer = users.active;
    await api.createQuota({ body: { period: '2031-03', ownerId: newcomer, amount: 20 } });
    expect(await groupsOf(api, 'owner')).toEqual({ [seller]: 30, [both]: 50, [newcomer]: 20 });
    expect(await groupsOf(api, 'owner', { ownerId: seller })).toEqual({ [seller]: 30 });
    expect(await groupsOf(as(['opportunities:read']), 'owner')).toEqual({ [seller]: 30, [both]: null });
  });

  it('is unknown for one pipeline, and for the part of a team that one owner has', async () => {
    const { api } = await aTenant();
    const [pipeline] = (await api.listPipelines()).data;
    expect(await quotaOf(api, { pipelineId: pipeline.id })).toBeNull();
    expect(await groupsOf(api, 'owner', { pipelineId: pipeline.id })).toEqual({ [seller]: null, [both]: null });
    expect(await groupsOf(api, 'team', { ownerId: seller })).toEqual({ [teams.sales]: null });
    expect(await groupsOf(api, 'owner', { teamId: teams.sales })).toEqual({ [seller]: null, [both]: null });
    expect(await quotaOf(api, { ownerId: seller, teamId: teams.sales })).toBeNull();
  });

  it('is the own one for callers who access their own deals', async () => {
    const { as } = await aTenant();
    const own = as(['opportunities:read:own', 'config:read']);
    expect([await quotaOf(own), await quotaOf(own, { ownerId: seller })]).toEqual([30, 30]);
    expect([await quotaOf(own, { ownerId: both }), await quotaOf(own, { teamId: teams.sales })]).toEqual([null, null]);
    expect(await groupsOf(own, 'owner')).toEqual({ [seller]: 30 });
  });

  it('is compared with the deals that count for it, without those that the caller created for others', async () => {
    const { as } = await aTenant();
    const own = as(['opportunities:read:own', 'opportunities:write', 'config:read']);
    await own.createOpportunity({
      body: { name: 'For a colleague', value: 70, currency: 'EUR', expectedCloseAt: march.from, ownerId: both },
    });
    const [bucket] = (await own.getForecast({ query: march })).data.buckets;
    expect(bucket).toMatchObject({ count: 1, openValue: 10, quota: 30 });
    const [ofOther] = (await own.getForecast({ query: { ...march, ownerId: both } })).data.buckets;
    expect(ofOther).toMatchObject({ count: 1, openValue: 70, quota: null });
  });

  it('is that of their team for callers who access the deals of their team', async () => {
    const { as } = await aTenant();
    const can = ['opportunities:read:team', 'config:read'];
    const team = as(can);
    expect([await quotaOf(team), await quotaOf(team, { teamId: teams.sales })]).toEqual([100, 100]);
    expect(await groupsOf(team, 'owner')).toEqual({ [seller]: null, [both]: null });
    expect(await quotaOf(team, { ownerId: seller })).toBe(30);
    expect(await quotaOf(as(can, []))).toBe(30);
    expect(await quotaOf(as(can, [Number(teams.sales), Number(teams.support)]))).toBeNull();
  });

  it('of a colleague or of the tenant is hidden from callers who cannot read quotas', async () => {
    const { as } = await aTenant();
    const blind = as(['opportunities:read']);
    expect((await blind.listQuotas()).status).toBe(403);
    expect([await quotaOf(blind), await quotaOf(blind, { ownerId: both })]).toEqual([null, null]);
    expect(await groupsOf(blind, 'owner')).toEqual({ [seller]: 30, [both]: null });
  });
});
