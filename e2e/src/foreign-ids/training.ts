import { unionNumber, unknownId } from '@tandem/contract';
import { until } from '@tandem/testing';
import type { Direct, DirectRequest, Scope } from './direct.ts';
import type { Setup, World } from './records.ts';

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
  const rule = await call('createEnrollmentRule', {
    body: { title: 'New colleagues', courseId: course.id, learnerType: 'user', active: false },
  });
  return {
    completedCourse: certified,
    course,
    module,
    lesson: quiz,
    enrollment,
    attempt,
    certificate,
    question_bank: bank,
    question: banked,
    enrollment_rule: rule,
  };
}

/** Bodies of requests, where the example in the OpenAPI document fails before the ids are read. */
export const trainingRequests = {
  bulkCreateEnrollments: () => ({ body: {} }),
  createBankQuestion: () => ({ body: question }),
  createLesson: (_: World, { path }: { path: string[] }) => ({ body: { title: 'A lesson', ...lessonWith(path) } }),
  findPartnerCompletions: ({ completedCourse }: World) => ({ body: { courseIds: [String(completedCourse)] } }),
  saveAttemptAnswers: oneAnswer,
  savePortalAttemptAnswers: oneAnswer,
  setPartnerTiers: () => ({ body: { tiers: [{ tier: 'gold' }] } }),
  submitAttempt: oneAnswer,
  submitPortalAttempt: oneAnswer,
  updateLesson: (_: World, { path }: { path: string[] }) => ({ body: lessonWith(path) }),
};

function oneAnswer() {
  return { body: { answers: [] } };
}

/** The fields of a lesson that an id in one of them needs. */
function lessonWith([field]: string[]): object {
  if (field === 'release') return { release: { type: 'after_lesson' } };
  if (field === 'fileId') return { type: 'file' };
  if (field === 'questions') return { type: 'quiz', questions: [question] };
  if (field === 'quiz') return { type: 'quiz', quiz: { draw: [{ count: 1 }] } };
  return {};
}

const noQuestion = {
  status: 422,
  body: {
    errors: [0, 1].map((index) => ({
      field: `answers.${index}.questionId`,
      message: 'Is not a question of this attempt',
    })),
  },
};
const notExactly = (noun: string) => ({
  status: 422,
  body: {
    errors: [{ field: 'ids', message: `Must contain the id of every ${noun} of the course, once and no others` }],
  },
});

// The question of a bank is none of the lesson either.
const noQuestionOfLesson = {
  status: 422,
  body: { errors: [0, 1].map((index) => ({ field: `questions.${index}.id`, message: unknownId('question') })) },
};

/** The responses to unknown ids that differ from those of other operations. */
export const trainingAnswers = {
  // A filter by a lesson of the course.
  'getQuestionStatistics query.lessonId': { status: 200, body: { data: { total: 0, questions: [] } } },
  'bulkCreateEnrollments body.learnerIds.*': { status: 200, body: { data: { succeeded: 0 } } },
  'createEnrollment body.learnerId': {
    status: 422,
    body: { errors: [{ field: 'learnerId', message: unknownId('user') }] },
  },
  'createLesson body.questions.*.id': noQuestionOfLesson,
  'updateLesson body.questions.*.id': noQuestionOfLesson,
  'deleteModule query.moveTo': { status: 422, body: { errors: [{ field: 'moveTo', message: unknownId('module') }] } },
  'orderLessons body.ids.*': notExactly('lesson'),
  'orderModules body.ids.*': notExactly('module'),
  'saveAttemptAnswers body.answers.*.questionId': noQuestion,
  'submitAttempt body.answers.*.questionId': noQuestion,
  // The attempt is not of the partner.
  'savePortalAttemptAnswers body.answers.*.questionId': { status: 404 },
  'submitPortalAttempt body.answers.*.questionId': { status: 404 },
};

/** Records that a request needs after others have changed them. */
export const trainingPreparations: Record<string, (world: World, setup: Setup) => Promise<void>> = {
  completePortalLesson: aPartnerLearns,
  createPortalEnrollment: aCourse,
  deleteBankQuestion: aBankQuestion,
  deleteLesson: aCourse,
  deleteModule: aCourse,
  findPartnerCompletions: aPartnerCompletes,
  getPortalAttempt: aPartnerLearns,
  getPortalEnrollmentProgress: aPartnerLearns,
  getPortalLesson: aPartnerLearns,
  listCertificates: async ({ scope, records }, { direct }) => {
    const params = { id: String(records.certificate) };
    const certificate = await direct.call('getCertificate', { params }, scope);
    records.course = Number(certificate.courseId);
    records.learner = Number(certificate.learnerId);
  },
  orderLessons: aCourse,
  orderModules: aCourse,
  recordPortalProgress: aPartnerLearns,
  savePortalAttemptAnswers: aPartnerLearns,
  startPortalAttempt: aPartnerLearns,
  submitPortalAttempt: aPartnerLearns,
  updateBankQuestion: aBankQuestion,
};

async function aBankQuestion({ scope, records }: World, { direct }: Setup): Promise<void> {
  const bank = await direct.call('createQuestionBank', { body: { title: 'Engines' } }, scope);
  const banked = await direct.call('createBankQuestion', { params: { id: bank.id }, body: question }, scope);
  records.question_bank = Number(bank.id);
  records.question = Number(banked.id);
}

/** Replaces the course of the records by one with one module and one lesson, a quiz. */
async function aCourse({ scope, records }: World, { direct }: Setup): Promise<void> {
  const course = await direct.call('createCourse', { body: { title: 'Selling' } }, scope);
  const params = { id: course.id };
  const module = await direct.call('createModule', { params, body: { title: 'Basics' } }, scope);
  const body = { title: 'A quiz', type: 'quiz', questions: [question], moduleId: module.id };
  const lesson = await direct.call('createLesson', { params, body }, scope);
  await direct.call('publishCourse', { params }, scope);
  records.course = Number(course.id);
  records.module = Number(module.id);
  records.lesson = Number(lesson.id);
}

/** Replaces the course of the records by one that the partner has completed. */
async function aPartnerCompletes(world: World, { direct }: Setup): Promise<void> {
  const { scope, records } = world;
  const call = (id: string, request: DirectRequest) => direct.call(id, request, scope);
  const { id } = await call('createCourse', { body: { title: 'Basics' } });
  const lesson = await call('createLesson', { params: { id }, body: { title: 'How it works' } });
  await call('publishCourse', { params: { id } });
  const learnerId = String(unionNumber('learner', 'partner', records.partner as number));
  const enrollment = await call('createEnrollment', { body: { courseId: id, learnerId } });
  await call('completeLesson', { params: { id: enrollment.id, lessonId: lesson.id } });
  records.course = Number(id);
  world.completedCourse = Number(id);
}

/** Enrols the partner in a new course, and starts the quiz. */
async function aPartnerLearns(world: World, setup: Setup): Promise<void> {
  await aCourse(world, setup);
  const { records, scope } = world;
  const { direct } = setup;
  const learnerId = String(unionNumber('learner', 'partner', records.partner as number));
  const body = { courseId: String(records.course), learnerId };
  const enrollment = await direct.call('createEnrollment', { body }, scope);
  const params = { id: enrollment.id, lessonId: String(records.lesson) };
  const attempt = await direct.call('startAttempt', { params }, scope);
  records.enrollment = Number(enrollment.id);
  records.attempt = Number(attempt.id);
  records.question = Number(attempt.questions[0].id);
}
