import { until } from '@tandem/testing';
import { anEnrollment, aCourse as aPlayedCourse } from '../../learning.test-service.ts';
import { aPackage, type Files } from '../../scorm.test-service.ts';
import { type Api, startTraining, type TrainingService } from '../../training.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

interface Options {
  version?: '1.2' | '2004';
  masteryScore?: number;
  files?: Files;
  completion?: object;
  course?: object;
}

/** A published course with a package, in which user 7 is enrolled. */
async function aLaunch({ version = '1.2', masteryScore, files = {}, completion, course = {} }: Options = {}) {
  const { api, id: courseId } = await aPlayedCourse(service, { lessons: [], ...course });
  const content = await aPackage(version, { files, ...(masteryScore !== undefined && { masteryScore }) });
  const fileId = service.files.add('available', { content });
  const { data } = await api.createLesson({
    params: { id: courseId },
    body: { title: 'Package', type: 'scorm', fileId, ...(completion && { completion }) },
  });
  const { own, id } = await anEnrollment(service, api, courseId);
  return { api, own, fileId, courseId, id, lessonId: data.id as string, params: { id, lessonId: data.id as string } };
}

type Params = Record<string, string>;

const tokenOf = (url: string) => url.split('/').at(-1) as string;

async function launched(own: Api, params: Params): Promise<string> {
  const reply = await own.launchLesson({ params });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return tokenOf(reply.data.url);
}

type Visit = 'commitScormData' | 'serveScormRuntime' | 'serveScormContent' | 'showScormPlayer';
function visit(
  operation: Visit,
  request: { params: Record<string, string>; body?: Record<string, unknown>; headers?: Record<string, string> },
) {
  const caller = { type: 'public', requestId: 'test', permissions: [], environment: 'live' } as never;
  return service.send(service.operations[operation] as never, request as never, caller);
}
let sequence = 0;
const commit = (token: string, body: Record<string, unknown>) =>
  visit('commitScormData', { params: { token }, body: { sequence: ++sequence, ...body } });
const runtimeOf = async (token: string) => (await visit('serveScormRuntime', { params: { token } })).text;
const contentOf = (token: string, path: string, headers: Record<string, string> = {}) =>
  visit('serveScormContent', { params: { token, path: encodeURIComponent(path) }, headers });
const passing = { completionStatus: 'completed', successStatus: 'passed', score: { raw: 90, min: 0, max: 100 } };
const failing = { completionStatus: 'completed', successStatus: 'failed', score: { raw: 30, min: 0, max: 100 } };

/** The events of a tenant with a name, once there are as many as expected. */
async function eventsOf(api: Api, name: string, count: number) {
  const found = () => service.events.filter((one) => one.name === name && one.tenantId === api.caller.tenantId);
  await until(`there are ${count} events ${name}`, () => found().length >= count);
  expect(found()).toHaveLength(count);
  return found();
}

it('a passed package completes its lesson and its course, with the score', async () => {
  const { own, api, id, params } = await aLaunch();
  const token = await launched(own, params);
  const half = await commit(token, {
    completionStatus: 'incomplete',
    location: 'p2',
    suspendData: 'abc',
    progress: 0.5,
  });
  expect(half.data).toEqual({ status: 'in_progress', passed: null, attemptScore: null, recorded: true });
  const done = await commit(token, { ...passing, finished: true });
  expect(done.data).toEqual({ status: 'completed', passed: true, attemptScore: 90, recorded: true });
  const progress = (await own.getEnrollmentProgress({ params: { id } })).data;
  expect(progress).toMatchObject({ status: 'completed', percent: 100, score: 90 });
  expect(progress.lessons[0]).toMatchObject({ status: 'completed', score: 90, attempts: 1 });
  // Nothing goes back: neither a failure nor another launch changes the result.
  expect((await commit(token, { ...failing, finished: true })).data).toMatchObject({ passed: true, recorded: false });
  const review = await own.launchLesson({ params });
  expect(review.data.attemptId).toBeNull();
  expect((await commit(tokenOf(review.data.url), failing)).data.recorded).toBe(false);
  expect((await own.getEnrollmentProgress({ params: { id } })).data.lessons[0]).toMatchObject({
    score: 90,
    attempts: 1,
  });
  await eventsOf(api, 'training.course.completed', 1);
  await eventsOf(api, 'training.lesson.failed', 0);
});

