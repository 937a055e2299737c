import { type Api, learner, type Service } from './training.test-service.ts';

interface LessonFields {
  type?: string;
  required?: boolean;
  completion?: object;
  release?: object;
  quiz?: object;
  questions?: object[];
}

/** A published course with lessons, in a tenant of its own unless one is given. */
export async function aCourse(
  service: Service,
  {
    api = service.as(),
    lessons = [{}],
    ...fields
  }: { api?: Api; lessons?: LessonFields[] } & Record<string, unknown> = {},
): Promise<{ api: Api; id: string; lessons: string[] }> {
  const { data, body } = await api.createCourse({ body: { title: 'Selling', ...fields } });
  if (!data) throw new Error(JSON.stringify(body));
  const ids: string[] = [];
  for (const [order, lesson] of lessons.entries()) ids.push(await aLesson(service, api, data.id, { order, ...lesson }));
  await service.sqlWithin(api.caller, `UPDATE course SET status = 'published', lessons_count = $2 WHERE id = $1`, [
    data.id,
    lessons.length,
  ]);
  return { api, id: data.id, lessons: ids };
}

let titles = 0;

/** Stores a lesson with its questions. */
export async function aLesson(
  service: Service,
  api: Api,
  courseId: string,
  fields: LessonFields & { order: number },
): Promise<string> {
  const {
    type = 'text',
    required = true,
    order,
    release = { type: 'immediate' },
    quiz = null,
    questions = [],
  } = fields;
  const rule = type === 'quiz' ? 'quiz' : type === 'assignment' ? 'manual' : 'view';
  const [row] = await service.sqlWithin(
    api.caller,
    `INSERT INTO lesson (course_id, title, type, required, "order", completion, release, quiz)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [courseId, `Lesson ${++titles}`, type, required, order, { rule, ...fields.completion }, release, quiz],
  );
  const id = String(row?.['id']);
  for (const [index, question] of questions.entries())
    await aQuestion(service, api, { lessonId: id, order: index, ...question });
  return id;
}

/** Stores a question of a lesson or a bank; by default a single choice of which `a` is correct. */
export async function aQuestion(service: Service, api: Api, fields: Record<string, unknown>): Promise<string> {
  const { lessonId = null, bankId = null, order = 0, type = 'single', points = 1, answers = [] } = fields;
  const options = fields['options'] ?? [
    { key: 'a', text: 'Right', correct: true, feedback: 'Well done' },
    { key: 'b', text: 'Wrong', correct: false, feedback: 'Read again' },
  ];
  const [row] = await service.sqlWithin(
    api.caller,
    `INSERT INTO question (lesson_id, bank_id, type, text, options, answers, points, "order", explanation)
     VALUES ($1, $2, $3, 'What is right?', $4, $5, $6, $7, 'Because it is.') RETURNING id`,
    [lessonId, bankId, type, JSON.stringify(options), JSON.stringify(answers), points, order],
  );
  return String(row?.['id']);
}

/** Enrols a user, 7 by default, and returns the enrolment with the calls of that user. */
export async function anEnrollment(service: Service, api: Api, courseId: string, userId = 7, fields: object = {}) {
  const reply = await api.createEnrollment({ body: { courseId, learnerId: learner('user', userId), ...fields } });
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const own = service.as({ type: 'user', tenantId, environment, userId, can: ['training:read:own'] });
  return { enrollment: reply.data, id: reply.data.id as string, own };
}
