import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, type Service, startTraining } from '../../training.test-service.ts';
import { aBank } from '../../training-builders.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

// The training permissions of the system roles `member` and `manager`.
const [member, manager] = [['training:read', 'training:write'], ['training:*']];

function userOf(api: Api, userId: number, can: readonly string[]): Api {
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  return service.as({ type: 'user', tenantId, environment, userId, can });
}

/** A course with a quiz, an assignment and a lesson that is completed by hand, and user 7 in it. */
async function aLearner() {
  const {
    api,
    id: courseId,
    lessons,
  } = await aCourse(service, {
    certificate: { title: 'Certified seller' },
    lessons: [{ type: 'quiz', questions: [{}] }, { type: 'assignment' }, { completion: { rule: 'manual' } }],
  });
  const { id } = await anEnrollment(service, api, courseId);
  const at = (index: number) => ({ params: { id, lessonId: lessons[index] } });
  return { api, id, lessons, at };
}

async function handIn(learner: Api, request: { params: object }): Promise<{ params: { id: string } }> {
  const { data } = await learner.startAttempt(request as never);
  await learner.submitAttempt({ params: { id: data.id }, body: { text: 'My plan' } });
  return { params: { id: data.id } };
}

it('a member sees no answer keys, and passes nothing without attempts and a grade', async () => {
  const { api, lessons, at } = await aLearner();
  const learner = userOf(api, 7, member);
  for (const index of [0, 1, 2]) {
    const { status, body } = await learner.completeLesson(at(index));
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'lessonId']);
  }
  const lesson = await learner.getLesson({ params: { id: lessons[0] } });
  expect(JSON.stringify(lesson.data)).not.toMatch(/Well done|Because it is|"correct":true/);
  const bankId = await aBank(api, 1);
  const [question] = (await learner.listBankQuestions({ params: { id: bankId }, query: {} })).data;
  const params = { id: bankId, questionId: question.id };
  const changed = await learner.updateBankQuestion({ params, body: { points: 2 } });
  for (const { options, explanation } of [question, changed.data])
    expect([options[0].correct, explanation]).toEqual([null, null]);
  const attempt = await handIn(learner, at(1));
  const grade = (as: Api) => as.gradeAttempt({ ...attempt, body: { score: 100 } });
  expect((await grade(learner)).status).toBe(403);
  expect((await grade(userOf(api, 8, member))).status).toBe(403);
  expect((await learner.getAttempt(attempt)).data.status).toBe('submitted');
});

it('a manager decides about the results of others, not about their own', async () => {
  const { api, id, at } = await aLearner();
  const [own, other] = [userOf(api, 7, manager), userOf(api, 8, manager)];
  const attempt = await handIn(own, at(1));
  const grade = (as: Api) => as.gradeAttempt({ ...attempt, body: { score: 100 } });
  const refused = await grade(own);
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([403, 'id']);
  for (const index of [0, 2]) expect((await own.completeLesson(at(index))).status).toBe(422);
  // An API key that acts for the learner is the learner.
  const { tenantId } = api.caller as { tenantId: number };
  const key = service.as({ type: 'key', tenantId, onBehalfOf: 7, can: manager });
  expect((await grade(key)).status).toBe(403);
  expect((await grade(other)).data).toMatchObject({ status: 'graded', passed: true });
  for (const index of [0, 2]) expect((await other.completeLesson(at(index))).status).toBe(200);
  expect((await own.getEnrollment({ params: { id } })).data.status).toBe('completed');
});

it('an API key with the permission grades; a member cannot revoke a certificate', async () => {
  const { api, id, at } = await aLearner();
  const { tenantId } = api.caller as { tenantId: number };
  const key = service.as({ type: 'key', tenantId, can: ['training:manage'] });
  const attempt = await handIn(userOf(api, 7, member), at(1));
  expect((await key.gradeAttempt({ ...attempt, body: { score: 90 } })).data.status).toBe('graded');
  for (const index of [0, 2]) await key.completeLesson(at(index));
  const [certificate] = (await api.listCertificates({ query: {} })).data;
  expect(certificate.enrollmentId).toBe(id);
  const revoke = (as: Api) => as.revokeCertificate({ params: { id: certificate.id }, body: {} });
  expect((await revoke(userOf(api, 7, member))).status).toBe(403);
  expect((await revoke(userOf(api, 8, manager))).data.status).toBe('revoked');
});
