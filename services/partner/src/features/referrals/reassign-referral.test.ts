import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPartner,
  aPeer,
  dealWon,
  missingId,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

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

let numbers = 400;
const another = () => `${++numbers}`;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const reason = 'Wrong partner';

/** A referral of an approved partner; with won deals of the lead. */
async function aReferral({ api = service.as(), deals = 0, fields = {} } = {}) {
  const partner = await anApprovedPartner(api, fields);
  const leadId = another();
  const { data, status } = await api.createReferral({ body: { code: partner.code, leadId } });
  expect(status).toBe(201);
  const params = { id: data.id as string };
  const entriesOf = async ({ id }: { id: string }) => {
    const { data: entries } = await api.listPartnerCommissions({ params: { id }, query: { sort: 'createdAt' } });
    return entries.map(({ status: now, amount }: { status: string; amount: number }) => [now, amount]);
  };
  const win = async (value = 100) => {
    const deal = dealWon({ opportunityId: another(), leadId, value });
    await publish(service, api, deal);
    return deal;
  };
  for (let count = 0; count < deals; count++) await win();
  if (deals) await until('the deals earn', async () => (await entriesOf(partner)).length === deals);
  return { api, partner, leadId, params, entriesOf, win };
}

const eventOf = (name: string, { id }: { id: string }) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.target.id === Number(id)));

const pay = (api: Api) => service.sqlWithin(api.caller, `UPDATE commission SET status = 'paid', paid_at = now()`);

describe('listReferrals', () => {
  it('lists the referrals of all partners of the tenant by partner, status, source and time', async () => {
    const { api, partner, leadId } = await aReferral();
    const { leadId: other, params } = await aReferral({ api });
    const early = another();
    await api.createReferral({ body: { partnerId: partner.id, leadId: early, occurredAt: daysAgo(9) } });
    await api.voidReferral({ params, body: { reason } });
    const list = async (query = {}) =>
      (await api.listReferrals({ query })).data.map((one: { leadId: string }) => one.leadId);
    expect(await list()).toEqual([other, leadId, early]);
    expect(await list({ partnerId: partner.id })).toEqual([leadId, early]);
    expect([await list({ status: 'void' }), await list({ source: 'manual' })]).toEqual([[other], [early]]);
    expect([await list({ from: daysAgo(1) }), await list({ to: daysAgo(1) })]).toEqual([[other, leadId], [early]]);
    expect((await service.as().listReferrals()).data).toEqual([]);
  });
});

describe('listPartnerReferrals', () => {
  it('lists the referrals of a partner by status, source and time', async () => {
    const { api, partner, leadId, params } = await aReferral();
    const early = another();
    const { id: partnerId } = partner;
    await api.createReferral({ body: { partnerId, leadId: early, occurredAt: daysAgo(9) } });
    await aReferral({ api });
    const list = async (query = {}) => {
      const { data } = await api.listPartnerReferrals({ params: { id: partnerId }, query });
      return data.map((one: { leadId: string }) => one.leadId);
    };
    expect(await list()).toEqual([leadId, early]);
    expect(await list({ source: 'manual' })).toEqual([early]);
    expect(await list({ from: daysAgo(1) })).toEqual([leadId]);
    expect(await list({ to: daysAgo(1) })).toEqual([early]);
    await api.voidReferral({ params, body: { reason } });
    expect([await list({ status: 'void' }), await list({ status: 'attributed' })]).toEqual([[leadId], [early]]);
    expect((await service.as().listPartnerReferrals({ params: { id: partnerId } })).status).toBe(404);
  });
});

