import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

/** A course with three questions: users 7 and 8 answer the first one, wrong and right, and the second one wrong. */
async function anAnsweredCourse() {
  const { api, id, lessons } = await aCourse(service, {
    lessons: [{}, { type: 'quiz', questions: [{}, {}, {}] }],
  });
  const lessonId = lessons[1] as string;
  const questionIds: string[] = [];
  for (const [userId, keys] of [
    [7, ['a', 'b']],
    [8, ['b', 'b']],
  ] as const) {
    const one = await anEnrollment(service, api, id, userId);
    const { data } = await one.own.startAttempt({ params: { id: one.id, lessonId } });
    questionIds.splice(0, 3, ...data.questions.map((question: { id: string }) => question.id));
    const answers = keys.map((key, index) => ({ questionId: questionIds[index], keys: [key] }));
    await one.own.submitAttempt({ params: { id: data.id }, body: { answers } });
  }
  return { api, id, lessonId, questionIds };
}

const exported = async (api: Api, id: string, query: Record<string, string>) => {
  const { status, headers, text } = await api.exportCourseStatistics({ params: { id }, query });
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
};

it('the questions of a course are listed the hardest first, without those that nobody answered', async () => {
  const { api, id, lessonId, questionIds } = await anAnsweredCourse();
  const read = async (query: Record<string, string> = {}) =>
    (await api.getQuestionStatistics({ params: { id }, query })).data;
  const about = { lessonId, type: 'single', text: 'What is right?', answered: 2 };
  const { total, questions } = await read();
  expect(total).toBe(2);
  expect(questions).toMatchObject([
    { ...about, questionId: questionIds[1], correctRate: 0 },
    { ...about, questionId: questionIds[0], correctRate: 50 },
  ]);
  const [easiest] = (await read({ sort: '-correctRate', limit: '1' })).questions;
  expect(easiest.questionId).toBe(questionIds[0]);
  expect((await read({ limit: '1' })).total).toBe(2);
  expect((await read({ answeredMin: '3' })).questions).toEqual([]);
  expect((await read({ learnerType: 'lead' })).questions).toEqual([]);
  expect((await read({ lessonId: '999999' })).questions).toEqual([]);
});

it('the text of a question needs the permission to write courses, and the rate does not', async () => {
  const { api, id } = await anAnsweredCourse();
  const { tenantId } = api.caller as { tenantId: number };
  const reader = service.as({ type: 'user', tenantId, environment: 'live', userId: 9, can: ['training:read'] });
  const { data } = await reader.getQuestionStatistics({ params: { id }, query: {} });
  expect(data.questions).toMatchObject([
    { text: null, correctRate: 0 },
    { text: null, correctRate: 50 },
  ]);
  // How often each option was chosen tells the right one.
  const lines = await exported(reader, id, { part: 'questions' });
  expect(lines.slice(1).map((cells) => cells.slice(3))).toEqual([
    ['2', '50', '', ''],
    ['2', '0', '', ''],
  ]);
  // A learner who sees only own enrolments sees no statistics of all.
  const own = service.as({ type: 'user', tenantId, environment: 'live', userId: 7, can: ['training:read:own'] });
  expect((await own.getQuestionStatistics({ params: { id }, query: {} })).status).toBe(403);
  expect((await own.exportCourseStatistics({ params: { id }, query: {} })).status).toBe(403);
});

it('the export has a line for each lesson, and for each question with its options', async () => {
  const { api, id, lessonId } = await anAnsweredCourse();
  const [, first, second] = await exported(api, id, {});
  expect(first?.slice(2)).toEqual(['text', '0', '0', '', '0', '', '']);
  expect(second?.slice(2, 8)).toEqual(['quiz', '2', '0', '100', '2', '100']);
  const [header, ...questions] = await exported(api, id, { part: 'questions' });
  expect(header).toEqual(['questionId', 'lessonId', 'lessonTitle', 'answered', 'correctRate', 'option', 'chosen']);
  expect(questions.map((cells) => cells.slice(3))).toEqual([
    ['2', '50', '', ''],
    ['2', '50', 'a', '1'],
    ['2', '50', 'b', '1'],
    ['2', '0', '', ''],
    ['2', '0', 'b', '2'],
  ]);
  // Ids are those that clients know.
  expect(second?.[0]).toMatch(/^[A-Za-z0-9]{16,17}$/);
  expect(second?.[0]).not.toBe(lessonId);
});

it('the export of learners has the enrolments of the period and type, the oldest first', async () => {
  const { api, id } = await aCourse(service);
  await anEnrollment(service, api, id, 7);
  await api.createEnrollment({ body: { courseId: id, learnerId: learner('lead', 8) } });
  const late = await anEnrollment(service, api, id, 9, { dueAt: '2100-01-01T00:00:00.000Z' });
  await service.sqlWithin(api.caller, `UPDATE enrollment SET due_at = '2020-01-01', created_at = now() WHERE id = $1`, [
    late.id,
  ]);
  const read = async (query: Record<string, string> = {}) =>
    (await exported(api, id, { part: 'learners', ...query })).slice(1).map((cells) => cells.slice(1, 6));
  const expected = [
    ['user', 'enrolled', 'false', '0'],
    ['lead', 'enrolled', 'false', '0'],
    ['user', 'enrolled', 'true', '0'],
  ];
  const withoutIds = (lines: string[][]) => lines.map(([type, , ...others]) => [type, ...others]);
  expect(withoutIds(await read())).toEqual(expected);
  expect(withoutIds(await read({ learnerType: 'lead' }))).toEqual([expected[1]]);
  const today = new Date().toISOString();
  expect(await read({ from: today, to: today })).toHaveLength(3);
  expect(await read({ to: '2020-01-01T00:00:00.000Z' })).toEqual([]);
});

it('a title that a spreadsheet would run as a formula begins with an apostrophe', async () => {
  const { api, id, lessons } = await aCourse(service);
  await service.sqlWithin(api.caller, `UPDATE lesson SET title = '=1+1' WHERE id = $1`, [lessons[0]]);
  const [, line] = await exported(api, id, {});
  expect(line?.[1]).toBe("'=1+1");
});

it('a course of another tenant has neither', async () => {
  const { id } = await aCourse(service);
  const api = service.as();
  expect((await api.getQuestionStatistics({ params: { id }, query: {} })).status).toBe(404);
  expect((await api.exportCourseStatistics({ params: { id }, query: {} })).status).toBe(404);
});
