import { partnerTiers as names } from '@tandem/partner-contract';
import { aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { setTiers, tiersWith } from './tiers.test-service.ts';

let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

it('replaces all tiers, which exist before they are set', async () => {
  const api = service.as();
  const empty = { windowDays: null, requiredCourseIds: [], graceDays: 30, benefits: [] };
  const thresholds = { referrals: null, wonDeals: null, wonValue: null, recruits: null };
  const { data: before } = await api.getPartnerTiers();
  expect(before).toEqual({
    tiers: names.map((tier) => ({ tier, thresholds, ...empty })),
    version: 1,
    updatedAt: null,
  });
  const gold = {
    thresholds: { wonDeals: 3, wonValue: { amount: 50_000.5, currency: 'EUR' } },
    windowDays: 365,
    requiredCourseIds: ['7'],
    graceDays: 60,
    benefits: ['A manager of your own'],
  };
  const { status, data } = await setTiers(api, { gold });
  expect([status, data.version, data.tiers[2]]).toEqual([
    200,
    2,
    { tier: 'gold', ...gold, thresholds: { ...thresholds, ...gold.thresholds } },
  ]);
  expect((await api.getPartnerTiers()).data).toEqual(data);
  expect((await setTiers(api, { gold })).data.version).toBe(2);
  const stale = await api.setPartnerTiers({ body: tiersWith({}), headers: { 'if-match': '"1"' } });
  expect(stale.status).toBe(412);
  expect((await setTiers(api, {})).data.tiers[2].requiredCourseIds).toEqual([]);
  const { tenantId } = api.caller as { tenantId: number };
  expect((await service.as({ tenantId, environment: 'sandbox' }).getPartnerTiers()).data.version).toBe(1);
});

it.each<[string, object, string]>([
  ['a tier is missing', { tiers: [{ tier: 'gold' }] }, 'tiers'],
  ['a tier is there twice', { tiers: ['bronze', 'silver', 'gold', 'gold'].map((tier) => ({ tier })) }, 'tiers'],
  ['bronze has requirements', tiersWith({ bronze: { thresholds: { referrals: 1 } } }), 'tiers.0'],
  ['a figure is zero', tiersWith({ gold: { thresholds: { referrals: 0 } } }), 'tiers.2.thresholds.referrals'],
  [
    'an amount has more decimals than its currency',
    tiersWith({ gold: { thresholds: { wonValue: { amount: 0.001, currency: 'EUR' } } } }),
    'tiers.2.thresholds.wonValue.amount',
  ],
  ['a course does not exist', tiersWith({ gold: { requiredCourseIds: ['7', '999'] } }), 'tiers.2.requiredCourseIds.1'],
  ['a course is for users only', tiersWith({ gold: { requiredCourseIds: ['800'] } }), 'tiers.2.requiredCourseIds.0'],
  ['a course is archived', tiersWith({ gold: { requiredCourseIds: ['700'] } }), 'tiers.2.requiredCourseIds.0'],
  ['a course is required twice', tiersWith({ gold: { requiredCourseIds: ['7', '7'] } }), 'tiers.2.requiredCourseIds.1'],
])('is refused when %s', async (_, body, field) => {
  const api = service.as();
  const { status, body: reply } = await api.setPartnerTiers({ body });
  expect([status, reply.errors?.map((one) => one.field)]).toEqual([422, [field]]);
  expect((await api.getPartnerTiers()).data.version).toBe(1);
});

it('keeps a required course that was deleted since', async () => {
  const api = service.as();
  await setTiers(api, { gold: { requiredCourseIds: ['7'] } });
  await service.sqlWithin(api.caller, `UPDATE tier_rule SET required_course_ids = '{950}' WHERE tier = 'gold'`);
  const { status, data } = await setTiers(api, { gold: { requiredCourseIds: ['950', '7'], benefits: ['A badge'] } });
  expect([status, data.tiers[2]]).toMatchObject([200, { requiredCourseIds: ['950', '7'], benefits: ['A badge'] }]);
  expect((await setTiers(api, { gold: { requiredCourseIds: ['950', '951'] } })).status).toBe(422);
});

it('asks for the permission to read courses', async () => {
  const api = service.as({ can: ['partners:manage', 'partners:read'] });
  expect((await setTiers(api, { gold: { requiredCourseIds: ['7'] } })).status).toBe(403);
  expect((await setTiers(api, { gold: { thresholds: { wonDeals: 1 } } })).status).toBe(200);
});
