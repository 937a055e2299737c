import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

/** Runs the job that adds up the deltas, and waits until none is left. */
async function fold({ caller }: Api): Promise<void> {
  await service.sqlWithin(
    caller,
    `INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
     VALUES ('fold-statistics', $1, 'live', '{}', now())`,
    [caller.tenantId],
  );
  await until('the deltas are added up', async () => {
    const [left] = await service.sqlWithin(caller, 'SELECT count(*)::int AS count FROM statistic_delta');
    return left?.['count'] === 0;
  });
}

it('a course counts its learners, lessons and answers, before and after the deltas are added up', async () => {
  const { api, id, lessons } = await aCourse(service, { lessons: [{}, { type: 'quiz', questions: [{}] }] });
  const learners = [];
  for (const userId of [7, 8, 9, 10]) learners.push(await anEnrollment(service, api, id, userId));
  const [one, two, three] = learners as [(typeof learners)[0], (typeof learners)[0], (typeof learners)[0]];
  for (const { id: enrollmentId, own } of [one, two])
    await own.completeLesson({ params: { id: enrollmentId, lessonId: lessons[0] } });
  const attempt = async ({ own, id: enrollmentId }: typeof one, key: string) => {
    const { data } = await own.startAttempt({ params: { id: enrollmentId, lessonId: lessons[1] } });
    const answers = [{ questionId: data.questions[0].id, keys: [key] }];
    await own.submitAttempt({ params: { id: data.id }, body: { answers } });
  };
  await attempt(one, 'a');
  await attempt(two, 'b');
  await api.withdrawEnrollment({ params: { id: three.id } });
  const read = async (query: Record<string, string> = {}) =>
    (await api.getCourseStatistics({ params: { id }, query })).data;
  const before = await read();
  expect(before).toMatchObject({
    enrolled: 4,
    started: 2,
    completed: 1,
    withdrawn: 1,
    expired: 0,
    averagePercent: 37.5,
    medianDays: 0,
    averageScore: 100,
  });
  expect(before.lessons).toMatchObject([
    { started: 2, completed: 2, dropOffRate: 0 },
    { started: 2, completed: 1, dropOffRate: 50, attempts: 2, failRate: 50 },
  ]);
  expect(before.lessons[1].questions).toMatchObject([
    {
      answered: 2,
      correctRate: 50,
      options: [
        { key: 'a', count: 1 },
        { key: 'b', count: 1 },
      ],
    },
  ]);
  await fold(api);
  expect(await read()).toEqual(before);
  expect(await read({ learnerType: 'partner' })).toMatchObject({ enrolled: 0, averagePercent: null });
  expect(await read({ from: '2100-01-01T00:00:00.000Z' })).toMatchObject({ enrolled: 0 });
  const inverted = { from: '2026-07-10T00:00:00.000Z', to: '2026-06-20T00:00:00.000Z' };
  const refused = await api.getCourseStatistics({ params: { id }, query: inverted });
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'to']);
  expect((await service.as().getCourseStatistics({ params: { id }, query: {} })).status).toBe(404);
});

it('a period counts the learners of its days, whether they are added up or not, and those of earlier releases', async () => {
  const { api, id } = await aCourse(service);
  const add = (table: string, enrolled: Record<string, number>) =>
    service.sqlWithin(
      api.caller,
      `INSERT INTO ${table} (course_id, learner_type, day, metric, value)
       SELECT $1, 'user', key::date, 'enrolled', value::float FROM jsonb_each_text($2)`,
      [id, JSON.stringify(enrolled)],
    );
  await add('statistic_delta', {
    '2025-12-31': 1,
    '2026-01-31': 2,
    '2026-02-01': 4,
    '2026-02-28': 8,
    '2026-03-02': 16,
  });
  await add('statistic_rollup', { '2026-02-14': 32 });
  const enrolled = async (query: { from?: string; to?: string; learnerType?: 'partner' }) =>
    (await api.getCourseStatistics({ params: { id }, query })).data.enrolled;
  const readAll = async () => [
    await enrolled({}),
    await enrolled({ from: '2026-02-01T00:00:00.000Z', to: '2026-02-28T23:00:00.000Z' }),
    await enrolled({ from: '2026-01-31T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' }),
    await enrolled({ from: '2026-01-31T10:00:00.000Z', to: '2026-01-31T09:00:00.000Z' }),
    await enrolled({ from: '2026-02-02T00:00:00.000Z' }),
    await enrolled({ to: '2026-01-31T00:00:00.000Z' }),
    await enrolled({ from: '0002-01-01T00:00:00.000Z', to: '9998-12-31T00:00:00.000Z' }),
    await enrolled({ learnerType: 'partner' }),
  ];
  const expected = [63, 44, 46, 2, 56, 3, 63, 0];
  expect(await readAll()).toEqual(expected);
  await fold(api);
  expect(await readAll()).toEqual(expected);
  await add('statistic_delta', { '2026-02-28': 64 });
  await fold(api);
  expect(await readAll()).toEqual([127, 108, 110, 2, 120, 3, 127, 0]);
});

it('the transcript of a learner has every enrolment with its certificate', async () => {
  const { api, id, lessons } = await aCourse(service, { certificate: { title: 'Certified' } });
  const { own, id: enrollmentId } = await anEnrollment(service, api, id);
  await own.completeLesson({ params: { id: enrollmentId, lessonId: lessons[0] } });
  const params = { id: learner('user', 7) };
  const { data } = await own.getLearnerTranscript({ params });
  expect(data).toMatchObject({ learnerType: 'user', total: 1, completed: 1 });
  expect(data.courses).toMatchObject([
    { courseTitle: 'Selling', status: 'completed', certificate: { status: 'valid' } },
  ]);
  expect((await own.getLearnerTranscript({ params: { id: learner('partner', 7) } })).status).toBe(404);
});

it('the totals of a transcript cover every enrolment, although it lists the last 500 only', async () => {
  const { api, id } = await aCourse(service);
  await service.sqlWithin(
    api.caller,
    `INSERT INTO enrollment (course_id, learner_type, learner_id, user_id, status, attempt_no, score, seconds_spent, created_at)
     SELECT $1, 'user', 7, 7, CASE WHEN n % 2 = 0 THEN 'completed' ELSE 'withdrawn' END, n,
       CASE WHEN n = 2 THEN 100 WHEN n = 4 THEN NULL ELSE 50 END, 10, now() + make_interval(secs => n)
     FROM generate_series(1, 520) AS n`,
    [id],
  );
  await anEnrollment(service, api, id, 8);
  const own = service.as({ ...api.caller, type: 'user', userId: 7, can: ['training:read:own'] });
  for (const caller of [api, own]) {
    const { data } = await caller.getLearnerTranscript({ params: { id: learner('user', 7) } });
    // 259 completed enrolments have a score: one of 100, the others of 50.
    expect(data).toMatchObject({ total: 520, completed: 260, averageScore: 50.19, secondsSpent: 5_200 });
    expect([data.courses.length, data.courses[0].attemptNo]).toEqual([500, 520]);
  }
});