it('a failed package is an attempt, and the next launch begins another one', async () => {
  const { own, api, id, lessonId, params } = await aLaunch({
    completion: { rule: 'quiz', passScore: 60, maxAttempts: 2 },
  });
  const first = await launched(own, params);
  // The learner may try again inside of the package until it ends.
  expect((await commit(first, { ...failing, suspendData: 'of the first attempt' })).data.passed).toBeNull();
  expect((await commit(first, { ...failing, finished: true })).data).toMatchObject({ passed: false, attemptScore: 30 });
  const [failed] = await eventsOf(api, 'training.lesson.failed', 1);
  expect(failed?.data).toMatchObject({ score: 30, passScore: 60, attempt: 1, attemptsLeft: 1 });
  const second = await launched(own, params);
  expect(await runtimeOf(second)).not.toContain('of the first attempt');
  await commit(second, { ...failing, finished: true });
  expect((await own.launchLesson({ params })).body.code).toBe('attempts_used');
  const { data } = await own.listAttempts({ query: { enrollmentId: id, lessonId } });
  expect(data.map((one: { passed: boolean; score: number }) => [one.passed, one.score])).toEqual([
    [false, 30],
    [false, 30],
  ]);
  await eventsOf(api, 'training.lesson.failed', 2);
});

describe('the server decides', () => {
  it.each([
    ['the score of the lesson', { completion: { rule: 'quiz', passScore: 95 } }, passing, false],
    ['the score of the package', { masteryScore: 95 }, passing, false],
    ['the score of the package, not its report', { masteryScore: 20 }, failing, true],
    ['the score of the course', { completion: { rule: 'quiz' }, course: { passScore: 25 } }, failing, true],
    ['the report without a score', {}, { completionStatus: 'completed' }, true],
    ['that a quiz needs a score', { completion: { rule: 'quiz' } }, { completionStatus: 'completed' }, null],
    ['that more is to be seen', {}, { completionStatus: 'incomplete', successStatus: 'passed' }, null],
  ])('%s', async (_, options, data, passed) => {
    const { own, params } = await aLaunch(options);
    const reply = await commit(await launched(own, params), { ...data, finished: true });
    expect(reply.data.passed).toBe(passed);
  });
});

it.each([
  [{ raw: 50, min: 0, max: 200 }, 25],
  [{ raw: 50, min: 100, max: 0 }, 50],
  [{ raw: 50, min: 20, max: 20 }, 50],
  [{ raw: 9_999_999_999.9, min: -9_999_999_999.9, max: 9_999_999_999.9 }, 100],
  [{ raw: 50, scaled: -1 }, 0],
])('the score %o is %d of 100', async (score, expected) => {
  const { own, params } = await aLaunch();
  const { data } = await commit(await launched(own, params), { completionStatus: 'incomplete', score });
  expect(data).toMatchObject({ attemptScore: expected, recorded: true });
});

it('refuses scores that no package can mean, and names them', async () => {
  const { own, params } = await aLaunch();
  const score = { raw: 1e308, min: -1e308, max: 1e308, scaled: 5 };
  const { status, body } = await commit(await launched(own, params), { score, objectives: [{ id: 'one', score }] });
  const fields = ['raw', 'min', 'max', 'scaled'].flatMap((one) => [`score.${one}`, `objectives.0.score.${one}`]);
  expect([status, body.errors?.map(({ field }: { field: string }) => field).sort()]).toEqual([422, fields.sort()]);
});

