import { randomBytes } from 'node:crypto';
import { until } from '@tandem/testing';
import type { Direct, DirectRequest, Scope } from './direct.ts';
import type { Setup, World } from './records.ts';

interface Owner {
  scope: Scope;
  partnerId: string;
  /** More fields of the commission that is paid. */
  fields?: object;
}

const plan = () => ({
  name: `Resellers ${randomBytes(6).toString('hex')}`,
  trigger: 'manual',
  type: 'percent',
  rate: 5,
});
const bonus = { amount: 50, currency: 'EUR', description: 'Launch event' };
// A payout takes the commissions of one currency, so that those of the other requests stay free.
const francs = { ...bonus, currency: 'CHF' };

/** Creates the records of commissions: a plan, a commission with its statement, and a payout with a payment. */
export async function createCommissions(direct: Direct, { scope, partnerId }: Owner) {
  const call = (id: string, request: DirectRequest = {}) => direct.call(id, request, scope);
  const params = { id: partnerId };
  const commissionPlan = await call('createCommissionPlan', { body: plan() });
  const commission = await call('createCommission', { params, body: bonus });
  const [statement] = await call('listCommissionStatements', { params });
  const { payout, item } = await aPayout(direct, { scope, partnerId });
  return { commission_plan: commissionPlan, commission, statement, payout, payout_item: item };
}

/** An approved payout to the partner, and its payment. */
async function aPayout(direct: Direct, { scope, partnerId, fields }: Owner) {
  const call = (id: string, request: DirectRequest = {}) => direct.call(id, request, scope);
  const paid = await call('createCommission', { params: { id: partnerId }, body: { ...francs, ...fields } });
  await call('approveCommission', { params: { cid: paid.id }, body: {} });
  const body = { periodEnd: new Date().toISOString(), currency: 'CHF' };
  const payout = await call('createPayout', { body });
  const params = { id: payout.id };
  await until('the payout is prepared', async () => (await call('getPayout', { params })).preparedAt);
  const [item] = await call('listPayoutItems', { params });
  return { payout, item };
}

/** Bodies of requests, where the example in the OpenAPI document fails before the ids are read. */
export const commissionRequests = {
  ...bulkRequests(),
  approveCommission: () => ({ body: {} }),
  clawbackCommission: () => ({ body: { reason: 'Refunded' } }),
  createCommission: () => ({ body: bonus }),
  createCommissionPlan: () => ({ body: { ...plan(), pipelineRates: [{ rate: 5 }] } }),
  findPartnerDeals: () => ({ body: { page: 1, limit: 10 } }),
  createPayout: () => ({ body: { periodEnd: new Date().toISOString(), currency: 'EUR' } }),
  markPayoutPaid: (_: World, { path: [field] }: { path: string[] }) => ({
    body: field === 'failed' ? { failed: [{ reason: 'Account closed' }] } : {},
  }),
  updateCommissionPlan: (_: World, { path: [field] }: { path: string[] }) => ({
    body: field === 'pipelineRates' ? { pipelineRates: [{ rate: 5 }] } : { holdDays: 5 },
  }),
};

function bulkRequests() {
  const names = ['Approve', 'Hold', 'Release', 'Cancel', 'Clawback'];
  const request =
    (name: string) =>
    (_: World, { path: [field] }: { path: string[] }) => ({
      body: {
        ...(field === 'filter' ? { filter: {}, expectedCount: 1_000 } : { ids: ['none'] }),
        ...(!['Approve', 'Release'].includes(name) && { reason: 'Checked' }),
      },
    });
  return Object.fromEntries(names.map((name) => [`bulk${name}Commissions`, request(name)]));
}

/** Records that a request needs after others have changed them. */
export const commissionPreparations: Record<string, (world: World, setup: Setup) => Promise<void>> = {
  findPartnerDeals: aDealOfPartner,
  listPartners: aPartnerWithPlan,
  approvePartner: aPlan,
  archiveCommissionPlan: aPlan,
  createCommission: aPlan,
  deleteCommissionPlan: aPlan,
  updateCommissionPlan: aPlan,
  updatePartner: aPlan,
  approveCommission: aPendingCommission,
  cancelCommission: aPendingCommission,
  holdCommission: aPendingCommission,
  releaseCommission: aPendingCommission,
  approvePayout: aNewPayout,
  cancelPayout: aNewPayout,
  getPayoutFiles: async (world, setup) => {
    await aNewPayout(world, setup);
    await process(world, setup);
  },
  markPayoutPaid: async (world, setup) => {
    await aNewPayout(world, setup);
    await process(world, setup);
  },
  ...Object.fromEntries(
    ['Approve', 'Hold', 'Release', 'Cancel', 'Clawback'].map((name) => [`bulk${name}Commissions`, aCommissionOfDeal]),
  ),
};

async function aPlan({ scope, records }: World, { direct }: Setup): Promise<void> {
  records.commission_plan = Number((await direct.call('createCommissionPlan', { body: plan() }, scope)).id);
}

async function aPartnerWithPlan(world: World, setup: Setup): Promise<void> {
  await aPlan(world, setup);
  const { scope, records } = world;
  const body = { planId: String(records.commission_plan) };
  await setup.direct.call('updatePartner', { params: { id: String(records.partner) }, body }, scope);
}

async function aPendingCommission({ scope, records }: World, { direct }: Setup): Promise<void> {
  const params = { id: String(records.partner) };
  records.commission = Number((await direct.call('createCommission', { params, body: bonus }, scope)).id);
}

async function aDealOfPartner({ scope, records }: World, { direct }: Setup): Promise<void> {
  const body = { name: 'Engines', value: 1_000, currency: 'EUR', partnerId: String(records.partner) };
  await direct.call('createOpportunity', { body }, scope);
}

async function aNewPayout({ scope, records }: World, { direct }: Setup, fields = {}): Promise<void> {
  const { payout, item } = await aPayout(direct, { scope, partnerId: String(records.partner), fields });
  records.payout = Number(payout.id);
  records.payout_item = Number(item.id);
}

async function process({ scope, records }: World, { direct }: Setup): Promise<void> {
  const params = { id: String(records.payout) };
  await direct.call('approvePayout', { params }, scope);
  await direct.call('processPayout', { params, body: { method: 'file' } }, scope);
}

/** A commission of the partner, the opportunity and the payout: the filter of a bulk request has all ids. */
async function aCommissionOfDeal(world: World, setup: Setup): Promise<void> {
  const { scope, records } = world;
  const opportunityId = String(records.opportunity);
  const query = { opportunityId, payoutId: String(records.payout) };
  if ((await setup.direct.call('listCommissions', { query }, scope)).length) return;
  // The opportunity can have a bonus already.
  await aNewPayout(world, setup, { opportunityId, type: 'adjustment' });
}

/** The responses to unknown ids that differ from those of other operations. */
export const commissionAnswers = {
  'filterPipelines body.ids.*': { status: 200 },
  'findPartnerDeals body.partnerId': { status: 200, body: { data: { total: 0, deals: [] } } },
  ...Object.fromEntries(
    ['Approve', 'Hold', 'Release', 'Cancel', 'Clawback'].flatMap((name) =>
      ['partnerId', 'opportunityId'].map((field) => [
        `bulk${name}Commissions body.filter.${field}`,
        { status: 409, body: { code: 'count_changed' } },
      ]),
    ),
  ),
};
