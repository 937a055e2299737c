import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  dealWon,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { jobsEnd } from '../ledger/ledger-history.test-service.ts';
import { aPayout } from '../payouts/payouts.test-service.ts';

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

let numbers = 500;
const another = () => `${++numbers}`;

/** An approved partner who referred the lead of a deal. */
async function aReferredDeal(api: Api) {
  const { id } = await anApprovedPartner(api);
  const deal = { opportunityId: another(), leadId: another(), value: 100 };
  expect((await api.createReferral({ body: { partnerId: id, leadId: deal.leadId } })).status).toBe(201);
  const event = dealWon(deal);
  const won = (version: number) => publish(service, api, { ...event, record: { ...event.record, version } });
  const reopened = (version: number, id?: string) => {
    const data = { opportunityId: deal.opportunityId, result: 'won', reason: null };
    const record = { ...event.record, version, status: 'open' };
    return publish(service, api, { name: 'opportunity.reopened', data, record }, id);
  };
  const entries = async () => {
    const { data } = await api.listPartnerCommissions({ params: { id }, query: { sort: 'createdAt' } });
    return data.map(({ type, status, amount }: Record<string, unknown>) => [type, status, amount]);
  };
  const become = (expected: unknown[]) =>
    until(
      `the entries are ${JSON.stringify(expected)}`,
      async () => JSON.stringify(await entries()) === JSON.stringify(expected),
    );
  const balance = async () => (await api.getPartner({ params: { id } })).data.balances;
  return { id, deal, won, reopened, entries, become, balance };
}

/** A won deal whose commission is paid. */
async function aPaidDeal(api: Api) {
  const deal = await aReferredDeal(api);
  await deal.won(2);
  await deal.become([['earned', 'pending', 5]]);
  await service.sqlWithin(
    api.caller,
    `UPDATE commission SET status = 'paid', paid_at = now(), ledger_state = NULL WHERE partner_id = $1`,
    [deal.id],
  );
  return deal;
}

