import { publishLeadMerge, publishPartner, publishUserLeft, until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining, suspended } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const toldOf = (api: Api) => ({ service, tenantId: api.caller.tenantId as number });
const read = async (api: Api, id: string) => (await api.getEnrollment({ params: { id } })).data;
const enrollLead = async (api: Api, courseId: string, leadId: number) =>
  (await api.createEnrollment({ body: { courseId, learnerId: learner('lead', leadId) } })).data.id as string;

it('a deactivated user is withdrawn from running courses with the reason; completed ones stay', async () => {
  const { api, id: courseId } = await aCourse(service);
  const other = await aCourse(service, { api });
  const { id } = await anEnrollment(service, api, courseId, 7);
  const done = await anEnrollment(service, api, other.id, 7);
  await done.own.completeLesson({ params: { id: done.id, lessonId: other.lessons[0] } });
  const { id: colleague } = await anEnrollment(service, api, courseId, 8);
  await publishUserLeft(toldOf(api), { userId: '7', reassignTo: null });
  await until('withdrawn', async () => (await read(api, id)).status === 'withdrawn');
  expect(await read(api, id)).toMatchObject({ withdrawReason: 'user_left' });
  expect((await read(api, done.id)).status).toBe('completed');
  expect(await read(api, colleague)).toMatchObject({ status: 'enrolled', withdrawReason: null });
  expect((await api.getCourse({ params: { id: courseId } })).data.enrollmentCount).toBe(1);
});

it('an enrolment whose request found the user shortly before the deactivation is withdrawn by the second run', async () => {
  const { api, id: courseId } = await aCourse(service);
  await publishUserLeft(toldOf(api), { userId: suspended, reassignTo: null });
  const runs = () => service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = 'withdraw-learner'`);
  await until('the second run waits', async () => (await runs()).length === 1);
  const { id } = await anEnrollment(service, api, courseId, 7);
  await service.sqlWithin(api.caller, 'UPDATE enrollment SET learner_id = $1, user_id = $1', [suspended]);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'withdraw-learner'`);
  await until('the second run has ended', async () => (await runs()).length === 0);
  expect(await read(api, id)).toMatchObject({ status: 'withdrawn', withdrawReason: 'user_left' });
});

it('a terminated or deleted partner is withdrawn from running courses; a suspended one is not', async () => {
  const { api, id: courseId } = await aCourse(service, { audience: 'partners' });
  const enroll = async (partner: number) =>
    (await api.createEnrollment({ body: { courseId, learnerId: learner('partner', partner) } })).data.id as string;
  const [terminated, deleted, suspendedOne] = [await enroll(7), await enroll(8), await enroll(9)];
  const told = toldOf(api);
  const reason = 'Fraud';
  await publishPartner(told, 'partner.suspended', { partnerId: '9', version: 3, data: { reason } });
  await publishPartner(told, 'partner.terminated', { partnerId: '7', version: 3, data: { reason, unpaid: 'pay' } });
  await publishPartner(told, 'partner.deleted', { partnerId: '8', version: 3 });
  for (const id of [terminated, deleted])
    await until('withdrawn', async () => (await read(api, id)).withdrawReason === 'partner_left');
  expect((await read(api, suspendedOne)).status).toBe('enrolled');
});

it('the second run leaves a user alone who is active again', async () => {
  const { api, id: courseId } = await aCourse(service);
  await publishUserLeft(toldOf(api), { userId: '7', reassignTo: null });
  const runs = () => service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = 'withdraw-learner'`);
  await until('the second run waits', async () => (await runs()).length === 1);
  const { id } = await anEnrollment(service, api, courseId, 7);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'withdraw-learner'`);
  await until('the second run has ended', async () => (await runs()).length === 0);
  expect((await read(api, id)).status).toBe('enrolled');
});

it('the enrolments of a merged lead go to the lead that remains; of two in a course the one further along stays', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const other = await aCourse(service, { api, certificate: { title: 'Certified' } });
  const [ahead, behind] = [await enrollLead(api, courseId, 71), await enrollLead(api, courseId, 72)];
  await api.completeLesson({ params: { id: ahead, lessonId: lessons[0] } });
  const certified = await enrollLead(api, other.id, 71);
  await api.completeLesson({ params: { id: certified, lessonId: other.lessons[0] } });
  await publishLeadMerge(toldOf(api), { leadId: '71', into: '72', version: 2 });
  const survivor = learner('lead', 72);
  await until('it follows', async () => (await read(api, ahead)).learnerId === survivor);
  expect(await read(api, ahead)).toMatchObject({ status: 'in_progress', percent: 50 });
  expect(await read(api, behind)).toMatchObject({ status: 'withdrawn', withdrawReason: 'lead_merged' });
  expect((await read(api, certified)).learnerId).toBe(survivor);
  const certificates = async (learnerId: string) => (await api.listCertificates({ query: { learnerId } })).data;
  expect(await certificates(survivor)).toHaveLength(1);
  // Undone, exactly these go back.
  await publishLeadMerge(toldOf(api), { leadId: '71', from: '72', version: 3 });
  await until('it goes back', async () => (await read(api, ahead)).learnerId === learner('lead', 71));
  expect(await certificates(survivor)).toHaveLength(0);
  expect((await read(api, behind)).learnerId).toBe(survivor);
});
