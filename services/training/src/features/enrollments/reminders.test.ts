import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, type Service, startTraining } from '../../training.test-service.ts';

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
  // Events of one service arrive in the order of their transactions.
  const marker = await anEnrollment(service, api, courseId, 8);
  await until('a later event arrives', () =>
    service.events.some(
      ({ name, target }) => name === 'training.enrollment.created' && target.id === Number(marker.id),
    ),
  );
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
