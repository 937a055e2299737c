import { until } from '@tandem/testing';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';
import { aBank, aCourse, aLesson, aModule, aQuestion } from '../../training-builders.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

/** A course with a text, a quiz and a module, and the content version after a change of it. */
async function aVersionedCourse(api: Api, isPublished = true) {
  const id = await aCourse(api);
  const first = await aLesson(api, id);
  const quiz = await aLesson(api, id, { type: 'quiz', questions: [aQuestion()] });
  const moduleId = await aModule(api, id);
  if (isPublished) await api.publishCourse({ params: { id } });
  const version = async () => (await api.getCourse({ params: { id } })).data.contentVersion as number;
  const change = async (lessonId: string, body: object) => {
    const before = await version();
    const reply = await api.updateLesson({ params: { id: lessonId }, body });
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return (await version()) - before;
  };
  return { id, first, quiz, moduleId, version, change };
}

it('rises with each change of a published course that decides which lessons are taken and how they are passed', async () => {
  const api = service.as();
  const { id, first, quiz, moduleId, version, change } = await aVersionedCourse(api);
  const bankId = await aBank(api, 2);
  for (const [lessonId, body] of [
    [first, { required: false }],
    [first, { completion: { rule: 'min_time', minSeconds: 5 } }],
    [first, { type: 'assignment' }],
    [first, { moduleId }],
    [quiz, { release: { type: 'after_days', days: 2 } }],
    [quiz, { questions: [aQuestion({ text: 'Another one?' })] }],
    [quiz, { quiz: { draw: [{ bankId, count: 1 }] } }],
    [quiz, { completion: { rule: 'quiz', maxAttempts: 2 } }],
  ] as const)
    expect([body, await change(lessonId, body)]).toEqual([body, 1]);
  const before = await version();
  for (const body of [{ sequential: true }, { passScore: 70 }]) await api.updateCourse({ params: { id }, body });
  expect((await version()) - before).toBe(2);
});

it('stays with changes of texts and material, with repeated values, and in a draft', async () => {
  const api = service.as();
  const { id, first, quiz, version, change } = await aVersionedCourse(api);
  const { questions } = (await api.getLesson({ params: { id: quiz } })).data;
  for (const [lessonId, body] of [
    [first, { title: 'Renamed' }],
    [first, { content: '<p>Rewritten</p>' }],
    [first, { durationSeconds: 60 }],
    [first, { required: true, release: { type: 'immediate' } }],
    [quiz, { questions }],
  ] as const)
    expect([body, await change(lessonId, body)]).toEqual([body, 0]);
  const before = await version();
  await api.updateCourse({ params: { id }, body: { title: 'Selling more', description: 'New' } });
  expect(await version()).toBe(before);
  const draft = await aVersionedCourse(api, false);
  expect(await draft.change(draft.quiz, { release: { type: 'after_days', days: 2 } })).toBe(0);
});

it('reaches running enrolments', async () => {
  const api = service.as();
  const { id, quiz, version, change } = await aVersionedCourse(api);
  const { data } = await api.createEnrollment({ body: { courseId: id, learnerId: learner('user', 7) } });
  await change(quiz, { questions: [aQuestion({ text: 'Another one?' })] });
  const current = await version();
  await until('the enrolment follows', async () => {
    const read = await api.getEnrollment({ params: { id: data.id } });
    return read.data.contentVersion === current;
  });
});
