import { until } from '@tandem/testing';
import {
  type Api,
  anonymous,
  aPeer,
  missingId,
  type Peer,
  publicUrl,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
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

const statusOf = async (api: Api, cid: string) => (await api.getCommission({ params: { cid } })).data.status;
const paidEvents = (api: Api) => paidEventsOf(service, api);

describe('a payout', () => {
  it('has sums above the most that one amount can be', async () => {
    const api = service.as();
    const payee = await aPayee(service, api, ibans[0]);
    for (let count = 0; count < 2; count++) await payee.earn(999_999_999_999);
    const { id } = await aPayout(api);
    const params = { id };
    const amount = 1_999_999_999_998;
    expect((await api.listPayouts({})).data).toMatchObject([{ id, amount }]);
    expect((await api.listPayoutItems({ params })).data).toMatchObject([{ amount }]);
    const { data: statements } = await api.listCommissionStatements({ params: { id: payee.id } });
    expect(statements).toMatchObject([{ closingBalance: amount }]);
    expect(await balanceOf(api, payee.id)).toEqual([amount]);
    const { data: dashboard } = await payee.portal.getPortalDashboard({});
    expect(dashboard.commissions).toMatchObject([{ amount, count: 2 }]);
    expect((await api.cancelPayout({ params })).data).toMatchObject({ status: 'cancelled', amount });
  });

  it('pays approved commissions by a bank file, once each, and carries the rest over', async () => {
    const api = service.as();
    const rich = await aPayee(service, api, ibans[0]);
    const poor = await aPayee(service, api, ibans[1]);
    const indebted = await aPayee(service, api, ibans[2]);
    const [first, second] = [await rich.earn(60), await rich.earn(40.5)];
    await rich.earn(10, 'USD');
    const { data: pending } = await api.createCommission({
      params: { id: rich.id },
      body: { amount: 7, currency: 'EUR', description: 'Not approved' },
    });
    await poor.earn(49.99);
    await indebted.earn(80);
    await indebted.earn(-100);
    const payout = await aPayout(api, { minAmount: 50 });
    expect(payout).toMatchObject({
      status: 'draft',
      amount: 100.5,
      itemCount: 1,
      commissionCount: 2,
      carriedCount: 2,
      allowedTransitions: ['approved', 'cancelled'],
    });
    const params = { id: payout.id };
    expect((await api.processPayout({ params, body: { method: 'file' } })).body.code).toBe('transition_refused');
    expect((await api.approvePayout({ params })).data.status).toBe('approved');
    expect((await api.getPayoutFiles({ params })).body.code).toBe('not_processing');
    expect((await api.processPayout({ params, body: { method: 'file' } })).data.status).toBe('processing');
    const { data: items } = await api.listPayoutItems({ params });
    expect(items).toMatchObject([{ partnerId: rich.id, amount: 100.5, status: 'pending', account: 'DE••3000' }]);
    const { data: marked } = await api.markPayoutPaid({ params, body: { externalRef: 'run-1' } });
    expect(marked.externalRef).toBe('run-1');
    const completed = await becomes(api, payout.id, 'completed');
    expect(completed).toMatchObject({ paidCount: 1, failedCount: 0, completedAt: expect.any(String) });
    for (const cid of [first, second])
      expect((await api.getCommission({ params: { cid } })).data).toMatchObject({
        status: 'paid',
        payoutId: payout.id,
        paidAt: expect.any(String),
        allowedTransitions: [],
      });
    const query = { payoutId: payout.id, sort: 'createdAt' };
    for (const list of [api.listCommissions({ query }), api.listPartnerCommissions({ params: { id: rich.id }, query })])
      expect((await list).data.map(({ id }: { id: string }) => id)).toEqual([first, second]);
    const ofOther = await api.listPartnerCommissions({ params: { id: poor.id }, query });
    expect(ofOther.data).toEqual([]);
    expect(await statusOf(api, pending.id)).toBe('pending');
    expect(await balanceOf(api, rich.id)).toEqual([7, 10]);
    expect(await balanceOf(api, indebted.id)).toEqual([-20]);
    await until('each is paid once', () => paidEvents(api).length === 2);
    const { data: statements } = await api.listCommissionStatements({ params: { id: rich.id } });
    const euros = statements.find(({ currency }: { currency: string }) => currency === 'EUR');
    expect(euros).toMatchObject({ openingBalance: 0, earned: 107.5, paid: 100.5, closingBalance: 7 });
    await poor.earn(0.01);
    await indebted.earn(21);
    const next = await aPayout(api, { minAmount: 1 });
    expect(next).toMatchObject({ amount: 51, itemCount: 2, carriedCount: 0 });
  });

  it('deducts what was recorded after its period', async () => {
    const api = service.as();
    const payee = await aPayee(service, api, ibans[0]);
    await payee.earn(60);
    const periodEnd = new Date().toISOString();
    await service.sqlWithin(api.caller, "UPDATE commission SET created_at = created_at - interval '1 minute'");
    await payee.earn(70);
    await payee.earn(-50);
    expect(await aPayout(api, { periodEnd })).toMatchObject({ amount: 10, commissionCount: 2 });
  });

  it('has files with the account of each partner: CSV, and pain.001 with the account of the payer', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const payee = await aPayee(service, api, ibans[1]);
    await payee.earn(12.5);
    const payout = await aPayout(api);
    const params = { id: payout.id };
    await api.approvePayout({ params });
    await api.processPayout({ params, body: { method: 'file' } });
    const formats = async () =>
      (await api.getPayoutFiles({ params })).data.files.map(({ format }: { format: string }) => format);
    expect(await formats()).toEqual(['csv']);
    peer.setAddons(tenantId, { partner_program: { payerName: 'Tandem Müller', payerIban: ibans[0] } });
    await until('the account is known', async () => (await formats()).length === 2);
    const { data } = await api.getPayoutFiles({ params });
    const [csv, xml] = await Promise.all(
      data.files.map(({ url }: { url: string }) =>
        anonymous(service).servePayoutFile({
          params: { token: url.slice(`${publicUrl}/v1/public/payout-files/`.length) },
        }),
      ),
    );
    expect(csv?.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv?.text).toMatch(
      /\r\n[A-Za-z0-9]{16,17},[A-Za-z0-9]{16,17},Jürgen Größe & Søn,FR1420041010050500013M02606,,12.5,EUR/,
    );
    expect(xml?.headers['content-type']).toBe('application/xml; charset=utf-8');
    // Another download after a first report has the same id, so the bank notices payments that it has already.
    const messageIdOf = (text?: string) => /<MsgId>(.*?)<\/MsgId>/.exec(text ?? '')?.[1];
    await service.sqlWithin(api.caller, 'UPDATE payout SET version = version + 1');
    const again = await api.getPayoutFiles({ params });
    const token = again.data.files[1].url.slice(`${publicUrl}/v1/public/payout-files/`.length);
    const second = await anonymous(service).servePayoutFile({ params: { token } });
    expect(messageIdOf(second.text)).toBe(messageIdOf(xml?.text));
    expect(messageIdOf(xml?.text)).toMatch(/^[A-Za-z0-9]{16,17}-\d{10}$/);
    const wrong = await anonymous(service).servePayoutFile({ params: { token: 'x' } });
    expect(wrong.status).toBe(404);
  });

  it('has no pain.001 with an account outside of SEPA, whose payment the CSV has with the BIC', async () => {
    const api = service.as();
    const payee = await aPayee(service, api);
    await payee.setAccount('SA0380000000608010167519', { bic: 'NCBKSAJE' });
    await payee.earn(10);
    const { id } = await aPayout(api);
    peer.setAddons(api.caller.tenantId as number, {
      partner_program: { payerName: 'Analytical Engines', payerIban: ibans[0] },
    });
    await api.approvePayout({ params: { id } });
    await api.processPayout({ params: { id }, body: { method: 'file' } });
    const { data } = await api.getPayoutFiles({ params: { id } });
    expect(data.files.map(({ format }: { format: string }) => format)).toEqual(['csv']);
    const token = data.files[0].url.split('/').at(-1);
    const { text } = await anonymous(service).servePayoutFile({ params: { token } });
    expect(text).toContain('SA0380000000608010167519,NCBKSAJE');
  });

  it('never takes a commission into two payouts that are created at once', async () => {
    const api = service.as();
    const payees = await Promise.all(ibans.map((iban) => aPayee(service, api, iban)));
    for (const payee of payees) for (const amount of [1, 2, 3, 4, 5]) await payee.earn(amount);
    const payouts = await Promise.all(Array.from({ length: 4 }, () => aPayout(api)));
    const sum = (key: string) => payouts.reduce((total, payout) => total + payout[key], 0);
    expect([sum('amount'), sum('commissionCount')]).toEqual([45, 15]);
  });

  it('retries only failed payments, with the current account', async () => {
    const api = service.as();
    const [good, bad, without] = [
      await aPayee(service, api, ibans[0]),
      await aPayee(service, api, ibans[1]),
      await aPayee(service, api),
    ];
    for (const payee of [good, bad, without]) await payee.earn(10);
    const payout = await aPayout(api);
    const params = { id: payout.id };
    await api.approvePayout({ params });
    await api.processPayout({ params, body: { method: 'file' } });
    const items = async () =>
      (await api.listPayoutItems({ params, query: { sort: 'id' } })).data as Record<string, string>[];
    expect((await items()).map(({ status }) => status)).toEqual(['pending', 'pending', 'failed']);
    expect((await items())[2]?.failure).toBe('The partner has no payout account');
    const [, badItem] = await items();
    await api.markPayoutPaid({ params, body: { failed: [{ itemId: badItem?.id, reason: 'Account closed' }] } });
    const failed = await becomes(api, payout.id, 'failed');
    expect(failed).toMatchObject({ paidCount: 1, failedCount: 2, allowedTransitions: ['processing', 'cancelled'] });
    await bad.setAccount(ibans[2]);
    await without.setAccount(ibans[2]);
    expect((await api.retryPayout({ params })).data).toMatchObject({ status: 'processing', failedCount: 0 });
    expect((await items()).map(({ status, account }) => [status, account])).toEqual([
      ['paid', 'DE••3000'],
      ['pending', 'ES••1332'],
      ['pending', 'ES••1332'],
    ]);
    await api.markPayoutPaid({ params, body: {} });
    await becomes(api, payout.id, 'completed');
    await until('each is paid once', () => paidEvents(api).length === 3);
    expect((await api.retryPayout({ params })).body.code).toBe('transition_refused');
  });

  it('leaves out a commission that is held or cancelled, and one below the minimum then', async () => {
    const api = service.as();
    const [one, other] = [await aPayee(service, api, ibans[0]), await aPayee(service, api, ibans[1])];
    const [held] = [await one.earn(30), await one.earn(40)];
    const [cancelled, carried] = [await other.earn(30), await other.earn(25)];
    const payout = await aPayout(api, { minAmount: 30 });
    const params = { id: payout.id };
    await api.approvePayout({ params });
    const reason = 'Wrong';
    expect((await api.holdCommission({ params: { cid: held }, body: { reason } })).status).toBe(200);
    expect((await api.cancelCommission({ params: { cid: cancelled }, body: { reason } })).status).toBe(200);
    expect((await api.getPayout({ params })).data).toMatchObject({
      amount: 40,
      itemCount: 1,
      commissionCount: 1,
      carriedCount: 1,
    });
    await api.processPayout({ params, body: { method: 'file' } });
    const paying = (await api.listCommissions({ query: { partnerId: one.id, status: 'approved' } })).data[0];
    const refused = await api.holdCommission({ params: { cid: paying.id }, body: { reason } });
    expect([refused.status, refused.body.code]).toEqual([409, 'payout_in_progress']);
    expect((await api.getCommission({ params: { cid: carried } })).data).toMatchObject({
      status: 'approved',
      payoutId: null,
    });
    await api.markPayoutPaid({ params, body: {} });
    await becomes(api, payout.id, 'completed');
    expect(await balanceOf(api, one.id)).toEqual([30]);
  });

  it('is never larger than what was approved: a deduction stays in it', async () => {
    const api = service.as();
    const payee = await aPayee(service, api, ibans[0]);
    await payee.earn(30);
    const cid = await payee.earn(-10);
    const { id } = await aPayout(api);
    await api.approvePayout({ params: { id } });
    const body = { reason: 'Wrong' };
    for (const change of [api.holdCommission, api.cancelCommission]) {
      const refused = await change({ params: { cid }, body });
      expect([refused.status, refused.body.code]).toEqual([409, 'payout_in_progress']);
    }
    expect((await api.getPayout({ params: { id } })).data.amount).toBe(20);
    await api.cancelPayout({ params: { id } });
    await until('it is released', async () => (await api.getCommission({ params: { cid } })).data.payoutId === null);
    expect((await api.cancelCommission({ params: { cid }, body })).status).toBe(200);
  });

  it('releases its commissions when it is cancelled', async () => {
    const api = service.as();
    const payee = await aPayee(service, api, ibans[0]);
    const cid = await payee.earn(30);
    const payout = await aPayout(api);
    expect((await api.getCommission({ params: { cid } })).data.payoutId).toBe(payout.id);
    expect((await api.cancelPayout({ params: { id: payout.id } })).data.status).toBe('cancelled');
    await until('the commission is free', async () => {
      const { data } = await api.getCommission({ params: { cid } });
      return data.payoutId === null;
    });
    expect(await aPayout(api)).toMatchObject({ amount: 30 });
    expect((await api.cancelPayout({ params: { id: payout.id } })).body.code).toBe('transition_refused');
  });

  it('refuses to be approved without a payment, and wrong input with the field', async () => {
    const api = service.as();
    const empty = await aPayout(api);
    expect((await api.approvePayout({ params: { id: empty.id } })).body.code).toBe('nothing_to_pay');
    const body = { periodEnd: new Date().toISOString(), currency: 'EUR' };
    for (const [field, fields] of [
      ['periodEnd', { periodEnd: new Date(Date.now() + 60_000).toISOString() }],
      ['currency', { currency: 'XXXX' }],
      ['minAmount', { minAmount: 0.001 }],
      ['minAmount', { minAmount: -1 }],
      ['partnerIds.0', { partnerIds: [missingId] }],
    ] as const) {
      const reply = await api.createPayout({ body: { ...body, ...fields } });
      expect([field, reply.status, reply.body.errors?.[0]?.field]).toEqual([field, 422, field]);
    }
    const payee = await aPayee(service, api, ibans[0]);
    await payee.earn(5);
    const payout = await aPayout(api, { partnerIds: [payee.id] });
    const params = { id: payout.id };
    await api.approvePayout({ params });
    await api.processPayout({ params, body: { method: 'file' } });
    const [item] = (await api.listPayoutItems({ params })).data;
    for (const [field, fields] of [
      ['itemIds.0', { itemIds: [missingId] }],
      ['itemIds.1', { itemIds: [item.id, item.id] }],
      ['failed.0.itemId', { itemIds: [item.id], failed: [{ itemId: item.id, reason: 'No' }] }],
    ] as const) {
      const reply = await api.markPayoutPaid({ params, body: fields });
      expect([field, reply.status, reply.body.errors?.[0]?.field]).toEqual([field, 422, field]);
    }
  });
});

