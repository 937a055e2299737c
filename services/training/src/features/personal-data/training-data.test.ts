import { aPerson, publish, publishLeadDeletion, until } from '@tandem/testing';
import { aCourse } from '../../learning.test-service.ts';
import { aPackage } from '../../scorm.test-service.ts';
import { type Api, learner, startTraining, type TrainingService } from '../../training.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

// The person is lead 1, who was merged with lead 2; the name of the other lead is similar.
const [one, two, other] = [1, 2, 10];
const person = aPerson({
  leadIds: [one, two],
  emails: ['lead1@example.com'],
  names: ['Ada Lovelace 1'],
});
const essay = 'Lovelace writes what only she knows';

interface Section {
  name: string;
  total: number;
  records: Record<string, unknown>[];
}

let erasures = 0;

/** Asks training to erase the data of the person, and waits for its report; the second run follows at once. */
async function erase(api: Api): Promise<Record<string, number>> {
  const id = ++erasures;
  const tenantId = api.caller.tenantId as number;
  const event = { target: { type: 'erasure', id }, data: { person, services: ['training'] }, record: { id: `${id}` } };
  await publish({ service, tenantId }, 'personal_data.erasure_requested', event);
  return until('training has erased its data', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
    const report = service.events.find(({ name, target }) => name === 'personal_data.erased' && target.id === id);
    return (report?.data as { erased: Record<string, number> } | undefined)?.erased;
  });
}

async function exported(api: Api): Promise<Record<string, Section>> {
  const system = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
  const { data } = await system.exportPerson({ body: { person } });
  return Object.fromEntries((data.sections as Section[]).map((section) => [section.name, section]));
}

/** A course with a quiz and an assignment, whose completion gives a certificate. */
async function aLearningCourse(api = service.as()) {
  const lessons = [{ type: 'quiz', questions: [{ type: 'text', answers: [essay] }] }, { type: 'assignment' }];
  const course = await aCourse(service, { api, lessons, certificate: { title: 'Certified seller' } });
  return { ...course, quiz: course.lessons[0] as string, assignment: course.lessons[1] as string };
}

type Course = Awaited<ReturnType<typeof aLearningCourse>>;

const enrol = async ({ api, id: courseId }: Course, leadId: number) =>
  (await api.createEnrollment({ body: { courseId, learnerId: learner('lead', leadId) } })).data.id as string;

async function handIn({ api, assignment }: Course, id: string, fields: object = {}): Promise<string> {
  const { data: attempt } = await api.startAttempt({ params: { id, lessonId: assignment } });
  await api.submitAttempt({ params: { id: attempt.id }, body: { text: essay, ...fields } });
  return attempt.id;
}

/** Enrols a lead who completes the course; returns the enrolment and the certificate. */
async function complete(course: Course, leadId: number) {
  const { api, quiz } = course;
  const id = await enrol(course, leadId);
  const { data: attempt } = await api.startAttempt({ params: { id, lessonId: quiz } });
  const answers = [{ questionId: attempt.questions[0].id, text: essay }];
  await api.submitAttempt({ params: { id: attempt.id }, body: { answers } });
  const handedIn = await handIn(course, id, { fileIds: [service.files.add()] });
  const body = { score: 90, feedback: `Well done, ${essay}` };
  expect((await api.gradeAttempt({ params: { id: handedIn }, body })).status).toBe(200);
  const { data: enrollment } = await api.getEnrollment({ params: { id } });
  expect(enrollment.status).toBe('completed');
  const certificateId = enrollment.certificateId as string;
  const certificate = async () => (await api.getCertificate({ params: { id: certificateId } })).data;
  await until('it has the name', async () => (await certificate()).learnerName !== '');
  return { id, certificateId, certificate, attemptIds: [attempt.id as string, handedIn] };
}

/** The tables that contain a text of the person. */
async function tablesWith(api: Api, text: string): Promise<string[]> {
  const tables = ['enrollment', 'attempt', 'scorm_state', 'certificate', 'lesson_progress', 'rule_outcome'];
  const found = await Promise.all(
    tables.map((table) =>
      service.sqlWithin(api.caller, `SELECT 1 FROM ${table} AS record WHERE record::text ILIKE $1`, [`%${text}%`]),
    ),
  );
  return tables.filter((_, index) => found[index]?.length);
}

function visit(operation: 'getPublicCertificate' | 'showCertificatePage', code: string) {
  const { tenantId: _tenant, ...nobody } = service.as({ type: 'anonymous', can: [] }).caller;
  return service.send(service.operations[operation], { params: { code } }, nobody);
}

