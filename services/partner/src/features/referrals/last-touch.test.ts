import { randomUUID } from 'node:crypto';
import { publishLeadMerge, testSettings, until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  dealWon,
  leadCreatedWith,
  leadUpdatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { setTiers } from '../tiers/tiers.test-service.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  settings = await testSettings('partner');
  service = await startPartner(peer, {}, { shared: settings });
});
afterAll(async () => {
  await service?.close();
  await settings?.drop();
  await peer?.close();
});

let numbers = 100;
const another = () => `${++numbers}`;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Two approved partners, a lead, and what they have of it. */
async function twoPartners(api: Api = service.as()) {
  const [first, second] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  const leadId = another();
  const refer = (partner: { id: string }, body: object = {}) =>
    api.createReferral({ body: { partnerId: partner.id, leadId, ...body } });
  const leadsOf = async ({ id }: { id: string }) =>
    (await api.listPartnerReferrals({ params: { id } })).data.map((one: { leadId: string }) => one.leadId);
  const conflictsOf = async ({ id }: { id: string }) => (await api.listReferralConflicts({ params: { id } })).data;
  const causesOf = async (partner: { id: string }) =>
    (await conflictsOf(partner)).map(({ cause }: { cause: string }) => cause);
  const earned = async ({ id }: { id: string }) => (await api.listPartnerCommissions({ params: { id } })).data.length;
  return { api, first, second, leadId, refer, leadsOf, conflictsOf, causesOf, earned };
}

