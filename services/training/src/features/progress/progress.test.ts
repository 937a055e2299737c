import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const eventsOf = (name: string, enrollmentId: string) =>
  service.events.filter((event) => {
    const { data } = event as { data?: Record<string, unknown> };
    return event.name === name && String(data?.['enrollmentId']) === enrollmentId;
  });

it('progress starts the course, never goes back, and counts time once', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const { id, own } = await anEnrollment(service, api, courseId);
  const params = { id, lessonId: lessons[0] };
  const report = (body: object) => own.recordProgress({ params, body });
  const first = await report({ position: 40, percent: 60, secondsSpent: 20 });
  expect([first.status, first.data]).toMatchObject([
    200,
    { status: 'in_progress', percent: 60, position: 40, secondsSpent: 0, enrollment: { status: 'in_progress' } },
  ]);
  const second = await report({ position: 10, percent: 30, secondsSpent: 600 });
  expect(second.data).toMatchObject({ percent: 60, position: 10 });
  // No more than the time since the first report.
  expect(second.data.secondsSpent).toBeLessThan(60);
  await service.sqlWithin(api.caller, `UPDATE lesson_progress SET reported_at = now() - interval '100 seconds'`);
  const third = await report({ secondsSpent: 90 });
  expect(third.data.secondsSpent - second.data.secondsSpent).toBe(90);
  const { data } = await api.getEnrollment({ params: { id } });
  expect(data).toMatchObject({
    status: 'in_progress',
    secondsSpent: third.data.secondsSpent,
    lastLessonId: lessons[0],
  });
  await until('the start is announced', () => eventsOf('training.enrollment.started', id).length === 1);
});

it('concurrent reports count the same time once', async () => {
  const { api, id: courseId, lessons } = await aCourse(service);
  const { id, own } = await anEnrollment(service, api, courseId);
  const params = { id, lessonId: lessons[0] };
  await own.recordProgress({ params, body: {} });
  await service.sqlWithin(api.caller, `UPDATE lesson_progress SET reported_at = now() - interval '50 seconds'`);
  await Promise.all(Array.from({ length: 5 }, () => own.recordProgress({ params, body: { secondsSpent: 50 } })));
  const { data } = await own.recordProgress({ params, body: {} });
  expect(data.secondsSpent).toBeGreaterThanOrEqual(50);
  expect(data.secondsSpent).toBeLessThan(100);
});

it('lessons that are open side by side do not count the same time twice', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const { id, own } = await anEnrollment(service, api, courseId);
  const report = (index: number, body: object) =>
    own.recordProgress({ params: { id, lessonId: lessons[index] as string }, body });
  await report(0, {});
  await report(1, {});
  await service.sqlWithin(api.caller, `UPDATE lesson_progress SET reported_at = now() - interval '100 seconds'`);
  expect((await report(0, { secondsSpent: 90 })).data.secondsSpent).toBe(90);
  // Ten seconds are left, and those of this test.
  expect((await report(1, { secondsSpent: 90 })).data.secondsSpent).toBeLessThan(60);
  expect((await api.getEnrollment({ params: { id } })).data.secondsSpent).toBeLessThan(150);
});

it('the last required lesson completes the course once, whoever asks at the same time', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, { required: false }, {}] });
  const { id, own } = await anEnrollment(service, api, courseId);
  const complete = (index: number) => own.completeLesson({ params: { id, lessonId: lessons[index] } });
  expect((await complete(0)).data.enrollment).toMatchObject({ status: 'in_progress', percent: 50 });
  const answers = await Promise.all([complete(2), complete(2), complete(2)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[0]?.data).toMatchObject({ status: 'completed', enrollment: { status: 'completed', percent: 100 } });
  await until('it is announced', () => eventsOf('training.course.completed', id).length > 0);
  expect((await complete(1)).data).toMatchObject({ status: 'completed', enrollment: { percent: 100 } });
  await until('the optional lesson is announced', () => eventsOf('training.lesson.completed', id).length === 3);
  expect(eventsOf('training.course.completed', id)).toHaveLength(1);
});

