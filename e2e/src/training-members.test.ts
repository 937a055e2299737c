import { aTenant, startFleet, type TestFleet, type TestTenant, tokensOf } from '@tandem/test-fleet';

// The default role writes courses, but gives its users no power over results: neither their own nor those of others.

let fleet: TestFleet;
let tenant: TestTenant;
let member: TestTenant['owner'];
let enrollmentId: string;
let lessons: { quiz: string; plan: string };
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'training'] });
  tenant = await aTenant(fleet);
  const email = `member-${Date.now()}@example.com`;
  const password = 'a long enough password';
  const { data: user } = await tenant.owner.createUser({
    body: { email, password, firstName: 'Grace', lastName: 'Hopper' },
  });
  const { accessToken } = tokensOf((await fleet.api().login({ body: { email, password } })).data);
  member = fleet.api({ accessToken, tenantId: tenant.id });
  const { data: course } = await tenant.api.createCourse({ body: { title: 'Selling' } });
  const params = { id: course.id };
  const options = [
    { text: 'An open one', correct: true, feedback: 'Right' },
    { text: 'A closed one', feedback: 'Wrong' },
  ];
  const questions = [{ type: 'single' as const, text: 'Which question?', options }];
  const quiz = await tenant.api.createLesson({ params, body: { title: 'Quiz', type: 'quiz', questions } });
  const plan = await tenant.api.createLesson({ params, body: { title: 'Plan', type: 'assignment' } });
  lessons = { quiz: quiz.data.id, plan: plan.data.id };
  await tenant.api.publishCourse({ params });
  // Members enrol learners, and so themselves.
  const { data } = await member.createEnrollment({ body: { courseId: course.id, learnerId: user.id } });
  enrollmentId = data.id;
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

it('a member completes neither a quiz nor an assignment without passing it, and reads no answer keys', async () => {
  for (const lessonId of [lessons.quiz, lessons.plan])
    await expect(member.completeLesson({ params: { id: enrollmentId, lessonId } })).rejects.toMatchObject({
      status: 422,
    });
  const { data } = await member.getLesson({ params: { id: lessons.quiz } });
  expect(JSON.stringify(data.questions)).not.toMatch(/Right|Wrong|"correct":true/);
});

it('a member cannot grade an own hand-in, and an API key of the tenant can', async () => {
  const { data: attempt } = await member.startAttempt({ params: { id: enrollmentId, lessonId: lessons.plan } });
  const params = { id: attempt.id };
  await member.submitAttempt({ params, body: { text: 'My plan' } });
  const body = { score: 100 };
  await expect(member.gradeAttempt({ params, body })).rejects.toMatchObject({ status: 403 });
  expect((await tenant.api.gradeAttempt({ params, body })).data).toMatchObject({ status: 'graded', passed: true });
});