it('the export of a person has what they learned, wrote and were told, and nothing of others', async () => {
  const course = await aLearningCourse();
  const { api, id: courseId } = course;
  const mine = await complete(course, one);
  await complete(course, other);
  const sections = await exported(api);
  expect(sections).toMatchObject({
    enrollments: {
      total: 1,
      records: [{ id: mine.id, courseId, courseTitle: 'Selling', status: 'completed', percent: 100 }],
    },
    lessonProgress: { total: 2, records: [{ status: 'completed' }, { status: 'completed' }] },
    lessonAttempts: {
      total: 2,
      records: [
        { text: essay, feedback: `Well done, ${essay}`, score: 90 },
        { answers: [{ text: essay }], questions: [{ text: 'What is right?' }], score: 100 },
      ],
    },
    packageData: { total: 0 },
    certificates: { total: 1, records: [{ id: mine.certificateId, learnerName: 'Ada Lovelace 1' }] },
    enrollmentRuleOutcomes: { total: 0 },
  });
  // Questions of a course are used again: their answer keys are not part of the export.
  expect(JSON.stringify(sections)).not.toContain('"correct":true');
});

it('an erasure removes answers, hand-ins, feedback and names; scores, statistics and the records of others stay', async () => {
  const course = await aLearningCourse();
  const { api, id: courseId } = course;
  const [mine, theirs] = [await complete(course, one), await complete(course, other)];
  const statistics = async () => (await api.getCourseStatistics({ params: { id: courseId } })).data;
  const before = await statistics();
  const kept = [await theirs.certificate(), await attemptsOf(api, theirs.attemptIds)];

  expect(await erase(api)).toEqual({ attempts: 2, certificates: 1 });
  expect(await statistics()).toEqual(before);
  expect(before).toMatchObject({ enrolled: 2, completed: 2 });
  expect([await theirs.certificate(), await attemptsOf(api, theirs.attemptIds)]).toEqual(kept);
  expect((await api.getEnrollment({ params: { id: mine.id } })).data).toMatchObject({
    status: 'completed',
    percent: 100,
  });
  const emptied = { answers: [], questions: [], text: null, fileIds: [], feedback: null, status: 'graded' };
  const checksums = 'SELECT file_checksums FROM attempt WHERE id = $1';
  expect(await service.sqlWithin(api.caller, checksums, [mine.attemptIds[1]])).toEqual([{ file_checksums: [] }]);
  expect(await attemptsOf(api, mine.attemptIds)).toMatchObject([
    { ...emptied, score: 100 },
    { ...emptied, score: 90 },
  ]);
  await service.sqlWithin(api.caller, 'DELETE FROM certificate WHERE id = $1', [theirs.certificateId]);
  await service.sqlWithin(api.caller, 'DELETE FROM attempt WHERE enrollment_id = $1', [theirs.id]);
  expect(await tablesWith(api, 'Lovelace')).toEqual([]);
});

const attemptsOf = async (api: Api, ids: string[]) =>
  (await Promise.all(ids.map((id) => api.getAttempt({ params: { id } })))).map(({ data }) => data);

it('the public page of an erased certificate says that it was removed, and names nobody', async () => {
  const course = await aLearningCourse();
  const { api } = course;
  const mine = await complete(course, two);
  const { code } = await mine.certificate();
  await erase(api);
  expect(await mine.certificate()).toMatchObject({ learnerName: 'Erased', status: 'revoked', revokeReason: null });
  const page = await visit('showCertificatePage', code);
  expect(page.text).toContain('This certificate was removed');
  expect(page.text).not.toContain('Lovelace');
  expect(page.text).not.toContain('revoked');
  const { data } = await visit('getPublicCertificate', code);
  expect(data).toMatchObject({ learnerName: 'Erased', status: 'revoked' });
  const { body } = await api.getCertificateDownloadUrl({ params: { id: mine.certificateId } });
  expect(body.code).toBe('certificate_revoked');
});

