import { until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, nobody, type Service, startTraining, suspended } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

type Tenant = Api;
const seven = learner('user', 7);

async function aPublishedCourse(tenant: Tenant, fields: object = {}): Promise<string> {
  const { id } = (await tenant.createCourse({ body: { title: 'Selling', ...fields } })).data;
  await tenant.createLesson({ params: { id }, body: { title: 'The first call' } });
  await tenant.publishCourse({ params: { id } });
  return id;
}
const enrol = (tenant: Tenant, courseId: string, learnerId = seven) =>
  tenant.createEnrollment({ body: { courseId, learnerId } });
const countOf = async (tenant: Tenant, id: string) => (await tenant.getCourse({ params: { id } })).data.enrollmentCount;

it('an enrolment is stored, and the course counts those that are not withdrawn', async () => {
  const tenant = service.as();
  const courseId = await aPublishedCourse(tenant);
  const { status, data } = await enrol(tenant, courseId);
  expect([status, data]).toMatchObject([201, { courseId, learnerId: seven, status: 'enrolled' }]);
  await enrol(tenant, courseId, learner('user', 8));
  expect(await countOf(tenant, courseId)).toBe(2);
  expect((await tenant.withdrawEnrollment({ params: { id: data.id } })).data.status).toBe('withdrawn');
  expect(await countOf(tenant, courseId)).toBe(1);
  expect((await tenant.withdrawEnrollment({ params: { id: data.id } })).status).toBe(409);
  expect((await enrol(tenant, courseId)).status).toBe(201);
  expect((await tenant.listEnrollments({ query: { learnerId: seven } })).data).toHaveLength(2);
});

it('an enrolment changes the ETag of the course, but not its version', async () => {
  const tenant = service.as();
  const courseId = await aPublishedCourse(tenant);
  const read = async () => (await tenant.getCourse({ params: { id: courseId } })).headers['etag'] as string;
  const before = await read();
  expect(await read()).toBe(before);
  await enrol(tenant, courseId);
  const after = await read();
  expect(after).not.toBe(before);
  const [version, ...digests] = [before, after].flatMap((etag) => /^"(\d+)-(.{12})"$/.exec(etag)?.slice(1) ?? []);
  expect(digests).toEqual([expect.anything(), version, expect.anything()]);
  // If-Match names the version that was read, not the body: with the digest, weak, plain, or in a list.
  const archive = (etag: string) => tenant.archiveCourse({ params: { id: courseId }, headers: { 'if-match': etag } });
  const stale = before.replace(`"${version}-`, `"${Number(version) - 1}-`);
  for (const etag of [stale, `"${version}-"`, `"${version}-short"`, `"0${version}"`])
    expect([etag, (await archive(etag)).status]).toEqual([etag, 412]);
  expect((await archive(`${stale}, W/${before}`)).status).toBe(200);
});

it('one of two concurrent enrolments of a user is accepted', async () => {
  const tenant = service.as();
  const courseId = await aPublishedCourse(tenant);
  const answers = await Promise.all([enrol(tenant, courseId), enrol(tenant, courseId)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const errors = [{ field: 'learnerId', message: 'Is already enrolled in this course' }];
  expect(answers.find(({ status }) => status === 409)?.body.errors).toEqual(errors);
});

it.each([
  ['an unknown user', nobody, 'No user with this id'],
  ['an inactive user', suspended, 'The user is not active; send the id of an active user'],
])('%s cannot be enrolled', async (_, learnerId, message) => {
  const tenant = service.as();
  const { status, body } = await enrol(tenant, await aPublishedCourse(tenant), learner('user', learnerId));
  expect([status, body.errors]).toEqual([422, [{ field: 'learnerId', message }]]);
});

it('drafts, archived courses and courses of another tenant reject enrolments', async () => {
  const tenant = service.as();
  const draft = (await tenant.createCourse({ body: { title: 'Draft' } })).data.id;
  const archived = await aPublishedCourse(tenant);
  await tenant.archiveCourse({ params: { id: archived } });
  const foreign = await aPublishedCourse(service.as());
  expect((await enrol(tenant, draft)).body.code).toBe('not_published');
  expect((await enrol(tenant, archived)).body.code).toBe('not_published');
  const { status, body } = await enrol(tenant, foreign);
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'courseId']);
});

