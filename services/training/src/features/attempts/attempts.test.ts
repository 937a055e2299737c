import { createHash } from 'node:crypto';
import { until } from '@tandem/testing';
import { aCourse, anEnrollment, aQuestion } from '../../learning.test-service.ts';
import { nobody, startTraining, type TrainingService } from '../../training.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

interface Question {
  id: string;
  type: string;
  options: { key: string; correct: boolean | null; feedback: string | null }[];
}

/** A learner in a course with one quiz, and the calls of attempts at it. */
async function aQuiz(lesson: object = {}, course: object = {}) {
  const made = await aCourse(service, { lessons: [{ type: 'quiz', questions: [{}, {}], ...lesson }], ...course });
  const { api, id: courseId } = made;
  const lessonId = made.lessons[0] as string;
  const { id, own } = await anEnrollment(service, api, courseId);
  const start = () => own.startAttempt({ params: { id, lessonId } });
  const answersOf = (questions: Question[], key = 'a') =>
    questions.map((question) => ({ questionId: question.id, keys: [key] }));
  const submit = (attempt: { id: string; questions: Question[] }, key = 'a') =>
    own.submitAttempt({ params: { id: attempt.id }, body: { answers: answersOf(attempt.questions, key) } });
  return { api, courseId, lessonId, id, own, start, submit, answersOf };
}

const failuresOf = (lessonId: string) =>
  service.events.filter((event) => {
    const { data } = event as { data?: Record<string, unknown> };
    return event.name === 'training.lesson.failed' && String(data?.['lessonId']) === lessonId;
  }) as unknown as { data: Record<string, unknown> }[];

it('a passed quiz completes its lesson and the course, with the score', async () => {
  const { own, id, start, submit } = await aQuiz();
  const { status, data } = await start();
  expect([status, data.status, data.number, data.questions.length]).toEqual([201, 'in_progress', 1, 2]);
  expect(JSON.stringify(data)).not.toMatch(/Well done|Because it is|"correct":true/);
  const graded = await submit(data);
  expect(graded.data).toMatchObject({ status: 'graded', score: 100, passed: true, passScore: 80 });
  expect(graded.data.results[0]).toMatchObject({
    correct: true,
    correctKeys: ['a'],
    feedback: ['Well done'],
    explanation: 'Because it is.',
  });
  const enrollment = (await own.getEnrollment({ params: { id } })).data;
  expect(enrollment).toMatchObject({ status: 'completed', percent: 100, score: 100 });
});

it('a score below the pass mark is announced with the attempts that are left', async () => {
  const { lessonId, start, submit, own, id } = await aQuiz({ completion: { maxAttempts: 2 } });
  expect((await submit((await start()).data, 'b')).data).toMatchObject({ score: 0, passed: false });
  await until('it is announced', () => failuresOf(lessonId).length === 1);
  expect(failuresOf(lessonId)[0]?.data).toMatchObject({ score: 0, passScore: 80, attempt: 1, attemptsLeft: 1 });
  const { data } = await own.getEnrollmentProgress({ params: { id } });
  expect(data.lessons[0]).toMatchObject({ status: 'in_progress', score: 0, attempts: 1, canRetry: true });
  await submit((await start()).data, 'b');
  const refused = await start();
  expect([refused.status, refused.body.code]).toEqual([409, 'attempts_used']);
});

