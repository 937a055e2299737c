import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPartner,
  aPeer,
  dealWon,
  leadCreatedWith,
  missingId,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

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

let records = 0;
const another = () => `${++records}`;

const percent = (fields: object = {}) => ({
  name: `Plan ${another()}`,
  trigger: 'opportunity.won',
  type: 'percent',
  rate: 10,
  ...fields,
});
const flat = (fields: object = {}) =>
  percent({ trigger: 'lead.qualified', type: 'flat', rate: null, amount: 50, currency: 'EUR', ...fields });

/** Wins a deal of a lead of the partner; resolves to the commissions of the tenant, by level. */
async function win(api: Api, partnerId: string, fields: { value?: number; leadId?: string; pipelineId?: string } = {}) {
  const { value = 1000, leadId = another(), pipelineId = null } = fields;
  await api.createReferral({ body: { partnerId, leadId } });
  const opportunityId = another();
  const { record, ...event } = dealWon({ opportunityId, leadId, value });
  await publish(service, api, { ...event, record: { ...record, pipelineId } });
  const query = { opportunityId, sort: 'createdAt' };
  const { data } = await until('the deal is handled', async () => {
    const [deal] = await service.sqlWithin(api.caller, 'SELECT partner_id FROM deal WHERE opportunity_id = $1', [
      opportunityId,
    ]);
    return deal && api.listCommissions({ query });
  });
  return data.toSorted((one: { level: number }, other: { level: number }) => one.level - other.level);
}

