import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Question, questionLimits, writableQuestion } from './questions.ts';

const Description = text(2_000).meta({
  description: 'The purpose of the bank',
  examples: ['Questions about discovery'],
});

export const QuestionBank = z.object({
  id: id('question_bank'),
  title: name(200).meta({ examples: ['Discovery'] }),
  description: Description.nullable(),
  questionsCount: z.int().meta({ description: 'The number of questions', examples: [0] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A question of a bank. */
export const BankQuestion = Question.extend({
  bankId: id('question_bank'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const bankChange = {
  target: 'question_bank',
  data: z.object({ bankId: id('question_bank') }),
  record: QuestionBank,
} as const;

export const questionBankCreated = event('training.question_bank.created', {
  ...bankChange,
  description: 'A question bank is created',
  action: 'question_bank.create',
});
export const questionBankUpdated = event('training.question_bank.updated', {
  ...bankChange,
  description: 'A question bank changes',
  action: 'question_bank.update',
});
export const questionBankDeleted = event('training.question_bank.deleted', {
  ...bankChange,
  description: 'A question bank is deleted with its questions',
  action: 'question_bank.delete',
});

const questionChange = {
  target: 'question',
  data: z.object({ questionId: id('question'), bankId: id('question_bank') }),
  record: BankQuestion,
} as const;

export const questionCreated = event('training.question.created', {
  ...questionChange,
  description: 'A question is added to a bank',
  action: 'question.create',
});
export const questionUpdated = event('training.question.updated', {
  ...questionChange,
  description: 'A question of a bank changes',
  action: 'question.update',
});
export const questionDeleted = event('training.question.deleted', {
  ...questionChange,
  description: 'A question of a bank is deleted',
  action: 'question.delete',
});

const withId = z.object({ id: id('question_bank') });
const withQuestion = withId.extend({ questionId: id('question') });
const keys = 'Answer keys are null without the permission `training:manage`.';
const judging =
  'The permission `training:manage` is needed while a published or archived course draws from the bank, because the questions decide who passes.';
const needed = 'published courses draw that many of its questions; lower their draws first';
const { type, text: questionText, options, answers, points, explanation } = writableQuestion.shape;

export const questionBanks = operations({
  createQuestionBank: {
    method: 'POST',
    path: '/v1/training/question-banks',
    permission: 'training:write',
    feature: 'training',
    summary: 'Create a question bank',
    description: 'Quizzes draw questions from banks at random.',
    body: z.object({ title: name(200), description: Description.nullish() }),
    reply: QuestionBank,
    status: 201,
    message: 'Question bank created',
    emits: [questionBankCreated],
  },
  listQuestionBanks: {
    method: 'GET',
    path: '/v1/training/question-banks',
    permission: 'training:write',
    summary: 'List question banks',
    description: '`search` covers the title.',
    query: listQuery(['createdAt', 'title']),
    reply: page(QuestionBank),
    message: 'Question banks retrieved',
  },
  getQuestionBank: {
    method: 'GET',
    path: '/v1/training/question-banks/:id',
    permission: 'training:write',
    summary: 'Retrieve a question bank',
    params: withId,
    reply: QuestionBank,
    message: 'Question bank retrieved',
  },
  updateQuestionBank: {
    method: 'PATCH',
    path: '/v1/training/question-banks/:id',
    permission: 'training:write',
    feature: 'training',
    summary: 'Update a question bank',
    params: withId,
    body: z.object({ title: name(200).optional(), description: Description.nullish() }),
    reply: QuestionBank,
    message: 'Question bank updated',
    emits: [questionBankUpdated],
  },
  deleteQuestionBank: {
    method: 'DELETE',
    path: '/v1/training/question-banks/:id',
    permission: 'training:delete',
    summary: 'Delete a question bank',
    description: 'Deletes the bank with its questions. Attempts keep the questions that they drew.',
    params: withId,
    reply: z.object({ id: id('question_bank'), deleted: z.literal(true).describe('Always true') }),
    message: 'Question bank deleted',
    emits: [questionBankDeleted],
    errors: { bank_in_use: [409, 'Lessons draw questions from this bank; remove their draws first'] },
  },
  createBankQuestion: {
    method: 'POST',
    path: '/v1/training/question-banks/:id/questions',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Add a question to a bank',
    description: judging,
    params: withId,
    body: writableQuestion,
    reply: BankQuestion,
    status: 201,
    message: 'Question created',
    emits: [questionCreated],
    errors: { bank_full: [409, `The bank has ${questionLimits.perBank} questions already; use another bank`] },
  },
  listBankQuestions: {
    method: 'GET',
    path: '/v1/training/question-banks/:id/questions',
    permission: 'training:write',
    summary: 'List the questions of a bank',
    description: keys,
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }),
    reply: page(BankQuestion),
    message: 'Questions retrieved',
  },
  getBankQuestion: {
    method: 'GET',
    path: '/v1/training/question-banks/:id/questions/:questionId',
    permission: 'training:write',
    summary: 'Retrieve a question of a bank',
    description: keys,
    params: withQuestion,
    reply: BankQuestion,
    message: 'Question retrieved',
  },
  updateBankQuestion: {
    method: 'PATCH',
    path: '/v1/training/question-banks/:id/questions/:questionId',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Update a question of a bank',
    description: `Changes the given fields; arrays are replaced as a whole. Attempts that drew the question keep it as it was. ${judging}`,
    params: withQuestion,
    body: z.object({
      type: type.optional(),
      text: questionText.optional(),
      options: options.unwrap().optional(),
      answers: answers.unwrap().optional(),
      points: points.unwrap().optional(),
      explanation,
    }),
    reply: BankQuestion,
    message: 'Question updated',
    emits: [questionUpdated],
  },
  deleteBankQuestion: {
    method: 'DELETE',
    path: '/v1/training/question-banks/:id/questions/:questionId',
    permission: 'training:delete',
    checksPermissions: true,
    summary: 'Delete a question of a bank',
    description: judging,
    params: withQuestion,
    reply: z.object({ id: id('question'), deleted: z.literal(true).describe('Always true') }),
    message: 'Question deleted',
    emits: [questionDeleted],
    errors: { question_needed: [409, `The question is needed: ${needed}`] },
  },
});