it('a user can be enrolled in courses for users or both, but not for partners', async () => {
  const tenant = service.as();
  for (const audience of ['users', 'both'])
    expect((await enrol(tenant, await aPublishedCourse(tenant, { audience }))).status).toBe(201);
  const { status, body } = await enrol(tenant, await aPublishedCourse(tenant, { audience: 'partners' }));
  const message = 'The course is for partners only; send a course for users';
  expect([status, body.errors]).toEqual([422, [{ field: 'courseId', message }]]);
});

it('partners and leads are enrolled in courses for partners, and refused by courses for users', async () => {
  const { api, id } = await aCourse(service, { audience: 'partners' });
  const partner = await enrol(api, id, learner('partner', 7));
  expect([partner.status, partner.data.learnerType]).toEqual([201, 'partner']);
  expect((await enrol(api, id, learner('lead', 7))).status).toBe(201);
  const forUsers = await aCourse(service, { api, audience: 'users' });
  expect((await enrol(api, forUsers.id, learner('partner', 7))).body.errors?.[0]?.field).toBe('courseId');
  const notApproved = await enrol(api, id, learner('partner', suspended));
  expect([notApproved.status, notApproved.body.errors?.[0]?.field]).toEqual([422, 'learnerId']);
});

it('the type of the learner must be the one of the id', async () => {
  const { api, id } = await aCourse(service);
  const body = { courseId: id, learnerId: seven, learnerType: 'partner' };
  const { status, body: reply } = await api.createEnrollment({ body });
  expect([status, reply.errors?.[0]?.field]).toEqual([422, 'learnerId']);
});

it('required courses must be completed first', async () => {
  const first = await aCourse(service);
  const { api } = first;
  const second = await aCourse(service, { api, title: 'Advanced' });
  await service.sqlWithin(
    api.caller,
    'INSERT INTO course_prerequisite (course_id, required_course_id) VALUES ($1, $2)',
    [second.id, first.id],
  );
  const { status, body } = await enrol(api, second.id);
  expect([status, body.code, body.errors?.[0]?.message]).toEqual([
    409,
    'prerequisites_open',
    expect.stringContaining('Selling'),
  ]);
  const { id, own } = await anEnrollment(service, api, first.id);
  await own.completeLesson({ params: { id, lessonId: first.lessons[0] } });
  expect((await enrol(api, second.id)).status).toBe(201);
});

it.each([
  ['a due date that has passed', { dueAt: '2020-01-01T00:00:00.000Z' }, 'dueAt'],
  ['an end that has passed', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
  [
    'an end before the due date',
    { dueAt: '2100-02-01T00:00:00.000Z', expiresAt: '2100-01-01T00:00:00.000Z' },
    'expiresAt',
  ],
])('%s is refused and changes nothing', async (_, dates, field) => {
  const { api, id } = await aCourse(service);
  const { status, body } = await api.createEnrollment({ body: { courseId: id, learnerId: seven, ...dates } });
  expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  expect((await api.listEnrollments({ query: {} })).data).toEqual([]);
});

it('an enrolment expires at its time, and is opened again with its progress', async () => {
  const { api, id: courseId, lessons } = await aCourse(service, { lessons: [{}, {}] });
  const soon = new Date(Date.now() + 1_500).toISOString();
  const { id, own } = await anEnrollment(service, api, courseId, 7, { expiresAt: soon });
  await own.completeLesson({ params: { id, lessonId: lessons[0] } });
  const read = async () => (await api.getEnrollment({ params: { id } })).data;
  await until('it expires', async () => (await read()).status === 'expired');
  const report = () => own.recordProgress({ params: { id, lessonId: lessons[1] }, body: {} });
  expect((await report()).body.code).toBe('enrollment_ended');
  const expiresAt = '2100-01-01T00:00:00.000Z';
  const { status, data } = await api.extendEnrollment({ params: { id }, body: { expiresAt } });
  expect([status, data.status, data.percent, data.expiresAt]).toEqual([200, 'in_progress', 50, expiresAt]);
  expect((await report()).status).toBe(200);
  await until('the end is announced', () =>
    service.events.some(({ name, target }) => name === 'training.enrollment.expired' && target.id === Number(id)),
  );
});

it('an overdue enrolment is announced once, and found by the filter', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId, 7, { dueAt: new Date(Date.now() + 1_000).toISOString() });
  await anEnrollment(service, api, courseId, 8);
  await until('it is overdue', () =>
    service.events.some(({ name, target }) => name === 'training.enrollment.overdue' && target.id === Number(id)),
  );
  const listed = async (overdue: string) =>
    (await api.listEnrollments({ query: { overdue } })).data.map(
      (one: { id: string; overdue: boolean }) => one.overdue,
    );
  expect([await listed('true'), await listed('false')]).toEqual([[true], [false]]);
});

