import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unionNumber } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import type { TestTenant } from '@tandem/test-fleet';
import pg from 'pg';
import { formatNumber } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { runLoad } from '../wrk.ts';
import type { Case } from './cases.ts';
import { measure } from './requests.ts';
import { enrollmentCount, fillTraining, lessonCount } from './training-data.ts';

const members = ['gateway', 'identity', 'crm', 'partner', 'files', 'training'];
const goalMs = 50;
const dayMs = 86_400_000;
const courseCount = 20;
const quizzes = 5;
const questionsOfQuiz = 10;
const bulkLearners = 10_000;
const bulkWaitMs = 300_000;
const pollMs = 200;
// Reports of progress that different learners send.
const reporters = 20_000;

/** Measures training with 100,000 enrolments and 5,000,000 records of progress in one tenant, through the gateway. */
export async function measureTraining(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  const number = (type: 'course' | 'user', id: string) => ids.decode(type, tenantId, id) as number;
  const courses = await addCourses(tenant);
  const firstUser = number('user', tenant.userId);
  await fillTraining(
    place.databaseUrl('training'),
    { id: tenantId, courses: courses.map((id) => number('course', id)), firstUser },
    place.log,
  );
  const code = (type: 'enrollment' | 'lesson' | 'lead', id: number) => ids.encode(type, tenantId, id);
  const learner = (type: 'user' | 'lead', id: number) =>
    ids.encode('learner', tenantId, unionNumber('learner', type, id));
  const setting: Setting = { place, tenant, tenantId, course: courses[0] as string, code, learner };
  const running = await runningEnrollments(setting);
  const rows: Row[] = [];
  const add = (row: Row) => {
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  };
  for (const one of cases(setting, running)) add(await measure(place, one, { key: tenant.live, id: 'training-size' }));
  add(await measureProgress(setting, running));
  add(await measureBulk(setting));
  return rows;
}

interface Setting {
  place: Place;
  tenant: TestTenant;
  tenantId: number;
  /** The course with half of the enrolments. */
  course: string;
  code(type: 'enrollment' | 'lesson' | 'lead', id: number): string;
  learner(type: 'user' | 'lead', id: number): string;
}

/** Courses with 50 lessons, of which 5 are quizzes with 10 questions each. */
async function addCourses({ api }: TestTenant): Promise<string[]> {
  const { data: first } = await api.createCourse({ body: { title: 'Selling to engineers', category: 'Sales' } });
  for (let order = 0; order < lessonCount; order++) {
    const isQuiz = order % (lessonCount / quizzes) === lessonCount / quizzes - 1;
    await api.createLesson({
      params: { id: first.id },
      body: {
        title: `Lesson ${order}`,
        ...(isQuiz ? { type: 'quiz', questions: questions() } : { content: '<p>Text of the lesson</p>' }),
      },
    });
  }
  const all = [first.id];
  while (all.length < courseCount)
    all.push(
      (await api.duplicateCourse({ params: { id: first.id }, body: { title: `Course ${all.length}` } })).data.id,
    );
  for (const id of all) await api.publishCourse({ params: { id } });
  return all;
}

const questions = () =>
  Array.from({ length: questionsOfQuiz }, (_, index) => ({
    type: 'single' as const,
    text: `Question ${index}`,
    options: ['a', 'b', 'c'].map((key) => ({ key, text: `Answer ${key}`, correct: key === 'a' })),
  }));

interface Running {
  enrollmentId: string;
  lessonId: string;
  learnerId: string;
}

/** Enrolments of users that run, with a lesson that is in progress. */
async function runningEnrollments({ place, tenantId, code, learner }: Setting): Promise<Running[]> {
  const client = new pg.Client({ connectionString: place.databaseUrl('training') });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number; lesson: number; learner: number }>(
      `SELECT enrolled.id::int AS id, lesson.id::int AS lesson, learner_id::int AS learner FROM enrollment AS enrolled
       JOIN lesson USING (tenant_id, environment, course_id)
       WHERE tenant_id = $1 AND enrolled.status = 'in_progress' AND learner_type = 'user' AND lesson."order" = ${lessonCount - 2}
       LIMIT ${reporters}`,
      [tenantId],
    );
    return rows.map(({ id, lesson, learner: user }) => ({
      enrollmentId: code('enrollment', id),
      lessonId: code('lesson', lesson),
      learnerId: learner('user', user),
    }));
  } finally {
    await client.end();
  }
}

