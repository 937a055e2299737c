import { until } from '@tandem/testing';
import { learner, startTraining, type TrainingService } from '../../training.test-service.ts';
import {
  aBank,
  aCourse,
  aLesson,
  aModule,
  aPublishedCourse,
  aQuestion,
  type Tenant,
} from '../../training-builders.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const get = async (tenant: Tenant, id: string) => (await tenant.getCourse({ params: { id } })).data;
const enrol = (tenant: Tenant, courseId: string, learnerId = learner('user', 7)) =>
  tenant.createEnrollment({ body: { courseId, learnerId } });
const eventsOf = (name: string, courseId: string) =>
  service.events.filter((event) => event.name === name && (event.data as { courseId: string }).courseId === courseId);

describe('an update', () => {
  it('changes the given fields once, and reports what has changed', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant, { description: 'How to', passScore: 70 });
    const certificate = { title: 'Certified seller', text: 'has passed.' };
    const { status, data } = await tenant.updateCourse({ params: { id }, body: { description: null, certificate } });
    expect([status, data]).toMatchObject([
      200,
      {
        description: null,
        passScore: 70,
        certificate: { ...certificate, signatory: null, signatoryTitle: null },
        version: 2,
      },
    ]);
    expect((await tenant.updateCourse({ params: { id }, body: { passScore: 70 } })).data.version).toBe(2);
    expect((await tenant.updateCourse({ params: { id }, body: { certificate: null } })).data.certificate).toBeNull();
    await until('it is announced', () => eventsOf('training.course.updated', id).length === 2);
    expect(eventsOf('training.course.updated', id)[0]?.changes).toHaveProperty('description');
  });

  it('is published with a pass mark only if something in it is graded', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant, { passScore: 70 });
    const add = (body: object) => tenant.createLesson({ params: { id }, body: { title: 'One', ...body } });
    await add({ content: '<p>Text</p>' });
    await add({ type: 'assignment', required: false });
    const publish = () => tenant.publishCourse({ params: { id } });
    const { status, body } = await publish();
    expect([status, body.errors?.map(({ field }: { field: string }) => field)]).toEqual([422, ['passScore']]);
    await add({ type: 'assignment' });
    expect((await publish()).status).toBe(200);
  });

  it('with a status publishes and archives by the rules of these operations', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const change = (body: object) => tenant.updateCourse({ params: { id }, body });
    expect((await change({ status: 'published' })).body.errors?.[0]?.field).toBe('lessons');
    await aLesson(tenant, id);
    expect((await change({ status: 'published', title: 'Closing' })).data).toMatchObject({
      status: 'published',
      title: 'Closing',
    });
    expect((await change({ status: 'archived' })).data.status).toBe('archived');
    expect((await change({ status: 'draft' })).body.code).toBe('transition_refused');
  });

  it('is refused for a stale version', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const change = (title: string) =>
      tenant.updateCourse({ params: { id }, body: { title }, headers: { 'if-match': '"1"' } });
    expect([(await change('One')).status, (await change('Two')).status]).toEqual([200, 412]);
  });
});