describe('a later touch of another partner', () => {
  it('gets the lead, and the referral of the partner before becomes a conflict', async () => {
    const { api, first, second, leadId, refer, leadsOf, conflictsOf } = await twoPartners();
    const { data: before } = await refer(first, { occurredAt: daysAgo(3) });
    const moved = await refer(second, { occurredAt: daysAgo(2) });
    expect([moved.status, moved.data]).toMatchObject([
      201,
      { id: before.id, partnerId: second.id, leadId, status: 'attributed', version: 2 },
    ]);
    expect([await leadsOf(first), await leadsOf(second)]).toEqual([[], [leadId]]);
    expect(await conflictsOf(first)).toMatchObject([
      {
        partnerId: first.id,
        winnerPartnerId: second.id,
        leadId,
        source: 'manual',
        cause: 'later_touch',
        occurredAt: before.occurredAt,
      },
    ]);
    const events = await until('both events arrive', () => {
      const found = service.events.filter(
        ({ name, target }) => name === 'referral.attributed' && target.id === Number(before.id),
      );
      return found.length === 2 && found;
    });
    expect(events.at(-1)).toMatchObject({
      data: { referralId: before.id, partnerId: second.id, leadId },
      changes: { partnerId: { from: Number(first.id), to: Number(second.id) } },
    });
    expect((await api.getPartner({ params: { id: second.id } })).data.referralCount).toBe(1);
  });

  it('earns the deals that are won afterwards', async () => {
    const { api, first, second, leadId, refer, earned } = await twoPartners();
    await refer(first, { occurredAt: daysAgo(3) });
    await refer(second);
    await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    await until('the deal earns', async () => (await earned(second)) === 1);
    expect(await earned(first)).toBe(0);
  });

  it('changes the tiers of both partners', async () => {
    const { api, first, second, refer } = await twoPartners();
    const tierOf = async ({ id }: { id: string }) => (await api.getPartner({ params: { id } })).data.tier;
    await setTiers(api, { silver: { thresholds: { referrals: 1 }, graceDays: 0 } });
    await refer(first);
    await until('the first partner is silver', async () => (await tierOf(first)) === 'silver');
    await refer(second);
    await until('the second partner is silver', async () => (await tierOf(second)) === 'silver');
    await until('the first partner is bronze', async () => (await tierOf(first)) === 'bronze');
  });

  it.each([
    ['that is not later', { occurredAt: daysAgo(5) }, { occurredAt: daysAgo(6) }, 'earlier_touch'],
    ['that is too old', { occurredAt: daysAgo(120) }, { occurredAt: daysAgo(91) }, 'outside_window'],
  ])('loses by a time %s, with 409 and a conflict', async (_, early, late, cause) => {
    const { first, second, leadId, refer, leadsOf, conflictsOf } = await twoPartners();
    await refer(first, early);
    const { status, body } = await refer(second, late);
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([409, 'already_referred', 'leadId']);
    expect(await leadsOf(first)).toEqual([leadId]);
    expect(await conflictsOf(second)).toMatchObject([{ winnerPartnerId: first.id, cause, ...late }]);
  });

  it('is judged by the window of the plan that its own partner has', async () => {
    const { api, first, second, refer, leadsOf, causesOf } = await twoPartners();
    const { data: plan } = await api.createCommissionPlan({
      body: { name: 'Short window', trigger: 'opportunity.won', type: 'percent', rate: 10, attributionDays: 10 },
    });
    await api.updatePartner({ params: { id: second.id }, body: { planId: plan.id } });
    await refer(first, { occurredAt: daysAgo(60) });
    expect((await refer(second, { occurredAt: daysAgo(11) })).status).toBe(409);
    expect(await causesOf(second)).toEqual(['outside_window']);
    expect((await refer(second, { occurredAt: daysAgo(9) })).status).toBe(201);
    // The first partner has the default plan, with 90 days.
    const other = another();
    await refer(second, { leadId: other, occurredAt: daysAgo(60) });
    expect((await refer(first, { leadId: other, occurredAt: daysAgo(50) })).status).toBe(201);
    expect(await leadsOf(first)).toEqual([other]);
  });

  it('loses if the lead seems to be the partner, or a deal of the lead was won', async () => {
    const { api, first, leadId, refer, leadsOf, causesOf, earned } = await twoPartners();
    await refer(first);
    const same = await anApprovedPartner(api, { email: 'ada@example.com' });
    expect((await refer(same)).status).toBe(409);
    expect(await causesOf(same)).toEqual(['self_referral']);
    await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
    await until('the deal earns', async () => (await earned(first)) === 1);
    const late = await anApprovedPartner(api);
    expect((await refer(late)).status).toBe(409);
    expect([await causesOf(late), await leadsOf(first)]).toEqual([['deal_won'], [leadId]]);
  });

  it('loses also if the won deal belonged to nobody', async () => {
    const { api, first, second, leadId, refer, causesOf } = await twoPartners();
    await publish(service, api, {
      ...dealWon({ opportunityId: another(), leadId, value: 100 }),
      occurredAt: daysAgo(5),
    });
    await until('the deal waits', async () => {
      return (await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).length === 1;
    });
    await refer(first, { occurredAt: daysAgo(3) });
    expect(await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).toEqual([]);
    expect((await refer(second)).status).toBe(409);
    expect(await causesOf(second)).toEqual(['deal_won']);
  });

  it('loses by a touch of the first partner that was even later, whichever is reported first', async () => {
    const { first, second, leadId, refer, leadsOf, causesOf } = await twoPartners();
    await refer(first, { occurredAt: daysAgo(9) });
    expect((await refer(first, { occurredAt: daysAgo(1) })).status).toBe(409);
    expect((await refer(second, { occurredAt: daysAgo(5) })).status).toBe(409);
    expect([await leadsOf(first), await causesOf(second)]).toEqual([[leadId], ['earlier_touch']]);
    expect((await refer(second)).status).toBe(201);
  });
});

it('of touches at once on two instances the last one wins, and the others are conflicts', async () => {
  const { api, first, second, leadId, leadsOf, conflictsOf } = await twoPartners();
  const third = await anApprovedPartner(api);
  const other = await startPartner(peer, {}, { shared: settings });
  try {
    const partners = [first, second, third, first, second, third];
    await Promise.all(
      partners.map(({ id }, index) =>
        (index % 2 ? api : other.as(api.caller)).createReferral({
          body: { partnerId: id, leadId, occurredAt: daysAgo(10 - index) },
        }),
      ),
    );
    expect(await leadsOf(third)).toEqual([leadId]);
    expect([await leadsOf(first), await leadsOf(second)]).toEqual([[], []]);
    const lost = [...(await conflictsOf(first)), ...(await conflictsOf(second))];
    expect(lost.length).toBeGreaterThanOrEqual(2);
    for (const { partnerId, winnerPartnerId } of lost) expect(winnerPartnerId).not.toBe(partnerId);
  } finally {
    await other.close();
  }
});