function cases({ course }: Setting, running: Running[]): Case[] {
  const { enrollmentId, learnerId } = running[Math.floor(running.length / 2)] as Running;
  const one = (what: string, path: string, hasRecords = false): Case => ({
    what,
    goalMs,
    path: `/v1/training/${path}`,
    hasRecords,
  });
  const list = (what: string, path: string) => one(what, path, true);
  const statistics = `courses/${course}/statistics`;
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  return [
    list('courses', 'courses'),
    list('courses by status and title', 'courses?status=published&sort=title'),
    list('courses: search', 'courses?search=engineers'),
    one('a course with its lessons', `courses/${course}`),
    list('lessons of a course', `courses/${course}/lessons`),
    one('progress of an enrolment', `enrollments/${enrollmentId}/progress`),
    one('an enrolment', `enrollments/${enrollmentId}`),
    one('transcript of a learner', `learners/${learnerId}/transcript`),
    one('statistics of a course', statistics),
    one('statistics of partners', `${statistics}?learnerType=partner`),
    one('statistics of the last 30 days', `${statistics}?from=${daysAgo(30)}`),
    one('statistics of 300 days', `${statistics}?from=${daysAgo(330)}&to=${daysAgo(30)}`),
    list('enrolments', 'enrollments'),
    list('enrolments, page 2,000', 'enrollments?page=2000'),
    list('enrolments of a course', `enrollments?courseId=${course}`),
    list('completed enrolments of a course', `enrollments?courseId=${course}&status=completed`),
    list('enrolments of partners', 'enrollments?learnerType=partner'),
    list('enrolments of a learner', `enrollments?learnerId=${learnerId}`),
    list('overdue enrolments by date', 'enrollments?overdue=true&sort=dueAt'),
    list('overdue enrolments of a course', `enrollments?courseId=${course}&overdue=true&sort=dueAt`),
    one('difficulty of questions', `${statistics}/questions`),
  ];
}

/** Reports of progress of different learners. */
async function measureProgress({ place, tenant }: Setting, running: Running[]): Promise<Row> {
  place.log('reporting progress');
  const file = join(place.dir, 'tmp/progress-paths');
  writeFileSync(file, running.map(({ enrollmentId, lessonId }) => `${enrollmentId}/lessons/${lessonId}`).join('\n'));
  const load = (seconds: number) =>
    runLoad(place.programs, {
      url: place.baseUrl,
      headers: { 'X-API-Key': tenant.live },
      connections: 32,
      seconds,
      script: 'call.lua',
      env: {
        CALL_METHOD: 'POST',
        CALL_PATH: '/v1/training/enrollments/{id}/progress',
        CALL_BODY: JSON.stringify({ secondsSpent: 15, percent: 60, position: 95 }),
        CALL_IDS: file,
        RUN: randomBytes(3).toString('hex'),
      },
    });
  await load(5);
  const { perSecond, p99 } = await load(10);
  return {
    id: 'training-progress',
    what: `Reports of progress beside ${formatNumber(enrollmentCount * lessonCount)} records`,
    goal: '≥ 500/s',
    reached: `${formatNumber(perSecond)}/s`,
    detail: `p99 ${formatNumber(p99)} ms`,
    isReached: perSecond >= 500,
  };
}

/** Enrols leads, which crm has. */
async function measureBulk({ place, tenant, tenantId, course, learner }: Setting): Promise<Row> {
  place.log(`enrolling ${formatNumber(bulkLearners)} leads`);
  const crm = new pg.Client({ connectionString: place.databaseUrl('crm') });
  await crm.connect();
  const firstLead = 50_000_000;
  await crm.query('SET session_replication_role = replica');
  await crm.query(
    `INSERT INTO lead (tenant_id, environment, id, email, first_name, last_name, source, status, status_code, score, updated_at)
     SELECT $1, 'live', ${firstLead} + n, 'lead.' || n || '@example.com', 'First' || n, 'Last' || n, 'api', 'new', 'new', 0, now()
     FROM generate_series(1, $2::int) n`,
    [tenantId, bulkLearners],
  );
  await crm.end();
  const learnerIds = Array.from({ length: bulkLearners }, (_, index) => learner('lead', firstLead + 1 + index));
  const startedAt = performance.now();
  const reply = await tenant.api.bulkCreateEnrollments({ body: { courseId: course, learnerIds } });
  const { jobId } = reply.data as { jobId: string };
  let job = await readJob(place, tenant, jobId);
  while (job.status !== 'completed' && job.status !== 'failed' && performance.now() - startedAt < bulkWaitMs) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    job = await readJob(place, tenant, jobId);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    id: 'training-bulk',
    what: `Enrolment of ${formatNumber(bulkLearners)} learners as a job`,
    goal: '≤ 30 s',
    reached: `${formatNumber(seconds)} s`,
    detail: `${job.status}, ${JSON.stringify(job.result)}`,
    isReached: seconds <= 30 && job.result?.succeeded === bulkLearners,
  };
}

interface Job {
  status: string;
  result: { succeeded: number } | null;
}

async function readJob({ baseUrl }: Place, { live }: TestTenant, jobId: string): Promise<Job> {
  const response = await fetch(`${baseUrl}/v1/jobs/${jobId}`, {
    headers: { 'X-API-Key': live },
    signal: AbortSignal.timeout(10_000),
  });
  return ((await response.json()) as { data: Job }).data;
}