describe('commission plans', () => {
  it('has versions that never change, and commissions keep theirs', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const { status, data: plan } = await api.createCommissionPlan({ body: percent({ isDefault: true, rate: 10 }) });
    expect([status, plan.planVersion, plan.isDefault, plan.allowedTransitions]).toEqual([201, 1, true, ['archived']]);
    const params = { id: plan.id };
    const first = await win(api, partnerId);
    expect(first).toMatchObject([{ amount: 100, rate: 10, planId: plan.id, planVersion: 1, rateSource: 'plan' }]);
    const { data: updated } = await api.updateCommissionPlan({ params, body: { rate: 20, holdDays: 30 } });
    expect(updated).toMatchObject({ rate: 20, planVersion: 2, version: 2 });
    const second = await win(api, partnerId);
    expect(second).toMatchObject([{ amount: 200, rate: 20, planVersion: 2, holdUntil: expect.any(String) }]);
    expect((await api.getCommission({ params: { cid: first[0].id } })).data).toMatchObject({
      rate: 10,
      planVersion: 1,
    });
    const versions = await Promise.all(
      [1, 2, 3].map((planVersion) => api.getCommissionPlan({ params, query: { planVersion: `${planVersion}` } })),
    );
    expect(versions.map((one) => [one.status, one.data?.rate])).toEqual([
      [200, 10],
      [200, 20],
      [404, undefined],
    ]);
    const renamed = await api.updateCommissionPlan({ params, body: { name: `Plan ${another()}` } });
    expect(renamed.data).toMatchObject({ planVersion: 2, version: 3 });
    for (const sql of ["UPDATE commission_plan_version SET terms = '{}'", 'DELETE FROM commission_plan_version'])
      await expect(service.sqlWithin(api.caller, sql)).rejects.toThrow(/permission denied/);
  });

  it('keeps the terms of a plan of the previous release, also after its first change', async () => {
    const api = service.as();
    await api.listPartners({});
    const { data: plans } = await api.listCommissionPlans({});
    const params = { id: plans[0].id };
    await service.sqlWithin(api.caller, 'UPDATE commission_plan SET terms = NULL');
    const legacy = { tierRates: { bronze: 5, silver: 7.5, gold: 10, platinum: 12.5 }, attributionDays: 90 };
    expect((await api.getCommissionPlan({ params })).data).toMatchObject({ ...legacy, isDefault: true });
    await api.updateCommissionPlan({ params, body: { tierRates: {}, rate: 3 } });
    expect((await api.getCommissionPlan({ params, query: { planVersion: '1' } })).data).toMatchObject(legacy);
    const { id } = await anApprovedPartner(api);
    expect(await win(api, id)).toMatchObject([{ amount: 30, planVersion: 2 }]);
  });

  it('applies the rate of the pipeline before that of the tier, and that before the rate of the plan', async () => {
    const api = service.as();
    const { status } = await api.createCommissionPlan({
      body: percent({
        isDefault: true,
        rate: 1,
        tierRates: { gold: 2 },
        pipelineRates: [{ pipelineId: '5', rate: 3 }],
      }),
    });
    expect(status).toBe(201);
    const bronze = await anApprovedPartner(api);
    const gold = await anApprovedPartner(api, { tier: 'gold' });
    const earned = [
      await win(api, bronze.id),
      await win(api, gold.id),
      await win(api, gold.id, { pipelineId: '5' }),
      await win(api, gold.id, { pipelineId: '6' }),
    ].map(([one]) => [one.amount, one.rateSource]);
    expect(earned).toEqual([
      [10, 'plan'],
      [20, 'tier'],
      [30, 'pipeline'],
      [20, 'tier'],
    ]);
  });

  it('pays the partners above who are approved and sold enough themselves', async () => {
    const api = service.as();
    const levels = [
      { level: 2, rate: 4, minOwnSales: 1 },
      { level: 3, rate: 2 },
    ];
    await api.createCommissionPlan({ body: percent({ isDefault: true, rate: 10, levels }) });
    const top = await anApprovedPartner(api);
    const middle = await anApprovedPartner(api, { parentPartnerId: top.id });
    const bottom = await anApprovedPartner(api, { parentPartnerId: middle.id });
    const paid = (rows: { level: number; partnerId: string; amount: number }[]) =>
      rows.map(({ level, partnerId, amount }) => [level, partnerId, amount]);
    // The middle partner has no sale of its own yet.
    expect(paid(await win(api, bottom.id))).toEqual([
      [1, bottom.id, 100],
      [3, top.id, 20],
    ]);
    expect(paid(await win(api, middle.id))).toEqual([[1, middle.id, 100]]);
    expect(paid(await win(api, bottom.id))).toEqual([
      [1, bottom.id, 100],
      [2, middle.id, 40],
      [3, top.id, 20],
    ]);
    await service.sqlWithin(api.caller, "UPDATE partner SET status = 'suspended' WHERE id = $1", [middle.id]);
    expect(paid(await win(api, bottom.id))).toEqual([
      [1, bottom.id, 100],
      [3, top.id, 20],
    ]);
  });

  it('pays nothing outside of its dates, nor months after the first deal of the lead', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const { data: plan } = await api.createCommissionPlan({ body: percent({ isDefault: true, maxMonths: 2 }) });
    const leadId = another();
    expect(await win(api, id, { leadId })).toHaveLength(1);
    await service.sqlWithin(api.caller, "UPDATE deal SET won_at = won_at - interval '1 month 20 days'");
    expect(await win(api, id, { leadId })).toHaveLength(1);
    await service.sqlWithin(api.caller, "UPDATE deal SET won_at = won_at - interval '20 days'");
    expect(await win(api, id, { leadId })).toEqual([]);
    expect(await win(api, id)).toHaveLength(1);
    const params = { id: plan.id };
    await api.updateCommissionPlan({ params, body: { activeFrom: new Date(Date.now() + 60_000).toISOString() } });
    expect(await win(api, id)).toEqual([]);
    const past = new Date(Date.now() - 60_000).toISOString();
    await api.updateCommissionPlan({ params, body: { activeFrom: null, activeTo: past } });
    expect(await win(api, id)).toEqual([]);
  });

  it('limits a commission to the cap, and holds one in another currency', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const { data: plan } = await api.createCommissionPlan({
      body: percent({ isDefault: true, cap: { amount: 30, currency: 'EUR' } }),
    });
    expect(await win(api, id)).toMatchObject([{ amount: 30, rate: 10, basisAmount: 1000, status: 'pending' }]);
    await api.updateCommissionPlan({ params: { id: plan.id }, body: { cap: { amount: 30, currency: 'USD' } } });
    expect(await win(api, id)).toMatchObject([
      { amount: 100, status: 'on_hold', reason: expect.stringContaining('30 USD') },
    ]);
  });

  it('approves a commission by itself when its hold period is over', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await api.createCommissionPlan({ body: percent({ isDefault: true, autoApprove: true }) });
    const [{ id: cid }] = await win(api, id);
    await until('it is approved', async () => {
      const { data } = await api.getCommission({ params: { cid } });
      return data.status === 'approved' && data.approvedAt;
    });
  });

  it('pays a fixed amount once for a qualified lead, before or after the lead is attributed', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    await api.createCommissionPlan({ body: flat({ isDefault: true, levels: [{ level: 2, rate: 50 }] }) });
    const qualified = (leadId: string) => {
      const { record } = leadCreatedWith(null, leadId);
      const data = { leadId, from: 'new', to: 'qualified', reason: null };
      return { name: 'lead.status_changed', data, record: { ...record, status: 'qualified' } };
    };
    const [first, second, none] = [another(), another(), another()];
    await publish(service, api, leadCreatedWith(code, first));
    await publish(service, api, qualified(first));
    await publish(service, api, qualified(first));
    await publish(service, api, qualified(none));
    const early = leadCreatedWith(code, second, { createdAt: '2026-01-01T00:00:00Z' });
    await publish(service, api, qualified(second));
    await publish(service, api, early);
    const { data } = await until('both earn', async () => {
      const reply = await api.listPartnerCommissions({ params: { id } });
      return reply.data.length === 2 && reply;
    });
    expect(data).toMatchObject(Array(2).fill({ amount: 50, currency: 'EUR', rate: null, opportunityId: null }));
    expect(data.map(({ leadId }: { leadId: string }) => leadId).sort()).toEqual([first, second].sort());
    // A clawback that was a mistake makes place for another one, as for a deal.
    await service.sqlWithin(
      api.caller,
      "UPDATE commission SET status = 'paid', paid_at = now(), ledger_state = NULL WHERE lead_id = $1",
      [first],
    );
    const { id: cid } = data.find(({ leadId }: { leadId: string }) => leadId === first);
    const takeBack = () => api.clawbackCommission({ params: { cid }, body: { reason: 'Refunded' } });
    const { data: mistake } = await takeBack();
    await api.cancelCommission({ params: { cid: mistake.id }, body: { reason: 'A mistake' } });
    const again = await takeBack();
    expect([again.status, again.data.amount]).toEqual([201, -50]);
    // Another plan pays nothing for a lead that is qualified again.
    await api.createCommissionPlan({ body: flat({ isDefault: true }) });
    const third = another();
    await publish(service, api, qualified(first));
    await publish(service, api, leadCreatedWith(code, third));
    await publish(service, api, qualified(third));
    const earned = async () => (await api.listPartnerCommissions({ params: { id }, query: { type: 'earned' } })).data;
    await until('the third lead earns', async () => (await earned()).length >= 3);
    expect(await earned()).toHaveLength(3);
  });

  it('applies the plan of the partner before the default plan, and an archived one no longer', async () => {
    const api = service.as();
    const { data: own } = await api.createCommissionPlan({ body: percent({ rate: 50 }) });
    const { data: created } = await api.createPartner({ body: aPartner() });
    const { data: partner } = await api.approvePartner({ params: { id: created.id }, body: { planId: own.id } });
    expect(partner.planId).toBe(own.id);
    expect((await api.listPartners({ query: { planId: own.id } })).data).toMatchObject([{ id: partner.id }]);
    expect(await win(api, partner.id)).toMatchObject([{ amount: 500, planId: own.id, planSource: 'partner' }]);
    await api.archiveCommissionPlan({ params: { id: own.id } });
    expect(await win(api, partner.id)).toMatchObject([{ amount: 50, planSource: 'program', rateSource: 'tier' }]);
    const refused = await api.archiveCommissionPlan({ params: { id: own.id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'transition_refused']);
    const patched = await api.updateCommissionPlan({ params: { id: own.id }, body: { rate: 1 } });
    expect([patched.status, patched.body.code]).toEqual([409, 'plan_archived']);
    const removed = await api.deleteCommissionPlan({ params: { id: own.id } });
    expect([removed.status, removed.body.code]).toEqual([409, 'plan_used']);
    const params = { id: partner.id };
    expect((await api.updatePartner({ params, body: { planId: null } })).data.planId).toBeNull();
    for (const planId of [own.id, missingId]) {
      const { status, body } = await api.updatePartner({ params, body: { planId } });
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'planId']);
    }
  });

  it('has one default plan per trigger, also when two are made at once', async () => {
    const api = service.as();
    await api.listPartners({});
    await Promise.all(
      Array.from({ length: 4 }, () => api.createCommissionPlan({ body: percent({ isDefault: true }) })),
    );
    const { data } = await api.listCommissionPlans({ query: { trigger: 'opportunity.won', limit: '50' } });
    expect(data).toHaveLength(5);
    expect(data.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toHaveLength(1);
  });

  it('can be deleted while nothing refers to it', async () => {
    const api = service.as();
    const { data: plan } = await api.createCommissionPlan({ body: percent() });
    expect((await api.deleteCommissionPlan({ params: { id: plan.id } })).status).toBe(200);
    expect((await api.getCommissionPlan({ params: { id: plan.id } })).status).toBe(404);
  });

  it.each<[string, object]>([
    ['rate', percent({ rate: 100.01 })],
    ['rate', percent({ rate: -1 })],
    ['rate', percent({ rate: 1.005 })],
    ['rate', percent({ rate: null })],
    ['amount', percent({ amount: 5 })],
    ['amount', percent({ type: 'flat', rate: null })],
    ['currency', percent({ type: 'flat', rate: null, amount: 5 })],
    ['amount', flat({ currency: 'JPY', amount: 1.5 })],
    ['tierRates', flat({ tierRates: { gold: 5 } })],
    ['type', percent({ trigger: 'lead.qualified' })],
    ['maxMonths', flat({ maxMonths: 5 })],
    ['levels', percent({ rate: 60, levels: [{ level: 2, rate: 40.01 }] })],
    [
      'levels.1.level',
      percent({
        levels: [
          { level: 2, rate: 1 },
          { level: 2, rate: 1 },
        ],
      }),
    ],
    ['levels.0.level', percent({ levels: [{ level: 1, rate: 1 }] })],
    ['pipelineRates.0.pipelineId', percent({ pipelineRates: [{ pipelineId: '999', rate: 1 }] })],
    ['activeTo', percent({ activeFrom: '2026-02-01T00:00:00Z', activeTo: '2026-01-01T00:00:00Z' })],
    ['cap.amount', percent({ cap: { amount: 1.005, currency: 'EUR' } })],
  ])('refuses wrong terms with the field %s', async (field, body) => {
    const api = service.as();
    const { status, body: reply } = await api.createCommissionPlan({ body });
    expect([status, reply.errors?.[0]?.field]).toEqual([422, field]);
    expect((await api.listCommissionPlans({ query: { search: 'Plan ' } })).data).toEqual([]);
  });
});
