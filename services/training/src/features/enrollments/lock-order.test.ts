import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const pairs = 25;
const together = 3;
const expiresAt = '2100-01-01T00:00:00.000Z';
const statuses = (replies: { status: number }[]) => [...new Set(replies.map(({ status }) => status))].sort();

it('extensions, restarts, withdrawals and new enrolments of one course run at once without a deadlock', async () => {
  const { api, id: courseId } = await aCourse(service);
  const users = Array.from({ length: pairs }, (_, index) => 1_000 + index);
  const ended: string[] = [];
  for (const user of users) ended.push((await anEnrollment(service, api, courseId, user)).id);
  await service.sqlWithin(api.caller, `UPDATE enrollment SET status = 'expired' WHERE course_id = $1`, [courseId]);
  const replies: { status: number }[] = [];
  // A few learners at once: more requests would only wait for connections.
  for (let first = 0; first < pairs; first += together)
    replies.push(
      ...(await Promise.all(
        ended
          .slice(first, first + together)
          .flatMap((id, index) => [
            api.extendEnrollment({ params: { id }, body: { expiresAt } }),
            api.withdrawEnrollment({ params: { id } }),
            api.restartEnrollment({ params: { id }, body: {} }),
            api.createEnrollment({ body: { courseId, learnerId: learner('user', users[first + index] as number) } }),
          ]),
      )),
    );
  expect(statuses(replies).filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
  // In any order of the requests, a learner has at most one enrolment that has not ended, and the counter is right.
  const [counts] = await service.sqlWithin(
    api.caller,
    `SELECT count(*) FILTER (WHERE status <> 'withdrawn')::int AS kept, (SELECT enrollment_count FROM course WHERE id = $1) AS counted,
       (SELECT max(n) FROM (SELECT count(*) AS n FROM enrollment WHERE course_id = $1 AND status IN ('enrolled', 'in_progress')
         GROUP BY learner_id) AS live)::int AS most FROM enrollment WHERE course_id = $1`,
    [courseId],
  );
  expect([counts?.['counted'], counts?.['most']]).toEqual([counts?.['kept'], 1]);
});

it('a withdrawal and a new enrolment of other learners do not wait for each other in opposite orders', async () => {
  const { api, id: courseId } = await aCourse(service);
  const ids: string[] = [];
  for (let index = 0; index < pairs; index++) ids.push((await anEnrollment(service, api, courseId, 2_000 + index)).id);
  const replies: { status: number }[] = [];
  for (let first = 0; first < pairs; first += together)
    replies.push(
      ...(await Promise.all(
        ids
          .slice(first, first + together)
          .flatMap((id, index) => [
            api.withdrawEnrollment({ params: { id } }),
            api.extendEnrollment({ params: { id }, body: { expiresAt } }),
            api.createEnrollment({ body: { courseId, learnerId: learner('user', 3_000 + first + index) } }),
          ]),
      )),
    );
  expect(statuses(replies).filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
});

it('learners who complete lessons and administrators who change their enrolments do not wait in opposite orders', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const learners = [];
  for (let index = 0; index < pairs; index++) learners.push(await anEnrollment(service, api, courseId, 4_000 + index));
  const replies: { status: number }[] = [];
  for (let first = 0; first < pairs; first += together)
    replies.push(
      ...(await Promise.all(
        learners
          .slice(first, first + together)
          .flatMap(({ id, own, enrollment }) => [
            own.completeLesson({ params: { id, lessonId: lessons[0] } }),
            own.completeLesson({ params: { id, lessonId: lessons[1] } }),
            api.updateEnrollment({ params: { id }, body: { expiresAt } }),
            api.bulkCreateEnrollments({ body: { courseId, learnerIds: [enrollment.learnerId] } }),
          ]),
      )),
    );
  expect(statuses(replies).filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
});
