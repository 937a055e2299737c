import { everyOperation, type TestService, until } from '@tandem/testing';
import { training } from '@tandem/training-contract';
import { startTraining } from '../../training.test-service.ts';

let service: TestService<typeof training>;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

type Tenant = ReturnType<TestService<typeof training>['as']>;
const aCourse = async (tenant: Tenant, fields: object = {}) =>
  (await tenant.createCourse({ body: { title: 'Selling with partners', ...fields } })).data;
const aLesson = (tenant: Tenant, id: string, fields: object = {}) =>
  tenant.createLesson({ params: { id }, body: { title: 'The first call', ...fields } });

everyOperation(training, () => service);

describe('a course', () => {
  it('is created as a draft without modules and learners', async () => {
    const tenant = service.as();
    const { status, data, body } = await tenant.createCourse({
      body: { title: 'Selling', description: 'How to', status: 'published', modulesCount: 9 },
    });
    expect([status, body.message]).toEqual([201, 'Course created']);
    expect(data).toMatchObject({ title: 'Selling', description: 'How to', status: 'draft', version: 1 });
    expect([data.modulesCount, data.enrollmentCount, data.allowedTransitions]).toEqual([
      0,
      0,
      ['published', 'archived'],
    ]);
    expect((await tenant.getCourse({ params: { id: data.id } })).data).toEqual({ ...data, lessons: [], modules: [] });
    await until('it is announced', () => service.events.some(({ name }) => name === 'training.course.created'));
  });

  it('counts its modules and lessons, also in lists', async () => {
    const tenant = service.as();
    const { id } = await aCourse(tenant);
    for (const title of ['Basics', 'Closing']) await tenant.createModule({ params: { id }, body: { title } });
    for (const _ of [1, 2, 3]) await aLesson(tenant, id);
    await aCourse(tenant, { title: 'Empty' });
    const { data } = await tenant.listCourses({ query: { sort: 'createdAt' } });
    expect(
      data.map((one: { modulesCount: number; lessonsCount: number }) => [one.modulesCount, one.lessonsCount]),
    ).toEqual([
      [2, 3],
      [0, 0],
    ]);
  });

  it('is listed by status', async () => {
    const tenant = service.as();
    const { id } = await aCourse(tenant);
    await aCourse(tenant, { title: 'Draft' });
    await aLesson(tenant, id);
    await tenant.publishCourse({ params: { id } });
    const { data, body } = await tenant.listCourses({ query: { status: 'published' } });
    expect([data.length, data[0].id, body.pagination?.total]).toEqual([1, id, 1]);
    expect((await tenant.listCourses({ query: { status: 'open' } })).status).toBe(422);
  });

  it('cannot be published without a lesson', async () => {
    const tenant = service.as();
    const { id } = await aCourse(tenant);
    const { status, body } = await tenant.publishCourse({ params: { id } });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'lessons']);
  });

  it('only allows draft → published → archived → published', async () => {
    const tenant = service.as();
    const { id } = await aCourse(tenant);
    await aLesson(tenant, id);
    const move = async (to: 'publishCourse' | 'archiveCourse') => (await tenant[to]({ params: { id } })).status;
    const steps = ['publishCourse', 'publishCourse', 'archiveCourse', 'archiveCourse', 'publishCourse'] as const;
    const answers: number[] = [];
    for (const step of steps) answers.push(await move(step));
    expect(answers).toEqual([200, 409, 200, 409, 200]);
  });

  it('gets a new version and ETag with each lesson', async () => {
    const tenant = service.as();
    const { id } = await aCourse(tenant);
    const read = () => tenant.getCourse({ params: { id } });
    const { headers } = await read();
    await aLesson(tenant, id);
    const { data, headers: later } = await read();
    expect([data.lessonsCount, data.version]).toEqual([1, 2]);
    expect([headers.etag, later.etag]).toEqual([expect.stringMatching(/^"1-/), expect.stringMatching(/^"2-/)]);
    const publish = (etag: string) => tenant.publishCourse({ params: { id }, headers: { 'if-match': etag } });
    expect([(await publish('"1"')).status, (await publish('"2"')).status]).toEqual([412, 200]);
  });

  it('gives concurrent lessons different positions', async () => {
    const tenant = service.as();
    const { id } = await aCourse(tenant);
    await Promise.all(Array.from({ length: 8 }, () => aLesson(tenant, id)));
    const { data } = await tenant.listLessons({ params: { id }, query: {} });
    expect(data.map(({ order }: { order: number }) => order)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