it('a restart is a new enrolment; the ended one stays', async () => {
  const { api, id: courseId, lessons } = await aCourse(service);
  const { id, own } = await anEnrollment(service, api, courseId);
  const restart = () => api.restartEnrollment({ params: { id }, body: {} });
  expect((await restart()).body.code).toBe('transition_refused');
  await own.completeLesson({ params: { id, lessonId: lessons[0] } });
  const answers = await Promise.all([restart(), restart()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const again = answers.find(({ status }) => status === 201)?.data;
  expect(again).toMatchObject({ attemptNo: 2, status: 'enrolled', percent: 0 });
  expect((await api.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'completed', percent: 100 });
});

it.each(['expired', 'withdrawn'])('users do not undo that their own enrolment is %s', async (status) => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId);
  await service.sqlWithin(api.caller, 'UPDATE enrollment SET status = $2 WHERE id = $1', [id, status]);
  const { tenantId } = api.caller as { tenantId: number };
  const member = service.as({ type: 'user', tenantId, environment: 'live', userId: 7, can: ['training:write'] });
  const learnerId = learner('user', 7);
  // With the learner one more than are enrolled at once.
  const others = Array.from({ length: 250 }, (_, index) => learner('user', index + 500));
  const message = expect.stringContaining(`Your last enrolment in the course is ${status}`);
  for (const [field, { status: code, body }] of [
    ['id', await member.restartEnrollment({ params: { id }, body: {} })],
    ['learnerId', await member.createEnrollment({ body: { courseId, learnerId } })],
    ['learnerIds.250', await member.bulkCreateEnrollments({ body: { courseId, learnerIds: [...others, learnerId] } })],
  ] as const)
    expect([code, body.errors]).toEqual([403, [{ field, message }]]);
  expect((await api.listEnrollments({ query: { courseId } })).data).toHaveLength(1);
  const some = await member.bulkCreateEnrollments({ body: { courseId, learnerIds: [learnerId, learner('user', 8)] } });
  expect([some.status, some.data.succeeded, some.data.failed]).toEqual([200, 1, 1]);
  expect(some.data.results).toMatchObject([
    { learnerId, id: null, success: false, error: { code: 'forbidden', message } },
    { success: true, error: null },
  ]);
  expect((await api.listEnrollments({ query: { courseId } })).data).toHaveLength(2);
  expect((await api.restartEnrollment({ params: { id }, body: {} })).status).toBe(201);
});

it.each([
  ['user', nobody, 'a user who does not exist'],
  ['user', suspended, 'a user who is not active'],
  ['partner', suspended, 'a partner who is not approved'],
  ['lead', nobody, 'a lead who does not exist'],
] as const)('a restart of a %s %s is refused as a new enrolment of %s is', async (type, learnerId, _who) => {
  const { api, id: courseId } = await aCourse(service);
  const { data } = await api.createEnrollment({ body: { courseId, learnerId: learner(type, 7) } });
  await api.withdrawEnrollment({ params: { id: data.id } });
  const left = 'UPDATE enrollment SET learner_id = $2, user_id = NULL WHERE id = $1';
  await service.sqlWithin(api.caller, left, [data.id, learnerId]);
  const created = await enrol(api, courseId, learner(type, learnerId));
  const restarted = await api.restartEnrollment({ params: { id: data.id }, body: {} });
  expect([restarted.status, restarted.body.errors]).toEqual([422, created.body.errors]);
  expect((await api.listEnrollments({ query: { courseId } })).data).toHaveLength(1);
});

