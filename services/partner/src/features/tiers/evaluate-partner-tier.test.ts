import { randomUUID } from 'node:crypto';
import { unionNumber } from '@tandem/contract';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPartner,
  aPeer,
  dealWon,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { setTiers } from './tiers.test-service.ts';

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
const dayMs = 86_400_000;
const evaluate = (api: Api, id: string) => api.evaluatePartnerTier({ params: { id } });
const tierOf = async (api: Api, id: string) => (await api.getPartner({ params: { id } })).data.tier as string;
const history = async (api: Api, id: string) =>
  (await api.listTierChanges({ params: { id }, query: { sort: 'createdAt' } })).data.map(
    ({ from, to, cause }: Record<string, unknown>) => [from, to, cause],
  );

/** A won deal of a lead that the partner has referred; returns how to reopen it. */
async function aWonDeal(api: Api, partnerId: string, value = 1_000) {
  const deal = { opportunityId: another(), leadId: another(), value };
  await api.createReferral({ body: { partnerId, leadId: deal.leadId } });
  const count = async () => (await api.listPartnerCommissions({ params: { id: partnerId } })).body.pagination?.total;
  const before = await count();
  const event = dealWon(deal);
  await publish(service, api, event);
  await until('the deal earns a commission', async () => (await count()) !== before);
  const data = { opportunityId: deal.opportunityId, result: 'won', reason: null };
  const record = { ...event.record, version: 3, status: 'open' };
  return () => publish(service, api, { name: 'opportunity.reopened', data, record });
}

/** `training.course.completed` of a partner. */
const courseCompleted = (api: Api, partnerId: string, courseId: string) => {
  const enrollmentId = another();
  const learner = { learnerType: 'partner', learnerId: String(unionNumber('learner', 'partner', Number(partnerId))) };
  const completed = { score: null, completedAt: new Date().toISOString(), certificateId: null };
  const data = { courseId, enrollmentId, ...learner, ...completed };
  return publish(service, api, { name: 'training.course.completed', data, record: { id: enrollmentId } });
};
const completion = (partnerId: string, courseId: string, validUntil: string | null = null) => ({
  partnerId,
  courseId,
  completedAt: new Date().toISOString(),
  validUntil,
});

describe('a tier that requires a course', () => {
  it('is reached when training reports the completion, and lost after the grace period', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await setTiers(api, { gold: { requiredCourseIds: ['7'], graceDays: 10 } });
    const missing = (await evaluate(api, id)).data;
    expect(missing).toMatchObject({ tier: 'bronze', previousTier: 'bronze', qualifiedTier: 'bronze' });
    const requirement = { kind: 'course', required: 1, actual: 0, currency: null, courseId: '7', met: false };
    expect(missing.progress).toEqual([{ tier: 'gold', met: false, requirements: [requirement] }]);

    peer.completions.push(completion(id, '7'));
    await courseCompleted(api, id, '7');
    await until('the partner is gold', async () => (await tierOf(api, id)) === 'gold');
    expect(await history(api, id)).toEqual([
      [null, 'bronze', 'registration'],
      ['bronze', 'gold', 'evaluation'],
    ]);

    peer.completions.splice(0);
    const enrollmentId = another();
    const learnerId = String(unionNumber('learner', 'partner', Number(id)));
    const data = { certificateId: another(), enrollmentId, courseId: '7', learnerId };
    await publish(service, api, { name: 'training.certificate.revoked', data, record: { id: data.certificateId } });
    const partner = await until('the grace period has begun', async () => {
      const { data } = await api.getPartner({ params: { id } });
      return data.tierGraceUntil && data;
    });
    expect(partner.tier).toBe('gold');
    expect(Math.round((Date.parse(partner.tierGraceUntil) - Date.now()) / dayMs)).toBe(10);
    expect((await evaluate(api, id)).data).toMatchObject({ tier: 'gold', tierGraceUntil: partner.tierGraceUntil });
    await service.sqlWithin(api.caller, `UPDATE partner SET tier_grace_until = now() - interval '1 second'`);
    expect((await evaluate(api, id)).data).toMatchObject({
      tier: 'bronze',
      previousTier: 'gold',
      tierGraceUntil: null,
    });
    const events = await until('both changes are events', () => {
      const changes = service.events.filter(
        ({ name, target }) => name === 'partner.tier_changed' && target.id === Number(id),
      );
      return changes.length === 2 && changes;
    });
    expect(events.map(({ data }) => data)).toMatchObject([
      { from: 'bronze', to: 'gold', cause: 'evaluation' },
      { from: 'gold', to: 'bronze', cause: 'evaluation' },
    ]);
  });

  it('is evaluated again at the end of the grace period and of a completion, without an event', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await setTiers(api, { gold: { requiredCourseIds: ['8'], graceDays: 0 } });
    peer.completions.push(completion(id, '8', new Date(Date.now() + 1_500).toISOString()));
    expect((await evaluate(api, id)).data.tier).toBe('gold');
    await until('the partner is bronze', async () => (await tierOf(api, id)) === 'bronze');
  });

  it('counts only the completions of the partner', async () => {
    const api = service.as();
    const [{ id }, other] = [await anApprovedPartner(api), await anApprovedPartner(api)];
    peer.completions.push(completion(other.id, '9'));
    await setTiers(api, { gold: { requiredCourseIds: ['9'] } });
    await until('the other is gold', async () => (await tierOf(api, other.id)) === 'gold');
    expect((await evaluate(api, id)).data.tier).toBe('bronze');
  });
});

