import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPartner,
  aPeer,
  type Deal,
  dealWon,
  leadCreatedWith,
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
beforeEach(() => {
  peer.exports.leads = [];
  peer.exports.opportunities = [];
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

let numbers = 100;
const another = () => `${++numbers}`;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Adds a lead with a code to the records of crm; returns its event. */
function aLeadOfCrm(code: string | null, { id = another(), createdAt = new Date().toISOString() } = {}) {
  const event = leadCreatedWith(code, id, { createdAt });
  peer.exports.leads.push({
    record: event.record as { id: string },
    isDeleted: false,
    ...(code && { referredAt: createdAt }),
  });
  return { id, event };
}

/** Adds a won deal to the records of crm; returns its event. */
function aDealOfCrm(leadId: string, value: number, { wonAt = new Date().toISOString() } = {}) {
  const deal: Deal = { opportunityId: another(), leadId, value };
  const event = { ...dealWon(deal), occurredAt: wonAt };
  peer.exports.opportunities.push({ record: event.record as { id: string }, isDeleted: false, wonAt });
  return event;
}

/** Walks through all pages as the command does; resolves to the sums. */
async function rebuild(api: Api) {
  const system = service.as({ ...api.caller, type: 'system', name: 'admin', can: [] });
  const total = { read: 0, written: 0, removed: 0 };
  for (const part of ['leads', 'deals']) {
    let after: number | null = null;
    do {
      const { status, data } = await system.rebuildReferrals({ body: { part, after } });
      expect(status).toBe(200);
      total.read += data.read;
      total.written += data.written;
      total.removed += data.removed;
      after = data.next;
    } while (after !== null);
  }
  return total;
}

/** Everything that the consumer keeps, without ids and times, which are new after a rebuild. */
async function kept({ caller }: Api) {
  const rows = (sql: string) => service.sqlWithin(caller, sql);
  return {
    referrals: await rows('SELECT partner_id, lead_id, code, status FROM referral ORDER BY lead_id'),
    deals: await rows('SELECT opportunity_id, lead_id, value_minor, won_at FROM uncredited_deal ORDER BY 1'),
    commissions: await rows('SELECT partner_id, opportunity_id, amount_minor, rate FROM commission ORDER BY 2'),
    statements: await rows('SELECT partner_id, period, currency FROM statement ORDER BY 1, 2, 3'),
  };
}

const forget = async ({ caller }: Api, tables = ['referral', 'uncredited_deal', 'commission', 'statement']) => {
  for (const table of tables) await service.sqlWithin(caller, `DELETE FROM ${table}`);
};

const commissions = async (api: Api, id: string) => (await api.listPartnerCommissions({ params: { id } })).data;
const referralCount = async (api: Api, id: string) => (await api.getPartner({ params: { id } })).data.referralCount;

it('lost referrals, waiting deals and commissions are the same after a rebuild, and a second one changes nothing', async () => {
  const api = service.as();
  const partners = [await anApprovedPartner(api), await anApprovedPartner(api, { email: 'ada@example.com' })];
  const [first, second, , flagged] = [
    aLeadOfCrm(partners[0]?.code as string),
    aLeadOfCrm(partners[0]?.code as string),
    aLeadOfCrm(null),
    aLeadOfCrm(partners[1]?.code as string),
    aLeadOfCrm('NOBODYS'),
  ];
  const deals = [aDealOfCrm(first.id, 100), aDealOfCrm(second.id, 200), aDealOfCrm(flagged?.id as string, 300)];
  deals.push(aDealOfCrm(another(), 400));
  for (const { event } of [first, second, flagged as typeof first]) await publish(service, api, event);
  for (const deal of deals) await publish(service, api, deal);
  const before = await until('all are handled', async () => {
    const now = await kept(api);
    return now.referrals.length === 3 && now.deals.length === 2 && now.commissions.length === 2 && now;
  });
  await forget(api);
  expect(await rebuild(api)).toEqual({ read: 9, written: 7, removed: 0 });
  expect(await kept(api)).toEqual(before);
  expect(await rebuild(api)).toEqual({ read: 9, written: 0, removed: 0 });
  expect(await kept(api)).toEqual(before);
});

it('a deal whose lead was lost waits, and earns once the referral is rebuilt', async () => {
  const api = service.as();
  const { id, code } = await anApprovedPartner(api);
  const lead = aLeadOfCrm(code);
  const deal = aDealOfCrm(lead.id, 100);
  await publish(service, api, deal);
  await until('the deal waits', async () => (await kept(api)).deals.length === 1);
  expect(await rebuild(api)).toEqual({ read: 2, written: 2, removed: 0 });
  expect(await commissions(api, id)).toMatchObject([{ basisAmount: 100 }]);
  expect((await kept(api)).deals).toEqual([]);
  const events = await until('both events arrive', () => {
    const emitted = service.events.filter(
      ({ name, tenantId }) => tenantId === api.caller.tenantId && !name.startsWith('partner.'),
    );
    return emitted.filter(({ name }) => /attributed|earned/.test(name)).length === 2 && emitted;
  });
  expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['referral.attributed', 'commission.earned']));
});

