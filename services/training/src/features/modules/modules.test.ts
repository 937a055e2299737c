import { until } from '@tandem/testing';
import { startTraining, type TrainingService } from '../../training.test-service.ts';
import { aCourse, aLesson, aModule, aPublishedCourse, type Tenant } from '../../training-builders.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const get = async (tenant: Tenant, id: string) => (await tenant.getCourse({ params: { id } })).data;
const titlesOf = async (tenant: Tenant, id: string) =>
  (await tenant.listLessons({ params: { id }, query: {} })).data.map(({ title }: { title: string }) => title);

it('modules are numbered in the order of their creation, without gaps after one is deleted', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const [first] = [await aModule(tenant, id, 'A'), await aModule(tenant, id, 'B'), await aModule(tenant, id, 'C')];
  expect((await tenant.deleteModule({ params: { id, moduleId: first } })).data).toEqual({ id: first, deleted: true });
  const { data } = await tenant.listModules({ params: { id }, query: {} });
  expect(data.map(({ title, order }: { title: string; order: number }) => [title, order])).toEqual([
    ['B', 0],
    ['C', 1],
  ]);
  expect(await get(tenant, id)).toMatchObject({ modulesCount: 2, version: 5, contentVersion: 1 });
  expect((await tenant.getModule({ params: { id, moduleId: first } })).status).toBe(404);
});

it('a module changes with its events, and belongs to its course only', async () => {
  const tenant = service.as();
  const [id, other] = [await aCourse(tenant), await aCourse(tenant)];
  const moduleId = await aModule(tenant, id);
  const change = (courseId: string, headers = {}) =>
    tenant.updateModule({ params: { id: courseId, moduleId }, body: { title: 'Closing' }, headers });
  expect((await change(other)).status).toBe(404);
  expect((await change(id, { 'if-match': '"9"' })).status).toBe(412);
  expect((await change(id)).data).toMatchObject({ title: 'Closing', version: 2 });
  expect((await change(id)).data.version).toBe(2);
  const named = (name: string) =>
    service.events.filter((event) => event.name === name && (event.data as { moduleId: string }).moduleId === moduleId);
  await until('it is announced', () => named('training.module.updated').length === 1);
  expect(named('training.module.created')).toHaveLength(1);
});

it('lessons follow the order of their modules, those without a module first', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const [a, b] = [await aModule(tenant, id, 'A'), await aModule(tenant, id, 'B')];
  await aLesson(tenant, id, { title: 'b1', moduleId: b });
  await aLesson(tenant, id, { title: 'a1', moduleId: a });
  const free = await aLesson(tenant, id, { title: 'free' });
  await aLesson(tenant, id, { title: 'a2', moduleId: a });
  expect(await titlesOf(tenant, id)).toEqual(['free', 'a1', 'a2', 'b1']);
  expect((await tenant.updateLesson({ params: { id: free }, body: { moduleId: a } })).data.order).toBe(2);
  expect(await titlesOf(tenant, id)).toEqual(['a1', 'a2', 'free', 'b1']);
  const { data } = await tenant.orderModules({ params: { id }, body: { ids: [b, a] } });
  expect(data.modules.map(({ id }: { id: string }) => id)).toEqual([b, a]);
  expect(await titlesOf(tenant, id)).toEqual(['b1', 'a1', 'a2', 'free']);
});

it.each([
  ['a missing', (ids: string[]) => ids.slice(1)],
  ['a repeated', (ids: string[]) => [...ids.slice(1), ids[1]]],
  ['an additional', (ids: string[]) => [...ids, '4000000']],
])('an order with %s id is refused', async (_, change) => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const modules = [await aModule(tenant, id), await aModule(tenant, id)];
  const lessons = [await aLesson(tenant, id), await aLesson(tenant, id)];
  const answers = [
    await tenant.orderModules({ params: { id }, body: { ids: change(modules) } }),
    await tenant.orderLessons({ params: { id }, body: { ids: change(lessons) } }),
  ];
  for (const { status, body } of answers) expect([status, body.errors?.[0]?.field]).toEqual([422, 'ids']);
});