describe('a tier with thresholds', () => {
  it('is reached by won deals, and begins to be lost when a deal is reopened', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await setTiers(api, {
      silver: { thresholds: { wonDeals: 1 } },
      gold: { thresholds: { wonDeals: 2, wonValue: { amount: 3_000, currency: 'EUR' } } },
    });
    await aWonDeal(api, id);
    await until('the partner is silver', async () => (await tierOf(api, id)) === 'silver');
    const reopen = await aWonDeal(api, id, 2_000);
    await until('the partner is gold', async () => (await tierOf(api, id)) === 'gold');
    const figures = (await evaluate(api, id)).data.progress[1].requirements;
    expect(figures.map(({ kind, actual }: Record<string, unknown>) => [kind, actual])).toEqual([
      ['won_deals', 2],
      ['won_value', 3_000],
    ]);
    await reopen();
    await until('the grace period has begun', async () => {
      const { data } = await api.getPartner({ params: { id } });
      return data.tierGraceUntil !== null && data.tier === 'gold';
    });
    await aWonDeal(api, id, 2_000);
    await until('the grace period has ended', async () => {
      const { data } = await api.getPartner({ params: { id } });
      return data.tierGraceUntil === null && data.tier === 'gold';
    });
  });

  it('is reached and lost by deals without a commission', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const leadId = another();
    await api.createReferral({ body: { partnerId: id, leadId } });
    await setTiers(api, { silver: { thresholds: { wonDeals: 1 }, graceDays: 0 } });
    const review = `name LIKE 'review-%' AND payload ->> 'reviewAt' IS NULL`;
    await until('the evaluations of the lead and the new tiers are done', async () => {
      const left = await service.sqlWithin(api.caller, `SELECT FROM platform.job WHERE ${review}`);
      return !left.length && (await evaluate(api, id)).data.tier === 'bronze';
    });
    const opportunityId = another();
    const event = dealWon({ opportunityId, leadId, value: 0.01 });
    await publish(service, api, event);
    await until('the partner is silver', async () => (await tierOf(api, id)) === 'silver');
    expect((await api.listPartnerCommissions({ params: { id } })).data).toEqual([]);
    const data = { opportunityId, result: 'won', reason: null };
    await publish(service, api, { name: 'opportunity.reopened', data, record: { ...event.record, version: 3 } });
    await until('the partner is bronze', async () => (await tierOf(api, id)) === 'bronze');
  });

  it('counts leads and deals of its days only, and recruits', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await aWonDeal(api, id);
    await service.sqlWithin(api.caller, `UPDATE deal SET won_at = now() - interval '31 days'`);
    await service.sqlWithin(api.caller, `UPDATE referral SET occurred_at = now() - interval '31 days'`);
    const thresholds = { referrals: 1, wonDeals: 1, recruits: 1 };
    await setTiers(api, { silver: { thresholds, windowDays: 30 }, gold: { thresholds } });
    const figures = async () =>
      (await evaluate(api, id)).data.progress.map(({ requirements }: { requirements: { actual: number }[] }) =>
        requirements.map(({ actual }) => actual),
      );
    expect(await figures()).toEqual([
      [0, 0, 0],
      [1, 1, 0],
    ]);
    await anApprovedPartner(api, { parentPartnerId: id });
    await until('the partner is gold', async () => (await tierOf(api, id)) === 'gold');
  });

  it('is given to all approved partners after it is set', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await aWonDeal(api, id);
    const { data: pending } = await api.createPartner({ body: aPartner() });
    await setTiers(api, { platinum: { thresholds: { wonDeals: 1 } } });
    await until('the partner is platinum', async () => (await tierOf(api, id)) === 'platinum');
    expect(await tierOf(api, pending.id)).toBe('bronze');
    const { status, body } = await evaluate(api, pending.id);
    expect([status, body.code]).toEqual([409, 'partner_not_approved']);
  });

  it('never changes the rate of commissions that exist', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await aWonDeal(api, id);
    await setTiers(api, { gold: { thresholds: { wonDeals: 1 } } });
    await until('the partner is gold', async () => (await tierOf(api, id)) === 'gold');
    await aWonDeal(api, id);
    const { data } = await api.listPartnerCommissions({ params: { id }, query: { sort: 'createdAt' } });
    expect(data.map(({ rate }: { rate: number }) => rate)).toEqual([5, 10]);
  });
});

