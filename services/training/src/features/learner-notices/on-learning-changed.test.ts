import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const soonMs = 1_500;
const reminderMs = 3 * 86_400_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The data of the notices in a tenant. */
const noticesIn = (api: Api) =>
  service.events
    .filter(({ name, tenantId }) => name === 'training.learner.notified' && tenantId === api.caller.tenantId)
    .map(({ data }) => data as Record<string, unknown>);

const eventOf = (name: string, enrollmentId: string) =>
  until(`${name} arrives`, async () =>
    service.events.find(
      (event) => event.name === name && String((event.record as { id: unknown }).id) === enrollmentId,
    ),
  );

it('a learner whom somebody else enrolled is told of it, and again before the due date', async () => {
  const { api, id: courseId } = await aCourse(service, { title: 'Safety' });
  const { enrollment } = await anEnrollment(service, api, courseId, 7, { dueAt: inMs(reminderMs + soonMs) });
  await until('both notices are there', async () => noticesIn(api).length === 2);
  const about = {
    learnerId: learner('user', 7),
    courseId,
    courseTitle: 'Safety',
    certificateId: null,
    certificateUrl: null,
  };
  expect(noticesIn(api)).toEqual([
    { ...about, notice: 'enrolled', at: enrollment.dueAt },
    { ...about, notice: 'due', at: enrollment.dueAt },
  ]);
});

it('a learner is told before the access ends, and when it has ended', async () => {
  const { api, id: courseId } = await aCourse(service);
  const expiresAt = inMs(reminderMs + soonMs);
  await anEnrollment(service, api, courseId, 7, { expiresAt });
  const near = inMs(soonMs);
  await anEnrollment(service, api, courseId, 8, { expiresAt: near });
  const ends = () => noticesIn(api).filter(({ notice }) => notice !== 'enrolled');
  const [expiring, expired] = await until('both notices are there', async () => {
    const found = ends().sort((one, other) => Number(one['learnerId']) - Number(other['learnerId']));
    return found.length === 2 && found;
  });
  expect(expiring).toMatchObject({ notice: 'expiring', learnerId: learner('user', 7), at: expiresAt });
  expect(expired).toMatchObject({ notice: 'expired', learnerId: learner('user', 8), at: near });
});

it('the end of an enrolment that was extended or taken again is not told any more', async () => {
  const { api, id: courseId } = await aCourse(service);
  const extended = await anEnrollment(service, api, courseId, 7, { expiresAt: inMs(soonMs) });
  const again = await anEnrollment(service, api, courseId, 8, { expiresAt: inMs(soonMs) });
  const ended = [await eventOf('training.enrollment.expired', extended.id)];
  ended.push(await eventOf('training.enrollment.expired', again.id));
  await until('both are told', async () => noticesIn(api).filter(({ notice }) => notice === 'expired').length === 2);
  await api.extendEnrollment({ params: { id: extended.id }, body: { expiresAt: inMs(2 * reminderMs) } });
  await api.restartEnrollment({ params: { id: again.id }, body: {} });
  const told = noticesIn(api).length;
  for (const event of ended) await service.publish(event.name, { ...event, id: randomUUID() }, randomUUID());
  // The reminder of the end before the extension.
  const name = 'training.enrollment.expiring';
  const created = await eventOf('training.enrollment.created', extended.id);
  await service.publish(name, { ...created, id: randomUUID(), name }, randomUUID());
  await anEnrollment(service, api, courseId, 9);
  await until('the last learner is told', async () =>
    noticesIn(api).some(({ learnerId }) => learnerId === learner('user', 9)),
  );
  expect(
    noticesIn(api)
      .slice(told)
      .map(({ notice }) => notice),
  ).toEqual(['enrolled', 'enrolled']);
});

it('an overdue learner is told once, however often the event arrives', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId, 7, { dueAt: inMs(soonMs) });
  const overdue = await eventOf('training.enrollment.overdue', id);
  await service.publish(overdue.name, overdue, overdue.id);
  // Handled after the repetition.
  await anEnrollment(service, api, courseId, 8);
  await until('the last learner is told', async () =>
    noticesIn(api).some(({ learnerId }) => learnerId === learner('user', 8)),
  );
  expect(noticesIn(api).map(({ notice }) => notice)).toEqual(['enrolled', 'overdue', 'enrolled']);
});

it('a reminder that arrives late is dropped: after the due date, for an earlier one, and for a completed course', async () => {
  const { api, id: courseId, lessons } = await aCourse(service);
  const moved = await anEnrollment(service, api, courseId, 7, { dueAt: inMs(reminderMs) });
  await api.updateEnrollment({ params: { id: moved.id }, body: { dueAt: inMs(2 * reminderMs) } });
  const done = await anEnrollment(service, api, courseId, 8, { dueAt: inMs(reminderMs) });
  await done.own.completeLesson({ params: { id: done.id, lessonId: lessons[0] } });
  for (const [name, { id, enrollment }] of [
    ['training.enrollment.overdue', moved],
    ['training.enrollment.due', done],
  ] as const) {
    const created = await eventOf('training.enrollment.created', id);
    await service.publish(name, { ...created, id: randomUUID(), name, record: enrollment }, randomUUID());
  }
  await anEnrollment(service, api, courseId, 9);
  await until('the last learner is told', async () =>
    noticesIn(api).some(({ learnerId }) => learnerId === learner('user', 9)),
  );
  expect(noticesIn(api).filter(({ notice }) => notice !== 'enrolled')).toEqual([]);
});