describe('reassignReferral', () => {
  it('cancels the unpaid commissions of the partner before, and earns those of the new one', async () => {
    const { api, partner, leadId, params, entriesOf, win } = await aReferral({ deals: 2 });
    const next = await anApprovedPartner(api, { tier: 'gold' });
    const { status, data } = await api.reassignReferral({ params, body: { partnerId: next.id, reason } });
    expect([status, data]).toMatchObject([
      200,
      { partnerId: next.id, leadId, code: null, source: 'manual', status: 'attributed', version: 2 },
    ]);
    expect(await entriesOf(partner)).toEqual([
      ['cancelled', 5],
      ['cancelled', 5],
    ]);
    expect(await entriesOf(next)).toEqual([
      ['pending', 10],
      ['pending', 10],
    ]);
    await win(200);
    await until('the next deal earns', async () => (await entriesOf(next)).length === 3);
    const event = await eventOf('referral.reassigned', params);
    expect([event.data, event.changes]).toEqual([
      { referralId: params.id, partnerId: next.id, leadId, previousPartnerId: partner.id, reason },
      { partnerId: { from: Number(partner.id), to: Number(next.id) } },
    ]);
    const { data: conflicts } = await api.listReferralConflicts({ params: { id: partner.id } });
    expect(conflicts).toMatchObject([{ cause: 'reassigned', winnerPartnerId: next.id, code: partner.code }]);
  });

  it('earns again when the lead goes back, and the statements balance', async () => {
    const { api, partner, params, entriesOf } = await aReferral({ deals: 1 });
    const next = await anApprovedPartner(api);
    for (const { id: partnerId } of [next, partner])
      expect((await api.reassignReferral({ params, body: { partnerId, reason } })).status).toBe(200);
    expect(await entriesOf(partner)).toEqual([
      ['cancelled', 5],
      ['pending', 5],
    ]);
    expect(await entriesOf(next)).toEqual([['cancelled', 5]]);
    const { data } = await api.getPartner({ params: { id: partner.id } });
    expect(data.balances).toEqual([{ currency: 'EUR', amount: 5 }]);
  });

  it('the deals of the new partner are taken back when they are reopened', async () => {
    const { api, params, entriesOf, win } = await aReferral();
    const deal = await win();
    const next = await anApprovedPartner(api);
    await until('the deal is stored', async () => {
      return (await service.sqlWithin(api.caller, 'SELECT FROM deal WHERE partner_id IS NOT NULL')).length === 1;
    });
    await api.reassignReferral({ params, body: { partnerId: next.id, reason } });
    const { id: opportunityId } = deal.record as { id: string };
    await publish(service, api, {
      name: 'opportunity.reopened',
      data: { opportunityId, result: 'won', reason: null },
      record: { ...deal.record, version: 3 },
    });
    await until('it is taken back', async () => (await entriesOf(next))[0]?.[0] === 'cancelled');
  });

  it('clears a flagged referral, whose deals earn for the new partner', async () => {
    const { api, partner, params, entriesOf, win } = await aReferral({ fields: { email: 'ada@example.com' } });
    await win();
    await until('the deal waits', async () => {
      return (await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).length === 1;
    });
    const next = await anApprovedPartner(api);
    const { data } = await api.reassignReferral({ params, body: { partnerId: next.id, reason } });
    expect(data.status).toBe('attributed');
    expect([await entriesOf(partner), await entriesOf(next)]).toEqual([[], [['pending', 5]]]);
    const event = await eventOf('referral.reassigned', params);
    expect(event.changes).toMatchObject({ status: { from: 'flagged', to: 'attributed' } });
  });

  it('a touch before the decision does not undo it', async () => {
    const { api, leadId, params } = await aReferral();
    const [next, late] = [await anApprovedPartner(api), await anApprovedPartner(api)];
    const occurredAt = new Date().toISOString();
    await api.reassignReferral({ params, body: { partnerId: next.id, reason } });
    const reply = await api.createReferral({ body: { partnerId: late.id, leadId, occurredAt } });
    expect([reply.status, reply.body.code]).toEqual([409, 'already_referred']);
  });

  it('is refused after a payment, for a void referral, and for a partner who cannot refer', async () => {
    const { api, partner, params } = await aReferral({ deals: 1 });
    const next = await anApprovedPartner(api);
    const { data: pending } = await api.createPartner({ body: aPartner() });
    const answer = async (partnerId: string) => {
      const { status, body } = await api.reassignReferral({ params, body: { partnerId, reason } });
      return [status, body.code === 'validation_failed' ? body.errors?.[0]?.field : body.code];
    };
    expect(await answer(partner.id)).toEqual([422, 'partnerId']);
    expect(await answer(missingId)).toEqual([422, 'partnerId']);
    expect(await answer(pending.id)).toEqual([409, 'partner_not_approved']);
    await pay(api);
    expect(await answer(next.id)).toEqual([409, 'commission_paid']);
    const other = await aReferral({ api });
    await api.voidReferral({ params: other.params, body: { reason } });
    const refused = await api.reassignReferral({ params: other.params, body: { partnerId: next.id, reason } });
    expect([refused.status, refused.body.code]).toEqual([409, 'transition_refused']);
  });

  it('is refused while a part of a payment is not clawed back, and then earns the whole for the new partner', async () => {
    const { api, partner, params, entriesOf } = await aReferral({ deals: 1 });
    await pay(api);
    const next = await anApprovedPartner(api);
    const [paid] = (await api.listPartnerCommissions({ params: { id: partner.id } })).data;
    const claw = (cid: string, amount: number) => api.clawbackCommission({ params: { cid }, body: { amount, reason } });
    const reassign = () => api.reassignReferral({ params, body: { partnerId: next.id, reason } });
    const { data: part } = await claw(paid.id, 1);
    expect((await reassign()).body.code).toBe('commission_paid');
    expect(await entriesOf(next)).toEqual([]);
    await api.cancelCommission({ params: { cid: part.id }, body: { reason } });
    await claw(paid.id, 5);
    expect((await reassign()).status).toBe(200);
    expect(await entriesOf(next)).toEqual([['pending', 5]]);
  });

  it('a clawback cannot be cancelled after it, because the sale has another commission', async () => {
    const { api, partner, params, entriesOf } = await aReferral({ deals: 1 });
    await pay(api);
    const next = await anApprovedPartner(api);
    const [paid] = (await api.listPartnerCommissions({ params: { id: partner.id } })).data;
    const { data: clawback } = await api.clawbackCommission({ params: { cid: paid.id }, body: { reason } });
    const cancel = () => api.cancelCommission({ params: { cid: clawback.id }, body: { reason } });
    await api.reassignReferral({ params, body: { partnerId: next.id, reason } });
    const refused = await cancel();
    expect([refused.status, refused.body.code]).toEqual([409, 'earned_again']);
    // The partner gets the deal back with a commission of its own.
    await api.reassignReferral({ params, body: { partnerId: partner.id, reason } });
    expect(await entriesOf(next)).toEqual([['cancelled', 5]]);
    expect((await cancel()).body.code).toBe('earned_again');
    const again = (await entriesOf(partner)).at(-1);
    expect(again).toEqual(['pending', 5]);
    const { data: all } = await api.listPartnerCommissions({
      params: { id: partner.id },
      query: { status: 'pending' },
    });
    await api.cancelCommission({ params: { cid: all[0].id }, body: { reason } });
    expect((await cancel()).data).toMatchObject({ status: 'cancelled' });
  });

  it('respects If-Match, and is for managers of partners', async () => {
    const { api, params } = await aReferral();
    const next = await anApprovedPartner(api);
    const body = { partnerId: next.id, reason };
    const stale = await api.reassignReferral({ params, body, headers: { 'If-Match': '"7"' } });
    expect(stale.status).toBe(412);
    const writer = service.as({ tenantId: api.caller.tenantId as number, can: ['partners:write'] });
    expect((await writer.reassignReferral({ params, body })).status).toBe(403);
  });

  it('concurrent decisions leave one partner with the commission', async () => {
    const { api, params, entriesOf } = await aReferral({ deals: 1 });
    const next = [await anApprovedPartner(api), await anApprovedPartner(api), await anApprovedPartner(api)];
    const replies = await Promise.all(
      next.map(({ id: partnerId }) => api.reassignReferral({ params, body: { partnerId, reason } })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const all = (await Promise.all(next.map(entriesOf))).flat();
    expect(all.map(([status]) => status).sort()).toEqual(['cancelled', 'cancelled', 'pending']);
  });
});

describe('clearReferral', () => {
  it('attributes a flagged referral, and its waiting deals earn', async () => {
    const { api, partner, leadId, params, entriesOf, win } = await aReferral({ fields: { email: 'ada@example.com' } });
    await win();
    await until('the deal waits', async () => {
      return (await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).length === 1;
    });
    const { status, data } = await api.clearReferral({ params, body: {} });
    expect([status, data]).toMatchObject([200, { status: 'attributed', allowedTransitions: ['void'], version: 2 }]);
    expect(await entriesOf(partner)).toEqual([['pending', 5]]);
    const event = await eventOf('referral.cleared', params);
    expect(event.data).toEqual({ referralId: params.id, partnerId: partner.id, leadId, reason: null });
    const again = await api.clearReferral({ params, body: { reason: 'Checked' } });
    expect([again.status, again.body.code]).toEqual([409, 'transition_refused']);
  });
});

describe('voidReferral', () => {
  it('cancels the unpaid commissions, and nothing earns any more', async () => {
    const { api, partner, leadId, params, entriesOf, win } = await aReferral({ deals: 1 });
    const { status, data } = await api.voidReferral({ params, body: { reason: 'Fraud' } });
    expect([status, data]).toMatchObject([
      200,
      { status: 'void', allowedTransitions: [], voidReason: 'Fraud', voidedAt: expect.any(String) },
    ]);
    await win();
    const other = await aReferral({ api, deals: 1 });
    expect(await entriesOf(partner)).toEqual([['cancelled', 5]]);
    expect(await other.entriesOf(other.partner)).toEqual([['pending', 5]]);
    const event = await eventOf('referral.voided', params);
    expect(event.data).toEqual({ referralId: params.id, partnerId: partner.id, leadId, reason: 'Fraud' });
    const again = await api.voidReferral({ params, body: { reason } });
    expect([again.status, again.body.code]).toEqual([409, 'transition_refused']);
  });

  it('is refused after a payment, but not after one that was clawed back', async () => {
    const { api, partner, params, entriesOf, win } = await aReferral();
    const deal = await win();
    await until('the deal earns', async () => (await entriesOf(partner)).length === 1);
    await pay(api);
    const refused = await api.voidReferral({ params, body: { reason } });
    expect([refused.status, refused.body.code]).toEqual([409, 'commission_paid']);
    const { id: opportunityId } = deal.record as { id: string };
    await publish(service, api, {
      name: 'opportunity.reopened',
      data: { opportunityId, result: 'won', reason: null },
      record: { ...deal.record, version: 3 },
    });
    await until('it is clawed back', async () => (await entriesOf(partner)).length === 2);
    expect((await api.voidReferral({ params, body: { reason } })).status).toBe(200);
  });

  it('leaves the lead to a later touch of another partner, not of the same one', async () => {
    const { api, partner, leadId, params } = await aReferral();
    const next = await anApprovedPartner(api);
    const before = new Date().toISOString();
    await api.voidReferral({ params, body: { reason } });
    const refer = (partnerId: string, body = {}) => api.createReferral({ body: { partnerId, leadId, ...body } });
    expect((await refer(partner.id)).body.code).toBe('already_referred');
    expect((await refer(next.id, { occurredAt: before })).body.code).toBe('already_referred');
    const { status, data } = await refer(next.id);
    expect([status, data]).toMatchObject([
      201,
      { id: params.id, partnerId: next.id, status: 'attributed', voidReason: null, voidedAt: null },
    ]);
    expect((await api.listReferralConflicts({ params: { id: partner.id } })).data).toEqual([]);
  });
});