it('a sequential course opens its lessons one after the other', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { sequential: true, lessons: [{}, {}] });
  const { id, own } = await anEnrollment(service, api, courseId);
  const second = { id, lessonId: lessons[1] };
  const locked = await own.recordProgress({ params: second, body: {} });
  expect([locked.status, locked.body.code, locked.body.errors?.[0]?.message]).toEqual([
    409,
    'lesson_locked',
    expect.stringContaining('Complete the lesson'),
  ]);
  const read = async () => (await own.getEnrollmentProgress({ params: { id } })).data;
  const before = await read();
  expect(before.lessons.map(({ status }: { status: string }) => status)).toEqual(['open', 'locked']);
  expect([before.nextLessonId, before.lessons[1].lockedReason]).toEqual([
    lessons[0],
    expect.stringContaining('Complete the lesson'),
  ]);
  await own.completeLesson({ params: { id, lessonId: lessons[0] } });
  expect((await own.completeLesson({ params: second })).status).toBe(200);
  expect((await read()).nextLessonId).toBeNull();
});

it('a release opens a lesson at its time, or after another lesson', async () => {
  const {
    api,
    id: courseId,
    lessons,
  } = await aCourse(service, {
    lessons: [
      {},
      { release: { type: 'on_date', date: '2100-01-01T00:00:00.000Z' } },
      { release: { type: 'after_days', days: 3 } },
      { release: { type: 'on_date', date: '2020-01-01T00:00:00.000Z' } },
    ],
  });
  await service.sqlWithin(api.caller, 'UPDATE lesson SET release = $2 WHERE id = $1', [
    lessons[3],
    { type: 'after_lesson', lessonId: Number(lessons[0]) },
  ]);
  const { id, own } = await anEnrollment(service, api, courseId);
  const states = async () =>
    (await own.getEnrollmentProgress({ params: { id } })).data.lessons.map(({ status }: { status: string }) => status);
  expect(await states()).toEqual(['open', 'locked', 'locked', 'locked']);
  for (const index of [1, 2, 3])
    expect((await own.completeLesson({ params: { id, lessonId: lessons[index] } })).body.code).toBe('lesson_locked');
  await own.completeLesson({ params: { id, lessonId: lessons[0] } });
  await service.sqlWithin(api.caller, `UPDATE enrollment SET enrolled_at = now() - interval '4 days'`);
  expect(await states()).toEqual(['completed', 'locked', 'open', 'open']);
});

it('a lesson is completed only when its rule is met', async () => {
  const {
    api,
    id: courseId,
    lessons,
  } = await aCourse(service, {
    lessons: [
      { completion: { rule: 'min_time', minSeconds: 60 } },
      { completion: { rule: 'manual' } },
      { type: 'quiz', questions: [{}] },
    ],
  });
  const { id, own } = await anEnrollment(service, api, courseId);
  const complete = (index: number, as = own) => as.completeLesson({ params: { id, lessonId: lessons[index] } });
  for (const index of [0, 1, 2]) {
    const { status, body } = await complete(index);
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'lessonId']);
  }
  await own.recordProgress({ params: { id, lessonId: lessons[0] }, body: {} });
  await service.sqlWithin(api.caller, `UPDATE lesson_progress SET reported_at = now() - interval '70 seconds'`);
  await own.recordProgress({ params: { id, lessonId: lessons[0] }, body: { secondsSpent: 65 } });
  expect((await complete(0)).status).toBe(200);
  expect((await complete(1, api as never)).status).toBe(200);
});

