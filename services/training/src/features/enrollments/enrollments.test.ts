import type { TestService } from '@tandem/testing';
import type { training } from '@tandem/training-contract';
import { nobody, startTraining, suspended } from '../../training.test-service.ts';

let service: TestService<typeof training>;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

type Tenant = ReturnType<TestService<typeof training>['as']>;

async function aPublishedCourse(tenant: Tenant, fields: object = {}): Promise<string> {
  const { id } = (await tenant.createCourse({ body: { title: 'Selling', ...fields } })).data;
  await tenant.createLesson({ params: { id }, body: { title: 'The first call' } });
  await tenant.publishCourse({ params: { id } });
  return id;
}
const enrol = (tenant: Tenant, courseId: string, learnerId = '7') =>
  tenant.createEnrollment({ body: { courseId, learnerId } });
const countOf = async (tenant: Tenant, id: string) => (await tenant.getCourse({ params: { id } })).data.enrollmentCount;

it('an enrolment is stored, and the course counts those that are not withdrawn', async () => {
  const tenant = service.as();
  const courseId = await aPublishedCourse(tenant);
  const { status, data } = await enrol(tenant, courseId);
  expect([status, data]).toMatchObject([201, { courseId, learnerId: '7', status: 'enrolled' }]);
  await enrol(tenant, courseId, '8');
  expect(await countOf(tenant, courseId)).toBe(2);
  expect((await tenant.withdrawEnrollment({ params: { id: data.id } })).data.status).toBe('withdrawn');
  expect(await countOf(tenant, courseId)).toBe(1);
  expect((await tenant.withdrawEnrollment({ params: { id: data.id } })).status).toBe(409);
  expect((await enrol(tenant, courseId)).status).toBe(201);
  expect((await tenant.listEnrollments({ query: { learnerId: '7' } })).data).toHaveLength(2);
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
  const { status, body } = await enrol(tenant, await aPublishedCourse(tenant), learnerId);
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
