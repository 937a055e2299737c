import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, type Service, startTraining } from '../../training.test-service.ts';
import { durationOf } from './statement.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

interface Statement {
  id: string;
  verb: { display: Record<string, string> };
  result?: Record<string, unknown>;
  object: { id: string; definition: { type: string; name?: Record<string, string> } };
  context: { registration: string; contextActivities: { parent?: { id: string }[] } };
}

async function read(api: Api, id: string, query: Record<string, string> = {}) {
  const { data } = await api.listXapiStatements({ params: { id }, query });
  return data as { statements: Statement[]; more: string | null };
}

const verbsOf = (statements: Statement[]) => statements.map(({ verb }) => verb.display['en-US']);

it('a quiz has statements of its answers, with the result for those who may see it', async () => {
  const { api, id, lessons } = await aCourse(service, {
    lessons: [{ type: 'quiz', quiz: { showAnswers: 'never' }, questions: [{}, { type: 'number', answers: ['4'] }] }],
  });
  const { own, id: enrollmentId } = await anEnrollment(service, api, id);
  const { data: attempt } = await own.startAttempt({ params: { id: enrollmentId, lessonId: lessons[0] } });
  const [single, number] = attempt.questions as { id: string }[];
  const answers = [
    { questionId: single?.id, keys: ['b'] },
    { questionId: number?.id, number: 4 },
  ];
  await own.submitAttempt({ params: { id: attempt.id }, body: { answers } });
  const { statements } = await read(own, enrollmentId);
  expect(verbsOf(statements)).toEqual(['initialized', 'initialized', 'attempted', 'answered', 'answered', 'failed']);
  expect(statements.map(({ result }) => result?.['response'])).toEqual([
    undefined,
    undefined,
    undefined,
    'b',
    '4',
    undefined,
  ]);
  expect(statements[3]?.result?.['success']).toBeUndefined();
  expect(statements[5]?.result).toMatchObject({ success: false, score: { scaled: 0.5, raw: 50, min: 0, max: 100 } });
  const ofTeacher = (await read(api, enrollmentId)).statements;
  expect([ofTeacher[3]?.result?.['success'], ofTeacher[4]?.result?.['success']]).toEqual([false, true]);
  expect(ofTeacher.map((one) => one.id)).toEqual(statements.map((one) => one.id));
  // The answers of somebody who has passed are the answer key.
  const { tenantId } = api.caller as { tenantId: number };
  const other = service.as({ type: 'user', tenantId, environment: 'live', userId: 8, can: ['training:read'] });
  expect(verbsOf((await read(other, enrollmentId)).statements)).toEqual([
    'initialized',
    'initialized',
    'attempted',
    'failed',
  ]);
});

it('progress is a statement for each value, and the restart of a course has another registration', async () => {
  const { api, id, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const { own, id: enrollmentId } = await anEnrollment(service, api, id);
  const params = { id: enrollmentId, lessonId: lessons[0] };
  const progressed = async (percent: number) => {
    await own.recordProgress({ params, body: { percent } });
    const { statements } = await read(own, enrollmentId);
    return statements.find(({ verb }) => verb.display['en-US'] === 'progressed') as Statement;
  };
  const [first, second] = [await progressed(20), await progressed(40)];
  expect(Object.values(second.result?.['extensions'] as object)).toEqual([40]);
  expect(first.id).not.toBe(second.id);
  await api.withdrawEnrollment({ params: { id: enrollmentId } });
  const { data: again } = await api.restartEnrollment({ params: { id: enrollmentId }, body: {} });
  const params2 = { id: again.id, lessonId: lessons[0] };
  await own.recordProgress({ params: params2, body: { percent: 20 } });
  const [other] = (await read(own, again.id)).statements;
  expect(other?.context.registration).not.toBe(first.context.registration);
});

it('pages continue after the last record, and contain each statement once', async () => {
  const { api, id, lessons } = await aCourse(service, { lessons: Array.from({ length: 60 }, () => ({})) });
  const { own, id: enrollmentId } = await anEnrollment(service, api, id);
  for (const lessonId of lessons) await own.completeLesson({ params: { id: enrollmentId, lessonId } });
  const first = await read(own, enrollmentId);
  const second = await read(own, enrollmentId, { cursor: first.more as string });
  const all = [...first.statements, ...second.statements];
  expect([first.statements.length, second.statements.length, second.more]).toEqual([102, 20, null]);
  expect(new Set(all.map((one) => one.id)).size).toBe(122);
});

it.each([
  [0, 'PT0S'],
  [59.6, 'PT1M'],
  [3_600, 'PT1H'],
  [3_661, 'PT1H1M1S'],
  [90_000, 'PT25H'],
])('%s seconds are the duration %s', (seconds, duration) => {
  expect(durationOf(seconds)).toBe(duration);
});