it('a refused attempt is stored once for an Idempotency-Key', async () => {
  const { api, first, second, leadId, refer, conflictsOf } = await twoPartners();
  await refer(first);
  const request = {
    body: { partnerId: second.id, leadId, occurredAt: daysAgo(1) },
    headers: { 'Idempotency-Key': randomUUID() },
  };
  const [one, two] = [await api.createReferral(request), await api.createReferral(request)];
  expect([one.status, two.status, two.body.code]).toEqual([409, 409, 'already_referred']);
  expect(await conflictsOf(second)).toHaveLength(1);
});

it('a repeated externalId of a partner who lost the lead does not take it back', async () => {
  const { first, second, leadId, refer, leadsOf } = await twoPartners();
  const body = { externalId: 'order-1' };
  const { data: before } = await refer(first, body);
  await refer(second, { externalId: 'order-2' });
  const again = await refer(first, body);
  expect([again.status, again.data.id, again.data.partnerId]).toEqual([200, before.id, second.id]);
  expect(await leadsOf(second)).toEqual([leadId]);
});

describe('a lead that gets a code by an event', () => {
  const handled = async (api: Api) => {
    const { id, code } = await anApprovedPartner(api);
    await publish(service, api, leadCreatedWith(code, another(), { createdAt: new Date().toISOString() }));
    await until('the events are handled', async () => {
      return (await api.listPartnerReferrals({ params: { id } })).data.length === 1;
    });
  };

  it('goes to the partner of the last code, under duplicate and late events', async () => {
    const { api, first, second, leadId, leadsOf, conflictsOf } = await twoPartners();
    const created = leadCreatedWith(first.code, leadId, { createdAt: daysAgo(4) });
    const updated = { ...leadUpdatedWith(second.code, leadId), occurredAt: daysAgo(2) };
    await publish(service, api, updated);
    await publish(service, api, created);
    await handled(api);
    await publish(service, api, created);
    await publish(service, api, updated);
    await handled(api);
    expect([await leadsOf(first), await leadsOf(second)]).toEqual([[], [leadId]]);
    // Handled in either order: what lost is there once.
    expect(await conflictsOf(first)).toHaveLength(1);
    expect(await conflictsOf(second)).toEqual([]);
    const { data } = await api.listPartnerReferrals({ params: { id: second.id } });
    expect(data).toMatchObject([{ source: 'code', code: second.code, occurredAt: updated.occurredAt }]);
  });

  it('stays with its partner once a deal was won, and comes from a form if it entered itself', async () => {
    const { api, first, second, leadId, earned, causesOf } = await twoPartners();
    await publish(service, api, leadCreatedWith(first.code, leadId, { source: 'web', createdAt: daysAgo(4) }));
    await publish(service, api, {
      ...dealWon({ opportunityId: another(), leadId, value: 100 }),
      occurredAt: daysAgo(3),
    });
    await until('the deal earns', async () => (await earned(first)) === 1);
    await publish(service, api, { ...leadUpdatedWith(second.code, leadId), occurredAt: daysAgo(2) });
    await handled(api);
    expect(await causesOf(second)).toEqual(['deal_won']);
    const { data } = await api.listPartnerReferrals({ params: { id: first.id }, query: { source: 'form' } });
    expect(data).toMatchObject([{ leadId }]);
  });
});

it('a won deal of a merged lead keeps the lead that remains with its partner', async () => {
  const { api, first, second, leadId, refer, earned, causesOf } = await twoPartners();
  await refer(first);
  await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 100 }));
  await until('the deal earns', async () => (await earned(first)) === 1);
  const into = another();
  await publishLeadMerge({ service, tenantId: api.caller.tenantId as number }, { leadId, into, version: 2 });
  await until('the deal has moved', async () => {
    const deals = await service.sqlWithin(api.caller, 'SELECT lead_id::int AS lead FROM deal');
    return deals[0]?.lead === Number(into);
  });
  expect((await refer(second, { leadId: into })).status).toBe(409);
  expect(await causesOf(second)).toEqual(['deal_won']);
});