it('only a partner who was approved before the lead gets it, and only later deals earn', async () => {
  const api = service.as();
  const { data: early } = await api.createPartner({ body: aPartner({ referralCode: 'LATER-ONE' }) });
  aLeadOfCrm('LATER-ONE');
  await api.approvePartner({ params: { id: early.id }, body: {} });
  const { id, code } = await anApprovedPartner(api);
  const lead = aLeadOfCrm(code);
  aDealOfCrm(lead.id, 100, { wonAt: daysAgo(1) });
  aDealOfCrm(another(), 100, { wonAt: daysAgo(91) });
  aDealOfCrm(lead.id, 10);
  expect(await rebuild(api)).toEqual({ read: 5, written: 2, removed: 0 });
  expect([await referralCount(api, early.id), await referralCount(api, id)]).toEqual([0, 1]);
  expect(await commissions(api, id)).toMatchObject([{ basisAmount: 10 }]);
});

it('a deal that was stored because the partner was not approved then earns nothing later', async () => {
  const api = service.as();
  const { id, code } = await anApprovedPartner(api);
  const lead = aLeadOfCrm(code);
  await publish(service, api, lead.event);
  await until('it is attributed', async () => (await referralCount(api, id)) === 1);
  await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended'`);
  await publish(service, api, aDealOfCrm(lead.id, 100));
  await until('the deal is stored', async () => (await kept(api)).deals.length === 1);
  await service.sqlWithin(api.caller, `UPDATE partner SET status = 'approved'`);
  expect(await rebuild(api)).toEqual({ read: 2, written: 0, removed: 0 });
  expect(await commissions(api, id)).toEqual([]);
});

it('a referral that a request creates during the rebuild wins, and live events are handled once', async () => {
  const api = service.as();
  const [coded, chosen] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  const leads = Array.from({ length: 8 }, () => aLeadOfCrm(coded.code, { id: another() }));
  const taken = leads.at(-1) as (typeof leads)[number];
  const { status } = await api.createReferral({ body: { partnerId: chosen.id, leadId: taken.id } });
  expect(status).toBe(201);
  const deals = leads.map(({ id }) => aDealOfCrm(id, 100));
  const live = (async () => {
    for (const { event } of leads) await publish(service, api, event);
    for (const deal of deals) await publish(service, api, deal);
  })();
  await Promise.all([rebuild(api), rebuild(api), live]);
  await publish(service, api, leadCreatedWith(coded.code, another()));
  await until('the events are handled', async () => (await referralCount(api, coded.id)) === 8);
  const { data } = await api.listPartnerCommissions({ params: { id: coded.id } });
  expect([data.length, await commissions(api, chosen.id)]).toEqual([7, [expect.objectContaining({ amount: 5 })]]);
  expect((await kept(api)).deals).toEqual([]);
});

it('a deal that was won again earns once if its event was lost', async () => {
  const api = service.as();
  const { id, code } = await anApprovedPartner(api);
  const lead = aLeadOfCrm(code);
  await publish(service, api, lead.event);
  const won = aDealOfCrm(lead.id, 100);
  await publish(service, api, won);
  await until('the deal earns', async () => (await commissions(api, id)).length === 1);
  const data = { opportunityId: (won.record as { id: string }).id, result: 'won', reason: null };
  await publish(service, api, { name: 'opportunity.reopened', data, record: { ...won.record, version: 3 } });
  await until('it is taken back', async () => (await commissions(api, id))[0].status === 'cancelled');
  Object.assign(won.record, { version: 4 });
  expect((await rebuild(api)).written).toBe(1);
  await publish(service, api, won);
  expect((await rebuild(api)).written).toBe(0);
  const statuses = (await commissions(api, id)).map(({ status }: { status: string }) => status);
  expect(statuses.sort()).toEqual(['cancelled', 'pending']);
});

it('a tenant and an environment are rebuilt within their own partners only', async () => {
  const api = service.as();
  const { id, code } = await anApprovedPartner(api);
  aLeadOfCrm(code);
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  for (const other of [sandbox, service.as()]) expect((await rebuild(other)).written).toBe(0);
  expect((await rebuild(api)).written).toBe(1);
  expect(await referralCount(api, id)).toBe(1);
});

it('deals of earlier releases get their lead, so that a later touch does not take it from the partner', async () => {
  const api = service.as();
  const [first, second] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  const lead = aLeadOfCrm(first.code);
  const deal = aDealOfCrm(lead.id, 100);
  await publish(service, api, lead.event);
  await publish(service, api, deal);
  await until('the deal earns', async () => (await commissions(api, first.id)).length === 1);
  await service.sqlWithin(api.caller, 'UPDATE deal SET lead_id = NULL');
  expect((await rebuild(api)).written).toBe(0);
  const { body } = await api.createReferral({ body: { partnerId: second.id, leadId: lead.id } });
  expect(body.errors?.[0]?.message).toContain('a deal of the lead was won');
});
