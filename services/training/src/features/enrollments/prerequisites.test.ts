import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

/** A course that user 7 has completed, and the enrolment of that user in a course that requires it. */
async function aCompletion(fields: Record<string, unknown> = {}) {
  const first = await aCourse(service, fields);
  const { api, id: courseId } = first;
  const second = await aCourse(service, { api, title: 'Advanced', prerequisiteCourseIds: [courseId] });
  const { id, own } = await anEnrollment(service, api, courseId);
  await own.completeLesson({ params: { id, lessonId: first.lessons[0] } });
  const age = (days: number) =>
    service.sqlWithin(
      api.caller,
      `UPDATE enrollment SET completed_at = now() - make_interval(days => $2) WHERE id = $1`,
      [id, days],
    );
  const body = { courseId: second.id, learnerId: learner('user', 7) };
  return { api, id, courseId, second, age, enrol: () => api.createEnrollment({ body }) };
}
const certificate = { title: 'Certified seller' };

it('a completion without a certificate counts for the days of its course', async () => {
  const { api, courseId, age, enrol } = await aCompletion({ validDays: 30 });
  await age(31);
  const { status, body } = await enrol();
  expect([status, body.code]).toEqual([409, 'prerequisites_open']);
  expect(body.errors).toMatchObject([
    { field: 'courseId', message: expect.stringMatching(/“Selling”.*no longer valid/) },
  ]);
  await age(29);
  expect((await enrol()).status).toBe(201);
  expect((await api.getCourse({ params: { id: courseId } })).data.validDays).toBe(30);
});

it('a completion of a course without an end counts for ever', async () => {
  const { age, enrol } = await aCompletion();
  await age(3_650);
  expect((await enrol()).status).toBe(201);
});

it.each([
  ['has expired', `UPDATE certificate SET status = 'expired'`, 'of which the completion is no longer valid'],
  [
    'expires while the job that records it waits',
    `UPDATE certificate SET expires_at = now() - interval '1 second'`,
    'of which the completion is no longer valid',
  ],
  ['was revoked', `UPDATE certificate SET status = 'revoked'`, 'whose certificate was revoked'],
])('a completion does not count if its certificate %s', async (_, change, problem) => {
  const { api, second, enrol } = await aCompletion({ certificate, validDays: 30 });
  await service.sqlWithin(api.caller, change);
  const { body } = await enrol();
  expect([body.code, body.errors?.[0]?.message]).toEqual(['prerequisites_open', expect.stringContaining(problem)]);
  const learnerIds = [learner('user', 7)];
  const { data } = await api.bulkCreateEnrollments({ body: { courseId: second.id, learnerIds } });
  expect(data.results).toMatchObject([{ success: false, error: { code: 'prerequisites_open' } }]);
});

it('a completion counts while its certificate is valid, whatever the course says now', async () => {
  const { api, courseId, age, enrol } = await aCompletion({ certificate });
  await api.updateCourse({ params: { id: courseId }, body: { validDays: 1 } });
  await age(10);
  expect((await enrol()).status).toBe(201);
});

it('another completion that is valid counts beside one that is not', async () => {
  const { api, id, courseId, age, enrol } = await aCompletion({ validDays: 30 });
  await age(31);
  const again = (await api.restartEnrollment({ params: { id }, body: {} })).data;
  const [lesson] = (await api.getCourse({ params: { id: courseId } })).data.lessons;
  await api.completeLesson({ params: { id: again.id, lessonId: lesson.id } });
  expect((await enrol()).status).toBe(201);
});
