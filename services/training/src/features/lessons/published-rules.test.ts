import { type Api, type Service, startTraining } from '../../training.test-service.ts';
import { aBank, aCourse, aLesson, aPublishedCourse, aQuestion } from '../../training-builders.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const message = expect.stringContaining('training:manage');

function memberOf(api: Api, can: readonly string[] = ['training:read', 'training:write']): Api {
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  return service.as({ type: 'user', tenantId, environment, userId: 7, can });
}

/** A course with a quiz and a text that need not be taken, and a bank from which the quiz draws. */
async function aQuizCourse({ isPublished = true } = {}) {
  const api = service.as();
  const id = await aCourse(api, { passScore: 80 });
  const bankId = await aBank(api, 2);
  const draw = [{ bankId, count: 1 }];
  const quiz = await aLesson(api, id, { type: 'quiz', questions: [aQuestion()], quiz: { draw } });
  const text = await aLesson(api, id, { required: false });
  if (isPublished) await api.publishCourse({ params: { id } });
  return { api, id, bankId, quiz, text };
}

it.each([
  ['completion', { completion: { rule: 'quiz', passScore: 0 } }],
  ['questions', { questions: [aQuestion({ text: 'An easy one?' })] }],
  ['quiz', { quiz: { draw: [] } }],
  ['required', { required: false }],
  ['type', { type: 'text' }],
])('a member cannot change `%s` of a published lesson, which decides who passes', async (field, body) => {
  const { api, id, quiz } = await aQuizCourse();
  await aLesson(api, id, { type: 'quiz', questions: [aQuestion()] });
  const read = async () => (await api.getLesson({ params: { id: quiz } })).data;
  const before = await read();
  const params = { id: quiz };
  const refused = await memberOf(api).updateLesson({ params, body });
  expect([refused.status, refused.body.errors]).toEqual([403, [{ field, message }]]);
  expect(await read()).toEqual(before);
  expect((await api.updateLesson({ params, body })).status).toBe(200);
});

it('the pass mark of a published course keeps its effect', async () => {
  const { api, id, quiz } = await aQuizCourse();
  const faultsOf = ({ status, body }: { status: number; body: { errors?: { field: string; message: string }[] } }) => [
    status,
    body.errors?.map(({ field, message: text }) => `${field}: ${text.split(';')[0]}`),
  ];
  const noScore = 'The course has no required quiz, assignment or package, so it has no score';
  const params = { id: quiz };
  expect(faultsOf(await api.updateLesson({ params, body: { required: false } }))).toEqual([
    422,
    [`required: ${noScore}`],
  ]);
  expect(faultsOf(await api.updateLesson({ params, body: { type: 'text' } }))).toEqual([422, [`type: ${noScore}`]]);
  expect(faultsOf(await api.deleteLesson({ params }))).toEqual([422, [`id: ${noScore}`]]);
  const viewed = await api.updateLesson({ params, body: { completion: { rule: 'view' } } });
  const unscored = expect.stringMatching(
    /^completion: The lesson “.+” is completed without its score, by the rule view$/,
  );
  expect(faultsOf(viewed)).toEqual([422, [unscored]]);
  const body = {
    title: 'Seen',
    type: 'quiz',
    questions: [aQuestion()],
    completion: { rule: 'min_time', minSeconds: 5 },
  };
  expect(faultsOf(await api.createLesson({ params: { id }, body }))[0]).toBe(422);
  expect((await api.getLesson({ params })).data).toMatchObject({ type: 'quiz', required: true });
  const texts = await aPublishedCourse(api);
  const marked = await api.updateCourse({ params: { id: texts }, body: { passScore: 80 } });
  expect(faultsOf(marked)).toEqual([422, [`passScore: ${noScore}`]]);
});

it('a member edits material of a published course, and everything of a draft', async () => {
  const { api, id, quiz, text } = await aQuizCourse();
  const member = memberOf(api);
  const { questions: _questions, ...same } = (await api.getLesson({ params: { id: quiz } })).data;
  const body = { title: 'Renamed', content: '<p>Read on.</p>', completion: same.completion, quiz: same.quiz };
  expect((await member.updateLesson({ params: { id: quiz }, body })).data.title).toBe('Renamed');
  const release = { type: 'after_days', days: 1 };
  expect((await member.updateLesson({ params: { id: text }, body: { release } })).status).toBe(200);
  expect((await member.createLesson({ params: { id }, body: { title: 'More' } })).status).toBe(201);
  expect((await member.updateCourse({ params: { id }, body: { title: 'Renamed', passScore: 80 } })).status).toBe(200);
  const draft = await aQuizCourse({ isPublished: false });
  const writes = { completion: { rule: 'quiz', passScore: 10 }, questions: [aQuestion()], required: false };
  const inDraft = memberOf(draft.api);
  expect((await inDraft.updateLesson({ params: { id: draft.quiz }, body: writes })).status).toBe(200);
  expect((await inDraft.updateCourse({ params: { id: draft.id }, body: { passScore: 10 } })).status).toBe(200);
});

