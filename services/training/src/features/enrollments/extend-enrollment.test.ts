import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { nobody, type Service, startTraining, suspended } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const later = '2100-01-01T00:00:00.000Z';
const certificate = { title: 'Certified seller' };

/** An enrolment with an assignment that was handed in; `expire` ends it as its job does. */
async function aHandIn(lessons: object[] = [{ type: 'assignment' }]) {
  const course = await aCourse(service, { lessons, certificate });
  const { api } = course;
  const { id, own } = await anEnrollment(service, api, course.id);
  const params = { id: (await own.startAttempt({ params: { id, lessonId: course.lessons[0] } })).data.id };
  await own.submitAttempt({ params, body: { text: 'My plan' } });
  const expire = (status: string) =>
    service.sqlWithin(
      api.caller,
      `UPDATE enrollment SET status = $2, expires_at = now() - interval '1 minute' WHERE id = $1`,
      [id, status],
    );
  const grade = (score: number) => api.gradeAttempt({ params, body: { score } });
  const extend = () => api.extendEnrollment({ params: { id }, body: { expiresAt: later } });
  const eventsOf = (name: string) =>
    service.events.filter(
      (event) => event.name === name && String((event.data as { enrollmentId?: string }).enrollmentId) === id,
    );
  return { api, id, own, lessons: course.lessons, expire, grade, extend, eventsOf };
}

it.each(['expired', 'in_progress'])(
  'a passing grade that arrives after the end completes the course with the extension (stored status %s)',
  async (status) => {
    const { api, id, expire, grade, extend, eventsOf } = await aHandIn();
    await expire(status);
    expect((await grade(90)).data).toMatchObject({ status: 'graded', passed: true });
    expect((await api.getEnrollment({ params: { id } })).data).toMatchObject({ status, percent: 0 });
    const { status: code, data } = await extend();
    expect([code, data]).toMatchObject([
      200,
      { status: 'completed', percent: 100, score: 90, certificateId: expect.any(String), allowedTransitions: [] },
    ]);
    expect((await api.getEnrollment({ params: { id } })).data).toEqual(data);
    await until('it is announced', () => eventsOf('training.course.completed').length === 1);
    expect(eventsOf('training.lesson.completed')).toHaveLength(1);
    expect((await extend()).body.code).toBe('transition_refused');
  },
);

it('a later end of an enrolment whose time was over has the same effect', async () => {
  const { api, id, expire, grade } = await aHandIn();
  await expire('in_progress');
  await grade(90);
  const { data } = await api.updateEnrollment({ params: { id }, body: { expiresAt: later } });
  expect(data).toMatchObject({ status: 'completed', expiresAt: later });
});

it('the extension completes only what is passed', async () => {
  const { own, id, lessons, expire, grade, extend } = await aHandIn([{ type: 'assignment' }, {}]);
  await expire('expired');
  await grade(90);
  expect((await extend()).data).toMatchObject({ status: 'in_progress', percent: 50, certificateId: null });
  await own.completeLesson({ params: { id, lessonId: lessons[1] } });
  expect((await own.getEnrollment({ params: { id } })).data.status).toBe('completed');
});

it('a grade below the pass mark completes nothing', async () => {
  const { expire, grade, extend } = await aHandIn();
  await expire('expired');
  await grade(10);
  expect((await extend()).data).toMatchObject({ status: 'in_progress', percent: 0 });
});

it('a failed grade that arrives after the end is announced once, with the first extension', async () => {
  const { api, id, expire, grade, extend, eventsOf } = await aHandIn();
  await expire('expired');
  await grade(10);
  await extend();
  await until('it is announced', () => eventsOf('training.lesson.failed').length === 1);
  await service.sqlWithin(api.caller, `UPDATE enrollment SET status = 'expired', expires_at = now() WHERE id = $1`, [
    id,
  ]);
  expect((await extend()).status).toBe(200);
  await until('both extensions are announced', () => eventsOf('training.enrollment.updated').length === 2);
  expect(eventsOf('training.lesson.failed')).toHaveLength(1);
});

it.each([
  ['is not active any more', suspended],
  ['does not exist any more', nobody],
])('an expired enrolment of a user who %s is not opened again', async (_, userId) => {
  const { api, id, expire, extend } = await aHandIn();
  await expire('expired');
  await service.sqlWithin(api.caller, 'UPDATE enrollment SET learner_id = $2, user_id = $2 WHERE id = $1', [
    id,
    userId,
  ]);
  const { status, body } = await extend();
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'learnerId']);
  expect((await api.getEnrollment({ params: { id } })).data.status).toBe('expired');
});