it('only the learner, or a caller who may manage training, reports progress', async () => {
  const { api, id: courseId, lessons } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId, 7);
  const { tenantId } = api.caller as { tenantId: number };
  const report = (userId: number, can: string[]) =>
    service
      .as({ type: 'user', tenantId, userId, can })
      .recordProgress({ params: { id, lessonId: lessons[0] }, body: {} });
  expect((await report(8, ['training:read'])).status).toBe(403);
  expect((await report(8, ['training:read:own'])).status).toBe(404);
  expect((await report(8, ['training:read', 'training:write'])).status).toBe(403);
  expect((await report(8, ['training:manage'])).status).toBe(200);
  expect((await report(7, ['training:read:own'])).status).toBe(200);
  const foreign = await aCourse(service);
  const lessonId = foreign.lessons[0];
  expect((await api.recordProgress({ params: { id, lessonId }, body: {} })).status).toBe(404);
});

it('a running enrolment follows the content of its course; a completed one keeps its result', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const running = await anEnrollment(service, api, courseId, 7);
  const done = await anEnrollment(service, api, courseId, 8);
  await running.own.completeLesson({ params: { id: running.id, lessonId: lessons[0] } });
  for (const lessonId of lessons) await done.own.completeLesson({ params: { id: done.id, lessonId } });
  expect((await api.deleteLesson({ params: { id: lessons[1] as string } })).status).toBe(200);
  const read = async (id: string) => (await api.getEnrollment({ params: { id } })).data;
  await until('the running enrolment is completed', async () => (await read(running.id)).status === 'completed');
  expect(await read(running.id)).toMatchObject({ percent: 100, contentVersion: 2 });
  expect(await read(done.id)).toMatchObject({ percent: 100, contentVersion: 1 });
});

it('a learner completes nothing after the end of the access, also before the job that ends it', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, { type: 'quiz', questions: [{}] }] });
  const { id, own } = await anEnrollment(service, api, courseId);
  const at = (index: number) => ({ params: { id, lessonId: lessons[index] } });
  const { data: attempt } = await own.startAttempt(at(1));
  await service.sqlWithin(api.caller, `UPDATE enrollment SET expires_at = now() - interval '1 second'`);
  const replies = [
    await own.completeLesson(at(0)),
    await own.recordProgress({ ...at(0), body: {} }),
    await own.submitAttempt({ params: { id: attempt.id }, body: {} }),
  ];
  expect(replies.map(({ body }) => body.code)).toEqual(replies.map(() => 'enrollment_ended'));
});

it('the first report of a lesson counts no time', async () => {
  const lessons = [{ completion: { rule: 'min_time', minSeconds: 5 } }];
  const made = await aCourse(service, { lessons });
  const { id, own } = await anEnrollment(service, made.api, made.id);
  const at = { params: { id, lessonId: made.lessons[0] } };
  expect((await own.recordProgress({ ...at, body: { secondsSpent: 30 } })).data.secondsSpent).toBe(0);
  expect((await own.completeLesson(at)).status).toBe(422);
});

it('completions, attempts and answers are activity of the learner', async () => {
  const made = await aCourse(service, { lessons: [{}, { type: 'quiz', questions: [{}] }, {}] });
  const { api, lessons } = made;
  const { id, own } = await anEnrollment(service, api, made.id);
  const at = (index: number) => ({ params: { id, lessonId: lessons[index] } });
  const activity = async () => {
    const { data } = await own.getEnrollment({ params: { id } });
    await service.sqlWithin(api.caller, 'UPDATE enrollment SET last_lesson_id = NULL, last_activity_at = NULL');
    return [data.lastLessonId, data.lastActivityAt !== null];
  };
  await own.completeLesson(at(0));
  expect(await activity()).toEqual([lessons[0], true]);
  const { data: attempt } = await own.startAttempt(at(1));
  expect(await activity()).toEqual([lessons[1], true]);
  const params = { id: attempt.id };
  await own.saveAttemptAnswers({ params, body: { answers: [] } });
  expect(await activity()).toEqual([lessons[1], true]);
  await own.submitAttempt({ params, body: {} });
  expect(await activity()).toEqual([lessons[1], true]);
});