it('a package continues with any score that an earlier release has stored', async () => {
  const { api, own, params } = await aLaunch({ version: '2004' });
  await commit(await launched(own, params), { score: { raw: 1 } });
  const scores = { score: { raw: 1e300, scaled: 5 }, objectives: [{ id: 'one', score: { max: 1e300 } }] };
  await service.sqlWithin(api.caller, 'UPDATE scorm_state SET runtime = runtime || $1', [JSON.stringify(scores)]);
  const reply = await visit('serveScormRuntime', { params: { token: await launched(own, params) } });
  expect([reply.status, reply.text.includes('"raw":"1e+300"')]).toEqual([200, true]);
});

it('another package in the same lesson begins without the data of the first one', async () => {
  const { api, own, lessonId, params } = await aLaunch();
  const first = await launched(own, params);
  await commit(first, { completionStatus: 'incomplete', suspendData: 'of the first package', exit: 'suspend' });
  expect(await runtimeOf(await launched(own, params))).toContain('of the first package');
  const content = await aPackage('2004', { files: { 'other.html': 'other' } });
  await api.updateLesson({
    params: { id: lessonId },
    body: { fileId: service.files.add('available', { content }) },
  });
  const second = await launched(own, params);
  for (const token of [second, first]) expect(await runtimeOf(token)).not.toContain('of the first package');
  expect((await commit(first, passing)).body.code).toBe('session_replaced');
  expect((await commit(second, { ...passing, finished: true })).data).toMatchObject({ status: 'completed' });
});

it('a completed package can be taken again while its score keeps the course from being completed', async () => {
  const { api, own, id, params } = await aLaunch({
    course: { passScore: 80 },
    completion: { rule: 'package', maxAttempts: 3 },
  });
  const result = (raw: number) => ({ completionStatus: 'completed', score: { raw, min: 0, max: 100 }, finished: true });
  const standing = async () => {
    const { status, lessons } = (await own.getEnrollmentProgress({ params: { id } })).data;
    return [status, lessons[0].status, lessons[0].score, lessons[0].canRetry];
  };
  await commit(await launched(own, params), result(60));
  expect(await standing()).toEqual(['in_progress', 'completed', 60, true]);
  await commit(await launched(own, params), result(50));
  expect(await standing()).toEqual(['in_progress', 'completed', 60, true]);
  await commit(await launched(own, params), result(95));
  expect(await standing()).toEqual(['completed', 'completed', 95, false]);
  expect((await own.launchLesson({ params })).data.attemptId).toBeNull();
  await eventsOf(api, 'training.course.completed', 1);
});

it('progress says that a failed package has no attempt left', async () => {
  const { own, id, params } = await aLaunch({ completion: { rule: 'package', maxAttempts: 1 } });
  const token = await launched(own, params);
  const blocked = async () => (await own.getEnrollmentProgress({ params: { id } })).data.blockedReason;
  expect(await blocked()).toBeNull();
  await commit(token, { ...failing, finished: true });
  expect(await blocked()).toMatch(/^No attempts are left in “.+”, which is not passed/);
});

it('counts time at most once, whatever the page reports', async () => {
  const { own, id, params } = await aLaunch();
  const token = await launched(own, params);
  await commit(token, { secondsSpent: 86_000 });
  await commit(token, { secondsSpent: 86_000 });
  expect((await own.getEnrollmentProgress({ params: { id } })).data.secondsSpent).toBeLessThan(60);
});

it('an older commit, and one of an earlier launch, change nothing', async () => {
  const { own, params } = await aLaunch();
  const first = await launched(own, params);
  await commit(first, { sequence: 5, location: 'new' });
  expect((await commit(first, { ...passing, sequence: 4 })).data.recorded).toBe(false);
  const second = await launched(own, params);
  const late = await commit(first, passing);
  expect([late.status, late.body.code]).toEqual([409, 'session_replaced']);
  expect(await runtimeOf(second)).toContain('"lesson_location":"new"');
});

