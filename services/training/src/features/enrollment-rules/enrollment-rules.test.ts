import { randomUUID } from 'node:crypto';
import { publish, publishTeamEvent, until } from '@tandem/testing';
import { aCourse, anEnrollment } from '../../learning.test-service.ts';
import { type Api, learner, nobody, type Service, startTraining } from '../../training.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const tenantOf = (api: Api) => api.caller.tenantId as number;
const aRule = async (api: Api, body: object) => {
  const reply = await api.createEnrollmentRule({ body: { title: 'New colleagues', learnerType: 'user', ...body } });
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
  return reply.data.id as string;
};
const ruleOf = async (api: Api, id: string) => (await api.getEnrollmentRule({ params: { id } })).data;
const enrolledIn = async (api: Api, courseId: string) =>
  (await api.listEnrollments({ query: { courseId } })).data as { learnerId: string; [field: string]: unknown }[];
const joinsTeam = (api: Api, ids: (number | string)[]) =>
  publishTeamEvent({ service, tenantId: tenantOf(api) }, 'team.members_changed', {
    teamId: '5',
    added: ids.map(String),
    removed: [],
    follow: [],
  });

it('users who join are enrolled once by the rules that they meet, with the dates of the rule', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId, teamIds: ['5'], roleIds: ['9'], dueInDays: 7, expiresInDays: 30 });
  await aRule(api, { courseId, roleIds: ['8'] });
  // 21 is not in the team.
  await joinsTeam(api, [20, 21, 22]);
  await until('two are enrolled', async () => (await ruleOf(api, id)).enrolledCount === 2);
  await joinsTeam(api, [20, 24]);
  await until('the third is enrolled', async () => (await ruleOf(api, id)).enrolledCount === 3);
  const enrolled = await enrolledIn(api, courseId);
  expect(enrolled.map((one) => one.learnerId).sort()).toEqual([20, 22, 24].map((one) => learner('user', one)).sort());
  expect(enrolled[0]).toMatchObject({ source: 'rule', ruleId: id, dueAt: expect.any(String) });
});

it('a learner who was withdrawn is enrolled again only by a rule that says so', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId });
  await joinsTeam(api, [30]);
  const [first] = await until('enrolled', async () => {
    const found = await enrolledIn(api, courseId);
    return found.length === 1 && found;
  });
  await api.withdrawEnrollment({ params: { id: first?.['id'] as string } });
  await joinsTeam(api, [30, 32]);
  await until('the other is enrolled', async () => (await ruleOf(api, id)).enrolledCount === 2);
  expect(await enrolledIn(api, courseId)).toHaveLength(2);
  await api.updateEnrollmentRule({ params: { id }, body: { reenroll: true } });
  await joinsTeam(api, [30]);
  await until('enrolled again', async () => (await enrolledIn(api, courseId)).length === 3);
  expect(await ruleOf(api, id)).toMatchObject({ enrolledCount: 2, skippedCount: 0 });
});

it('members do not enrol themselves again by a rule', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId, reenroll: true, active: false });
  const { tenantId } = api.caller as { tenantId: number };
  const can = ['training:read', 'training:write'];
  const member = service.as({ type: 'user', tenantId, environment: 'live', userId: 7, can });
  const params = { id };
  const body = { title: 'Again', courseId, learnerType: 'user' as const };
  const own = (await member.createEnrollmentRule({ body })).data.id;
  for (const [field, { status, body: reply }] of [
    ['reenroll', await member.createEnrollmentRule({ body: { ...body, reenroll: true } })],
    ['reenroll', await member.updateEnrollmentRule({ params: { id: own }, body: { reenroll: true } })],
    ['reenroll', await member.updateEnrollmentRule({ params, body: { teamIds: ['5'] } })],
    ['id', await member.enableEnrollmentRule({ params, body: {} })],
  ] as const)
    expect([status, reply.errors?.[0]?.field]).toEqual([403, field]);
  expect((await member.updateEnrollmentRule({ params, body: { reenroll: false } })).status).toBe(200);
});

it('a learner who cannot be enrolled is skipped with the reason, and enrolled once that has passed', async () => {
  const first = await aCourse(service);
  const { api } = first;
  const second = await aCourse(service, { api, title: 'Advanced' });
  await api.updateCourse({ params: { id: second.id }, body: { prerequisiteCourseIds: [first.id] } });
  const id = await aRule(api, { courseId: second.id });
  await joinsTeam(api, [7]);
  const skipped = await until('skipped', async () => {
    const rule = await ruleOf(api, id);
    return rule.skippedCount === 1 && rule;
  });
  expect(skipped.lastSkipped).toMatchObject([{ learnerId: learner('user', 7), reason: 'prerequisites_open' }]);
  const { id: enrollmentId, own } = await anEnrollment(service, api, first.id);
  await own.completeLesson({ params: { id: enrollmentId, lessonId: first.lessons[0] } });
  await until('enrolled', async () => (await ruleOf(api, id)).enrolledCount === 1);
  expect(await ruleOf(api, id)).toMatchObject({ skippedCount: 0, lastSkipped: [] });
});

