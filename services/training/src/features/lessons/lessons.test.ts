import { until } from '@tandem/testing';
import { startTraining, type TrainingService } from '../../training.test-service.ts';
import { aBank, aCourse, aLesson, aModule, aPublishedCourse, aQuestion } from '../../training-builders.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const url = 'https://example.com/video';

describe('a lesson', () => {
  it.each([
    ['text', { content: '<p>Ask.</p>' }, 'view'],
    ['video', { content: url }, 'view'],
    ['link', { content: url }, 'view'],
    ['quiz', { questions: [aQuestion()] }, 'quiz'],
    ['assignment', { content: '<p>Write a plan.</p>' }, 'manual'],
  ])('of the type %s is stored with its default rule', async (type, fields, rule) => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const { status, data } = await tenant.createLesson({ params: { id }, body: { title: 'One', type, ...fields } });
    expect([status, data]).toMatchObject([201, { courseId: id, type, required: true, completion: { rule } }]);
    const read = await tenant.getLesson({ params: { id: data.id } });
    expect(read.data).toEqual(data);
    expect(read.headers['etag']).toContain('"1-');
  });

  it('of the type file has a link to its file while the file is available', async () => {
    const tenant = service.as();
    const fileId = service.files.add();
    const id = await aLesson(tenant, await aCourse(tenant), { type: 'file', fileId });
    const urlOf = async () => (await tenant.getLesson({ params: { id } })).data.fileUrl;
    expect(await urlOf()).toBe(`https://files.example/${fileId}`);
    service.files.set(fileId, 'quarantined');
    expect(await urlOf()).toBeNull();
    service.files.remove(fileId);
    expect(await urlOf()).toBeNull();
  });

  it('accepts only files that exist, are available and that the caller may read', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const quarantined = service.files.add('quarantined');
    for (const fileId of ['999', quarantined]) {
      const { status, body } = await tenant.createLesson({
        params: { id },
        body: { title: 'One', type: 'file', fileId },
      });
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'fileId']);
    }
    const author = service.as({ ...tenant.caller, permissions: ['training:write'] });
    const body = { title: 'One', type: 'file', fileId: service.files.add() };
    expect((await author.createLesson({ params: { id }, body })).status).toBe(403);
    expect((await author.createLesson({ params: { id }, body: { title: 'One' } })).status).toBe(201);
    // Another type reads the file that the lesson has.
    const { data } = await tenant.createLesson({ params: { id }, body });
    const retyped = await author.updateLesson({ params: { id: data.id }, body: { type: 'scorm' } });
    expect([retyped.status, retyped.body.errors?.[0]?.field]).toEqual([403, 'fileId']);
  });

  it('changes the given fields once, with an event without the material', async () => {
    const tenant = service.as();
    const courseId = await aCourse(tenant);
    const id = await aLesson(tenant, courseId, { content: '<p>One</p>', durationSeconds: 60 });
    const change = (body: object) => tenant.updateLesson({ params: { id }, body });
    const { data } = await change({ content: '<p>Two</p>', required: false });
    expect(data).toMatchObject({ content: '<p>Two</p>', required: false, durationSeconds: 60, version: 2 });
    expect((await change({ required: false })).data.version).toBe(2);
    const updates = () =>
      service.events.filter(
        (event) => event.name === 'training.lesson.updated' && (event.data as { lessonId: string }).lessonId === id,
      );
    await until('it is announced', () => updates().length === 1);
    expect(JSON.stringify(updates())).not.toContain('Two');
  });

  it('is refused for a stale version', async () => {
    const tenant = service.as();
    const id = await aLesson(tenant, await aCourse(tenant));
    const headers = { 'if-match': '"1"' };
    const change = (title: string) => tenant.updateLesson({ params: { id }, body: { title }, headers });
    expect([(await change('One')).status, (await change('Two')).status]).toEqual([200, 412]);
  });

  it('keeps what fits its new type', async () => {
    const tenant = service.as();
    const id = await aLesson(tenant, await aCourse(tenant), { type: 'quiz', questions: [aQuestion()] });
    const change = (body: object) => tenant.updateLesson({ params: { id }, body });
    const { data } = await change({ type: 'link', content: url });
    expect(data).toMatchObject({ type: 'link', quiz: null, questions: [], completion: { rule: 'view' } });
    expect((await change({ type: 'quiz', content: null })).data).toMatchObject({
      questions: [],
      quiz: { draw: [], showAnswers: 'after_submit' },
      completion: { rule: 'quiz' },
    });
  });

  it('loses content that does not fit its new type, and needs another one before the course is published', async () => {
    const tenant = service.as();
    const courseId = await aCourse(tenant);
    const id = await aLesson(tenant, courseId, { content: '<p>Ask.</p>' });
    const change = (body: object) => tenant.updateLesson({ params: { id }, body });
    const contentAfter = async (body: object) => {
      const { status, data } = await change(body);
      return [status, data?.type, data?.content];
    };
    expect(await contentAfter({ type: 'assignment' })).toEqual([200, 'assignment', '<p>Ask.</p>']);
    expect(await contentAfter({ type: 'link' })).toEqual([200, 'link', null]);
    // The other fields of an incomplete draft can be changed.
    expect((await change({ title: 'Renamed' })).status).toBe(200);
    expect((await change({ content: '<p>Ask.</p>' })).body.errors?.[0]?.field).toBe('content');
    const { status, body } = await tenant.publishCourse({ params: { id: courseId } });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'lessons.0.content']);
    expect(await contentAfter({ content: url })).toEqual([200, 'link', url]);
    expect((await change({ content: null })).body.errors?.[0]?.field).toBe('content');
    expect(await contentAfter({ type: 'video' })).toEqual([200, 'video', url]);
    expect(await contentAfter({ type: 'text' })).toEqual([200, 'text', null]);
    await tenant.publishCourse({ params: { id: courseId } });
    const refused = await change({ type: 'link' });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'content']);
    expect(await contentAfter({ type: 'link', content: url })).toEqual([200, 'link', url]);
  });

  it('is deleted from the course, but not while another lesson opens after it', async () => {
    const tenant = service.as();
    const courseId = await aCourse(tenant);
    const first = await aLesson(tenant, courseId);
    const second = await aLesson(tenant, courseId, { release: { type: 'after_lesson', lessonId: first } });
    const remove = (id: string) => tenant.deleteLesson({ params: { id } });
    expect((await remove(first)).body.code).toBe('lesson_needed');
    await tenant.updateLesson({ params: { id: second }, body: { release: { type: 'immediate' } } });
    expect((await remove(first)).data).toEqual({ id: first, deleted: true });
    expect((await remove(first)).status).toBe(404);
    const course = (await tenant.getCourse({ params: { id: courseId } })).data;
    expect([course.lessonsCount, course.lessons.map(({ order }: { order: number }) => order)]).toEqual([1, [0]]);
  });

  it('is the last one of a course that was published', async () => {
    const tenant = service.as();
    const id = await aPublishedCourse(tenant);
    const [lesson] = (await tenant.getCourse({ params: { id } })).data.lessons;
    expect((await tenant.deleteLesson({ params: { id: lesson.id } })).body.code).toBe('last_lesson');
    await tenant.archiveCourse({ params: { id } });
    expect((await tenant.deleteLesson({ params: { id: lesson.id } })).body.code).toBe('last_lesson');
    await tenant.publishCourse({ params: { id } });
    await tenant.unpublishCourse({ params: { id } });
    expect((await tenant.deleteLesson({ params: { id: lesson.id } })).status).toBe(200);
  });

  it('of a published course stays complete', async () => {
    const tenant = service.as();
    const id = await aPublishedCourse(tenant);
    const body = { title: 'Quiz', type: 'quiz' };
    expect((await tenant.createLesson({ params: { id }, body })).body.errors?.[0]?.field).toBe('questions');
    const quiz = await aLesson(tenant, id, { ...body, questions: [aQuestion()] });
    const emptied = await tenant.updateLesson({ params: { id: quiz }, body: { questions: [] } });
    expect([emptied.status, emptied.body.errors?.[0]?.field]).toEqual([422, 'questions']);
    expect((await tenant.getLesson({ params: { id: quiz } })).data.questions).toHaveLength(1);
  });

  it('belongs to a module of its own course', async () => {
    const tenant = service.as();
    const [id, other] = [await aCourse(tenant), await aCourse(tenant)];
    const body = { title: 'One', moduleId: await aModule(tenant, other) };
    const { status, body: answer } = await tenant.createLesson({ params: { id }, body });
    expect([status, answer.errors?.[0]]).toEqual([422, { field: 'moduleId', message: 'No module with this id' }]);
  });
});

