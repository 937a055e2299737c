import { until } from '@tandem/testing';
import { startTraining, type TrainingService } from '../../training.test-service.ts';
import { aBank, aCourse, aLesson, aQuestion } from '../../training-builders.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

it('a bank is created, renamed and deleted with its questions', async () => {
  const tenant = service.as();
  const id = await aBank(tenant, 2);
  expect((await tenant.getQuestionBank({ params: { id } })).data).toMatchObject({ questionsCount: 2, version: 3 });
  const change = (headers = {}) =>
    tenant.updateQuestionBank({ params: { id }, body: { title: 'Closing', description: null }, headers });
  expect((await change({ 'if-match': '"1"' })).status).toBe(412);
  expect((await change()).data).toMatchObject({ title: 'Closing', version: 4 });
  expect((await tenant.listQuestionBanks({ query: { search: 'clos' } })).data).toHaveLength(1);
  expect((await tenant.deleteQuestionBank({ params: { id } })).data).toEqual({ id, deleted: true });
  expect((await tenant.listBankQuestions({ params: { id }, query: {} })).status).toBe(404);
  const names = () =>
    service.events.flatMap(({ name, data }) => ((data as { bankId?: string }).bankId === id ? [name] : []));
  await until('it is announced', () => names().includes('training.question_bank.deleted'));
  expect(names().filter((name) => name === 'training.question.created')).toHaveLength(2);
});

it('a question of a bank changes, and is found in its bank only', async () => {
  const tenant = service.as();
  const [id, other] = [await aBank(tenant, 1), await aBank(tenant)];
  const [question] = (await tenant.listBankQuestions({ params: { id }, query: {} })).data;
  const params = { id, questionId: question.id };
  const { data } = await tenant.updateBankQuestion({ params, body: { points: 5 } });
  expect(data).toMatchObject({ text: question.text, points: 5, bankId: id, version: 2 });
  expect((await tenant.updateBankQuestion({ params, body: { points: 5 } })).data.version).toBe(2);
  // The rules apply to the question as it would be.
  const wrong = await tenant.updateBankQuestion({ params, body: { type: 'text' } });
  expect(wrong.body.errors?.map(({ field }) => field)).toEqual(['options', 'answers']);
  const text = { type: 'text', options: [], answers: ['A question'] };
  expect((await tenant.updateBankQuestion({ params, body: text })).data).toMatchObject(text);
  expect((await tenant.getBankQuestion({ params: { ...params, id: other } })).status).toBe(404);
  expect((await tenant.deleteBankQuestion({ params })).data).toEqual({ id: question.id, deleted: true });
  expect((await tenant.getQuestionBank({ params: { id } })).data.questionsCount).toBe(0);
});

it('authors without training:manage see the questions of a bank without their keys, and learners see no banks', async () => {
  const tenant = service.as();
  const id = await aBank(tenant, 1);
  const author = service.as({ ...tenant.caller, permissions: ['training:write'] });
  const [question] = (await author.listBankQuestions({ params: { id }, query: {} })).data;
  const params = { id, questionId: question.id };
  const one = (await author.getBankQuestion({ params })).data;
  for (const { options, answers, explanation } of [question, one])
    expect([options[0].correct, answers, explanation]).toEqual([null, null, null]);
  const learner = service.as({ ...tenant.caller, permissions: ['training:read'] });
  const replies = [
    await learner.listQuestionBanks({ query: {} }),
    await learner.getQuestionBank({ params: { id } }),
    await learner.listBankQuestions({ params: { id }, query: {} }),
    await learner.getBankQuestion({ params }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
});

it('a bank stays as long as a lesson draws from it, and has the questions that published courses draw', async () => {
  const tenant = service.as();
  const id = await aBank(tenant, 2);
  const courseId = await aCourse(tenant);
  const draw = [{ bankId: id, count: 2 }];
  const lessonId = await aLesson(tenant, courseId, { type: 'quiz', quiz: { draw } });
  expect((await tenant.deleteQuestionBank({ params: { id } })).body.code).toBe('bank_in_use');
  await tenant.publishCourse({ params: { id: courseId } });
  const [question] = (await tenant.listBankQuestions({ params: { id }, query: {} })).data;
  const remove = () => tenant.deleteBankQuestion({ params: { id, questionId: question.id } });
  expect((await remove()).body.code).toBe('question_needed');
  const quiz = { draw: [{ bankId: id, count: 1 }] };
  await tenant.updateLesson({ params: { id: lessonId }, body: { quiz } });
  expect((await remove()).status).toBe(200);
  await tenant.updateLesson({ params: { id: lessonId }, body: { quiz: { draw: [] }, questions: [aQuestion()] } });
  expect((await tenant.deleteQuestionBank({ params: { id } })).status).toBe(200);
});

it('a bank has at most 1,000 questions', async () => {
  const tenant = service.as();
  const id = await aBank(tenant);
  await service.sqlWithin(tenant.caller, 'UPDATE question_bank SET questions_count = 1000 WHERE id = $1', [id]);
  expect((await tenant.createBankQuestion({ params: { id }, body: aQuestion() })).body.code).toBe('bank_full');
});

const options = (count: number, correct = 1) =>
  Array.from({ length: count }, (_, index) => ({ text: `Option ${index}`, correct: index < correct }));

it.each([
  ['one option', { options: options(1) }, 'options'],
  ['21 options', { options: options(21) }, 'options'],
  ['no correct option', { options: options(3, 0) }, 'options'],
  ['two correct options of a single choice', { options: options(3, 2) }, 'options'],
  ['three options of true or false', { type: 'true_false', options: options(3) }, 'options'],
  ['the same key twice', { options: options(2).map((one) => ({ ...one, key: 'x' })) }, 'options.1.key'],
  [
    'a key that another option has by default',
    { options: options(2).map((one, index) => (index ? { ...one, key: 'a' } : one)) },
    'options.1.key',
  ],
  ['a key with spaces', { options: options(2).map((one) => ({ ...one, key: 'a b' })) }, 'options.0.key'],
  ['an empty text', { text: '  ' }, 'text'],
  [
    'more than 16,000 characters',
    { options: options(20).map((one) => ({ ...one, feedback: 'x'.repeat(900) })) },
    'text',
  ],
  ['no points', { points: 0 }, 'points'],
  ['too many points', { points: 101 }, 'points'],
  ['an unknown type', { type: 'essay' }, 'type'],
  ['a text without answers', { type: 'text', options: [] }, 'answers'],
  ['a number as text', { type: 'number', options: [], answers: ['3'] }, 'answers.0'],
  ['a text as number', { type: 'text', options: [], answers: [{ value: 3, tolerance: 0 }] }, 'answers.0'],
  ['answers of a choice', { answers: ['a'] }, 'answers'],
])('a question with %s is refused', async (_, fields, field) => {
  const tenant = service.as();
  const id = await aBank(tenant);
  const { status, body } = await tenant.createBankQuestion({ params: { id }, body: aQuestion(fields) });
  expect([status, body.errors?.map((error) => error.field)[0]]).toEqual([422, field]);
  expect((await tenant.getQuestionBank({ params: { id } })).data.questionsCount).toBe(0);
});