describe('a tier that a person has set', () => {
  it('stays if it has no requirements', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner() });
    const params = { id: data.id };
    await api.approvePartner({ params, body: { tier: 'platinum' } });
    await setTiers(api, { silver: { thresholds: { wonDeals: 1 } } });
    expect((await evaluate(api, data.id)).data).toMatchObject({ tier: 'platinum', tierGraceUntil: null });
    expect(await history(api, data.id)).toEqual([
      [null, 'bronze', 'registration'],
      ['bronze', 'platinum', 'approval'],
    ]);
  });

  it('stays while it is locked, and changes when it is unlocked', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await aWonDeal(api, id);
    const update = (body: object) => api.updatePartner({ params: { id }, body });
    const locked = (await update({ tier: 'gold', tierLocked: true })).data;
    expect(locked).toMatchObject({ tier: 'gold', tierLocked: true });
    await setTiers(api, {
      silver: { thresholds: { wonDeals: 1 } },
      gold: { thresholds: { wonDeals: 9 }, graceDays: 0 },
    });
    expect((await evaluate(api, id)).data).toMatchObject({ tier: 'gold', qualifiedTier: 'silver', tierLocked: true });
    await update({ tierLocked: false });
    await until('the partner is silver', async () => (await tierOf(api, id)) === 'silver');
    expect(await history(api, id)).toEqual([
      [null, 'bronze', 'registration'],
      ['bronze', 'gold', 'manual'],
      ['gold', 'silver', 'evaluation'],
    ]);
  });
});

it('an event that arrives twice changes the tier once', async () => {
  const api = service.as();
  const { id } = await anApprovedPartner(api);
  await setTiers(api, { silver: { thresholds: { referrals: 1 } } });
  const reply = await api.createReferral({ body: { partnerId: id, leadId: another() } });
  expect(reply.status).toBe(201);
  await until('the partner is silver', async () => (await tierOf(api, id)) === 'silver');
  const event = service.events.findLast(({ name }) => name === 'referral.attributed');
  const { name, data, record } = event as { name: string; data: object; record: object };
  const messageId = randomUUID();
  await publish(service, api, { name, data, record }, messageId);
  await publish(service, api, { name, data, record }, messageId);
  await Promise.all([evaluate(api, id), evaluate(api, id)]);
  expect(await history(api, id)).toHaveLength(2);
});
