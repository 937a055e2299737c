import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import pg from 'pg';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'partner'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const person = { email: 'joan@example.com', password: 'a long phrase is best' };
const landingUrl = 'https://shop.example.com/start';

/** Activates the partner program; applications to it are open. */
async function openProgram(): Promise<void> {
  const { data: catalogue } = await tenant.owner.listAddonCatalog({});
  const params = { addonId: catalogue.find(({ key }) => key === 'partner_program')?.id as string };
  await tenant.owner.installAddon({
    params,
    body: { config: { openRegistration: true, defaultLandingUrl: landingUrl, allowedHosts: ['shop.example.com'] } },
  });
  await tenant.owner.activateAddon({ params });
}

/** Wins a deal over 10,000.00 EUR of a lead; resolves to its commission. */
async function winDeal(leadId: string, partnerId: string) {
  const { api } = tenant;
  const { data: deal } = await api.createOpportunity({
    body: { name: 'Engines', leadId, value: 10_000, currency: 'EUR' },
  });
  await api.winOpportunity({ params: { id: deal.id }, body: {} });
  const commission = await until('the commission exists', async () => {
    const { data } = await api.listPartnerCommissions({ params: { id: partnerId } });
    return data.find(({ opportunityId }) => opportunityId === deal.id);
  });
  return { deal, commission };
}

/** Pays what is approved by a file for the bank; resolves to the completed payout. */
async function payByBank() {
  const { api } = tenant;
  const body = { periodEnd: new Date().toISOString(), currency: 'EUR' };
  const { data: created } = await api.createPayout({ body });
  const params = { id: created.id };
  await until('the payout is prepared', async () => (await api.getPayout({ params })).data.preparedAt);
  await api.approvePayout({ params });
  await api.processPayout({ params, body: { method: 'file' } });
  const { data } = await api.getPayoutFiles({ params });
  const csv = await (await fetch(data.files[0]?.url as string)).text();
  await api.markPayoutPaid({ params, body: { externalRef: 'bank-run' } });
  const payout = await until('the payout is completed', async () => {
    const { data: one } = await api.getPayout({ params });
    return one.status === 'completed' && one;
  });
  return { payout, csv };
}

/**
 * Lets months pass: moves what partner has recorded so far into the past. Statements of past months must be final
 * before, because their jobs name a month and months that ended long ago get none.
 */
async function pass(months: number): Promise<void> {
  const url = new URL(process.env.TEST_DATABASE_URL as string);
  url.pathname = new URL(fleet.environment['partner']?.['DATABASE_URL'] as string).pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const back = `interval '${months} months'`;
  try {
    await until('the statements of past months are final', async () => {
      const { rows } = await client.query(`
        SELECT FROM statement WHERE finalized_at IS NULL AND period < to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`);
      return rows.length === 0;
    });
    await client.query(`
      UPDATE commission SET created_at = created_at - ${back}, hold_until = hold_until - ${back},
        approved_at = approved_at - ${back}, paid_at = paid_at - ${back};
      UPDATE ledger_entry SET created_at = created_at - ${back},
        period = to_char((created_at - ${back}) AT TIME ZONE 'UTC', 'YYYY-MM');
      -- In two steps, because one statement per month is allowed also while they move.
      UPDATE statement SET period = to_char(to_date(period, 'YYYY-MM') - interval '900 years', 'YYYY-MM');
      UPDATE statement SET period = to_char(to_date(period, 'YYYY-MM') + interval '900 years' - ${back}, 'YYYY-MM');
      DELETE FROM statement_month;
      UPDATE deal SET won_at = won_at - ${back};
      UPDATE referral SET occurred_at = occurred_at - ${back}`);
  } finally {
    await client.end();
  }
}

