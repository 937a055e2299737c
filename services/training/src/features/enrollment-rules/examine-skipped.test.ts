import { publishTeamEvent, until } from '@tandem/testing';
import { type Api, learner, type Service, startTraining } from '../../training.test-service.ts';
import { aCourse, aLesson, aPublishedCourse } from '../../training-builders.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

/** A rule for every user, which has skipped the users 7 and 8. */
async function aRuleThatSkipped(api: Api, courseId: string, reason: string, prepare?: () => Promise<unknown>) {
  const body = { title: 'New colleagues', learnerType: 'user', courseId };
  const { id } = (await api.createEnrollmentRule({ body })).data;
  await prepare?.();
  const added = ['7', '8'];
  await publishTeamEvent({ service, tenantId: api.caller.tenantId as number }, 'team.members_changed', {
    teamId: '5',
    added,
    removed: [],
    follow: [],
  });
  const rule = async () => (await api.getEnrollmentRule({ params: { id } })).data;
  await until('both are skipped', async () => (await rule()).skippedCount === added.length);
  expect((await rule()).lastSkipped).toMatchObject([{ reason }, { reason }]);
  const enrolled = () => until('both are enrolled', async () => (await rule()).enrolledCount === added.length);
  return { rule, enrolled };
}

it('learners whom a rule skipped because of a draft are enrolled when it is published', async () => {
  const api = service.as();
  const id = await aCourse(api);
  await aLesson(api, id);
  const { rule, enrolled } = await aRuleThatSkipped(api, id, 'not_published');
  await api.publishCourse({ params: { id } });
  await enrolled();
  expect(await rule()).toMatchObject({ skippedCount: 0, lastSkipped: [] });
  const { data } = await api.listEnrollments({ query: { courseId: id } });
  const found = data.map(({ learnerId, source }: { learnerId: string; source: string }) => [learnerId, source]);
  expect(found.sort()).toEqual([
    [learner('user', 7), 'rule'],
    [learner('user', 8), 'rule'],
  ]);
});

it('learners whom a rule skipped are enrolled when the course admits them or requires less', async () => {
  const api = service.as();
  const forPartners = await aPublishedCourse(api, { audience: 'partners' });
  const first = await aRuleThatSkipped(api, forPartners, 'audience');
  await api.updateCourse({ params: { id: forPartners }, body: { audience: 'both' } });
  await first.enrolled();
  const required = await aPublishedCourse(api);
  const advanced = await aPublishedCourse(api, { prerequisiteCourseIds: [required] });
  const second = await aRuleThatSkipped(api, advanced, 'prerequisites_open');
  await api.updateCourse({ params: { id: advanced }, body: { prerequisiteCourseIds: [] } });
  await second.enrolled();
});

it('learners whom a rule skipped because of a deleted course are enrolled when it is restored', async () => {
  const api = service.as();
  const id = await aPublishedCourse(api);
  const remove = () => api.deleteCourse({ params: { id } });
  const { enrolled } = await aRuleThatSkipped(api, id, 'course_deleted', remove);
  await api.restoreCourse({ params: { id } });
  await enrolled();
});
