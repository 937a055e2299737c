import { publishTeamEvent, until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

/** Runs the reminders that wait, until none is left. */
async function runReminders(api: Api): Promise<void> {
  const waiting = `UPDATE platform.job SET due_at = now() WHERE name = 'remind-learner' RETURNING id`;
  await until('the reminders have run', async () => (await service.sqlWithin(api.caller, waiting)).length === 0);
}

/** Waits for an event of a later transaction: events of one service arrive in that order. */
async function laterEvent(api: Api, courseId: string): Promise<void> {
  const { id } = await anEnrollment(service, api, courseId, 8);
  await until('a later event arrives', () =>
    service.events.some(({ name, target }) => name === 'training.enrollment.created' && target.id === Number(id)),
  );
}

it('one due date is announced once, also if it was changed and changed back', async () => {
  const { api, id: courseId } = await aCourse(service);
  const first = inDays(10);
  const { id } = await anEnrollment(service, api, courseId, 7, { dueAt: first });
  const change = (dueAt: string) => api.updateEnrollment({ params: { id }, body: { dueAt } });
  for (const dueAt of [inDays(20), first]) expect((await change(dueAt)).status).toBe(200);
  await runReminders(api);
  const sent = (name: string) =>
    service.events.filter((event) => event.name === name && event.target.id === Number(id)).length;
  await until(
    'both are announced',
    () => sent('training.enrollment.overdue') > 0 && sent('training.enrollment.due') > 0,
  );
  await laterEvent(api, courseId);
  expect([sent('training.enrollment.due'), sent('training.enrollment.overdue')]).toEqual([1, 1]);
});

it('another due date is announced too', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId, 7, { dueAt: inDays(10) });
  await runReminders(api);
  const sent = () =>
    service.events.filter(({ name, target }) => name === 'training.enrollment.due' && target.id === Number(id)).length;
  await until('the first date is announced', () => sent() === 1);
  await api.updateEnrollment({ params: { id }, body: { dueAt: inDays(20) } });
  await runReminders(api);
  await until('the second date is announced', () => sent() === 2);
});

const endsOf = (id: string) =>
  service.events.filter(({ name, target }) => name === 'training.enrollment.expiring' && target.id === Number(id));

it('the end of an enrolment is announced once before it, and its extension again', async () => {
  const { api, id: courseId } = await aCourse(service);
  const first = inDays(10);
  const { id } = await anEnrollment(service, api, courseId, 7, { expiresAt: first });
  for (const expiresAt of [inDays(20), first])
    expect((await api.updateEnrollment({ params: { id }, body: { expiresAt } })).status).toBe(200);
  await runReminders(api);
  await until('the end is announced', () => endsOf(id).length > 0);
  await laterEvent(api, courseId);
  expect(endsOf(id)).toMatchObject([{ record: { expiresAt: first } }]);
  const extended = inDays(30);
  expect((await api.extendEnrollment({ params: { id }, body: { expiresAt: extended } })).status).toBe(200);
  await runReminders(api);
  await until('the extended end is announced', () => endsOf(id).length > 1);
  expect(endsOf(id)[1]).toMatchObject({ record: { expiresAt: extended } });
});

it('the end of enrolments of many learners and by rules is announced', async () => {
  const { api, id: courseId } = await aCourse(service);
  const learnerIds = [learner('user', 7), learner('user', 8)];
  await api.bulkCreateEnrollments({ body: { courseId, learnerIds, expiresAt: inDays(10) } });
  const rule = { title: 'New colleagues', learnerType: 'user', courseId, teamIds: ['5'], expiresInDays: 30 };
  expect((await api.createEnrollmentRule({ body: rule })).status).toBe(201);
  const change = { teamId: '5', added: ['20'], removed: [], follow: [] };
  const { tenantId } = api.caller as { tenantId: number };
  await publishTeamEvent({ service, tenantId }, 'team.members_changed', change);
  const enrolled = await until('all are enrolled', async () => {
    const { data } = await api.listEnrollments({ query: { courseId } });
    return data.length === 3 && data;
  });
  await runReminders(api);
  await until('all are announced', () => enrolled.every(({ id }: { id: string }) => endsOf(id).length === 1));
});

it('no end is announced that is less than three days ahead, or that was removed', async () => {
  const { api, id: courseId } = await aCourse(service);
  const near = await anEnrollment(service, api, courseId, 7, { expiresAt: inDays(2) });
  const removed = await anEnrollment(service, api, courseId, 9, { expiresAt: inDays(10) });
  await api.updateEnrollment({ params: { id: removed.id }, body: { expiresAt: null } });
  await runReminders(api);
  await laterEvent(api, courseId);
  expect([...endsOf(near.id), ...endsOf(removed.id)]).toEqual([]);
});