it.each([
  ['a quiz rule on a text', { completion: { rule: 'quiz' } }, 'completion.rule'],
  ['min_time without a time', { completion: { rule: 'min_time' } }, 'completion.minSeconds'],
  ['a time for another rule', { completion: { rule: 'view', minSeconds: 5 } }, 'completion.minSeconds'],
  ['a pass mark for another rule', { completion: { rule: 'view', passScore: 5 } }, 'completion.passScore'],
  ['attempts at a text', { completion: { rule: 'view', maxAttempts: 5 } }, 'completion.maxAttempts'],
  ['a pass mark above 100', { type: 'quiz', completion: { rule: 'quiz', passScore: 101 } }, 'completion.passScore'],
  ['quiz settings on a text', { quiz: {} }, 'quiz'],
  ['questions of a text', { questions: [aQuestion()] }, 'questions'],
  ['a link without a URL', { type: 'link' }, 'content'],
  ['a video without a URL', { type: 'video' }, 'content'],
  ['a file without a file', { type: 'file' }, 'fileId'],
  ['a package without a file', { type: 'scorm' }, 'fileId'],
  ['an unknown type', { type: 'podcast' }, 'type'],
  ['a URL without TLS', { type: 'link', content: 'http://example.com' }, 'content'],
  ['a URL that runs code', { type: 'link', content: 'javascript:alert(1)' }, 'content'],
  ['a URL with a password', { type: 'link', content: 'https://ada:secret@example.com' }, 'content'],
  ['a URL that ends an attribute', { type: 'link', content: 'https://example.com/"onload="x' }, 'content'],
  ['an unknown release', { release: { type: 'later' } }, 'release.type'],
  ['a release in no days', { release: { type: 'after_days', days: 0 } }, 'release.days'],
  ['a release without a date', { release: { type: 'on_date' } }, 'release.date'],
  ['a release by no lesson', { release: { type: 'after_lesson', lessonId: '999999' } }, 'release.lessonId'],
  ['draws from no bank', { type: 'quiz', quiz: { draw: [{ bankId: '99999', count: 1 }] } }, 'quiz.draw.0.bankId'],
])('%s is refused', async (_, fields, field) => {
  const tenant = service.as();
  const id = await aCourse(tenant);
  const { status, body } = await tenant.createLesson({ params: { id }, body: { title: 'One', ...fields } });
  expect([status, body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  expect((await tenant.getCourse({ params: { id } })).data).toMatchObject({ lessonsCount: 0, version: 1 });
});

it('a release is stored as it was sent', async () => {
  const tenant = service.as();
  const courseId = await aCourse(tenant);
  const first = await aLesson(tenant, courseId);
  const id = await aLesson(tenant, courseId);
  for (const release of [
    { type: 'after_days', days: 7 },
    { type: 'on_date', date: '2026-06-01T08:00:00.000Z' },
    { type: 'after_lesson', lessonId: first },
  ]) {
    const { data } = await tenant.updateLesson({ params: { id }, body: { release } });
    expect(data.release).toEqual(release);
  }
});

it('a lesson cannot open after itself or a later one', async () => {
  const tenant = service.as();
  const courseId = await aCourse(tenant);
  const [first, second] = [await aLesson(tenant, courseId), await aLesson(tenant, courseId)];
  for (const lessonId of [first, second]) {
    const body = { release: { type: 'after_lesson', lessonId } };
    const { status, body: answer } = await tenant.updateLesson({ params: { id: first }, body });
    expect([status, answer.errors?.[0]?.field]).toEqual([422, 'release.lessonId']);
  }
});

describe('questions of a quiz', () => {
  it('are replaced as a whole, and keep the ids that are sent', async () => {
    const tenant = service.as();
    const courseId = await aCourse(tenant);
    const questions = [aQuestion({ text: 'One' }), aQuestion({ text: 'Two' })];
    const id = await aLesson(tenant, courseId, { type: 'quiz', questions });
    const read = async () => (await tenant.getLesson({ params: { id } })).data;
    const [one, two] = (await read()).questions;
    const change = (next: object[]) => tenant.updateLesson({ params: { id }, body: { questions: next } });
    const { data } = await change([aQuestion({ text: 'New' }), { ...two, text: 'Changed' }]);
    expect(data.questions).toMatchObject([{ text: 'New' }, { id: two.id, text: 'Changed' }]);
    expect(data.questions[0].id).not.toBe(one.id);
    expect((await change(data.questions)).data.version).toBe(2);
    for (const [wrong, field] of [
      [[{ ...one }], 'questions.0.id'],
      [[{ ...two }, { ...two }], 'questions.1.id'],
    ] as const)
      expect((await change([...wrong])).body.errors?.[0]?.field).toBe(field);
    expect((await read()).questions).toEqual(data.questions);
  });

  it('have their answer keys with training:manage only', async () => {
    const tenant = service.as();
    const courseId = await aCourse(tenant);
    const questions = [aQuestion(), { type: 'number', text: 'How many?', answers: [{ value: 3, tolerance: 0.5 }] }];
    const id = await aLesson(tenant, courseId, { type: 'quiz', questions });
    const writer = service.as({ ...tenant.caller, permissions: ['training:write', 'training:read'] });
    const { data } = await writer.getLesson({ params: { id } });
    expect(data.questions).toMatchObject([
      {
        options: [
          { key: 'a', correct: null, feedback: null },
          { key: 'b', correct: null, feedback: null },
        ],
        ...{ answers: null, explanation: null },
      },
      { options: [], answers: null },
    ]);
    const author = (await tenant.getLesson({ params: { id } })).data.questions;
    expect(author[0]).toMatchObject({ options: [{ correct: true, feedback: 'Right' }, { correct: false }] });
    expect(author[1].answers).toEqual([{ value: 3, tolerance: 0.5 }]);
  });

  it('and those that are drawn are at most 200', async () => {
    const tenant = service.as();
    const id = await aCourse(tenant);
    const bankId = await aBank(tenant, 1);
    const draw = [{ bankId, count: 200 }];
    const body = { title: 'Quiz', type: 'quiz', quiz: { draw }, questions: [aQuestion()] };
    expect((await tenant.createLesson({ params: { id }, body })).body.errors?.[0]?.field).toBe('quiz.draw');
  });
});

it('one of two changes of a lesson at once does not lose the other', async () => {
  const tenant = service.as();
  const id = await aLesson(tenant, await aCourse(tenant));
  const bodies = [{ title: 'Title' }, { durationSeconds: 5 }];
  const answers = await Promise.all(bodies.map((body) => tenant.updateLesson({ params: { id }, body })));
  const done = bodies.filter((_, index) => answers[index]?.status === 200);
  expect(answers.every(({ status, body }) => status === 200 || body.code === 'lesson_changed')).toBe(true);
  expect((await tenant.getLesson({ params: { id } })).data).toMatchObject(Object.assign({}, ...done));
});