it('a year of a partner: each sum of the statements follows from the deals, payouts and clawbacks', async () => {
  const { api } = tenant;
  await openProgram();
  const plan = { name: 'Ten percent', trigger: 'opportunity.won', type: 'percent', rate: 10, holdDays: 30 } as const;
  await api.createCommissionPlan({ body: { ...plan, isDefault: true } });

  // The partner applies, and is approved.
  const application = { ...person, tenant: tenant.id, firstName: 'Joan', lastName: 'Clarke' };
  await until('applications are open', async () => {
    const { data } = await fleet.api().registerPartner({ body: application });
    return data.accepted;
  });
  const { data: applied } = await api.listPartners({ query: { status: 'pending' } });
  const partnerId = applied[0]?.id as string;
  await api.approvePartner({ params: { id: partnerId }, body: {} });
  const { data: session } = await fleet.api().loginToPortal({ body: { ...person, tenant: tenant.id } });
  const portal = fleet.api({ accessToken: session.token, tenantId: tenant.id });
  await portal.setPortalPayoutAccount({
    body: { holder: 'Joan Clarke', iban: 'DE89370400440532013000', password: person.password },
  });

  // A visitor follows the link of the partner, and becomes a lead.
  const { data: partner } = await api.getPartner({ params: { id: partnerId } });
  const code = partner.referralCodes[0]?.code as string;
  const click = await until('the link leads to the shop', async () => {
    const reply = await fetch(`${fleet.baseUrl}/v1/public/r/${tenant.id}/${code}`, { redirect: 'manual' });
    return reply.status === 302 && new URL(reply.headers.get('location') as string);
  });
  expect(click.href.startsWith(landingUrl)).toBe(true);
  const lead = { email: 'ada@engines.example', firstName: 'Ada', lastName: 'Lovelace' };
  const { data: referral } = await until('the click is stored', () =>
    api.createReferral({ body: { clickId: click.searchParams.get('clickId') as string, lead } }),
  );
  expect(referral).toMatchObject({ partnerId, status: 'attributed' });

  const statements = async () => {
    const { data } = await api.listCommissionStatements({ params: { id: partnerId }, query: { sort: 'period' } });
    return data.map(({ openingBalance, earned, adjustments, clawbacks, paid, closingBalance, status }) => {
      const sums = { openingBalance, earned, clawbacks, paid, closingBalance };
      expect(openingBalance + earned + adjustments + clawbacks - paid).toBe(closingBalance);
      return { ...sums, status };
    });
  };
  const balance = async () => (await api.getPartner({ params: { id: partnerId } })).data.balances;
  const none = { openingBalance: 0, earned: 0, clawbacks: 0, paid: 0, closingBalance: 0 };
  const open = { ...none, status: 'open' };
  const final = { ...none, status: 'final' };

  // A deal over 10,000.00 at 10 % earns 1,000.00, which is held for 30 days.
  const first = await winDeal(referral.leadId, partnerId);
  expect(first.commission).toMatchObject({ amount: 1_000, basisAmount: 10_000, rate: 10, status: 'pending' });
  const ofFirst = { cid: first.commission.id };
  await expect(api.approveCommission({ params: ofFirst, body: {} })).rejects.toMatchObject({ code: 'hold_not_over' });
  // 0.00 + 1,000.00 = 1,000.00
  expect(await statements()).toEqual([{ ...open, earned: 1_000, closingBalance: 1_000 }]);
  await pass(2);
  await api.approveCommission({ params: ofFirst, body: {} });

  // The bank pays 1,000.00: 1,000.00 − 1,000.00 = 0.00
  const { payout, csv } = await payByBank();
  expect(payout).toMatchObject({ amount: 1_000, itemCount: 1, commissionCount: 1, paidCount: 1 });
  expect(csv).toContain(',Joan Clarke,DE89370400440532013000,,1000,EUR');
  expect((await api.getCommission({ params: ofFirst })).data).toMatchObject({ status: 'paid', payoutId: payout.id });
  const earnedFirst = { ...final, earned: 1_000, closingBalance: 1_000 };
  expect(await statements()).toEqual([earnedFirst, { ...open, openingBalance: 1_000, paid: 1_000 }]);

  // The deal is reopened in the next month: 0.00 − 1,000.00 (clawback) = −1,000.00
  await pass(2);
  await api.reopenOpportunity({ params: { id: first.deal.id }, body: {} });
  const clawback = await until('the commission is clawed back', async () => {
    const { data } = await api.listPartnerCommissions({ params: { id: partnerId }, query: { type: 'clawback' } });
    return data[0];
  });
  expect(clawback).toMatchObject({ amount: -1_000, status: 'approved', originalCommissionId: ofFirst.cid });
  expect(await balance()).toEqual([{ currency: 'EUR', amount: -1_000 }]);
  const paidFirst = { ...final, openingBalance: 1_000, paid: 1_000 };
  const afterClawback = { clawbacks: -1_000, closingBalance: -1_000 };
  expect(await statements()).toEqual([earnedFirst, paidFirst, { ...open, ...afterClawback }]);

  // There is nothing to pay: the next payout carries −1,000.00 over.
  const { data: carrying } = await api.createPayout({
    body: { periodEnd: new Date().toISOString(), currency: 'EUR' },
  });
  const carried = await until('the payout is prepared', async () => {
    const { data } = await api.getPayout({ params: { id: carrying.id } });
    return data.preparedAt && data;
  });
  expect(carried).toMatchObject({ amount: 0, itemCount: 0, carriedCount: 1 });
  const nothing = api.approvePayout({ params: { id: carrying.id } });
  await expect(nothing).rejects.toMatchObject({ status: 409, code: 'nothing_to_pay' });

  // Two other deals earn 2,000.00: −1,000.00 + 2,000.00 = 1,000.00, which is paid.
  await pass(2);
  const others = [await winDeal(referral.leadId, partnerId), await winDeal(referral.leadId, partnerId)];
  await pass(2);
  for (const { commission } of others) await api.approveCommission({ params: { cid: commission.id }, body: {} });
  expect(await balance()).toEqual([{ currency: 'EUR', amount: 1_000 }]);
  const next = await payByBank();
  expect(next.payout).toMatchObject({ amount: 1_000, itemCount: 1, commissionCount: 3 });
  expect(await statements()).toEqual([
    earnedFirst,
    paidFirst,
    { ...final, ...afterClawback },
    { ...final, openingBalance: -1_000, earned: 2_000, closingBalance: 1_000 },
    { ...open, openingBalance: 1_000, paid: 1_000 },
  ]);
  expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);

  // The months that are over are finalized, each once, and the partner sees the same.
  const { data: all } = await api.listCommissionStatements({ params: { id: partnerId }, query: { sort: 'period' } });
  for (const { id: sid } of all.slice(0, -1))
    await until('the statement is finalized', async () => {
      const { data } = await api.getCommissionStatement({ params: { id: partnerId, sid } });
      return data.finalizedAt !== null;
    });
  const { data: seen } = await portal.listPortalStatements({ query: { sort: 'period' } });
  expect(seen.map(({ closingBalance }) => closingBalance)).toEqual(all.map(({ closingBalance }) => closingBalance));
}, 120_000);
