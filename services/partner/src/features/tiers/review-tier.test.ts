import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { setTiers } from './tiers.test-service.ts';

const waitingReview = `name = 'review-tier' AND state = 'waiting'`;
const within =
  (service: Service, { caller }: Api) =>
  (text: string) =>
    service.sqlWithin(caller, text);

/** Waits until no evaluation is left but those that are scheduled for a later time. */
const settled = (sql: ReturnType<typeof within>) =>
  until('the evaluations of the new tiers are done', async () => {
    const [left] = await sql(`SELECT FROM platform.job
      WHERE name = 'review-all-tiers' OR (name = 'review-tier' AND payload ->> 'reviewAt' IS NULL)`);
    return !left;
  });

it('an outage of training that outlasts all attempts ends no evaluation', async () => {
  const peer = await aPeer();
  const service = await startPartner(peer);
  try {
    const api = service.as();
    const sql = within(service, api);
    const { id } = await anApprovedPartner(api);
    const gold = { requiredCourseIds: ['7'], thresholds: { wonDeals: 1 } };
    await setTiers(api, { gold });
    await until(
      'the next evaluation is scheduled',
      async () => (await sql(`SELECT FROM partner WHERE tier_review_at > now()`)).length > 0,
    );
    await peer.close();
    await sql(`UPDATE platform.job SET attempts = 9, due_at = now() WHERE ${waitingReview}`);
    await until('it is given up', async () => (await sql(`SELECT FROM platform.job WHERE state = 'dead'`)).length > 0);
    const [next] = await sql(`SELECT attempts, due_at > now() AS later FROM platform.job WHERE ${waitingReview}`);
    expect(next).toEqual({ attempts: 0, later: true });
    const { status } = await api.evaluatePartnerTier({ params: { id } });
    expect(status).toBe(503);
  } finally {
    await service.close();
    await peer.close();
  }
});

describe('scheduled evaluations', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startPartner();
  });
  afterAll(() => service?.close());

  it('are one for each partner, however often it is evaluated', async () => {
    const api = service.as();
    const sql = within(service, api);
    const { id } = await anApprovedPartner(api);
    await setTiers(api, { gold: { thresholds: { wonDeals: 1 } } });
    for (let time = 0; time < 5; time++) expect((await api.evaluatePartnerTier({ params: { id } })).status).toBe(200);
    await settled(sql);
    const scheduled = () =>
      sql(`SELECT FROM platform.job WHERE ${waitingReview}
      AND (payload ->> 'reviewAt')::timestamptz = (SELECT tier_review_at FROM partner)`);
    const waiting = () => sql(`SELECT FROM platform.job WHERE ${waitingReview}`);
    expect([(await waiting()).length, (await scheduled()).length]).toEqual([1, 1]);
    // A superseded one has no effect, and one that is due is followed by another.
    await sql(`INSERT INTO platform.job (name, payload, due_at) SELECT name, jsonb_set(payload, '{reviewAt}',
      '"2026-01-01T00:00:00.000Z"'), now() FROM platform.job WHERE ${waitingReview}`);
    await until('the superseded one is done', async () => (await waiting()).length === 1);
    expect(await scheduled()).toHaveLength(1);
    await sql(`UPDATE partner SET tier_review_at = '2026-01-01T00:00:00.000Z'`);
    await sql(`UPDATE platform.job SET due_at = now(),
      payload = jsonb_set(payload, '{reviewAt}', '"2026-01-01T00:00:00.000Z"') WHERE ${waitingReview}`);
    await until('it is followed by another one', async () => {
      const [next] = await sql(`SELECT FROM partner WHERE tier_review_at > now() + interval '23 hours'`);
      return next && (await waiting()).length === 1 && (await scheduled()).length === 1;
    });
  });
});

it('a completion that ends without an event, as by other days of validity, is noticed within a day', async () => {
  const peer = await aPeer();
  const service = await startPartner(peer);
  try {
    const api = service.as();
    const sql = within(service, api);
    const { id } = await anApprovedPartner(api);
    peer.completions.push({ partnerId: id, courseId: '7', completedAt: new Date().toISOString(), validUntil: null });
    await setTiers(api, { gold: { requiredCourseIds: ['7'] } });
    await until('a day later is scheduled', async () => {
      const [next] = await sql(
        `SELECT FROM partner WHERE tier = 'gold' AND tier_review_at < now() + interval '25 hours'`,
      );
      return next;
    });
  } finally {
    await service.close();
    await peer.close();
  }
});

describe('an evaluation that is overtaken while it waits for training', () => {
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

  /** An approved partner who is gold by a completion, while the started evaluation has an answer from before it. */
  async function overtaken(start: (api: Api, id: string) => Promise<unknown>) {
    const api = service.as();
    const sql = within(service, api);
    const { id } = await anApprovedPartner(api);
    await setTiers(api, { gold: { requiredCourseIds: ['7'], graceDays: 0 } });
    await settled(sql);
    const { asked, release } = peer.holdCompletions();
    const started = start(api, id);
    await asked;
    peer.completions.push({ partnerId: id, courseId: '7', completedAt: new Date().toISOString(), validUntil: null });
    expect((await api.evaluatePartnerTier({ params: { id } })).data.tier).toBe('gold');
    release();
    await started;
    await settled(sql);
    return (await api.getPartner({ params: { id } })).data.tier;
  }

  it('leaves the newer result, as a job', async () => {
    const unlock = async (api: Api, id: string) => {
      const params = { id };
      await api.updatePartner({ params, body: { tierLocked: true } });
      await api.updatePartner({ params, body: { tierLocked: false } });
    };
    expect(await overtaken(unlock)).toBe('gold');
  });

  it('is followed by another one, as a request', async () => {
    expect(await overtaken((api, id) => api.evaluatePartnerTier({ params: { id } }))).toBe('gold');
  });
});