it('a locked lesson, an enrolment that has ended, another lesson and a stranger cannot launch', async () => {
  const { api, own, courseId, id, params } = await aLaunch();
  const { data: text } = await api.createLesson({ params: { id: courseId }, body: { title: 'Text' } });
  const notLaunched = await own.launchLesson({ params: { id, lessonId: text.id } });
  expect([notLaunched.status, notLaunched.body.errors?.[0]?.field]).toEqual([422, 'lessonId']);
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const other = service.as({ type: 'user', tenantId, environment, userId: 8, can: ['training:read:own'] });
  expect((await other.launchLesson({ params })).status).toBe(404);
  expect((await own.startAttempt({ params })).body.errors?.[0]?.message).toMatch(/launch/);
  expect((await own.completeLesson({ params })).status).toBe(422);
  const token = await launched(own, params);
  await api.withdrawEnrollment({ params: { id } });
  expect((await own.launchLesson({ params })).body.code).toBe('enrollment_ended');
  expect((await commit(token, passing)).body.code).toBe('enrollment_ended');
  expect((await commit('x', passing)).status).toBe(404);
  const locked = await aLaunch({ course: { sequential: true, lessons: [{}] } });
  expect((await locked.own.launchLesson({ params: locked.params })).body.code).toBe('lesson_locked');
});

it('an attempt at a package cannot be submitted by hand', async () => {
  const { own, params } = await aLaunch();
  const { attemptId } = (await own.launchLesson({ params })).data;
  const reply = await own.submitAttempt({ params: { id: attemptId }, body: {} });
  expect([reply.status, reply.body.errors?.[0]?.message]).toEqual([422, expect.stringMatching(/SCORM/)]);
  expect((await own.saveAttemptAnswers({ params: { id: attemptId }, body: { answers: [] } })).status).toBe(422);
});

it('a partner launches in the portal', async () => {
  const { api, courseId, lessonId } = await aLaunch();
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const portal = service.as({
    type: 'portal',
    partnerId: 7,
    portalUserId: 7,
    sessionId: 3,
    can: [],
    tenantId,
    environment,
  });
  const { data } = await portal.createPortalEnrollment({ body: { courseId } });
  const params = { id: data.id, lessonId };
  const token = tokenOf((await portal.launchPortalLesson({ params })).data.url);
  expect((await commit(token, passing)).data.passed).toBe(true);
  const other = service.as({
    type: 'portal',
    partnerId: 8,
    portalUserId: 8,
    sessionId: 4,
    can: [],
    tenantId,
    environment,
  });
  expect((await other.launchPortalLesson({ params })).status).toBe(404);
});

