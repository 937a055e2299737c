import type { TestService } from '@tandem/testing';
import type { training } from '@tandem/training-contract';

/** A tenant as one of its callers sees it. */
export type Tenant = ReturnType<TestService<typeof training>['as']>;

/** A question with one correct option, `a`. */
export const aQuestion = (fields: object = {}) => ({
  type: 'single',
  text: 'How does a first call begin?',
  options: [{ text: 'With a question', correct: true, feedback: 'Right' }, { text: 'With a price' }],
  explanation: 'Questions show what the customer needs.',
  ...fields,
});

/** Creates a course; returns its id. */
export async function aCourse(tenant: Tenant, fields: object = {}): Promise<string> {
  return (await tenant.createCourse({ body: { title: 'Selling', ...fields } })).data.id;
}

/** Adds a lesson to a course; returns its id. */
export async function aLesson(tenant: Tenant, courseId: string, fields: object = {}): Promise<string> {
  const reply = await tenant.createLesson({ params: { id: courseId }, body: { title: 'The first call', ...fields } });
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
  return reply.data.id;
}

/** Adds a module to a course; returns its id. */
export async function aModule(tenant: Tenant, courseId: string, title = 'Basics'): Promise<string> {
  return (await tenant.createModule({ params: { id: courseId }, body: { title } })).data.id;
}

/** A course with a lesson, published; returns its id. */
export async function aPublishedCourse(tenant: Tenant, fields: object = {}): Promise<string> {
  const id = await aCourse(tenant, fields);
  await aLesson(tenant, id);
  const { status, body } = await tenant.publishCourse({ params: { id } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return id;
}

/** A question bank with some questions; returns its id. */
export async function aBank(tenant: Tenant, questions = 0): Promise<string> {
  const { id } = (await tenant.createQuestionBank({ body: { title: 'Discovery' } })).data;
  for (let count = 0; count < questions; count++)
    await tenant.createBankQuestion({ params: { id }, body: aQuestion({ text: `Question ${count}` }) });
  return id;
}