it('the job that adds the name does not bring it back', async () => {
  const course = await aLearningCourse();
  const { api } = course;
  const mine = await complete(course, one);
  await erase(api);
  const { version } = await mine.certificate();
  await service.sqlWithin(
    api.caller,
    `INSERT INTO platform.job (name, payload, due_at) VALUES ('name-learner', jsonb_build_object('certificateId', $1::text), now())`,
    [mine.certificateId],
  );
  const waiting = () => service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = 'name-learner'`);
  await until('the job has run', async () => (await waiting()).length === 0);
  expect(await mine.certificate()).toMatchObject({ learnerName: 'Erased', version });
});

it('running enrolments of an erased person are withdrawn for that reason, and what waits for a grade ends', async () => {
  const course = await aLearningCourse();
  const { api, id: courseId } = course;
  const [running, expired] = [await enrol(course, one), await enrol(course, two)];
  const open = [await handIn(course, running), await handIn(course, expired)];
  await service.sqlWithin(api.caller, `UPDATE enrollment SET status = 'expired' WHERE id = $1`, [expired]);
  const told = { service, tenantId: api.caller.tenantId as number };
  await publishLeadDeletion(told, 'lead.deleted', { leadId: `${one}`, version: 2, isErased: true });
  await erase(api);
  const { data } = await api.getEnrollment({ params: { id: running } });
  expect(data).toMatchObject({ status: 'withdrawn', withdrawReason: 'erased' });
  expect((await api.getEnrollment({ params: { id: expired } })).data.status).toBe('expired');
  expect((await attemptsOf(api, open)).map(({ status, text }) => [status, text])).toEqual([
    ['ended', null],
    ['ended', null],
  ]);
  expect((await api.gradeAttempt({ params: { id: open[1] as string }, body: { score: 9 } })).body.code).toBe(
    'not_submitted',
  );
  expect((await api.getCourse({ params: { id: courseId } })).data.enrollmentCount).toBe(1);
});

it('the data of a package is exported and erased, and a window that is still open stores no more', async () => {
  const { api, id: courseId } = await aCourse(service, { lessons: [] });
  const fileId = service.files.add('available', { content: await aPackage('1.2') });
  const lesson = await api.createLesson({
    params: { id: courseId },
    body: { title: 'Package', type: 'scorm', fileId },
  });
  const lessonId = lesson.data.id as string;
  const { data: enrollment } = await api.createEnrollment({ body: { courseId, learnerId: learner('lead', one) } });
  const launched = await api.launchLesson({ params: { id: enrollment.id, lessonId } });
  const token = (launched.data.url as string).split('/').at(-1) as string;
  let sequence = 0;
  const commit = () =>
    service.send(
      service.operations.commitScormData,
      { params: { token }, body: { sequence: ++sequence, secondsSpent: 1, suspendData: essay } } as never,
      { type: 'public', requestId: 'test', permissions: [], environment: 'live' } as never,
    );
  expect((await commit()).status).toBe(200);
  expect((await exported(api))['packageData']).toMatchObject({ records: [{ runtime: { suspendData: essay } }] });
  expect(await erase(api)).toEqual({ withdrawnEnrollments: 1, packageData: 1 });
  expect((await commit()).status).toBe(409);
  expect(await tablesWith(api, 'Lovelace')).toEqual([]);
});

it('an erasure forgets what enrolment rules did for the person; their counters stay', async () => {
  const course = await aLearningCourse();
  const { api, id: courseId } = course;
  const fields = { title: 'Everybody', courseId, learnerType: 'lead' };
  const { data: rule } = await api.createEnrollmentRule({ body: fields });
  await service.sqlWithin(
    api.caller,
    `INSERT INTO rule_outcome (rule_id, learner_id, skip_reason) VALUES ($1, 1, 'audience'), ($1, 10, 'audience')`,
    [rule.id],
  );
  await service.sqlWithin(api.caller, 'UPDATE enrollment_rule SET skipped_count = 2 WHERE id = $1', [rule.id]);
  expect((await exported(api))['enrollmentRuleOutcomes']).toMatchObject({
    total: 1,
    records: [{ ruleId: rule.id, skipReason: 'audience' }],
  });
  expect(await erase(api)).toEqual({ enrollmentRuleOutcomes: 1 });
  const { data } = await api.getEnrollmentRule({ params: { id: rule.id } });
  expect(data.skippedCount).toBe(2);
  expect(data.lastSkipped.map(({ learnerId }: { learnerId: string }) => learnerId)).toEqual([learner('lead', other)]);
});

it('a user or partner with the number of the lead is not erased', async () => {
  const course = await aLearningCourse();
  const { api, id: courseId } = course;
  for (const type of ['user', 'partner'] as const) {
    const { data } = await api.createEnrollment({ body: { courseId, learnerId: learner(type, one) } });
    await handIn(course, data.id);
  }
  expect(await erase(api)).toEqual({});
  expect((await api.listEnrollments({ query: { courseId, status: 'enrolled' } })).data).toHaveLength(0);
  const texts = await service.sqlWithin(api.caller, `SELECT text FROM attempt WHERE status = 'submitted'`);
  expect(texts).toEqual([{ text: essay }, { text: essay }]);
});

it('erases more enrolments than one batch holds', async () => {
  const course = await aLearningCourse();
  const { api, id: courseId } = course;
  await handIn(course, await enrol(course, one));
  await service.sqlWithin(
    api.caller,
    `WITH added AS (
       INSERT INTO enrollment (course_id, learner_type, learner_id, status)
       SELECT course_id, learner_type, learner_id, 'expired' FROM enrollment CROSS JOIN generate_series(1, 50)
       WHERE course_id = $1 RETURNING id, course_id)
     INSERT INTO attempt (enrollment_id, course_id, lesson_id, number, status, text)
     SELECT id, course_id, $2, 1, 'graded', 'Lovelace' FROM added`,
    [courseId, course.assignment],
  );
  expect(await erase(api)).toEqual({ withdrawnEnrollments: 1, attempts: 51 });
  expect(await tablesWith(api, 'Lovelace')).toEqual([]);
});