describe('the content of a package', () => {
  const video = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
  const files: Files = {
    'css/style.css': 'body { color: red }'.repeat(100),
    'video.mp4': { content: video, compress: false },
    'empty.txt': '',
    'a b/ü.js': 'let a;',
    'data.svg': '<svg/>',
  };

  it('is served with its type in a sandbox, and pages get the run-time API', async () => {
    const { own, params } = await aLaunch({ files });
    const token = await launched(own, params);
    const get = (path: string) => contentOf(token, path);
    const index = await get('index.html');
    const policy = index.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^sandbox allow-scripts/);
    expect(policy).not.toContain('allow-same-origin');
    expect(index.text).toBe(`<html><head><script src="/v1/public/scorm/${token}/runtime"></script></head></html>`);
    const found = await Promise.all(['css/style.css', 'a b/ü.js', 'data.svg', 'empty.txt'].map(get));
    expect(found.map(({ headers }) => headers['content-type'])).toEqual([
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
      'image/svg+xml',
      'text/plain; charset=utf-8',
    ]);
    for (const one of found) expect(one.headers['content-security-policy']).toBe(policy);
    expect(found.map(({ text }) => text)).toEqual([files['css/style.css'], 'let a;', '<svg/>', '']);
    const missing = await Promise.all(['nothing.html', '../index.html', 'imsmanifest.xml/..'].map(get));
    expect(missing.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('can be read in parts, also of a compressed file', async () => {
    const { own, params } = await aLaunch({ files });
    const token = await launched(own, params);
    const part = await contentOf(token, 'video.mp4', { range: 'bytes=500-509' });
    expect([part.status, part.headers['content-range'], [...(part.body as unknown as Buffer)]]).toEqual([
      206,
      'bytes 500-509/1000',
      [...video.subarray(500, 510)],
    ]);
    const style = await contentOf(token, 'css/style.css', { range: 'bytes=20-23' });
    expect([style.status, style.text]).toEqual([206, 'ody ']);
    expect((await contentOf(token, 'video.mp4', { range: 'bytes=1000-' })).status).toBe(416);
  });

  it('stays as it was when its file gets a new version, until the lesson is saved again', async () => {
    const { api, own, fileId, lessonId, params } = await aLaunch({ files });
    const token = await launched(own, params);
    const changed = await aPackage('1.2', { files: { 'css/style.css': 'new' } });
    service.files.replace(fileId, changed);
    const before = [
      await contentOf(token, 'css/style.css'),
      await contentOf(await launched(own, params), 'css/style.css'),
    ];
    expect(before.map(({ status, text }) => [status, text === 'new'])).toEqual([
      [200, false],
      [200, false],
    ]);
    await api.updateLesson({ params: { id: lessonId }, body: { fileId } });
    const again = await contentOf(await launched(own, params), 'css/style.css');
    expect(again.text).toBe('new');
  });

  it('is not launched while its file is deleted or quarantined', async () => {
    const { own, fileId, params } = await aLaunch({ files });
    const token = await launched(own, params);
    service.files.set(fileId, 'quarantined');
    expect((await own.launchLesson({ params })).body.code).toBe('package_unavailable');
    expect((await contentOf(token, 'css/style.css')).body.code).toBe('package_unavailable');
    service.files.remove(fileId);
    expect((await own.launchLesson({ params })).body.code).toBe('package_unavailable');
  });
});

it('refuses data that are too large, and names the field', async () => {
  const { own, params } = await aLaunch();
  const token = await launched(own, params);
  const reply = await commit(token, {
    suspendData: 'x'.repeat(64_001),
    location: 'y'.repeat(1_001),
    interactions: Array.from({ length: 251 }, () => ({ id: 'a' })),
  });
  expect([reply.status, reply.body.errors?.map(({ field }: { field: string }) => field).sort()]).toEqual([
    422,
    ['interactions', 'location', 'suspendData'],
  ]);
});

it('exports statements of xAPI with stable ids', async () => {
  const { own, api, id, params } = await aLaunch();
  const token = await launched(own, params);
  const at = '2026-01-02T03:04:05.000Z';
  await commit(token, {
    ...passing,
    interactions: [{ id: 'q 1', type: 'choice', response: 'a', result: 'correct', latency: 'PT3S', at }],
  });
  const read = async (one: Api, query: Record<string, string> = {}) =>
    (await one.listXapiStatements({ params: { id }, query })).data;
  const { statements, more } = await read(own);
  expect(more).toBeNull();
  const verbs = statements.map((one: { verb: { display: object } }) => one.verb.display['en-US' as never]);
  expect(verbs).toEqual(['initialized', 'completed', 'initialized', 'completed', 'attempted', 'answered', 'passed']);
  expect(statements[5]).toMatchObject({
    timestamp: at,
    result: { response: 'a', success: true, duration: 'PT3S' },
    object: { id: expect.stringMatching(/^https:\/\/api.example.com\/xapi\/lessons\/\w+\/interactions\/q%201$/) },
  });
  expect(statements[6].result).toMatchObject({ success: true, score: { scaled: 0.9, raw: 90, min: 0, max: 100 } });
  const ids = statements.map((one: { id: string }) => one.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const one of statements) {
    expect(one.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Object.keys(one.actor)).toEqual(['objectType', 'account']);
  }
  expect((await read(api)).statements).toEqual(statements);
  expect((await own.listXapiStatements({ params: { id }, query: { cursor: 'x.1' } })).status).toBe(400);
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const other = service.as({ type: 'user', tenantId, environment, userId: 8, can: ['training:read:own'] });
  expect((await other.listXapiStatements({ params: { id }, query: {} })).status).toBe(404);
});
