import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import type { Browser } from 'playwright-core';
import { openPage, overflowOf, picture, screens, startBrowser, violationsOf } from './screen.ts';

// A course, from its first lesson to a certificate that anybody can verify: the learner fails the quiz, reads the feedback,
// and passes. Everything happens through the gateway.

let fleet: TestFleet;
let tenant: TestTenant;
let browser: Browser;
let receiver: Receiver;
let course: { id: string; reading: string; quiz: string };
let enrollmentId: string;
let certificate: { id: string; code: string; url: string };
beforeAll(async () => {
  const services = ['identity', 'integrations', 'training'];
  [fleet, browser, receiver] = await Promise.all([startFleet({ services }), startBrowser(), startReceiver()]);
  tenant = await aTenant(fleet);
  const events = ['training.lesson.failed', 'training.course.completed'];
  await tenant.api.createWebhook({ body: { url: receiver.url, events } });
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
  await receiver?.close();
}, 60_000);

const local = (url: string) => url.replace(/^https?:\/\/[^/]+/, fleet.baseUrl);
const delivered = (name: string) =>
  receiver.deliveries
    .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
    .filter(({ type }) => type === name);

const questions = [
  {
    type: 'single' as const,
    text: 'Which question opens a conversation?',
    options: [
      { text: 'An open one', correct: true, feedback: 'Open questions invite an answer.' },
      { text: 'A closed one', feedback: 'A closed question ends with yes or no.' },
    ],
  },
  { type: 'number' as const, text: 'How many calls a day are planned?', answers: [{ value: 12, tolerance: 0 }] },
];

/** Answers both questions of the attempt that is begun. */
async function attempt(choice: string, calls: number) {
  const params = { id: enrollmentId, lessonId: course.quiz };
  const { data: begun } = await tenant.owner.startAttempt({ params });
  const answers = begun.questions.map(({ id, type, options }) =>
    type === 'number'
      ? { questionId: id, number: calls }
      : { questionId: id, keys: options.filter(({ text }) => text === choice).map(({ key }) => key) },
  );
  return (await tenant.owner.submitAttempt({ params: { id: begun.id }, body: { answers } })).data;
}

it('a course gets a reading and a quiz, and is published', async () => {
  const { api } = tenant;
  const { data } = await api.createCourse({
    body: {
      title: 'Selling to engineers',
      sequential: true,
      passScore: 80,
      certificate: { title: 'Certified seller' },
      validDays: 365,
    },
  });
  const params = { id: data.id };
  const reading = await api.createLesson({ params, body: { title: 'The first call', content: '<p>Ask, listen.</p>' } });
  const quiz = await api.createLesson({
    params,
    body: { title: 'What do you know?', type: 'quiz', completion: { rule: 'quiz', maxAttempts: 2 }, questions },
  });
  course = { id: data.id, reading: reading.data.id, quiz: quiz.data.id };
  expect((await api.publishCourse({ params })).data).toMatchObject({ status: 'published', lessonsCount: 2 });
});

it('a learner is enrolled, and the quiz is locked until the reading is done', async () => {
  const { data } = await tenant.api.createEnrollment({
    body: { courseId: course.id, learnerType: 'user', learnerId: tenant.userId },
  });
  enrollmentId = data.id;
  const params = { id: enrollmentId, lessonId: course.quiz };
  await expect(tenant.owner.startAttempt({ params })).rejects.toMatchObject({ status: 409, code: 'lesson_locked' });
  const read = await tenant.owner.completeLesson({ params: { id: enrollmentId, lessonId: course.reading } });
  expect(read.data.enrollment).toMatchObject({ status: 'in_progress', percent: 50 });
});

it('the learner fails, reads why, and passes with the last attempt', async () => {
  const failed = await attempt('A closed one', 12);
  expect(failed).toMatchObject({ number: 1, score: 50, passed: false });
  expect(failed.results?.flatMap(({ feedback }) => feedback)).toEqual(['A closed question ends with yes or no.']);
  const event = await until('the failure is delivered', () => delivered('training.lesson.failed')[0]);
  expect(event.data).toMatchObject({
    courseId: course.id,
    lessonId: course.quiz,
    enrollmentId,
    learnerType: 'user',
    learnerId: tenant.userId,
    score: 50,
    passScore: 80,
    attempt: 1,
    attemptsLeft: 1,
  });
  expect(await attempt('An open one', 12)).toMatchObject({ number: 2, score: 100, passed: true });
  const { data } = await tenant.api.getEnrollment({ params: { id: enrollmentId } });
  expect(data).toMatchObject({ status: 'completed', percent: 100, score: 100, certificateId: expect.any(String) });
  const completed = await until('the completion is delivered', () => delivered('training.course.completed')[0]);
  expect(completed.data).toMatchObject({ courseId: course.id, enrollmentId, certificateId: data.certificateId });
});

it('the certificate has a document', async () => {
  const found = await until('the certificate has the name of the learner', async () => {
    const { data } = await tenant.owner.listCertificates({ query: { courseId: course.id } });
    return data[0]?.learnerName ? data[0] : undefined;
  });
  certificate = found;
  expect(found).toMatchObject({ learnerName: 'Ada Lovelace', courseTitle: 'Selling to engineers', status: 'valid' });
  const { data: link } = await tenant.owner.getCertificateDownloadUrl({ params: { id: found.id } });
  const document = await fetch(local(link.url));
  expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect((await document.text()).startsWith('%PDF-')).toBe(true);
});

it.each(screens)('anybody can verify it on a $screen, also after it was revoked', async ({ screen, viewport }) => {
  const { page, problems, close } = await openPage(browser, viewport);
  const looksRight = async (name: string) => {
    await picture(page, `${name}-${screen}`);
    expect([name, await overflowOf(page), await violationsOf(page)]).toEqual([name, 0, []]);
  };
  const isRevoked = screen !== screens[0].screen;
  if (isRevoked) {
    await tenant.api.revokeCertificate({ params: { id: certificate.id }, body: { reason: 'Issued by mistake' } });
  }
  await page.goto(local(certificate.url));
  await page.getByRole('heading', { level: 1, name: 'Certificate' }).waitFor();
  await page.getByText(isRevoked ? 'was revoked and is not valid' : 'This certificate is valid').waitFor();
  await page.getByText('Ada Lovelace').waitFor();
  await looksRight('certificate');
  await page.emulateMedia({ colorScheme: 'dark' });
  await looksRight('certificate-dark');
  expect(await page.getByText('Issued by mistake').count()).toBe(0);
  await close();
  expect(problems).toEqual([]);
});

it('a revoked certificate has no document, and a wrong code shows nothing', async () => {
  const params = { id: certificate.id };
  await expect(tenant.owner.getCertificateDownloadUrl({ params })).rejects.toMatchObject({ status: 409 });
  expect((await fetch(`${fleet.baseUrl}/certificates/${certificate.code.slice(1)}x`)).status).toBe(404);
});