it('partners are enrolled by their tier, leads by conditions', async () => {
  const { api, id: courseId } = await aCourse(service);
  const ofPartners = await aRule(api, { courseId, learnerType: 'partner', tiers: ['gold'] });
  const condition = { field: 'tags', operator: 'contains', value: 'vip' };
  const ofLeads = await aRule(api, { courseId, learnerType: 'lead', leadConditions: [condition] });
  // A completed course is a reason to examine a learner: another one may require it.
  const before = await aCourse(service, { api });
  for (const learnerId of [learner('partner', 40), learner('partner', 41), learner('lead', 42), learner('lead', 43)]) {
    const { data } = await api.createEnrollment({ body: { courseId: before.id, learnerId } });
    await api.completeLesson({ params: { id: data.id, lessonId: before.lessons[0] } });
  }
  await until('both are enrolled', async () => (await enrolledIn(api, courseId)).length === 2);
  expect([(await ruleOf(api, ofPartners)).enrolledCount, (await ruleOf(api, ofLeads)).enrolledCount]).toEqual([1, 1]);
  expect((await enrolledIn(api, courseId)).map((one) => one.learnerId).sort()).toEqual(
    [learner('partner', 40), learner('lead', 42)].sort(),
  );
});

it('existing learners are examined by a job in portions', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId, teamIds: ['5'], applyToExisting: true });
  const rule = await until('all are examined', async () => {
    const found = await ruleOf(api, id);
    return found.existingAppliedAt && found;
  });
  expect([rule.enrolledCount, rule.skippedCount]).toEqual([300, 0]);
  expect((await api.getCourse({ params: { id: courseId } })).data.enrollmentCount).toBe(300);
  // A second run finds nothing to do.
  await api.enableEnrollmentRule({ params: { id }, body: { applyToExisting: true } });
  await until('examined again', async () => (await ruleOf(api, id)).existingAppliedAt !== rule.existingAppliedAt);
  expect((await ruleOf(api, id)).enrolledCount).toBe(300);
});

it('a disabled or deleted rule enrols nobody; its enrolments stay', async () => {
  const { api, id: courseId } = await aCourse(service);
  const [first, second] = [await aRule(api, { courseId }), await aRule(api, { courseId })];
  await joinsTeam(api, [50]);
  await until('enrolled', async () => (await enrolledIn(api, courseId)).length === 1);
  expect((await api.disableEnrollmentRule({ params: { id: first } })).data.active).toBe(false);
  expect((await api.deleteEnrollmentRule({ params: { id: second } })).status).toBe(200);
  const other = await aCourse(service, { api });
  const marker = await aRule(api, { courseId: other.id });
  await joinsTeam(api, [51]);
  await until('the other rule was applied', async () => (await ruleOf(api, marker)).enrolledCount === 1);
  expect(await enrolledIn(api, courseId)).toHaveLength(1);
  expect((await api.getEnrollmentRule({ params: { id: second } })).status).toBe(404);
});

it('a rule whose only team is deleted is disabled, and the same event twice changes nothing more', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId, teamIds: ['5'] });
  const both = await aRule(api, { courseId, teamIds: ['5', '6'] });
  const told = { service, tenantId: tenantOf(api) };
  await publishTeamEvent(told, 'team.deleted', { teamId: '5', name: 'Sales' });
  await until('it is disabled', async () => !(await ruleOf(api, id)).active);
  const { version } = await ruleOf(api, id);
  await publishTeamEvent(told, 'team.deleted', { teamId: '5', name: 'Sales' });
  await publishTeamEvent(told, 'team.deleted', { teamId: '6', name: 'Service' });
  await until('the other one too', async () => !(await ruleOf(api, both)).active);
  expect((await ruleOf(api, id)).version).toBe(version);
});

it('a rule that lost its only team enrols nobody until somebody decides whom it is for', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId, teamIds: ['5'] });
  await publishTeamEvent({ service, tenantId: tenantOf(api) }, 'team.deleted', { teamId: '5', name: 'Sales' });
  await until('it is disabled', async () => !(await ruleOf(api, id)).active);
  const enable = () => api.enableEnrollmentRule({ params: { id }, body: { applyToExisting: false } });
  expect((await enable()).body.code).toBe('conditions_lost');
  await api.updateEnrollmentRule({ params: { id }, body: { title: 'Another title' } });
  expect((await enable()).body.code).toBe('conditions_lost');
  await api.updateEnrollmentRule({ params: { id }, body: { teamIds: [] } });
  expect((await enable()).data.active).toBe(true);
});

it('an event that cannot be read does not stop the next one', async () => {
  const { api, id: courseId } = await aCourse(service);
  const id = await aRule(api, { courseId });
  await publish(
    { service, tenantId: tenantOf(api) },
    'team.members_changed',
    {
      target: { type: 'team', id: 5 },
      data: { teamId: '5', added: 'nobody' },
      record: { id: '5' },
    },
    randomUUID(),
  );
  await joinsTeam(api, [60, nobody]);
  await until('enrolled', async () => (await ruleOf(api, id)).enrolledCount === 1);
});

it.each([
  ['conditions on another type', { learnerType: 'lead', teamIds: ['5'] }, 'teamIds'],
  ['an unknown team', { teamIds: [nobody] }, 'teamIds.0'],
  ['an unknown course', { courseId: '999999' }, 'courseId'],
  ['an end before the due date', { dueInDays: 9, expiresInDays: 3 }, 'expiresInDays'],
])('%s is refused', async (_, fields, field) => {
  const { api, id: courseId } = await aCourse(service);
  const { status, body } = await api.createEnrollmentRule({
    body: { title: 'A rule', learnerType: 'user', courseId, ...fields },
  });
  expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  expect((await api.listEnrollmentRules({ query: {} })).data).toEqual([]);
});