it('lessons are ordered within their modules', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const moduleId = await aModule(tenant, id);
  const free = await aLesson(tenant, id, { title: 'free' });
  const one = await aLesson(tenant, id, { title: 'one', moduleId });
  const two = await aLesson(tenant, id, { title: 'two', moduleId });
  const order = (ids: string[]) => tenant.orderLessons({ params: { id }, body: { ids } });
  expect((await order([one, free, two])).body.errors?.[0]?.message).toContain('order of the modules');
  const { data } = await order([free, two, one]);
  expect(data.lessons.map(({ title, order }: { title: string; order: number }) => [title, order])).toEqual([
    ['free', 0],
    ['two', 1],
    ['one', 2],
  ]);
  expect((await order([free, two, one])).status).toBe(200);
});

it('no order puts a lesson before the one that opens it', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const first = await aLesson(tenant, id);
  const second = await aLesson(tenant, id, { release: { type: 'after_lesson', lessonId: first } });
  const { status, body } = await tenant.orderLessons({ params: { id }, body: { ids: [second, first] } });
  expect([status, body.errors]).toEqual([
    422,
    [{ field: 'ids', message: `‹lesson ${second}› must come after the lesson that opens it` }],
  ]);
  expect((await get(tenant, id)).lessons[0].id).toBe(first);
});

it('a module with lessons is deleted only if another module takes them over', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const [a, b] = [await aModule(tenant, id, 'A'), await aModule(tenant, id, 'B')];
  await aLesson(tenant, id, { title: 'a1', moduleId: a });
  await aLesson(tenant, id, { title: 'b1', moduleId: b });
  const remove = (query = {}) => tenant.deleteModule({ params: { id, moduleId: a }, query });
  expect((await remove()).body.code).toBe('module_not_empty');
  expect((await remove({ moveTo: a })).body.errors?.[0]?.field).toBe('moveTo');
  const foreign = await aModule(tenant, await aCourse(tenant));
  expect((await remove({ moveTo: foreign })).status).toBe(422);
  expect((await remove({ moveTo: b })).status).toBe(200);
  expect(await titlesOf(tenant, id)).toEqual(['b1', 'a1']);
});

it('a module whose lessons were deleted can be deleted', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const moduleId = await aModule(tenant, id);
  await tenant.deleteLesson({ params: { id: await aLesson(tenant, id, { moduleId }) } });
  expect((await tenant.deleteModule({ params: { id, moduleId } })).status).toBe(200);
});

it('a course has at most 200 modules', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  await service.sqlWithin(tenant.caller, 'UPDATE course SET modules_count = 200 WHERE id = $1', [id]);
  expect((await tenant.createModule({ params: { id }, body: { title: 'One more' } })).body.code).toBe(
    'too_many_modules',
  );
});

it('only structural changes of a course that is not a draft raise its content version', async () => {
  const tenant = service.as();
  const draft = await aCourse(tenant);
  await aLesson(tenant, draft);
  expect((await get(tenant, draft)).contentVersion).toBe(1);
  const id = await aPublishedCourse(tenant);
  const versions: number[] = [];
  const after = async (change: Promise<{ status: number }>) => {
    expect([200, 201]).toContain((await change).status);
    versions.push((await get(tenant, id)).contentVersion);
  };
  await after(tenant.createModule({ params: { id }, body: { title: 'Basics' } }));
  const first = (await get(tenant, id)).lessons[0].id;
  await after(tenant.updateLesson({ params: { id: first }, body: { title: 'Renamed' } }));
  await after(tenant.updateCourse({ params: { id }, body: { title: 'Renamed' } }));
  await after(tenant.createLesson({ params: { id }, body: { title: 'New' } }));
  const second = (await get(tenant, id)).lessons[1].id;
  await after(tenant.updateLesson({ params: { id: second }, body: { required: false } }));
  await after(tenant.updateLesson({ params: { id: second }, body: { completion: { rule: 'manual' } } }));
  await after(tenant.orderLessons({ params: { id }, body: { ids: [second, first] } }));
  await after(tenant.deleteLesson({ params: { id: second } }));
  await after(tenant.updateCourse({ params: { id }, body: { sequential: true } }));
  await after(tenant.archiveCourse({ params: { id } }));
  await after(tenant.createLesson({ params: { id }, body: { title: 'For those who still learn' } }));
  expect(versions).toEqual([1, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8]);
});
