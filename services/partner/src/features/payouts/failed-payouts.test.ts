import { until } from '@tandem/testing';
import { type Api, aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { aPayee, aPayout, balanceOf, becomes, ibans, paidEventsOf } from './payouts.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const terminate = (api: Api, id: string, unpaid: 'pay' | 'forfeit') =>
  api.terminatePartner({ params: { id }, body: { reason: 'Ended', unpaid } });
const itemOf = async (api: Api, id: string, partnerId: string) =>
  (await api.listPayoutItems({ params: { id }, query: { partnerId } })).data[0];
const file = { method: 'file' };

/** An approved payout of 10 EUR to each payee. */
async function anApprovedPayout(api: Api, ...some: (string | undefined)[]) {
  const payees = [];
  for (const iban of some) {
    const payee = await aPayee(service, api, iban);
    payees.push({ ...payee, cid: await payee.earn(10) });
  }
  const { id } = await aPayout(api);
  const params = { id: id as string };
  await api.approvePayout({ params });
  return { params, payees: payees as [(typeof payees)[number], ...typeof payees] };
}

/** Makes the repetition due of the job that waits for the end of a payment. */
const repeat = (api: Api) =>
  service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'change-commissions-of-partner' AND state = 'waiting'`,
  );

describe('a partner who forfeits its commissions', () => {
  it('gets no payment of a payout that is processed at once, nor by a retry', async () => {
    const api = service.as();
    const { params, payees } = await anApprovedPayout(api, ibans[0]);
    const [{ id }] = payees;
    // The job that cancels the commissions may run after the payout, which must not depend on it.
    await service.sqlWithin(
      api.caller,
      `UPDATE partner SET status = 'terminated', unpaid = 'forfeit' WHERE id = ${id}`,
    );
    const { data } = await api.processPayout({ params, body: file });
    expect(data).toMatchObject({ status: 'failed', failedCount: 1 });
    expect((await itemOf(api, params.id, id)).failure).toContain('forfeited');
    expect((await api.retryPayout({ params })).data).toMatchObject({ status: 'failed', paidCount: 0 });
    expect((await api.cancelPayout({ params })).status).toBe(200);
    expect(await aPayout(api)).toMatchObject({ itemCount: 0 });
  });

  it('loses also what was being paid, once the payment fails', async () => {
    const api = service.as();
    const { params, payees } = await anApprovedPayout(api, ibans[0], ibans[1]);
    const [{ id, cid }] = payees;
    await api.processPayout({ params, body: file });
    await terminate(api, id, 'forfeit');
    await until('the repetition waits', async () => {
      const text = `SELECT FROM platform.job WHERE name = 'change-commissions-of-partner' AND due_at > now() + interval '4 minutes'`;
      return (await service.sqlWithin(api.caller, text)).length === 1;
    });
    const item = await itemOf(api, params.id, id);
    await api.markPayoutPaid({ params, body: { failed: [{ itemId: item.id, reason: 'Account closed' }] } });
    await becomes(api, params.id, 'failed');
    await repeat(api);
    await until('the commission is cancelled', async () => {
      return (await api.getCommission({ params: { cid } })).data.status === 'cancelled';
    });
    expect(await balanceOf(api, id)).toEqual([0]);
    await becomes(api, params.id, 'completed');
  });
});

describe('a failed payout', () => {
  it('takes a payment as made in another way, as to a terminated partner without an account', async () => {
    const api = service.as();
    const { params, payees } = await anApprovedPayout(api, undefined);
    const [{ id }] = payees;
    await terminate(api, id, 'pay');
    expect((await api.processPayout({ params, body: file })).data).toMatchObject({ status: 'failed' });
    const item = await itemOf(api, params.id, id);
    expect((await api.markPayoutPaid({ params, body: {} })).body.code).toBe('not_processing');
    const failed = [{ itemId: item.id, reason: 'Again' }];
    expect((await api.markPayoutPaid({ params, body: { failed } })).body.errors?.[0]?.field).toBe('failed.0.itemId');
    const body = { itemIds: [item.id], externalRef: 'Cheque 17' };
    expect((await api.markPayoutPaid({ params, body })).status).toBe(200);
    expect(await becomes(api, params.id, 'completed')).toMatchObject({ paidCount: 1, failedCount: 0 });
    expect(await itemOf(api, params.id, id)).toMatchObject({ status: 'paid', failure: null, externalRef: 'Cheque 17' });
    expect(await balanceOf(api, id)).toEqual([0]);
    await until('it is paid once', () => paidEventsOf(service, api).length === 1);
  });

  it('keeps the commissions of a payment that is reported as made until it is settled', async () => {
    const api = service.as();
    const { params, payees } = await anApprovedPayout(api, undefined);
    const [{ id, cid }] = payees;
    await api.processPayout({ params, body: file });
    const item = await itemOf(api, params.id, id);
    // As between the report and its job.
    const text = `UPDATE payout_item SET status = 'settling' WHERE id = ${item.id}`;
    await service.sqlWithin(api.caller, text);
    await service.sqlWithin(api.caller, `UPDATE payout SET failed_count = 0 WHERE id = ${params.id}`);
    const body = { reason: 'A mistake' };
    for (const change of [api.holdCommission, api.cancelCommission])
      expect((await change({ params: { cid }, body })).body.code).toBe('payout_in_progress');
    await terminate(api, id, 'forfeit');
    await until('the forfeiture has skipped it', async () => {
      const waiting = `SELECT FROM platform.job WHERE name = 'change-commissions-of-partner' AND due_at > now() + interval '4 minutes'`;
      return (await service.sqlWithin(api.caller, waiting)).length === 1;
    });
    expect((await api.getCommission({ params: { cid } })).data).toMatchObject({
      status: 'approved',
      payoutId: params.id,
    });
    expect((await api.cancelPayout({ params })).body.code).toBe('payout_in_progress');
  });

  it('releases what was not paid when it is cancelled, and keeps what was', async () => {
    const api = service.as();
    const { params, payees } = await anApprovedPayout(api, ibans[0], undefined);
    await api.processPayout({ params, body: file });
    await api.markPayoutPaid({ params, body: {} });
    await becomes(api, params.id, 'failed');
    const { data } = await api.cancelPayout({ params });
    expect(data).toMatchObject({ status: 'cancelled', paidCount: 1, failedCount: 1, allowedTransitions: [] });
    const [paid, unpaid] = payees as [(typeof payees)[0], (typeof payees)[0]];
    await until('the commission is free', async () => {
      return (await api.getCommission({ params: { cid: unpaid.cid } })).data.payoutId === null;
    });
    const { data: commission } = await api.getCommission({ params: { cid: paid.cid } });
    expect(commission).toMatchObject({ status: 'paid', payoutId: params.id });
    expect(await aPayout(api)).toMatchObject({ amount: 10, itemCount: 1 });
  });
});
