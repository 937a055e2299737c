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

it('an attempt at a lesson that gets another type ends, and cannot pass the new one', async () => {
  const course = await aCourse(service, { lessons: [{}, { type: 'assignment' }] });
  const { api, id: courseId } = course;
  const lessonId = course.lessons[1] as string;
  const { id, own } = await anEnrollment(service, api, courseId);
  const begin = async () => (await own.startAttempt({ params: { id, lessonId } })).data;
  const first = await begin();
  const options = [
    { key: 'a', text: 'Right', correct: true },
    { key: 'b', text: 'Wrong', correct: false },
  ];
  const questions = [{ type: 'single', text: 'What is right?', options }];
  // The attempt that ended does not use up the only one.
  const body = { type: 'quiz', questions, completion: { rule: 'quiz', maxAttempts: 1 } };
  const retyped = await api.updateLesson({ params: { id: lessonId }, body });
  expect(retyped.status).toBe(200);
  const late = await own.submitAttempt({ params: { id: first.id }, body: {} });
  expect([late.status, late.body.code]).toEqual([409, 'attempt_ended']);
  const second = await begin();
  expect([second.id === first.id, second.questions.length]).toEqual([false, 1]);
  const read = async (attemptId: string) => (await own.getAttempt({ params: { id: attemptId } })).data.status;
  const isOpen = (name: string) => service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = '${name}'`);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'end-attempts'`);
  await until('the jobs have run', async () => (await isOpen('end-attempts')).length === 0);
  expect([await read(first.id), await read(second.id)]).toEqual(['ended', 'in_progress']);
  expect((await own.getEnrollmentProgress({ params: { id } })).data.lessons[1].status).toBe('in_progress');
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
