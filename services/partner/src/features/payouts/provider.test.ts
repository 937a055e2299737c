import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { aPayee, aPayout, aProvider, balanceOf, becomes, ibans, paidEventsOf } from './payouts.test-service.ts';

const codec = createIdCodec(process.env.IDS_ALPHABET as string);
let peer: Peer;
let provider: Awaited<ReturnType<typeof aProvider>>;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  provider = await aProvider();
  service = await startPartner(peer, { PAYOUT_PROVIDER_URL: provider.url, PAYOUT_PROVIDER_KEY: 'secret' });
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
  await peer?.close();
});

describe('the payment provider', () => {
  /** A payout of 10 EUR to each IBAN, which is sent to the provider. */
  async function isSent(some: readonly string[]) {
    const api = service.as();
    const payees = [];
    for (const iban of some) {
      const payee = await aPayee(service, api, iban);
      await payee.earn(10);
      payees.push(payee);
    }
    const payout = await aPayout(api);
    const params = { id: payout.id };
    await api.approvePayout({ params });
    await api.processPayout({ params, body: { method: 'provider' } });
    return {
      api,
      params,
      payees,
      ofTenant: () => provider.requests.filter(({ key }) => key.startsWith(`${api.caller.tenantId}-`)),
    };
  }

  it('gets each payment with the account and an idempotency key', async () => {
    const { api, params, ofTenant } = await isSent([ibans[0]]);
    await becomes(api, params.id, 'completed');
    expect(ofTenant()).toMatchObject([
      {
        authorization: 'Bearer secret',
        body: { amount: 10, currency: 'EUR', account: { iban: ibans[0], holder: 'Jürgen Größe & Søn', bic: null } },
      },
    ]);
    const [item] = (await api.listPayoutItems({ params })).data;
    expect(item).toMatchObject({ status: 'paid', externalRef: expect.stringMatching(/^pay_/) });
    const manual = await api.markPayoutPaid({ params, body: {} });
    expect(manual.body.code).toBe('not_processing');
  });

  it('is asked again with the same key when its answer is lost, and pays once', async () => {
    const iban = 'DE02120300000000202051';
    provider.answers.set(iban, ['lost', 503]);
    const { api, params, ofTenant } = await isSent([iban]);
    await becomes(api, params.id, 'completed');
    const keys = ofTenant().map(({ key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    await until('it is paid once', () => paidEventsOf(service, api).length === 1);
  });

  /** A payment of 10 EUR whose answers were lost until it was given up, although the provider has made it. */
  async function isUncertain(iban: string) {
    provider.answers.set(iban, ['lost', 'lost']);
    const sent = await isSent([iban]);
    const { api, params } = sent;
    await until('the first attempt fails', async () => {
      const text = `UPDATE platform.job SET attempts = 9, due_at = now()
        WHERE name = 'pay-item' AND attempts = 1 AND state = 'waiting' RETURNING id`;
      return (await service.sqlWithin(api.caller, text)).length === 1;
    });
    await becomes(api, params.id, 'failed');
    const [item] = (await api.listPayoutItems({ params })).data;
    expect(item).toMatchObject({ status: 'failed', isUncertain: true });
    return { ...sent, item };
  }

  it('does not answer: a payment that it made is reported by hand, once', async () => {
    const { api, params, item, payees } = await isUncertain('DE75512108001245126199');
    const unnamed = await api.markPayoutPaid({ params, body: {} });
    expect([unnamed.status, unnamed.body.errors?.[0]?.field]).toEqual([422, 'itemIds']);
    const body = { itemIds: [item.id], externalRef: 'found at the provider' };
    expect((await api.markPayoutPaid({ params, body })).status).toBe(200);
    expect(await becomes(api, params.id, 'completed')).toMatchObject({ paidCount: 1, failedCount: 0 });
    const [paid] = (await api.listPayoutItems({ params })).data;
    expect(paid).toMatchObject({ status: 'paid', isUncertain: false, failure: null, externalRef: body.externalRef });
    expect(await balanceOf(api, payees[0]?.id as string)).toEqual([0]);
    await until('it is paid once', () => paidEventsOf(service, api).length === 1);
    expect((await api.markPayoutPaid({ params, body })).status).toBe(422);
    expect((await api.retryPayout({ params })).status).toBe(409);
  });

  it('does not answer: a payment that it did not make is reported as failed, and retried as another payment', async () => {
    const { api, params, item, payees, ofTenant } = await isUncertain('DE91100000000123456789');
    const [commission] = (await api.listPartnerCommissions({ params: { id: payees[0]?.id } })).data;
    const cancel = () => api.cancelCommission({ params: { cid: commission.id }, body: { reason: 'A mistake' } });
    expect((await cancel()).body.code).toBe('payout_in_progress');
    // One transaction changes several commissions, and keeps what it wrote for one that is refused.
    const ids = [codec.encode('commission', api.caller.tenantId as number, Number(commission.id))];
    for (const bulk of [api.bulkHoldCommissions, api.bulkCancelCommissions])
      expect((await bulk({ body: { ids, reason: 'A mistake' } })).data.results).toMatchObject([
        { success: false, error: { code: 'payout_in_progress' } },
      ]);
    const { data: kept } = await api.getCommission({ params: { cid: commission.id } });
    expect(kept).toMatchObject({ status: 'approved', payoutId: params.id });
    const failed = [{ itemId: item.id, reason: 'Not at the provider' }];
    expect((await api.markPayoutPaid({ params, body: { failed } })).data).toMatchObject({ status: 'failed' });
    const [known] = (await api.listPayoutItems({ params })).data;
    expect(known).toMatchObject({ status: 'failed', isUncertain: false, failure: 'Not at the provider' });
    await api.retryPayout({ params });
    await becomes(api, params.id, 'completed');
    expect(new Set(ofTenant().map(({ key }) => key)).size).toBe(2);
  });

  it('refuses a payment for good, and gets another key and the new account on a retry', async () => {
    const iban = 'DE02100500000054540402';
    provider.answers.set(iban, [422]);
    const { api, params, payees, ofTenant } = await isSent([iban]);
    await becomes(api, params.id, 'failed');
    const [item] = (await api.listPayoutItems({ params })).data;
    expect(item).toMatchObject({ status: 'failed', failure: '422 Account closed' });
    await payees[0]?.setAccount(ibans[2]);
    await api.retryPayout({ params });
    await becomes(api, params.id, 'completed');
    expect(ofTenant().map(({ body }) => body.account.iban)).toEqual([iban, ibans[2]]);
    expect(new Set(ofTenant().map(({ key }) => key)).size).toBe(2);
  });
});
