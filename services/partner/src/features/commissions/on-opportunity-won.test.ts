import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  type Deal,
  dealWon,
  leadCreatedWith,
  leadUpdatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { shareOf } from './commission-of-sale.ts';

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

let numbers = 100;
const another = () => `${++numbers}`;

/** Creates an approved partner who referred a lead. */
async function aReferrer(api: Api, fields: object = {}) {
  const { id } = await anApprovedPartner(api, { ...fields });
  const leadId = another();
  expect((await api.createReferral({ body: { partnerId: id, leadId } })).status).toBe(201);
  const win = (deal: Partial<Deal> & { value: number }) =>
    publish(service, api, dealWon({ opportunityId: another(), leadId, ...deal }));
  return { id, leadId, win, params: { id } };
}

const commissionsOf = (api: Api, id: string, count: number, query: Record<string, string> = {}) =>
  until(`${count} commissions`, async () => {
    const { data } = await api.listPartnerCommissions({ params: { id }, query });
    return data.length >= count && data;
  });

describe('a won deal of a referred lead', () => {
  it('earns after the reactivation of a partner who was suspended when it was won, once', async () => {
    const api = service.as();
    const { id, win, params } = await aReferrer(api);
    await api.suspendPartner({ params, body: { reason: 'Checked' } });
    await win({ value: 100 });
    await until('the deal waits', async () => {
      return (await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).length === 1;
    });
    await api.reactivatePartner({ params });
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ amount: 5, status: 'pending' }]);
    await api.suspendPartner({ params, body: { reason: 'Checked' } });
    await api.reactivatePartner({ params });
    await win({ value: 200 });
    expect(await commissionsOf(api, id, 2)).toHaveLength(2);
  });

  it.each([
    ['bronze', 5, 240],
    ['silver', 7.5, 360],
    ['gold', 10, 480],
    ['platinum', 12.5, 600],
  ])('earns a %s partner %d percent', async (tier, rate, amount) => {
    const api = service.as();
    const { id, win } = await aReferrer(api, { tier });
    const opportunityId = another();
    await win({ value: 4800, opportunityId });
    const [commission] = await commissionsOf(api, id, 1);
    expect(commission).toMatchObject({
      partnerId: id,
      amount,
      currency: 'EUR',
      basisAmount: 4800,
      rate,
      level: 1,
      type: 'earned',
      status: 'pending',
      allowedTransitions: ['approved', 'on_hold', 'cancelled'],
      planSource: 'program',
      rateSource: 'tier',
      opportunityId,
      planVersion: 1,
      planId: expect.any(String),
      holdUntil: null,
      paidAt: null,
      originalCommissionId: null,
    });
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'commission.earned' && one.target.id === Number(commission.id)),
    );
    expect(event.data).toEqual({ commissionId: commission.id, amount, currency: 'EUR', partnerId: id });
    expect(event.record).toEqual(commission);
    const { data } = await api.getPartner({ params: { id } });
    expect(data.balances).toEqual([{ currency: 'EUR', amount }]);
  });

  it('earns once under duplicate and concurrent events', async () => {
    const api = service.as();
    const { id, win } = await aReferrer(api);
    const opportunityId = another();
    await Promise.all(Array.from({ length: 5 }, () => win({ value: 100, opportunityId })));
    await win({ value: 200 });
    await commissionsOf(api, id, 2);
    expect((await api.listPartnerCommissions({ params: { id } })).data).toHaveLength(2);
    const earned = () =>
      service.events.filter(({ name, tenantId }) => name === 'commission.earned' && tenantId === api.caller.tenantId);
    await until('both events arrive', () => earned().length >= 2);
    expect(earned()).toHaveLength(2);
  });

  it('earns nothing for a value of 0, an amount rounded to 0, an unreferred lead, or another tenant', async () => {
    const api = service.as();
    const { id, win, leadId } = await aReferrer(api);
    await win({ value: 0 });
    await win({ value: 0.09 });
    await win({ value: 100, leadId: another() });
    await win({ value: 100, leadId: null });
    await publish(service, service.as(), dealWon({ opportunityId: another(), leadId, value: 100 }));
    await win({ value: 10 });
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ basisAmount: 10, amount: 0.5 }]);
  });

  it('earns nothing when the lead has the e-mail address of the referring partner', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api, { email: 'Ada@Example.com' });
    const [direct, withCode] = [another(), another()];
    const { status, data } = await api.createReferral({ body: { partnerId: id, leadId: direct } });
    expect([status, data.status]).toEqual([201, 'flagged']);
    await publish(service, api, leadCreatedWith(code, withCode));
    for (const leadId of [direct, withCode])
      await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    const stored = await until('both deals are stored', async () => {
      const rows = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal');
      return rows.length === 2 && rows;
    });
    expect([stored.length, (await api.getPartner({ params: { id } })).data.referralCount]).toEqual([2, 2]);
    expect((await api.listPartnerCommissions({ params: { id } })).data).toEqual([]);
  });

  it.each([
    ['a +tag', { email: 'self@firm.example' }, { email: 'Self+1@firm.example', firstName: 'Other', lastName: 'Name' }],
    ['dots at Gmail', { email: 'self.ref@gmail.com' }, { email: 'selfref@googlemail.com' }],
    [
      'the same name at the same domain',
      { email: 'jose@firm.example', firstName: 'José', lastName: 'Pérez' },
      { email: 'info@firm.example', firstName: 'jose', lastName: 'PEREZ' },
    ],
  ])('earns nothing when partner and lead differ only by %s', async (_, partner, lead) => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api, partner);
    const [own, other] = [another(), another()];
    await publish(service, api, leadCreatedWith(code, own, lead));
    await publish(service, api, leadCreatedWith(code, other, { email: 'else@firm.example' }));
    for (const leadId of [own, other])
      await publish(service, api, dealWon({ opportunityId: another(), leadId, value: leadId === own ? 100 : 10 }));
    await until('the deal is stored', async () => {
      const [stored] = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal WHERE lead_id = $1', [own]);
      return stored;
    });
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ basisAmount: 10 }]);
  });

  it('earns when the lead got its code after creation, but not after the deal was won', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    const [early, late] = [another(), another()];
    await publish(service, api, leadCreatedWith(null, early));
    await publish(service, api, leadUpdatedWith(code, early));
    await until('it is attributed', async () => (await api.getPartner({ params: { id } })).data.referralCount === 1);
    await publish(service, api, dealWon({ opportunityId: another(), leadId: late, value: 100 }));
    await until('the deal is stored', async () => {
      const [stored] = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal WHERE lead_id = $1', [late]);
      return stored;
    });
    await publish(service, api, leadUpdatedWith(code, late));
    await publish(service, api, leadUpdatedWith(code, another(), { status: 'contacted' }));
    await publish(service, api, dealWon({ opportunityId: another(), leadId: early, value: 10 }));
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ basisAmount: 10 }]);
    expect((await api.getPartner({ params: { id } })).data.referralCount).toBe(2);
  });

  it('earns when its event arrives before the event of an earlier code', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    const leadId = another();
    const coded = leadUpdatedWith(code, leadId);
    const occurredAt = new Date(Date.now() - 60_000).toISOString();
    await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    await until('the deal is stored', async () => {
      const [stored] = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal WHERE lead_id = $1', [
        leadId,
      ]);
      return stored;
    });
    await publish(service, api, { ...coded, occurredAt });
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ basisAmount: 100 }]);
  });

  it('earns nothing for a partner who is no longer approved', async () => {
    const api = service.as();
    const [suspended, approved] = [await aReferrer(api), await aReferrer(api)];
    await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended' WHERE id = $1`, [suspended.id]);
    await suspended.win({ value: 100 });
    await approved.win({ value: 100 });
    await commissionsOf(api, approved.id, 1);
    await until('the other deal is stored', async () => {
      const rows = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal');
      return rows.length === 1;
    });
    expect((await api.listPartnerCommissions({ params: suspended.params })).data).toEqual([]);
  });

  it('is calculated in the minor units of its currency', async () => {
    const api = service.as();
    const { id, win } = await aReferrer(api, { tier: 'silver' });
    await win({ value: 1001, currency: 'JPY' });
    await win({ value: 10.01, currency: 'USD' });
    await commissionsOf(api, id, 2);
    expect(await commissionsOf(api, id, 1, { currency: 'JPY' })).toMatchObject([{ amount: 75, currency: 'JPY' }]);
    expect(await commissionsOf(api, id, 1, { currency: 'USD' })).toMatchObject([{ amount: 0.75 }]);
    expect((await api.listPartnerCommissions({ params: { id }, query: { status: 'paid' } })).data).toEqual([]);
  });

  it('earns when its event arrives before or concurrently with that of the lead', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    const [first, ...others] = Array.from({ length: 12 }, another) as [string, ...string[]];
    const win = (leadId: string) => publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    await win(first);
    await until('the deal is stored', async () => {
      const [stored] = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal WHERE lead_id = $1', [first]);
      return stored;
    });
    await publish(service, api, leadCreatedWith(code, first));
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ amount: 5, basisAmount: 100 }]);
    await Promise.all(others.flatMap((leadId) => [win(leadId), publish(service, api, leadCreatedWith(code, leadId))]));
    expect(await commissionsOf(api, id, 12)).toHaveLength(12);
    expect(await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal')).toEqual([]);
  });

  it('earns nothing for a referral created after the deal was won', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const leadId = another();
    await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    await until('the deal is stored', async () => {
      const [stored] = await service.sqlWithin(api.caller, 'SELECT 1 FROM uncredited_deal WHERE lead_id = $1', [
        leadId,
      ]);
      return stored;
    });
    expect((await api.createReferral({ body: { partnerId: id, leadId } })).status).toBe(201);
    await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 10 }));
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ basisAmount: 10 }]);
  });

  it('earns when its event directly follows that of the lead', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    const leadId = another();
    await publish(service, api, leadCreatedWith(code, leadId));
    await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    expect(await commissionsOf(api, id, 1)).toMatchObject([{ amount: 5 }]);
  });
});

describe('shareOf', () => {
  it.each([
    [10, 5, 1],
    [9, 5, 0],
    [30, 5, 2],
    [1_001, 7.5, 75],
    [1_000, 12.5, 125],
    [20, 7.5, 2],
    [9_000_000_000_000_000, 12.5, 1_125_000_000_000_000],
  ])('%d minor units at %d percent are %d, rounded half up', (minor, percent, share) => {
    expect(shareOf(minor, percent)).toBe(share);
  });
});
