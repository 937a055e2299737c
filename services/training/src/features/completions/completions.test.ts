import { unionMember } from '@tandem/contract';
import { until } from '@tandem/testing';
import { completionLimits } from '@tandem/training-contract';
import { aCourse } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const certificate = { title: 'Certified seller' };
const dayMs = 86_400_000;

/** The internal calls of another service in the tenant of a caller. */
const inside = ({ caller }: Api, environment = caller.environment) =>
  service.as({ type: 'system', tenantId: caller.tenantId as number, environment });

/** A course for partners that partner 7 has completed. */
async function aCompletion(fields: Record<string, unknown> = {}) {
  const { api, id: courseId, lessons } = await aCourse(service, { audience: 'partners', ...fields });
  const { data } = await api.createEnrollment({ body: { courseId, learnerId: learner('partner', 7) } });
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const own = service.as({ type: 'portal', tenantId, environment, partnerId: 7, portalUserId: 1, can: [] });
  const params = { id: data.id, lessonId: lessons[0] as string };
  expect((await own.completePortalLesson({ params })).status).toBe(200);
  const sql = (text: string, ...values: unknown[]) => service.sqlWithin(api.caller, text, values);
  const find = async (partnerIds = ['7'], as = inside(api)) =>
    (await as.findPartnerCompletions({ body: { partnerIds, courseIds: [courseId] } })).data;
  return { api, courseId, enrollmentId: data.id, sql, find };
}

describe('findPartnerCompletions', () => {
  it('returns completions of partners, and not those of users with the same number', async () => {
    const { api, courseId, sql, find } = await aCompletion();
    const completion = { partnerId: '7', courseId, completedAt: expect.any(String), validUntil: null };
    expect(await find(['7', '8'])).toEqual([completion]);
    expect(await find(['8'])).toEqual([]);
    expect(await find(['7'], inside(api, 'sandbox'))).toEqual([]);
    expect(await find(['7'], inside(service.as()))).toEqual([]);
    expect(await find(['7'], service.as({ type: 'system' }))).toEqual([]);
    await sql(`UPDATE enrollment SET learner_type = 'user'`);
    expect(await find()).toEqual([]);
  });

  it('returns one completion for a course, the one that is valid longest', async () => {
    const { sql, find } = await aCompletion({ validDays: 30 });
    await sql(`INSERT INTO enrollment (course_id, learner_type, learner_id, status, completed_at, attempt_no, source)
      SELECT course_id, learner_type, learner_id, status, completed_at - interval '5 days', 2, source FROM enrollment`);
    const [found, ...others] = await find();
    expect(others).toEqual([]);
    expect(Date.parse(found.validUntil) - Date.parse(found.completedAt)).toBe(30 * dayMs);
    expect(Date.now() - Date.parse(found.completedAt)).toBeLessThan(dayMs);
    await sql(`UPDATE enrollment SET completed_at = now() - interval '31 days'`);
    expect(await find()).toEqual([]);
  });

  it.each([
    ['has expired', `UPDATE certificate SET status = 'expired'`],
    ['expires while the job that records it waits', `UPDATE certificate SET expires_at = now() - interval '1 second'`],
    ['was revoked', `UPDATE certificate SET status = 'revoked'`],
  ])('returns no completion whose certificate %s', async (_, change) => {
    const { sql, find } = await aCompletion({ certificate, validDays: 30 });
    expect(await find()).toHaveLength(1);
    await sql(`UPDATE enrollment SET completed_at = now() - interval '31 days'`);
    expect(await find()).toHaveLength(1);
    await sql(change);
    expect(await find()).toEqual([]);
  });

  it('returns nothing for a course that is not completed', async () => {
    const { sql, find } = await aCompletion();
    await sql(`UPDATE enrollment SET status = 'withdrawn'`);
    expect(await find()).toEqual([]);
  });
});

describe('the events that end a certificate tell which partner and course they concern', () => {
  const heard = async (name: string, courseId: string) => {
    const dataOf = (one?: { data: unknown }) => one?.data as { courseId: unknown; learnerId: unknown } | undefined;
    const find = () => service.events.find((one) => one.name === name && String(dataOf(one)?.courseId) === courseId);
    await until(`${name} arrives`, () => find() !== undefined);
    return unionMember('learner', Number(dataOf(find())?.learnerId));
  };

  it('when it is revoked', async () => {
    const { api, courseId } = await aCompletion({ certificate });
    const [{ id }] = (await api.listCertificates({ query: { courseId } })).data;
    expect((await api.revokeCertificate({ params: { id }, body: {} })).status).toBe(200);
    expect(await heard('training.certificate.revoked', courseId)).toEqual({ type: 'partner', id: 7 });
  });

  it('when it expires', async () => {
    const { courseId, sql } = await aCompletion({ certificate, validDays: 1 });
    await sql(`UPDATE platform.job SET due_at = now() WHERE name = 'end-certificate'`);
    expect(await heard('training.certificate.expired', courseId)).toEqual({ type: 'partner', id: 7 });
  });
});

it('requests with too many ids are refused', async () => {
  const own = inside(service.as());
  const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
  const [courseIds, partnerIds] = [ids(completionLimits.courses), ids(completionLimits.partners)];
  expect((await own.findCourses({ body: { ids: courseIds } })).status).toBe(200);
  expect((await own.findCourses({ body: { ids: [...courseIds, '999'] } })).status).toBe(422);
  const statuses = [
    { partnerIds, courseIds },
    { partnerIds: [...partnerIds, '999'], courseIds },
    { partnerIds, courseIds: [...courseIds, '999'] },
  ].map(async (body) => (await own.findPartnerCompletions({ body })).status);
  expect(await Promise.all(statuses)).toEqual([200, 422, 422]);
});

describe('findCourses', () => {
  it('returns courses of the tenant with any status, without deleted ones', async () => {
    const { api, id } = await aCourse(service, { audience: 'partners' });
    const { data: draft } = await api.createCourse({ body: { title: 'Draft' } });
    const { data: deleted } = await api.createCourse({ body: { title: 'Deleted' } });
    expect((await api.deleteCourse({ params: { id: deleted.id } })).status).toBe(200);
    const body = { ids: [id, draft.id, deleted.id] };
    expect((await inside(api).findCourses({ body })).data).toEqual([
      { id, title: 'Selling', status: 'published', audience: 'partners' },
      { id: draft.id, title: 'Draft', status: 'draft', audience: draft.audience },
    ]);
    for (const other of [inside(api, 'sandbox'), inside(service.as()), service.as({ type: 'system' })])
      expect((await other.findCourses({ body })).data).toEqual([]);
  });
});