describe('a reopened deal', () => {
  it('cancels an unpaid commission, and earns again once when it is won again', async () => {
    const api = service.as();
    const { won, reopened, become, balance } = await aReferredDeal(api);
    await won(2);
    await become([['earned', 'pending', 5]]);
    const id = randomUUID();
    await reopened(3, id);
    await reopened(3, id);
    await reopened(3);
    await become([['earned', 'cancelled', 5]]);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);
    await Promise.all([won(4), won(4)]);
    await become([
      ['earned', 'cancelled', 5],
      ['earned', 'pending', 5],
    ]);
    const names = () =>
      service.events
        .filter(({ tenantId, name }) => tenantId === api.caller.tenantId && name.startsWith('commission.'))
        .map(({ name }) => name);
    await until('the events arrive', () => names().length === 3);
    expect(names()).toEqual(['commission.earned', 'commission.cancelled', 'commission.earned']);
  });

  it('claws back a paid commission by a negative entry', async () => {
    const api = service.as();
    const { id, won, reopened, become, balance } = await aPaidDeal(api);
    await reopened(3);
    const clawedBack = [
      ['earned', 'paid', 5],
      ['clawback', 'approved', -5],
    ];
    await become(clawedBack);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: -5 }]);
    await won(4);
    await become([...clawedBack, ['earned', 'pending', 5]]);
    const { data } = await api.listPartnerCommissions({ params: { id }, query: { type: 'clawback' } });
    const cancel = () => api.cancelCommission({ params: { cid: data[0].id }, body });
    const refused = await cancel();
    expect([refused.status, refused.body.code]).toEqual([409, 'earned_again']);
    await reopened(5);
    await become([...clawedBack, ['earned', 'cancelled', 5]]);
    expect((await cancel()).status).toBe(200);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);
  });

  it('takes a commission back again whose clawback was cancelled, when it is won again', async () => {
    const api = service.as();
    const { id, won, reopened, become, balance } = await aPaidDeal(api);
    await reopened(3);
    await become([['earned', 'paid', 5], clawback]);
    const { data } = await api.listPartnerCommissions({ params: { id }, query: { type: 'clawback' } });
    await api.cancelCommission({ params: { cid: data[0].id }, body });
    await won(4);
    await become([['earned', 'paid', 5], ['clawback', 'cancelled', -5], clawback, ['earned', 'pending', 5]]);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);
  });

  it('takes the rest of a commission of which a person has clawed back a part, once', async () => {
    const api = service.as();
    const { id, won, reopened, become, balance } = await aPaidDeal(api);
    const [paid] = (await api.listPartnerCommissions({ params: { id } })).data;
    const body = { reason: 'A discount', amount: 2 };
    expect((await api.clawbackCommission({ params: { cid: paid.id }, body })).status).toBe(201);
    await reopened(3);
    const taken = [
      ['earned', 'paid', 5],
      ['clawback', 'approved', -2],
      ['adjustment', 'approved', -3],
    ];
    await become(taken);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: -5 }]);
    await won(4);
    await become([...taken, ['earned', 'pending', 5]]);
    await reopened(5);
    await become([...taken, ['earned', 'cancelled', 5]]);
    // Neither a suspension nor a termination forgives it.
    const reason = 'Checked';
    await api.suspendPartner({ params: { id }, body: { reason } });
    await api.terminatePartner({ params: { id }, body: { reason, unpaid: 'forfeit' } });
    await jobsEnd(service, api);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: -5 }]);
  });

  /** A commission whose payment failed for want of an account, and which was clawed back when its deal was reopened. */
  async function isClawedBackUnpaid(api: Api) {
    const deal = await aReferredDeal(api);
    await deal.won(2);
    await deal.become([['earned', 'pending', 5]]);
    const { data } = await api.listCommissions({});
    const params = { cid: data[0].id };
    await api.approveCommission({ params, body: {} });
    const fails = async () => {
      const payout = { id: (await aPayout(api)).id };
      await api.approvePayout({ params: payout });
      const reply = await api.processPayout({ params: payout, body: { method: 'file' } });
      expect(reply.data.status).toBe('failed');
    };
    await fails();
    // As if a provider had not answered: the payment may have been made.
    const uncertain = (is: boolean) => service.sqlWithin(api.caller, 'UPDATE payout_item SET is_uncertain = $1', [is]);
    await uncertain(true);
    await deal.reopened(3);
    await deal.become([['earned', 'approved', 5], clawback]);
    await uncertain(false);
    return { ...deal, params, fails };
  }
  const clawback = ['clawback', 'approved', -5];
  const body = { reason: 'Not paid' };

  it('deducts once what a failed payout did not pay', async () => {
    const api = service.as();
    const { params, won, reopened, become, balance } = await isClawedBackUnpaid(api);
    const refused = await api.cancelCommission({ params, body });
    expect([refused.status, refused.body.code]).toEqual([409, 'clawed_back']);
    expect((await api.holdCommission({ params, body })).status).toBe(200);
    await won(4);
    await become([['earned', 'on_hold', 5], clawback, ['earned', 'pending', 5]]);
    await reopened(5);
    await become([['earned', 'on_hold', 5], clawback, ['earned', 'cancelled', 5]]);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);
    const { data: clawbacks } = await api.listCommissions({ query: { type: 'clawback' } });
    await api.cancelCommission({ params: { cid: clawbacks[0].id }, body });
    expect((await api.cancelCommission({ params, body })).status).toBe(200);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);
  });

  it.each([
    ['before', 'cancelled'],
    ['while', 'on_hold'],
  ])('forfeits what a failed payout did not pay %s the clawback is deducted', async (when, status) => {
    const api = service.as();
    const { id, params, become, fails } = await isClawedBackUnpaid(api);
    await api.holdCommission({ params, body });
    const isDeducted = when === 'while';
    const bonus = { amount: 20, currency: 'EUR', description: 'Event' };
    const { data } = await api.createCommission({ params: { id }, body: bonus });
    await api.approveCommission({ params: { cid: data.id }, body: {} });
    if (isDeducted) {
      await fails();
      await service.sqlWithin(api.caller, 'UPDATE payout_item SET is_uncertain = true');
    }
    await api.terminatePartner({ params: { id }, body: { ...body, unpaid: 'forfeit' } });
    const others = isDeducted ? 'approved' : 'cancelled';
    if (isDeducted) await jobsEnd(service, api);
    await become([
      ['earned', status, 5],
      ['clawback', others, -5],
      ['bonus', others, 20],
    ]);
  });

  it('cancels what a failed payout certainly did not pay', async () => {
    const api = service.as();
    const { won, reopened, become, balance } = await aReferredDeal(api);
    await won(2);
    await become([['earned', 'pending', 5]]);
    const { data } = await api.listCommissions({});
    await api.approveCommission({ params: { cid: data[0].id }, body: {} });
    const params = { id: (await aPayout(api)).id };
    await api.approvePayout({ params });
    await api.processPayout({ params, body: { method: 'file' } });
    await reopened(3);
    await become([['earned', 'cancelled', 5]]);
    expect(await balance()).toEqual([{ currency: 'EUR', amount: 0 }]);
    expect((await api.getPayout({ params })).data).toMatchObject({ status: 'completed', itemCount: 0 });
  });

  it('takes back several commissions of one payment at once', async () => {
    const api = service.as();
    const first = await aReferredDeal(api);
    const leadId = another();
    await api.createReferral({ body: { partnerId: first.id, leadId } });
    const other = dealWon({ opportunityId: another(), leadId, value: 100 });
    await first.won(2);
    await publish(service, api, other);
    await first.become([
      ['earned', 'pending', 5],
      ['earned', 'pending', 5],
    ]);
    const { data } = await api.listCommissions({});
    for (const { id: cid } of data) await api.approveCommission({ params: { cid }, body: {} });
    const payout = await aPayout(api, { minAmount: 8 });
    expect(payout).toMatchObject({ itemCount: 1, commissionCount: 2 });
    const reopening = { opportunityId: (other.record as { id: string }).id, result: 'won', reason: null };
    const record = { ...other.record, version: 3, status: 'open' };
    await Promise.all([
      first.reopened(3),
      publish(service, api, { name: 'opportunity.reopened', data: reopening, record }),
    ]);
    await first.become([
      ['earned', 'cancelled', 5],
      ['earned', 'cancelled', 5],
    ]);
    const params = { id: payout.id };
    expect((await api.getPayout({ params })).data).toMatchObject({ itemCount: 0, amount: 0, carriedCount: 1 });
  });

  it('has the same result when its events arrive out of order', async () => {
    const api = service.as();
    const { won, reopened, become, entries } = await aReferredDeal(api);
    await won(2);
    await become([['earned', 'pending', 5]]);
    await won(4);
    const final = [
      ['earned', 'cancelled', 5],
      ['earned', 'pending', 5],
    ];
    await become(final);
    await reopened(3);
    const other = await aReferredDeal(api);
    await other.reopened(3);
    await other.won(2);
    await other.won(4);
    await other.become([['earned', 'pending', 5]]);
    expect(await entries()).toEqual(final);
  });

  it('takes back at most what the commission has left, also after a cancelled clawback', async () => {
    const api = service.as();
    const deal = await aPaidDeal(api);
    const [{ id: cid }] = (await api.listPartnerCommissions({ params: { id: deal.id } })).data;
    const claw = (amount?: number) =>
      api.clawbackCommission({ params: { cid }, body: { reason: 'Refunded', ...(amount && { amount }) } });
    const { data: part } = await claw(1);
    await deal.reopened(3);
    await deal.become([
      ['earned', 'paid', 5],
      ['clawback', 'approved', -1],
      ['adjustment', 'approved', -4],
    ]);
    await api.cancelCommission({ params: { cid: part.id }, body: { reason: 'A mistake' } });
    expect((await claw(2)).body.errors?.[0]?.field).toBe('amount');
    expect((await claw()).data.amount).toBe(-1);
    expect(await deal.balance()).toEqual([{ currency: 'EUR', amount: -5 }]);
  });
});
