import { testSettings, until } from '@tandem/testing';
import { type Api, aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { aHistory, type Deal, jobsEnd } from './ledger-history.test-service.ts';

// With LEDGER_SEEDS=7,8 and LEDGER_STEPS=500 other and longer histories.
const seeds = (process.env['LEDGER_SEEDS'] ?? '2,3,5,12').split(',').map(Number);
const steps = Number(process.env['LEDGER_STEPS'] ?? 60);
const stepsPerCheck = 10;

let settings: Awaited<ReturnType<typeof testSettings>>;
let peer: Peer;
let first: Service;
let second: Service;
beforeAll(async () => {
  peer = await aPeer();
  settings = await testSettings('partner');
  first = await startPartner(peer, {}, { shared: settings });
  second = await startPartner(peer, {}, { shared: settings });
});
afterAll(async () => {
  await second?.close();
  await first?.close();
  await settings?.drop();
  await peer?.close();
});

interface CommissionRow {
  id: string;
  partner: string;
  currency: string;
  amount: number;
  type: string;
  status: string;
  level: number;
  deal: string | null;
  dealVersion: number;
  payout: string | null;
  original: string | null;
  entries: Record<string, number> | null;
}

const minor = (major: number) => Math.round(major * 100);
const sumOf = (rows: readonly { amount: number }[]) => rows.reduce((sum, { amount }) => sum + amount, 0);
const readCommissions = (api: Api) =>
  first.sqlWithin(
    api.caller,
    `SELECT id::text, partner_id::text AS partner, currency, amount_minor::int AS amount, type, status, level,
      opportunity_id::text AS deal, deal_version AS "dealVersion", payout_id::text AS payout, original_commission_id::text AS original,
      (SELECT jsonb_object_agg(kind, amount_minor) FROM ledger_entry WHERE commission_id = commission.id) AS entries
    FROM commission ORDER BY id`,
  ) as Promise<unknown> as Promise<CommissionRow[]>;

/** Each commission has the entries of its status, and no other. */
function checkEntries(commissions: readonly CommissionRow[]): void {
  const ends: Record<string, string | undefined> = { paid: 'payment', cancelled: 'cancellation' };
  const expected = commissions.map(({ id, type, status, amount }) => {
    const end = ends[status];
    return { id, status, entries: { [type]: amount, ...(end && { [end]: -amount }) } };
  });
  expect(commissions.map(({ id, status, entries }) => ({ id, status, entries }))).toEqual(expected);
}

/** The sum of the ledger, the unpaid commissions, the balance and the closing balance of the statements are the same. */
async function checkBalances(api: Api, commissions: readonly CommissionRow[], partnerIds: string[]): Promise<void> {
  for (const id of partnerIds) {
    const { data } = await api.getPartner({ params: { id } });
    const { data: statements } = await api.listCommissionStatements({ params: { id } });
    const entries = await first.sqlWithin(
      api.caller,
      'SELECT currency, sum(amount_minor)::int AS sum FROM ledger_entry WHERE partner_id = $1 GROUP BY currency',
      [id],
    );
    const own = commissions.filter(({ partner }) => partner === id);
    for (const currency of new Set(own.map((one) => one.currency))) {
      const ofCurrency = <Row>(rows: Row[]) => rows.find((row) => (row as { currency: string }).currency === currency);
      const open = own.filter((one) => one.currency === currency && !['paid', 'cancelled'].includes(one.status));
      const statement = ofCurrency(statements) as Record<
        'openingBalance' | 'earned' | 'adjustments' | 'clawbacks' | 'paid' | 'closingBalance',
        number
      >;
      const { openingBalance, earned, adjustments, clawbacks, paid, closingBalance } = statement;
      const sums = {
        ledger: ofCurrency(entries)?.['sum'],
        balance: minor(ofCurrency<{ amount: number }>(data.balances)?.amount as number),
        closing: minor(closingBalance),
        added: minor(openingBalance + earned + adjustments + clawbacks - paid),
      };
      const sum = sumOf(open);
      expect({ id, currency, ...sums }).toEqual({ id, currency, ledger: sum, balance: sum, closing: sum, added: sum });
    }
  }
}

/** The amount of a payout is that of its payments, and these are the sums of their commissions. */
async function checkPayouts(api: Api, commissions: readonly CommissionRow[]): Promise<void> {
  const { data: payouts } = await api.listPayouts({ query: { limit: '100' } });
  for (const { id, status, ...payout } of payouts) {
    if (status === 'cancelled') continue;
    const { data: items } = await api.listPayoutItems({ params: { id } });
    const inPayout = commissions.filter((one) => one.payout === id);
    const ofItem = ({ partnerId }: { partnerId: string }) => inPayout.filter(({ partner }) => partner === partnerId);
    expect(items.map(({ amount }: { amount: number }) => minor(amount))).toEqual(
      items.map((item: { partnerId: string }) => sumOf(ofItem(item))),
    );
    expect([minor(payout.amount), payout.commissionCount, payout.itemCount]).toEqual([
      sumOf(inPayout),
      inPayout.length,
      items.length,
    ]);
    for (const item of items)
      expect(new Set(ofItem(item).map((one) => one.status))).toEqual(
        new Set([item.status === 'paid' ? 'paid' : 'approved']),
      );
  }
}

/**
 * A deal that is open has earned nothing in the end: what was paid is taken back. One that is won has earned by its last
 * win only, once per level.
 */
function checkDeals(commissions: readonly CommissionRow[], deals: readonly Deal[]): void {
  for (const { opportunityId, version, isWon } of deals) {
    const ofDeal = commissions.filter(({ deal, status }) => deal === opportunityId && status !== 'cancelled');
    const current = ofDeal.filter(({ type, dealVersion }) => type === 'earned' && dealVersion === version);
    expect(new Set(current.map(({ level }) => level)).size).toBe(current.length);
    if (!isWon) expect({ opportunityId, current }).toEqual({ opportunityId, current: [] });
    // Clawbacks by hand of the last win are decisions of people.
    const before = ofDeal.filter(({ dealVersion }) => dealVersion < version);
    expect({ opportunityId, version, sum: sumOf(before) }).toEqual({ opportunityId, version, sum: 0 });
  }
}

/** What is clawed back is paid, or on its way: what is cancelled is not deducted a second time. */
function checkClawbacks(commissions: readonly CommissionRow[]): void {
  const deducted = commissions.flatMap(({ original, status }) => (original && status !== 'cancelled' ? original : []));
  const twice = commissions.filter(({ id, status }) => deducted.includes(id) && status === 'cancelled');
  expect(twice).toEqual([]);
}

const paidEvents = (api: Api) =>
  first.events
    .filter(({ name, tenantId }) => name === 'commission.paid' && tenantId === api.caller.tenantId)
    .map(({ data }) => (data as { commissionId: string }).commissionId);

it.each(seeds)(
  'the ledger, balances, statements and payouts agree after any history: seed %i',
  async (seed) => {
    const { api, partners, deals, step, payAll } = await aHistory({ first, second }, seed);
    const done: string[] = [];
    const check = async () => {
      await jobsEnd(first, api);
      const commissions = await readCommissions(api);
      checkEntries(commissions);
      await checkBalances(
        api,
        commissions,
        partners.map(({ id }) => id),
      );
      await checkPayouts(api, commissions);
      checkClawbacks(commissions);
      checkDeals(commissions, deals);
      return commissions;
    };
    try {
      for (let count = 1; count <= steps; count++) {
        const { name, statuses } = await step();
        done.push([name, ...statuses].join(' '));
        expect(statuses.filter((status) => status > 299 && status !== 409)).toEqual([]);
        if (count % stepsPerCheck === 0) await check();
      }
      await payAll();
      const paid = (await check()).filter(({ status }) => status === 'paid').map(({ id }) => id);
      expect(paid).not.toEqual([]);
      await until('the events arrive', () => paidEvents(api).length >= paid.length);
      expect(paidEvents(api).toSorted()).toEqual(paid.toSorted());
    } catch (error) {
      throw new Error(`seed ${seed} after ${done.join(', ')}`, { cause: error });
    }
  },
  60_000,
);