it('windows that begin at the same time share one attempt, and one of them submits it', async () => {
  const { start, submit } = await aQuiz({ completion: { maxAttempts: 1 } });
  const begun = await Promise.all([start(), start(), start()]);
  expect(begun.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  expect(new Set(begun.map(({ data }) => data.id)).size).toBe(1);
  const attempt = begun[0]?.data;
  const submitted = await Promise.all([submit(attempt, 'b'), submit(attempt, 'b')]);
  expect(submitted.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(submitted.find(({ status }) => status === 409)?.body.code).toBe('attempt_ended');
  expect((await start()).body.code).toBe('attempts_used');
});

it('answers must be to questions of the attempt, with options that they have', async () => {
  const { own, start, answersOf } = await aQuiz();
  const { data } = await start();
  const other = await aQuiz();
  const foreign = (await other.start()).data;
  const send = (answers: object[]) => own.submitAttempt({ params: { id: data.id }, body: { answers } });
  for (const [answers, field] of [
    [answersOf(foreign.questions), 'answers.0.questionId'],
    [answersOf(data.questions, 'z'), 'answers.0.keys'],
    [[{ questionId: data.questions[0].id, keys: ['a', 'b'] }], 'answers.0.keys'],
    [[{ questionId: data.questions[0].id, text: 'a' }], 'answers.0.text'],
    [[{ questionId: data.questions[0].id, keys: ['a', 'a'] }], 'answers.0.keys'],
    [[...answersOf(data.questions), ...answersOf(data.questions)], 'answers.2.questionId'],
  ] as const) {
    const { status, body } = await send([...answers]);
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  }
  expect((await own.getAttempt({ params: { id: data.id } })).data.status).toBe('in_progress');
});

it('each type of question is graded', async () => {
  const options = ['a', 'b', 'c'].map((key) => ({ key, text: key, correct: key !== 'c', feedback: null }));
  const { own, start } = await aQuiz({
    questions: [
      { type: 'multiple', options },
      { type: 'text', options: [], answers: ['An Open  question'] },
      { type: 'number', options: [], answers: [{ value: 42, tolerance: 0.5 }] },
      { type: 'multiple', options, points: 2 },
    ],
  });
  const { data } = await start();
  const [multiple, text, number, wrong] = data.questions.map(({ id }: Question) => id);
  const answers = [
    { questionId: multiple, keys: ['b', 'a'] },
    { questionId: text, text: ' an open question ' },
    { questionId: number, number: 42.4 },
    { questionId: wrong, keys: ['a'] },
  ];
  const { data: graded } = await own.submitAttempt({ params: { id: data.id }, body: { answers } });
  expect(graded.results.map(({ correct }: { correct: boolean }) => correct)).toEqual([true, true, true, false]);
  expect([graded.score, graded.passed]).toEqual([60, false]);
});

it('an attempt keeps its questions when they are edited, and draws from banks', async () => {
  const { api, lessonId, start, submit } = await aQuiz({ questions: [{}] });
  const [bank] = await service.sqlWithin(api.caller, `INSERT INTO question_bank (title) VALUES ('Bank') RETURNING id`);
  const bankId = Number(bank?.['id']);
  for (let count = 0; count < 5; count++) await aQuestion(service, api, { bankId });
  const quiz = { draw: [{ bankId, count: 3 }], randomOrder: true, shuffleOptions: true, showAnswers: 'never' };
  await service.sqlWithin(api.caller, 'UPDATE lesson SET quiz = $2 WHERE id = $1', [lessonId, quiz]);
  const { data } = await start();
  expect(new Set(data.questions.map(({ id }: Question) => id)).size).toBe(4);
  await service.sqlWithin(api.caller, `UPDATE question SET options = '[]'`);
  const graded = await submit(data);
  expect([graded.data.score, graded.data.results]).toEqual([100, null]);
  const seen = await api.getAttempt({ params: { id: data.id } });
  expect(seen.data.results).toHaveLength(4);
});

it('the saved answers are graded when the time is over', async () => {
  const { api, own, id, start, submit, answersOf } = await aQuiz({ quiz: { timeLimitSeconds: 600 } });
  const { data } = await start();
  expect(new Date(data.endsAt).getTime()).toBeGreaterThan(Date.now());
  const params = { id: data.id };
  const saved = await own.saveAttemptAnswers({ params, body: { answers: answersOf(data.questions) } });
  expect([saved.status, saved.data.answers.length]).toEqual([200, 2]);
  await service.sqlWithin(api.caller, `UPDATE attempt SET ends_at = now() - interval '1 minute'`);
  expect((await submit(data)).body.code).toBe('time_over');
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'close-attempt'`);
  await until('it is graded', async () => (await own.getAttempt({ params })).data.status === 'graded');
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'completed', score: 100 });
});

it('others see answers and results of an attempt only with training:manage, whatever the quiz shows to its learner', async () => {
  const { api, start, submit } = await aQuiz({ quiz: { showAnswers: 'after_submit' } });
  const { data } = await start();
  await submit(data);
  const { tenantId } = api.caller as { tenantId: number };
  const as = (userId: number, ...can: string[]) =>
    service.as({ type: 'user', tenantId, userId, can: ['training:read', ...can] });
  const seen = async (reader: typeof api) => {
    const { answers, results } = (await reader.getAttempt({ params: { id: data.id } })).data;
    return [answers.length, results !== null];
  };
  expect([await seen(as(7)), await seen(as(8)), await seen(as(8, 'training:manage'))]).toEqual([
    [2, true],
    [0, false],
    [2, true],
  ]);
});

it('a quiz takes answers only', async () => {
  const { own, start } = await aQuiz();
  const { data } = await start();
  const submit = (body: object) => own.submitAttempt({ params: { id: data.id }, body });
  expect((await submit({ text: 'a' })).body.errors?.[0]?.field).toBe('text');
  const fileId = service.files.add('available', { ownerId: 7 });
  const { tenantId } = own.caller as { tenantId: number };
  const withFiles = service.as({ type: 'user', tenantId, userId: 7, can: ['training:read:own', 'files:read:own'] });
  const refused = await withFiles.submitAttempt({ params: { id: data.id }, body: { fileIds: [fileId] } });
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'fileIds']);
  expect((await submit({})).data.status).toBe('graded');
});

it('an assignment is handed in, graded once, and completes its lesson', async () => {
  const { api, id, own, start, lessonId } = await aQuiz({ type: 'assignment', questions: [] });
  const { data } = await start();
  const submit = (body: object) => own.submitAttempt({ params: { id: data.id }, body });
  expect((await submit({})).body.errors?.[0]?.field).toBe('text');
  const { tenantId } = api.caller as { tenantId: number };
  const withFiles = (can: string[]) => (ids: string[]) =>
    service
      .as({ type: 'user', tenantId, userId: 7, can: ['training:read:own', ...can] })
      .submitAttempt({ params: { id: data.id }, body: { fileIds: ids } });
  expect((await withFiles([])([service.files.add()])).status).toBe(403);
  for (const fileId of [
    nobody,
    service.files.add('available', { ownerId: 8 }),
    service.files.add('quarantined', { ownerId: 7 }),
  ])
    expect((await withFiles(['files:read:own'])([fileId])).body.errors?.[0]?.field).toBe('fileIds.0');
  const fileIds = [service.files.add('available', { ownerId: 7 })];
  expect((await withFiles(['files:read:own'])(fileIds)).data).toMatchObject({
    status: 'submitted',
    fileIds,
    fileChecksums: [createHash('sha256').update('x').digest('hex')],
  });
  await service.sqlWithin(api.caller, `UPDATE attempt SET status = 'in_progress'`);
  expect((await submit({ text: 'My plan' })).data).toMatchObject({ status: 'submitted', text: 'My plan' });
  expect((await start()).body.code).toBe('waits_for_grade');
  const grade = (score: number) => api.gradeAttempt({ params: { id: data.id }, body: { score, feedback: 'Say more' } });
  const waiting = await api.listAttempts({ query: { status: 'submitted', lessonId } });
  const { learnerId } = (await own.getEnrollment({ params: { id } })).data;
  expect(waiting.data).toMatchObject([{ id: data.id, learnerType: 'user', learnerId }]);
  expect((await grade(50)).data).toMatchObject({ status: 'graded', passed: false, feedback: 'Say more' });
  expect((await grade(90)).body.code).toBe('not_submitted');
  await until('the failure is announced', () => failuresOf(lessonId).length === 1);
  const again = (await start()).data;
  await own.submitAttempt({ params: { id: again.id }, body: { text: 'A longer plan' } });
  expect((await own.gradeAttempt({ params: { id: again.id }, body: { score: 100 } })).status).toBe(403);
  await api.gradeAttempt({ params: { id: again.id }, body: { score: 90 } });
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'completed', score: 90 });
});

it('a course with a pass mark waits for a better score', async () => {
  const { own, id, start, submit } = await aQuiz(
    { completion: { passScore: 40 }, questions: [{}, {}] },
    { passScore: 80 },
  );
  const { data } = await start();
  const half = [{ questionId: data.questions[0].id, keys: ['a'] }];
  await own.submitAttempt({ params: { id: data.id }, body: { answers: half } });
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({
    status: 'in_progress',
    percent: 100,
    score: 50,
  });
  await submit((await start()).data);
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'completed', score: 100 });
});

it('progress says why a course cannot be completed any more, until more attempts are allowed', async () => {
  const rule = (maxAttempts: number) => ({ completion: { rule: 'quiz', passScore: 40, maxAttempts } });
  const { api, own, id, lessonId, start, submit } = await aQuiz({ ...rule(2), questions: [{}, {}] }, { passScore: 80 });
  const stateOf = async () => {
    const { data } = await own.getEnrollmentProgress({ params: { id } });
    return [data.nextLessonId, data.blockedReason];
  };
  const half = async () => {
    const { data } = await start();
    return own.submitAttempt({
      params: { id: data.id },
      body: { answers: [{ questionId: data.questions[0].id, keys: ['a'] }] },
    });
  };
  await half();
  expect(await stateOf()).toEqual([lessonId, null]);
  await half();
  const tooLow = 'The score of 50 is below the pass mark of 80, and no attempts are left';
  expect(await stateOf()).toEqual([null, expect.stringContaining(tooLow)]);
  expect((await api.updateLesson({ params: { id: lessonId }, body: rule(3) })).status).toBe(200);
  expect(await stateOf()).toEqual([lessonId, null]);
  await submit((await start()).data);
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'completed', score: 100 });
  expect(await stateOf()).toEqual([null, null]);
});

it('an attempt that ended with its lesson or enrolment is none of those that are allowed', async () => {
  const { api, own, id, start } = await aQuiz({ completion: { maxAttempts: 1 } });
  await start();
  const read = async () => {
    const { lessons, blockedReason } = (await own.getEnrollmentProgress({ params: { id } })).data;
    return [lessons[0].attempts, lessons[0].canRetry, blockedReason];
  };
  expect(await read()).toEqual([1, false, null]);
  await service.sqlWithin(api.caller, `UPDATE attempt SET status = 'ended' WHERE enrollment_id = $1`, [id]);
  expect(await read()).toEqual([0, true, null]);
  expect((await start()).status).toBe(201);
});

it('a hand-in passes its assignment, not the quiz that the lesson has become', async () => {
  const { api, lessonId, own, id, start } = await aQuiz({ type: 'assignment', questions: [] });
  const params = { id: (await start()).data.id };
  await own.submitAttempt({ params, body: { text: 'My plan' } });
  const questions = [{ type: 'single', text: 'Why?', options: [{ text: 'So', correct: true }, { text: 'Else' }] }];
  expect((await api.updateLesson({ params: { id: lessonId }, body: { type: 'quiz', questions } })).status).toBe(200);
  expect((await api.gradeAttempt({ params, body: { score: 90 } })).data).toMatchObject({
    status: 'graded',
    passed: true,
  });
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({
    status: 'in_progress',
    percent: 0,
    score: null,
  });
});

it('progress says which lesson was not passed with the last attempt', async () => {
  const { own, id, start, submit } = await aQuiz({ completion: { maxAttempts: 1 } });
  const { data } = await start();
  const reason = async () => (await own.getEnrollmentProgress({ params: { id } })).data.blockedReason;
  expect(await reason()).toBeNull();
  await submit(data, 'b');
  expect(await reason()).toMatch(/^No attempts are left in “.+”, which is not passed\. Allow more attempts/);
});

it.each([
  ['quiz', { rule: 'manual' }],
  ['quiz', { rule: 'min_time', minSeconds: 60 }],
])('passing a %s with %j does not complete the lesson', async (_, completion) => {
  const { own, id, start, submit } = await aQuiz({ completion });
  expect((await submit((await start()).data)).data).toMatchObject({ passed: true });
  expect((await own.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'in_progress', percent: 0 });
});

it('answers without content are not counted', async () => {
  const { api, lessonId, own, start } = await aQuiz();
  const { data } = await start();
  const [one, two] = data.questions.map((question: Question) => question.id);
  const answers = [
    { questionId: one, keys: [] },
    { questionId: two, keys: ['a'] },
  ];
  await own.submitAttempt({ params: { id: data.id }, body: { answers } });
  const counted = await service.sqlWithin(
    api.caller,
    // A job adds the counters to the sums.
    `SELECT metric FROM statistic_delta WHERE lesson_id = $1 AND metric LIKE 'answered:%'
     UNION SELECT metric FROM statistic_sum WHERE lesson_id = $1 AND metric LIKE 'answered:%'`,
    [lessonId],
  );
  expect(counted.map(({ metric }) => metric)).toEqual([`answered:${two}`]);
});

it.each([
  ['the lesson was deleted', 'UPDATE lesson SET deleted_at = now()'],
  ['the enrolment expired', `UPDATE enrollment SET status = 'expired', expires_at = now()`],
])('a hand-in gets its grade when %s', async (_, change) => {
  const { api, lessonId, own, start } = await aQuiz({ type: 'assignment', questions: [] });
  const params = { id: (await start()).data.id };
  await own.submitAttempt({ params, body: { text: 'My plan' } });
  await service.sqlWithin(api.caller, change);
  const { status, data } = await api.gradeAttempt({ params, body: { score: 10 } });
  expect([status, data.status, data.score]).toEqual([200, 'graded', 10]);
  const graded = () =>
    service.events.some(
      ({ name, data: about }) =>
        name === 'training.attempt.graded' && (about as { attemptId?: string }).attemptId === params.id,
    );
  await until('the grade is announced', graded);
  expect(failuresOf(lessonId)).toEqual([]);
});

it('the attempts of a learner who left end without a grade, and no failure is announced', async () => {
  const { api, courseId, id, lessonId, own, start } = await aQuiz({ quiz: { timeLimitSeconds: 600 } });
  const params = { id: (await start()).data.id };
  await api.withdrawEnrollment({ params: { id } });
  expect((await own.getAttempt({ params })).data).toMatchObject({ status: 'ended', score: null, passed: null });
  expect((await own.submitAttempt({ params, body: {} })).body.code).toBe('attempt_ended');
  await service.sqlWithin(api.caller, `UPDATE attempt SET ends_at = now() - interval '1 minute'`);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'close-attempt'`);
  await until('the job has run', async () => {
    const jobs = await service.sqlWithin(api.caller, `SELECT id FROM platform.job WHERE name = 'close-attempt'`);
    return jobs.length === 0;
  });
  expect((await own.getAttempt({ params })).data.status).toBe('ended');
  // Announced after everything that the job announces.
  const later = await anEnrollment(service, api, courseId, 8);
  await until('a later event arrives', () =>
    service.events.some(({ name, target }) => name === 'training.enrollment.created' && target.id === Number(later.id)),
  );
  expect(failuresOf(lessonId)).toEqual([]);
});