it('a course can leave its learners without notices, also a copy of it', async () => {
  const { api, id: courseId } = await aCourse(service);
  await api.updateCourse({ params: { id: courseId }, body: { notifyLearners: false } });
  await anEnrollment(service, api, courseId);
  const { data: other } = await api.duplicateCourse({ params: { id: courseId }, body: {} });
  expect(other.notifyLearners).toBe(false);
  await api.updateCourse({ params: { id: other.id }, body: { notifyLearners: true, status: 'published' } });
  await anEnrollment(service, api, other.id);
  await until('the learner is told', async () => noticesIn(api).length > 0);
  expect(noticesIn(api).map((one) => one['courseId'])).toEqual([other.id]);
});

it('users who enrol themselves are not told', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { tenantId } = api.caller as { tenantId: number };
  const trainer = service.as({ type: 'user', tenantId, environment: 'live', userId: 7, can: ['training:write'] });
  const learnerIds = [learner('user', 7), learner('user', 8), learner('lead', 7)];
  for (const learnerId of learnerIds) await trainer.createEnrollment({ body: { courseId, learnerId } });
  await until('the lead is told', async () => noticesIn(api).some(({ learnerId }) => learnerId === learnerIds[2]));
  expect(noticesIn(api).map(({ learnerId }) => learnerId)).toEqual([learnerIds[1], learnerIds[2]]);
});

/** Runs the job that announces the end of a certificate. */
const announceEnd = (api: Api, certificateId: string, expiresAt: string) =>
  service.sqlWithin(
    api.caller,
    `INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
     VALUES ('end-certificate', $1, 'live', $2, now())`,
    [api.caller.tenantId, { certificateId, expiresAt, kind: 'expiring' }],
  );

it('a certificate is announced when it is issued and before it expires, unless it was revoked meanwhile', async () => {
  const {
    api,
    id: courseId,
    lessons,
  } = await aCourse(service, { certificate: { title: 'Certified' }, validDays: 365 });
  const { id, own } = await anEnrollment(service, api, courseId);
  const done = await own.completeLesson({ params: { id, lessonId: lessons[0] } });
  const { certificateId } = done.data.enrollment;
  const notices = () => noticesIn(api).filter((one) => one['certificateId'] === certificateId);
  await until('the certificate is announced', async () => notices().length === 1);
  const { expiresAt, url: certificateUrl } = (await own.getCertificate({ params: { id: certificateId } })).data;
  await announceEnd(api, certificateId, expiresAt);
  await until('its end is announced', async () => notices().length === 2);
  expect(notices()).toMatchObject([
    { notice: 'certificate_issued', certificateUrl, at: expiresAt },
    { notice: 'certificate_expiring', certificateUrl, at: expiresAt },
  ]);
  await api.revokeCertificate({ params: { id: certificateId }, body: {} });
  const issued = service.events.find(
    ({ name, data }) =>
      name === 'training.certificate.issued' && (data as { certificateId: unknown }).certificateId === certificateId,
  ) as (typeof service.events)[number];
  await service.publish(issued.name, { ...issued, id: randomUUID() }, randomUUID());
  await anEnrollment(service, api, courseId, 8);
  await until('the last learner is told', async () =>
    noticesIn(api).some(({ learnerId }) => learnerId === learner('user', 8)),
  );
  expect(notices()).toHaveLength(2);
});

it('the end of a certificate is announced only to learners without a later one of the course', async () => {
  const certified = { certificate: { title: 'Certified' }, validDays: 365 };
  const { api, id: courseId, lessons } = await aCourse(service, certified);
  const { id, own } = await anEnrollment(service, api, courseId);
  const complete = async (enrollmentId: string) => {
    const { data } = await own.completeLesson({ params: { id: enrollmentId, lessonId: lessons[0] } });
    return (await own.getCertificate({ params: { id: data.enrollment.certificateId } })).data;
  };
  const first = await complete(id);
  const { data: restarted } = await api.restartEnrollment({ params: { id }, body: {} });
  const second = await complete(restarted.id);
  const expiring = () =>
    noticesIn(api).flatMap((one) => (one['notice'] === 'certificate_expiring' ? [one['certificateId']] : []));
  await announceEnd(api, first.id, first.expiresAt);
  await until('the first end has an event', async () =>
    service.events.some(
      ({ name, target }) => name === 'training.certificate.expiring' && target.id === Number(first.id),
    ),
  );
  // Events of one service arrive in the order of their transactions.
  await announceEnd(api, second.id, second.expiresAt);
  await until('the second end is announced', async () => expiring().includes(second.id));
  expect(expiring()).toEqual([second.id]);
  await api.revokeCertificate({ params: { id: second.id }, body: {} });
  await announceEnd(api, first.id, first.expiresAt);
  await until('the first end is announced', async () => expiring().includes(first.id));
});

it('moves an event that cannot be read to the dead letters', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId);
  const created = await eventOf('training.enrollment.created', id);
  const name = 'training.enrollment.due';
  await service.publish(name, { ...created, id: randomUUID(), name, data: {} }, randomUUID());
  await until('it is a dead letter', async () => (await service.deadLetters('notify-learners')).length > 0);
});
