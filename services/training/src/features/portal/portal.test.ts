import { until } from '@tandem/testing';
import { aCourse } from '../../learning.test-service.ts';
import { type Api, learner, startTraining, type TrainingService } from '../../training.test-service.ts';

let service: TrainingService;
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

it('a partner does not undo a withdrawal', async () => {
  const { api, id: courseId } = await aCourse(service, { audience: 'partners' });
  const portal = portalOf(api);
  const { data } = await portal.createPortalEnrollment({ body: { courseId } });
  await api.withdrawEnrollment({ params: { id: data.id } });
  const { status, body } = await portal.createPortalEnrollment({ body: { courseId } });
  expect([status, body.errors?.[0]?.field]).toEqual([403, 'courseId']);
  expect((await api.restartEnrollment({ params: { id: data.id }, body: {} })).status).toBe(201);
});

it('a partner enrols, learns, passes a quiz and gets a certificate', async () => {
  const { api, id, lessons } = await aCourse(service, {
    sequential: true,
    certificate: { title: 'Certified partner' },
    lessons: [{}, { type: 'quiz', questions: [{}] }],
  });
  const portal = portalOf(api);
  const { data: enrollment } = await portal.createPortalEnrollment({ body: { courseId: id } });
  expect(enrollment).toMatchObject({ learnerType: 'partner', learnerId: learner('partner', 7), source: 'self' });
  expect((await portal.createPortalEnrollment({ body: { courseId: id } })).body.code).toBe('already_enrolled');
  const at = (lessonId: string | undefined) => ({ params: { id: enrollment.id, lessonId } });
  const fileId = service.files.add();
  await service.sqlWithin(api.caller, `UPDATE lesson SET content = '<p>Ask</p>', file_id = $2 WHERE id = $1`, [
    lessons[0],
    fileId,
  ]);
  const lesson = (await portal.getPortalLesson(at(lessons[0]))).data;
  expect([lesson.content, lesson.fileUrl]).toEqual(['<p>Ask</p>', `https://files.example/${fileId}`]);
  expect((await portal.getPortalLesson(at(lessons[1]))).body.code).toBe('lesson_locked');
  expect((await portal.recordPortalProgress({ ...at(lessons[0]), body: { percent: 50 } })).data.percent).toBe(50);
  expect((await portal.completePortalLesson(at(lessons[0]))).data.status).toBe('completed');
  const { data: attempt } = await portal.startPortalAttempt(at(lessons[1]));
  expect(attempt.questions[0].options[0].correct).toBeNull();
  const answers = [{ questionId: attempt.questions[0].id, keys: ['a'] }];
  const params = { id: attempt.id };
  const saved = await portal.savePortalAttemptAnswers({ params, body: { answers } });
  expect([saved.status, saved.data.answers.length]).toEqual([200, 1]);
  const read = (await portal.getPortalAttempt({ params })).data;
  expect([read.answers, read.questions[0].options[0].correct]).toEqual([saved.data.answers, null]);
  const stale = await portal.savePortalAttemptAnswers({ params, body: { answers }, headers: { 'if-match': '"1"' } });
  expect(stale.status).toBe(412);
  // The answers that were saved are graded.
  const graded = await portal.submitPortalAttempt({ params, body: {} });
  expect(graded.data).toMatchObject({ status: 'graded', passed: true });
  const progress = await portal.getPortalEnrollmentProgress({ params: { id: enrollment.id } });
  expect(progress.data).toMatchObject({ status: 'completed', percent: 100 });
  const [certificate] = (await portal.listPortalCertificates({ query: {} })).data;
  const ofCertificate = { params: { id: certificate.id } };
  const link = await portal.getPortalCertificateDownloadUrl(ofCertificate);
  expect(link.data.url).toContain('/v1/public/certificate-files/');
  const token = link.data.url.split('/').at(-1);
  await until(
    'the document is ready',
    async () => (await service.as({ type: 'anonymous' }).serveCertificate({ params: { token } })).status === 200,
  );
  expect((await portalOf(api, 8).getPortalCertificateDownloadUrl(ofCertificate)).status).toBe(404);
  await api.revokeCertificate({ ...ofCertificate, body: {} });
  expect((await portal.getPortalCertificateDownloadUrl(ofCertificate)).body.code).toBe('certificate_revoked');
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
    await other.getPortalLesson({ params }),
    await other.recordPortalProgress({ params, body: {} }),
    await other.completePortalLesson({ params }),
    await other.startPortalAttempt({ params }),
    await other.getPortalAttempt({ params: { id: attempt.id } }),
    await other.savePortalAttemptAnswers({ params: { id: attempt.id }, body: { answers: [] } }),
    await other.submitPortalAttempt({ params: { id: attempt.id }, body: {} }),
    await other.getPortalEnrollmentProgress({ params: { id: ofUser.id } }),
  ];
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
  expect((await other.listPortalEnrollments({ query: {} })).data).toEqual([]);
});

it('a partner hands in a text, and no files', async () => {
  const { api, id, lessons } = await aCourse(service, { lessons: [{ type: 'assignment' }] });
  const portal = portalOf(api);
  const { data: enrollment } = await portal.createPortalEnrollment({ body: { courseId: id } });
  const { data: attempt } = await portal.startPortalAttempt({ params: { id: enrollment.id, lessonId: lessons[0] } });
  const submit = (body: object) => portal.submitPortalAttempt({ params: { id: attempt.id }, body });
  expect((await submit({ fileIds: [service.files.add()] })).status).toBe(422);
  expect((await submit({})).body.errors?.[0]?.field).toBe('text');
  expect((await submit({ text: 'My plan' })).data.status).toBe('submitted');
});

it('a partner who left reads no lessons', async () => {
  const { api, id, lessons } = await aCourse(service);
  const portal = portalOf(api);
  const { data: enrollment } = await portal.createPortalEnrollment({ body: { courseId: id } });
  await api.withdrawEnrollment({ params: { id: enrollment.id } });
  const reply = await portal.getPortalLesson({ params: { id: enrollment.id, lessonId: lessons[0] } });
  expect([reply.status, reply.body.code]).toEqual([409, 'enrollment_ended']);
});
