import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

it('the open attempts at a deleted lesson end without a grade, and nothing more can be submitted', async () => {
  const course = await aCourse(service, { lessons: [{}, { type: 'quiz', questions: [{}] }] });
  const { api, id: courseId } = course;
  const lessonId = course.lessons[1] as string;
  const begin = async (userId: number) => {
    const { id, own } = await anEnrollment(service, api, courseId, userId);
    return { own, params: { id: (await own.startAttempt({ params: { id, lessonId } })).data.id as string } };
  };
  const [seven, eight] = [await begin(7), await begin(8)];
  await seven.own.submitAttempt({ params: seven.params, body: {} });
  expect((await api.deleteLesson({ params: { id: lessonId } })).status).toBe(200);
  const body = { answers: [] };
  for (const late of [
    await eight.own.submitAttempt({ params: eight.params, body }),
    await eight.own.saveAttemptAnswers({ params: eight.params, body }),
  ])
    expect([late.status, late.body.code, late.body.errors]).toEqual([
      409,
      'attempt_ended',
      [{ field: 'id', message: 'The lesson was deleted' }],
    ]);
  const read = async () => (await eight.own.getAttempt({ params: eight.params })).data;
  await until('the attempt ends', async () => (await read()).status === 'ended');
  expect(await read()).toMatchObject({ score: null, passed: null });
  expect((await seven.own.getAttempt({ params: seven.params })).data.status).toBe('graded');
});

it('an attempt that begins while its lesson is deleted does not stay open', async () => {
  const course = await aCourse(service, { lessons: [{}, { type: 'assignment' }] });
  const { api, id: courseId } = course;
  const lessonId = course.lessons[1] as string;
  const learners = await Promise.all(
    Array.from({ length: 8 }, (_, index) => anEnrollment(service, api, courseId, 100 + index)),
  );
  const [removed] = await Promise.all([
    api.deleteLesson({ params: { id: lessonId } }),
    ...learners.map(({ id, own }) => own.startAttempt({ params: { id, lessonId } })),
  ]);
  expect(removed.status).toBe(200);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'end-attempts'`);
  await until('no attempt is open', async () => {
    const { data } = await api.listAttempts({ query: { lessonId, status: 'in_progress' } });
    return data.length === 0;
  });
});