describe('prerequisites', () => {
  const requires = (tenant: Tenant, id: string, prerequisiteCourseIds: string[]) =>
    tenant.updateCourse({ params: { id }, body: { prerequisiteCourseIds } });

  it('are stored once each, and replaced as a whole', async () => {
    const tenant = service.as();
    const [first, second] = [await aCourse(tenant), await aCourse(tenant)];
    const id = await aCourse(tenant, { prerequisiteCourseIds: [second, first, second] });
    expect((await get(tenant, id)).prerequisiteCourseIds).toEqual([first, second]);
    expect((await requires(tenant, id, [second])).data.prerequisiteCourseIds).toEqual([second]);
    const { data } = await tenant.listCourses({ query: { sort: '-createdAt' } });
    expect(data[0].prerequisiteCourseIds).toEqual([second]);
  });

  it('must be courses of the tenant', async () => {
    const tenant = service.as();
    const foreign = await aCourse(service.as());
    const { status, body } = await requires(tenant, await aCourse(tenant), [foreign]);
    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'prerequisiteCourseIds.0', message: 'No course with this id' }],
    ]);
  });

  it('cannot form a cycle, neither directly nor through other courses', async () => {
    const tenant = service.as();
    const first = await aCourse(tenant);
    const second = await aCourse(tenant, { prerequisiteCourseIds: [first] });
    const third = await aCourse(tenant, { prerequisiteCourseIds: [second] });
    const { status, body } = await requires(tenant, first, [third]);
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([
      409,
      'prerequisite_cycle',
      'prerequisiteCourseIds.0',
    ]);
    expect((await requires(tenant, first, [first])).body.errors?.[0]?.message).toBe('A course cannot require itself');
    expect((await get(tenant, first)).prerequisiteCourseIds).toEqual([]);
  });

  it('cannot form a cycle by two requests at once', async () => {
    const tenant = service.as();
    const [first, second] = [await aCourse(tenant), await aCourse(tenant)];
    const answers = await Promise.all([requires(tenant, first, [second]), requires(tenant, second, [first])]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('publishing', () => {
  it('names every lesson that is incomplete', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const fileId = service.files.add();
    const quiz = await aLesson(tenant, id, { type: 'quiz' });
    const bankId = await aBank(tenant, 1);
    const drawing = await aLesson(tenant, id, { type: 'quiz', quiz: { draw: [{ bankId, count: 2 }] } });
    const file = await aLesson(tenant, id, { type: 'file', fileId });
    service.files.remove(fileId);
    const publish = () => tenant.publishCourse({ params: { id } });
    const { status, body } = await publish();
    expect([status, body.errors]).toEqual([
      422,
      [
        { field: 'lessons.0.questions', message: expect.stringContaining(`‹lesson ${quiz}›`) },
        { field: 'lessons.1.quiz.draw.0.count', message: expect.stringContaining(`‹lesson ${drawing}›`) },
        { field: 'lessons.2.fileId', message: expect.stringContaining(`The file is deleted`) },
      ],
    ]);
    await tenant.updateLesson({ params: { id: quiz }, body: { questions: [aQuestion()] } });
    await tenant.createBankQuestion({ params: { id: bankId }, body: aQuestion() });
    await tenant.updateLesson({ params: { id: file }, body: { fileId: service.files.add() } });
    expect((await publish()).data.status).toBe('published');
  });

  it('refuses quarantined files', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const fileId = service.files.add();
    await aLesson(tenant, id, { type: 'video', fileId });
    service.files.set(fileId, 'quarantined');
    expect((await tenant.publishCourse({ params: { id } })).body.errors?.[0]?.field).toBe('lessons.0.fileId');
  });
});

describe('unpublishing', () => {
  it('makes a draft of a course without enrolments only', async () => {
    const tenant = service.as();
    const id = await aPublishedCourse(tenant);
    const unpublish = () => tenant.unpublishCourse({ params: { id } });
    const { data } = await enrol(tenant, id);
    expect((await unpublish()).body.code).toBe('course_in_use');
    await tenant.withdrawEnrollment({ params: { id: data.id } });
    expect((await unpublish()).data).toMatchObject({ status: 'draft', allowedTransitions: ['published', 'archived'] });
    expect((await unpublish()).status).toBe(409);
  });
});

describe('a deleted course', () => {
  it('is gone until it is restored', async () => {
    const tenant = service.as();
    const id = await aPublishedCourse(tenant);
    const lessonId = (await get(tenant, id)).lessons[0].id;
    expect((await tenant.deleteCourse({ params: { id } })).data).toEqual({ id, deleted: true });
    const gone = [
      await tenant.getCourse({ params: { id } }),
      await tenant.updateCourse({ params: { id }, body: { title: 'New' } }),
      await tenant.listLessons({ params: { id }, query: {} }),
      await tenant.getLesson({ params: { id: lessonId } }),
      await tenant.createModule({ params: { id }, body: { title: 'Basics' } }),
      await tenant.deleteCourse({ params: { id } }),
    ];
    expect(gone.map(({ status }) => status)).toEqual(gone.map(() => 404));
    expect((await enrol(tenant, id)).status).toBe(422);
    expect((await tenant.listCourses({ query: {} })).data).toEqual([]);
    expect((await tenant.listCourses({ query: { deleted: 'true' } })).data[0].id).toBe(id);
    const restored = await tenant.restoreCourse({ params: { id } });
    expect(restored.data).toMatchObject({ status: 'published', deletedAt: null, version: 5 });
    expect((await tenant.restoreCourse({ params: { id } })).body.code).toBe('not_deleted');
    await until('it is announced', () => eventsOf('training.course.restored', id).length === 1);
  });

  it('has no enrolments in progress, and no course requires it', async () => {
    const tenant = service.as();
    const id = await aPublishedCourse(tenant);
    const { data } = await enrol(tenant, id);
    const remove = () => tenant.deleteCourse({ params: { id } });
    expect((await remove()).body.code).toBe('live_enrollments');
    await tenant.withdrawEnrollment({ params: { id: data.id } });
    const other = await aCourse(tenant, { prerequisiteCourseIds: [id] });
    expect((await remove()).body.code).toBe('course_required');
    await tenant.deleteCourse({ params: { id: other } });
    expect((await remove()).status).toBe(200);
    // The required course is gone meanwhile.
    expect((await tenant.restoreCourse({ params: { id: other } })).data.prerequisiteCourseIds).toEqual([]);
  });

  it('is removed with its lessons after 30 days, unless it has enrolments', async () => {
    const tenant = service.as();
    const [id, kept] = [await aCourse(tenant), await aPublishedCourse(tenant)];
    await aModule(tenant, id);
    await aLesson(tenant, id, { type: 'quiz', questions: [aQuestion()] });
    const { data } = await enrol(tenant, kept);
    await tenant.withdrawEnrollment({ params: { id: data.id } });
    for (const one of [id, kept]) await tenant.deleteCourse({ params: { id: one } });
    const countOf = async (courseId: string) =>
      (await service.sqlWithin(tenant.caller, 'SELECT count(*)::int FROM course WHERE id = $1', [courseId]))[0]?.[
        'count'
      ];
    await service.sqlWithin(
      tenant.caller,
      `UPDATE course SET deleted_at = now() - interval '31 days' WHERE id = ANY($1)`,
      [[id, kept]],
    );
    await service.sqlWithin(
      tenant.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'purge-course' AND (payload->>'courseId')::bigint = ANY($1)`,
      [[id, kept]],
    );
    await until('the course is removed', async () => (await countOf(id)) === 0);
    await until('both jobs are done', async () => {
      const text = `SELECT FROM platform.job WHERE name = 'purge-course' AND payload->>'courseId' = $1 AND state = 'waiting'`;
      return !(await service.sqlWithin(tenant.caller, text, [kept])).length;
    });
    expect(await countOf(kept)).toBe(1);
    expect((await tenant.restoreCourse({ params: { id: kept } })).status).toBe(404);
    expect((await tenant.listCourses({ query: { deleted: 'true' } })).data).toEqual([]);
  });

  it('is not removed after it was restored', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    await tenant.deleteCourse({ params: { id } });
    await tenant.restoreCourse({ params: { id } });
    await service.sqlWithin(
      tenant.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'purge-course' AND payload->>'courseId' = $1`,
      [id],
    );
    await until('the job is done', async () => {
      const text = `SELECT FROM platform.job WHERE name = 'purge-course' AND payload->>'courseId' = $1 AND state = 'waiting'`;
      return !(await service.sqlWithin(tenant.caller, text, [id])).length;
    });
    expect((await tenant.getCourse({ params: { id } })).status).toBe(200);
  });
});

describe('a duplicate', () => {
  it('is a draft with the same settings, modules, lessons and questions', async () => {
    const tenant = service.as();
    const required = await aCourse(tenant);
    const certificate = { title: 'Certified', text: null, signatory: 'Ada', signatoryTitle: null };
    const id = await aCourse(tenant, {
      ...{ prerequisiteCourseIds: [required], certificate, validDays: 90, sequential: true, category: 'Sales' },
    });
    const first = await aLesson(tenant, id, { title: 'Welcome' });
    const moduleId = await aModule(tenant, id);
    const release = { type: 'after_lesson', lessonId: first };
    const quiz = { type: 'quiz', questions: [aQuestion()], moduleId, release };
    await aLesson(tenant, id, { title: 'Quiz', ...quiz });
    await tenant.publishCourse({ params: { id } });
    const { status, data } = await tenant.duplicateCourse({ params: { id }, body: {} });
    expect([status, data]).toMatchObject([
      201,
      {
        ...{ title: 'Selling (copy)', status: 'draft', publishedAt: null, contentVersion: 1, enrollmentCount: 0 },
        ...{ modulesCount: 1, lessonsCount: 2, prerequisiteCourseIds: [required], certificate, validDays: 90 },
      },
    ]);
    const copy = await get(tenant, data.id);
    const [welcome] = copy.lessons;
    const [copied] = copy.modules[0].lessons;
    expect([welcome.title, copied.title, copy.modules[0].title]).toEqual(['Welcome', 'Quiz', 'Basics']);
    expect(copied.release).toEqual({ type: 'after_lesson', lessonId: welcome.id });
    expect(welcome.id).not.toBe(first);
    const { questions } = (await tenant.getLesson({ params: { id: copied.id } })).data;
    expect(questions).toMatchObject([{ type: 'single', options: [{ key: 'a', correct: true }, { key: 'b' }] }]);
    const long = await aCourse(tenant, { title: 'x'.repeat(200) });
    expect((await tenant.duplicateCourse({ params: { id: long }, body: {} })).data.title).toHaveLength(200);
    expect((await tenant.duplicateCourse({ params: { id }, body: { title: 'Other' } })).data.title).toBe('Other');
  });
});

it('a large course is retrieved with all of its lessons, without their material', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  await service.sqlWithin(
    tenant.caller,
    `INSERT INTO lesson (course_id, title, type, content, "order")
     SELECT $1, 'Lesson ' || n, 'text', repeat('x', 20000), n FROM generate_series(0, 299) AS n`,
    [id],
  );
  const { lessons } = await get(tenant, id);
  expect([lessons.length, lessons[299].title, 'content' in lessons[0]]).toEqual([300, 'Lesson 299', false]);
});

it('a course of another release has lessons with the completion rule only', async () => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  await service.sqlWithin(
    tenant.caller,
    `INSERT INTO lesson (course_id, module, title, type, "order") VALUES ($1, 'General', 'Old', 'text', 0)`,
    [id],
  );
  expect((await get(tenant, id)).lessons[0]).toMatchObject({
    completion: { rule: 'view', minSeconds: null, passScore: null, maxAttempts: null },
    release: { type: 'immediate' },
    quiz: null,
  });
});
