import { longestTurn } from '@tandem/testing';
import { startTraining, type TrainingService } from './training.test-service.ts';
import { aCourse, aQuestion } from './training-builders.test-service.ts';

let service: TrainingService;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

async function create(fields: object) {
  const tenant = service.as();
  const id = await aCourse(tenant);
  return tenant.createLesson({ params: { id }, body: { title: 'One', ...fields } });
}

it.each([
  ['a script', '<p>Hello</p><script>alert(1)</script>', '<p>Hello</p>'],
  [
    'an event handler',
    '<img src="https://example.com/a.png" onerror="alert(1)">',
    '<img src="https://example.com/a.png" />',
  ],
  ['a link that runs code', '<a href="javascript:alert(1)">Go</a>', '<a>Go</a>'],
  ['an encoded link that runs code', '<a href="jav&#x09;ascript:alert(1)">Go</a>', '<a>Go</a>'],
  ['a frame', '<iframe src="https://example.com"></iframe>Text', 'Text'],
  ['a form', '<form action="https://example.com"><input name="password"></form>Text', 'Text'],
  ['a style', '<style>body{display:none}</style><p style="position:fixed">Text</p>', '<p>Text</p>'],
  ['an SVG', '<svg onload="alert(1)"><a xlink:href="javascript:alert(1)">Text</a></svg>', '<a>Text</a>'],
  ['a comment', '<!--[if IE]><script>alert(1)</script><![endif]-->Text', 'Text'],
  ['an unclosed tag', '<p>Text<img src=x onerror=alert(1)//', '<p>Text</p>'],
  [
    'a window without noopener',
    '<a href="https://example.com" target="_blank">Go</a>',
    '<a href="https://example.com" target="_blank" rel="noopener noreferrer">Go</a>',
  ],
])('%s is removed from the text of a lesson', async (_, content, cleaned) => {
  for (const type of ['text', 'assignment', 'quiz']) {
    const { status, data } = await create({ type, content });
    expect([status, data.content]).toEqual([201, cleaned]);
  }
});

it('the text of a changed lesson is cleaned too', async () => {
  const { data } = await create({ type: 'link', content: 'https://example.com' });
  const tenant = service.as();
  const id = (await tenant.createLesson({ params: { id: await aCourse(tenant) }, body: { title: 'One' } })).data.id;
  expect(data.content).toBe('https://example.com');
  const body = { type: 'text', content: '<b onclick="x()">Bold</b>' };
  expect((await tenant.updateLesson({ params: { id }, body })).data.content).toBe('<b>Bold</b>');
});

it.each([
  ['nested too deeply', '<div>'.repeat(5_000)],
  ['longer than 100,000 characters', 'x'.repeat(100_001)],
  ['longer than that after cleaning', '&'.repeat(90_000)],
])('content that is %s is refused', async (_, content) => {
  const { status, body } = await create({ content });
  expect([status, body.errors?.map(({ field }) => field)]).toEqual([422, ['content']]);
});

it('the longest content is cleaned without blocking the event loop', async () => {
  const content = '<p class="a">Text <a href="https://example.com/a">link</a></p>'.repeat(1_500);
  const clean = async () => expect((await create({ content })).status).toBe(201);
  // Threads start with the first content.
  await clean();
  expect(await longestTurn(clean)).toBeLessThan(150);
});

it('200 questions of a quiz are stored, 201 are refused', async () => {
  const questions = Array.from({ length: 200 }, (_, index) => aQuestion({ text: `Question ${index}` }));
  const { status, data } = await create({ type: 'quiz', questions });
  expect([status, data.questions.length, data.questions[199].text]).toEqual([201, 200, 'Question 199']);
  const { body } = await create({ type: 'quiz', questions: [...questions, aQuestion()] });
  expect(body.errors).toEqual([{ field: 'questions', message: 'Must have at most 200 questions' }]);
});

it('every wrong question of a quiz is named', async () => {
  const questions = [aQuestion(), aQuestion({ options: [] }), { type: 'text', text: 'Why?' }];
  const { body } = await create({ type: 'quiz', questions });
  expect(body.errors?.map(({ field }) => field)).toEqual([
    'questions.1.options',
    'questions.1.options',
    'questions.2.answers',
  ]);
});

it('counters, versions and answer keys of the server cannot be set', async () => {
  const tenant = service.as();
  const course = {
    title: 'Selling',
    contentVersion: 9,
    lessonsCount: 9,
    version: 9,
    deletedAt: '2026-01-01T00:00:00Z',
  };
  const { data } = await tenant.createCourse({ body: course });
  expect(data).toMatchObject({ contentVersion: 1, lessonsCount: 0, version: 1, deletedAt: null });
  const { data: lesson } = await create({ order: 7, courseId: '1', fileUrl: 'https://example.com' });
  expect(lesson).toMatchObject({ order: 0, fileUrl: null });
});
