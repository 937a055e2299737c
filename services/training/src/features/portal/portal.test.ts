import { aCourse } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

/** The portal of a partner of a tenant. */
function portalOf(api: Api, partnerId = 7): Api {
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const session = { type: 'portal' as const, partnerId, portalUserId: partnerId, sessionId: 3, can: [] };
  return service.as({ ...session, tenantId, environment });
}

const titlesOf = ({ data }: { data: { title: string }[] }) => data.map(({ title }) => title).sort();

it('offers published courses for partners, and archived ones to enrolled partners', async () => {
  const { api, id } = await aCourse(service, { title: 'Both' });
  await aCourse(service, { api, title: 'Partners', audience: 'partners' });
  const users = await aCourse(service, { api, title: 'Users', audience: 'users' });
  await api.createCourse({ body: { title: 'Draft' } });
  const portal = portalOf(api);
  expect(titlesOf(await portal.listPortalCourses({ query: {} }))).toEqual(['Both', 'Partners']);
  expect((await portal.getPortalCourse({ params: { id: users.id } })).status).toBe(404);
  const hidden = await portal.createPortalEnrollment({ body: { courseId: users.id } });
  expect([hidden.status, hidden.body.errors?.[0]?.field]).toEqual([422, 'courseId']);
  expect((await portal.createPortalEnrollment({ body: { courseId: id } })).status).toBe(201);
  await api.archiveCourse({ params: { id } });
  expect((await portal.getPortalCourse({ params: { id } })).data.status).toBe('archived');
  expect((await portalOf(api, 8).getPortalCourse({ params: { id } })).status).toBe(404);
});

it('a partner enrols, learns, passes a quiz and gets a certificate', async () => {
  const { api, id, lessons } = await aCourse(service, {
    certificate: { title: 'Certified partner' },
    lessons: [{}, { type: 'quiz', questions: [{}] }],
  });
  const portal = portalOf(api);
  const { data: enrollment } = await portal.createPortalEnrollment({ body: { courseId: id } });
  expect(enrollment).toMatchObject({ learnerType: 'partner', learnerId: learner('partner', 7), source: 'self' });
  expect((await portal.createPortalEnrollment({ body: { courseId: id } })).body.code).toBe('already_enrolled');
  const at = (lessonId: string | undefined) => ({ params: { id: enrollment.id, lessonId } });
  expect((await portal.recordPortalProgress({ ...at(lessons[0]), body: { percent: 50 } })).data.percent).toBe(50);
  expect((await portal.completePortalLesson(at(lessons[0]))).data.status).toBe('completed');
  const { data: attempt } = await portal.startPortalAttempt(at(lessons[1]));
  expect(attempt.questions[0].options[0].correct).toBeNull();
  const answers = [{ questionId: attempt.questions[0].id, keys: ['a'] }];
  const graded = await portal.submitPortalAttempt({ params: { id: attempt.id }, body: { answers } });
  expect(graded.data).toMatchObject({ status: 'graded', passed: true });
  const progress = await portal.getPortalEnrollmentProgress({ params: { id: enrollment.id } });
  expect(progress.data).toMatchObject({ status: 'completed', percent: 100 });
  expect((await portal.listPortalCertificates({ query: {} })).data).toHaveLength(1);
  expect((await portal.listPortalEnrollments({ query: { status: 'completed' } })).data).toHaveLength(1);
});

it('shows and changes nothing of other learners', async () => {
  const { api, id, lessons } = await aCourse(service, { lessons: [{ type: 'quiz', questions: [{}] }] });
  const owner = portalOf(api);
  const { data: enrollment } = await owner.createPortalEnrollment({ body: { courseId: id } });
  const params = { id: enrollment.id, lessonId: lessons[0] };
  const { data: attempt } = await owner.startPortalAttempt({ params });
  // A user with the id of the partner is somebody else.
  const { data: ofUser } = await api.createEnrollment({ body: { courseId: id, learnerId: learner('user', 8) } });
  const other = portalOf(api, 8);
  const replies = [
    await other.getPortalEnrollmentProgress({ params: { id: enrollment.id } }),
    await other.recordPortalProgress({ params, body: {} }),
    await other.completePortalLesson({ params }),
    await other.startPortalAttempt({ params }),
    await other.submitPortalAttempt({ params: { id: attempt.id }, body: {} }),
    await other.getPortalEnrollmentProgress({ params: { id: ofUser.id } }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect((await other.listPortalEnrollments({ query: {} })).data).toEqual([]);
});
