import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const closed = { release: { type: 'on_date', date: '2100-01-01T00:00:00.000Z' } };

/** A course with an open lesson, a locked one and a quiz; the calls of user 7, who is enrolled. */
async function aReader(can?: string[]) {
  const lessons = [{}, closed, { type: 'quiz', questions: [{}] }];
  const made = await aCourse(service, { lessons });
  const { api, id: courseId } = made;
  await service.sqlWithin(api.caller, `UPDATE lesson SET content = '<p>Material</p>' WHERE course_id = $1`, [courseId]);
  const { id, own } = await anEnrollment(service, api, courseId);
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const as = (userId: number, permissions: string[]) =>
    service.as({ type: 'user', tenantId, environment, userId, can: permissions });
  const read = (caller = can ? as(7, can) : own) => caller.getLesson({ params: { id: made.lessons[0] } });
  return { api, courseId, id, own, as, read, lessons: made.lessons };
}

it.each([[['training:read:own']], [['training:read']]])(
  'a learner with %s reads open lessons of a course in which they are enrolled',
  async (can) => {
    const { as, read, lessons, courseId } = await aReader(can);
    expect((await read()).data).toMatchObject({ content: '<p>Material</p>', questions: [] });
    const learner = as(7, can);
    const locked = await learner.getLesson({ params: { id: lessons[1] } });
    expect([locked.status, locked.body.code]).toEqual([409, 'lesson_locked']);
    expect((await learner.getLesson({ params: { id: lessons[2] } })).data.questions).toEqual([]);
    const { data } = await learner.listLessons({ params: { id: courseId }, query: {} });
    expect(data.map(({ content }: { content: string | null }) => content === null)).toEqual([false, true, false]);
    const stranger = as(8, can);
    const refused = await read(stranger);
    expect([refused.status, refused.body.errors?.[0]?.message]).toEqual([403, expect.stringContaining('Enrol')]);
    expect((await stranger.listLessons({ params: { id: courseId }, query: {} })).status).toBe(403);
    expect((await as(8, ['training:write', 'training:read']).getLesson({ params: { id: lessons[1] } })).status).toBe(
      200,
    );
  },
);

it('a sequential course shows the next lesson when the one before is completed', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { sequential: true, lessons: [{}, {}] });
  const { id, own } = await anEnrollment(service, api, courseId);
  const second = () => own.getLesson({ params: { id: lessons[1] } });
  expect((await second()).body.code).toBe('lesson_locked');
  await own.completeLesson({ params: { id, lessonId: lessons[0] } });
  expect((await second()).status).toBe(200);
});

it('a learner who left, or whose access ended, reads no lessons', async () => {
  const { api, id, courseId, own, read } = await aReader();
  const list = () => own.listLessons({ params: { id: courseId }, query: {} });
  // The job that ends the enrolment has not run yet.
  await service.sqlWithin(api.caller, `UPDATE enrollment SET expires_at = now() - interval '1 second'`);
  for (const reply of [await read(), await list()]) expect(reply.body.code).toBe('enrollment_ended');
  await service.sqlWithin(api.caller, `UPDATE enrollment SET expires_at = NULL, status = 'completed'`);
  for (const reply of [await read(), await list()]) expect(reply.status).toBe(200);
  await service.sqlWithin(api.caller, `UPDATE enrollment SET status = 'enrolled'`);
  await api.withdrawEnrollment({ params: { id } });
  for (const reply of [await read(), await list()]) expect(reply.body.code).toBe('enrollment_ended');
});
