import { unionNumber } from '@tandem/contract';
import { until } from '@tandem/testing';
import type { Direct, DirectRequest, Scope } from './direct.ts';

interface Owner {
  scope: Scope;
  userId: number;
  partnerId: number;
}

const question = {
  type: 'single',
  text: 'What does it compute?',
  options: [
    { key: 'a', text: 'Differences', correct: true },
    { key: 'b', text: 'Nothing', correct: false },
  ],
};

/** Creates the records of training: a course with a module, a quiz and learners, one of whom has a certificate. */
export async function createTraining(direct: Direct, { scope, userId, partnerId }: Owner) {
  const call = (id: string, request: DirectRequest = {}) => direct.call(id, request, scope);
  const learner = (type: 'user' | 'partner', id: number) => String(unionNumber('learner', type, id));
  const publish = async (course: { id: string }) => call('publishCourse', { params: { id: course.id } });

  const bank = await call('createQuestionBank', { body: { title: 'Engines' } });
  const banked = await call('createBankQuestion', { params: { id: bank.id }, body: question });
  const course = await call('createCourse', { body: { title: 'Selling' } });
  const module = await call('createModule', { params: { id: course.id }, body: { title: 'Basics' } });
  const aLesson = (body: object) => call('createLesson', { params: { id: course.id }, body });
  const lesson = await aLesson({ title: 'The first call', moduleId: module.id });
  const quiz = await aLesson({ title: 'A quiz', type: 'quiz', questions: [question], moduleId: module.id });
  await publish(course);
  const enrollment = await call('createEnrollment', {
    body: { courseId: course.id, learnerId: learner('user', userId) },
  });
  const attempt = await call('startAttempt', { params: { id: enrollment.id, lessonId: quiz.id } });

  const certified = await call('createCourse', { body: { title: 'The engine', certificate: { title: 'Engineer' } } });
  const only = await call('createLesson', { params: { id: certified.id }, body: { title: 'How it works' } });
  await publish(certified);
  const ofPartner = await call('createEnrollment', {
    body: { courseId: certified.id, learnerId: learner('partner', partnerId) },
  });
  await call('completeLesson', { params: { id: ofPartner.id, lessonId: only.id } });
  const certificate = await until(
    'the course is completed',
    async () => (await call('listCertificates', { query: { courseId: certified.id } }))[0],
  );
  return { course, module, lesson, enrollment, attempt, certificate, question_bank: bank, question: banked };
}