it('a member cannot lower the pass mark of a published course, add a quiz that counts, or delete one', async () => {
  const { api, id, quiz, text } = await aQuizCourse();
  const member = memberOf(api);
  const lowered = await member.updateCourse({ params: { id }, body: { passScore: null } });
  expect([lowered.status, lowered.body.errors]).toEqual([403, [{ field: 'passScore', message }]]);
  const lesson = { title: 'Easy', type: 'quiz', questions: [aQuestion()] };
  const added = await member.createLesson({ params: { id }, body: lesson });
  expect([added.status, added.body.errors]).toEqual([403, [{ field: 'type', message }]]);
  expect((await member.createLesson({ params: { id }, body: { ...lesson, required: false } })).status).toBe(201);
  const remover = memberOf(api, ['training:read', 'training:delete']);
  const removed = await remover.deleteLesson({ params: { id: quiz } });
  expect([removed.status, removed.body.errors]).toEqual([403, [{ field: 'id', message }]]);
  expect((await remover.deleteLesson({ params: { id: text } })).status).toBe(200);
  const course = (await api.getCourse({ params: { id } })).data;
  expect([course.passScore, course.lessonsCount]).toEqual([80, 2]);
});

it('a member does not change who passes by way of a draft or a copy', async () => {
  const { api, id, bankId, quiz } = await aQuizCourse();
  const other = await aPublishedCourse(api);
  await api.updateCourse({ params: { id }, body: { prerequisiteCourseIds: [other] } });
  const member = memberOf(api);
  const params = { id };
  const fieldOf = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
    status,
    body.errors?.[0]?.field,
  ];
  expect(fieldOf(await member.updateCourse({ params, body: { prerequisiteCourseIds: [] } }))).toEqual([
    403,
    'prerequisiteCourseIds',
  ]);
  expect(fieldOf(await member.updateCourse({ params, body: { validDays: 5 } }))).toEqual([403, 'validDays']);
  expect((await member.unpublishCourse({ params, body: {} })).status).toBe(200);
  expect(fieldOf(await member.updateCourse({ params, body: { passScore: 0 } }))).toEqual([403, 'passScore']);
  const easy = { completion: { rule: 'quiz' as const, passScore: 0 } };
  expect(fieldOf(await member.updateLesson({ params: { id: quiz }, body: easy }))).toEqual([403, 'completion']);
  expect(fieldOf(await member.duplicateCourse({ params, body: {} }))).toEqual([403, 'id']);
  const draft = await aCourse(api);
  const lesson = { title: 'Drawn', type: 'quiz' as const, quiz: { draw: [{ bankId, count: 1 }] } };
  expect(fieldOf(await member.createLesson({ params: { id: draft }, body: lesson }))).toEqual([
    403,
    'quiz.showAnswers',
  ]);
  const hidden = { ...lesson, quiz: { ...lesson.quiz, showAnswers: 'never' as const } };
  const { status, data } = await member.createLesson({ params: { id: draft }, body: hidden });
  expect(status).toBe(201);
  const shown = { quiz: { ...hidden.quiz, showAnswers: 'after_pass' as const } };
  expect(fieldOf(await member.updateLesson({ params: { id: data.id }, body: shown }))).toEqual([
    403,
    'quiz.showAnswers',
  ]);
  expect((await api.updateLesson({ params: { id: data.id }, body: shown })).status).toBe(200);
});

it('a member cannot change the questions of a bank from which a published course draws', async () => {
  const { api, bankId } = await aQuizCourse();
  const member = memberOf(api, ['training:read', 'training:write', 'training:delete']);
  const [question] = (await api.listBankQuestions({ params: { id: bankId }, query: {} })).data;
  const params = { id: bankId, questionId: question.id };
  const body = { options: [{ text: 'Anything', correct: true }, { text: 'Nothing' }] };
  for (const { status, body: reply } of [
    await member.updateBankQuestion({ params, body }),
    await member.createBankQuestion({ params: { id: bankId }, body: aQuestion() }),
    await member.deleteBankQuestion({ params }),
  ])
    expect([status, reply.errors]).toEqual([403, [{ field: 'id', message }]]);
  expect((await api.getBankQuestion({ params })).data).toEqual(question);
  const draft = await aQuizCourse({ isPublished: false });
  const added = await memberOf(draft.api).createBankQuestion({ params: { id: draft.bankId }, body: aQuestion() });
  expect(added.status).toBe(201);
});