it('an expired enrolment of a deleted course opens again only after the course is restored', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId);
  await service.sqlWithin(api.caller, `UPDATE enrollment SET status = 'expired' WHERE id = $1`, [id]);
  expect((await api.deleteCourse({ params: { id: courseId } })).status).toBe(200);
  const extend = () => api.extendEnrollment({ params: { id }, body: { expiresAt: '2100-01-01T00:00:00.000Z' } });
  const { status, body } = await extend();
  expect([status, body.code]).toEqual([409, 'course_deleted']);
  expect((await api.getEnrollment({ params: { id } })).data).toMatchObject({ status: 'expired', version: 1 });
  expect((await api.restoreCourse({ params: { id: courseId } })).status).toBe(200);
  expect((await extend()).data.status).toBe('enrolled');
});

it('learners without training:manage do not move the dates of their own enrolment', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId);
  const { tenantId } = api.caller as { tenantId: number };
  const as = (userId: number, ...more: string[]) =>
    service.as({ type: 'user', tenantId, userId, can: ['training:read', 'training:write', ...more] });
  const date = '2100-01-01T00:00:00.000Z';
  const moves = (caller: Api) => [
    () => caller.updateEnrollment({ params: { id }, body: { dueAt: date } }),
    () => caller.extendEnrollment({ params: { id }, body: { expiresAt: date } }),
  ];
  const fields = [];
  for (const move of moves(as(7))) fields.push(...((await move()).body.errors ?? []));
  expect(fields.map(({ field }: { field: string }) => field)).toEqual(['dueAt', 'expiresAt']);
  for (const move of [...moves(as(8)), ...moves(as(7, 'training:manage'))]) expect((await move()).status).toBe(200);
});

it('the dates of an enrolment change, with If-Match, until it ends', async () => {
  const { api, id: courseId } = await aCourse(service);
  const { id } = await anEnrollment(service, api, courseId);
  const dueAt = '2100-01-01T00:00:00.000Z';
  const change = (etag: string) =>
    api.updateEnrollment({ params: { id }, body: { dueAt }, headers: { 'if-match': etag } });
  expect((await change('"7"')).status).toBe(412);
  expect((await change('"1"')).data).toMatchObject({ dueAt, version: 2 });
  await api.withdrawEnrollment({ params: { id } });
  expect((await change('"3"')).body.code).toBe('enrollment_ended');
});

it('many learners are enrolled at once, with one result each', async () => {
  const { api, id: courseId } = await aCourse(service);
  await anEnrollment(service, api, courseId, 7);
  const learnerIds = [learner('user', 7), learner('user', 8), learner('user', nobody), learner('lead', 9)];
  const { status, data } = await api.bulkCreateEnrollments({ body: { courseId, learnerIds } });
  expect([status, data.succeeded, data.failed]).toEqual([200, 2, 2]);
  expect(data.results.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)).toEqual([
    'already_enrolled',
    null,
    'validation_failed',
    null,
  ]);
  expect(await countOf(api, courseId)).toBe(3);
});

it('thousands of learners are enrolled by a job, which reports those who could not be', async () => {
  const { api, id: courseId } = await aCourse(service);
  await anEnrollment(service, api, courseId, 500);
  const learnerIds = Array.from({ length: 1_000 }, (_, index) => learner('user', index + 500));
  const { status, data } = await api.bulkCreateEnrollments({ body: { courseId, learnerIds } });
  expect([status, data.status]).toEqual([202, 'queued']);
  const params = { id: data.jobId };
  const job = await until('the job ends', async () => {
    const { data: now } = await api.getJob({ params });
    return now.completedAt && now;
  });
  expect([job.status, job.result]).toEqual(['completed', { succeeded: 999, failed: 1 }]);
  expect((await api.getJobErrors({ params })).text).toContain('already_enrolled');
  expect((await api.listEnrollments({ query: { courseId } })).body.pagination?.total).toBe(1_000);
});

it('a caller who is limited to own records sees their enrolments only', async () => {
  const { api, id: courseId } = await aCourse(service);
  const mine = await anEnrollment(service, api, courseId, 7);
  const other = await anEnrollment(service, api, courseId, 8);
  const { data } = await mine.own.listEnrollments({ query: {} });
  expect(data.map(({ id }: { id: string }) => id)).toEqual([mine.id]);
  expect((await mine.own.getEnrollment({ params: { id: other.id } })).status).toBe(404);
  expect((await mine.own.getEnrollmentProgress({ params: { id: other.id } })).status).toBe(404);
});