describe('a payout account', () => {
  it('is set by an owner with the password, stored encrypted, and shown masked', async () => {
    const api = service.as();
    const payee = await aPayee(service, api);
    expect((await payee.portal.getPortalPayoutAccount({})).data).toMatchObject({ account: null, updatedAt: null });
    expect((await payee.setAccount(ibans[0], { password: 'wrong' })).body.code).toBe('wrong_password');
    expect((await payee.setAccount('DE00370400440532013000')).body.errors?.[0]?.field).toBe('iban');
    const { data } = await payee.setAccount(' de89 3704 0044 0532 0130 00 ');
    expect(data).toMatchObject({ partnerId: payee.id, account: 'DE••3000', updatedAt: expect.any(String) });
    expect((await api.getPayoutAccount({ params: { id: payee.id } })).data).toEqual(data);
    const [row] = await service.sqlWithin(api.caller, 'SELECT * FROM payout_account');
    expect(JSON.stringify(row)).not.toContain('370400440532013');
    const seen = await until('the event arrives', () =>
      service.events.find(
        ({ name, tenantId }) => name === 'partner.payout_account_changed' && tenantId === api.caller.tenantId,
      ),
    );
    expect(JSON.stringify(seen)).not.toContain('370400440532013');
    await service.sqlWithin(api.caller, "UPDATE portal_user SET role = 'member'");
    expect((await payee.setAccount(ibans[1])).body.code).toBe('portal_role');
  });

  it('stops guesses of the password', async () => {
    const payee = await aPayee(service, service.as());
    const replies = [];
    for (let guess = 0; guess < 6; guess++) replies.push((await payee.setAccount(ibans[0], { password: 'no' })).status);
    expect(replies).toEqual([403, 403, 403, 403, 403, 429]);
  });
});
