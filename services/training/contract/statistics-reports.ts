import { id, media, operations, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { QuestionType } from './questions.ts';
import { learnerSelection } from './statistics.ts';

/** The most questions of a response, and learners of an export. */
export const reportLimits = { questions: 500, learners: 50_000 } as const;

const questionSorts = ['correctRate', '-correctRate', 'answered', '-answered'] as const;
const exportParts = ['lessons', 'questions', 'learners'] as const;

const course = z.object({ id: id('course') });

const QuestionDifficulty = z.object({
  questionId: id('question'),
  lessonId: id('lesson').describe('The quiz in which the question was answered'),
  lessonTitle: z.string().meta({ description: 'The title of the lesson', examples: ['The first call'] }),
  type: QuestionType.nullable().meta({
    description: 'The type of the question; null if it was deleted',
    examples: ['single'],
  }),
  text: z
    .string()
    .nullable()
    .meta({
      description: 'The question; null if it was deleted, and without the permission `training:write`',
      examples: ['How does a first call begin?'],
    }),
  answered: z.int().meta({ description: 'How often the question was answered', examples: [12] }),
  correctRate: z.number().meta({ description: 'The part of correct answers in percent', examples: [25] }),
});

export const CourseQuestionStatistics = z.object({
  courseId: id('course'),
  total: z.int().meta({ description: 'The number of questions that meet the filters', examples: [1] }),
  questions: z.array(QuestionDifficulty).describe('The questions in the order of `sort`'),
});

export const statisticsReports = operations({
  getQuestionStatistics: {
    method: 'GET',
    path: '/v1/training/courses/:id/statistics/questions',
    permission: 'training:read',
    summary: 'Retrieve the difficulty of the questions of a course',
    description:
      'Questions of quizzes with the part of correct answers, the hardest first. A question of a bank has an entry for each lesson in which it was answered. `from` and `to` select learners by the day of their enrolment, in UTC.',
    params: course,
    query: z.object({
      ...learnerSelection,
      lessonId: id('lesson').describe('Only questions that were answered in this lesson').optional(),
      answeredMin: wholeNumber(1, 1_000_000)
        .meta({ description: 'Only questions that were answered at least as often', examples: ['10'] })
        .default(1),
      sort: z
        .enum(questionSorts, { error: `Must be one of ${questionSorts.join(', ')}` })
        .describe('The field to sort by; a leading minus sorts in descending order')
        .default('correctRate'),
      limit: wholeNumber(1, reportLimits.questions).describe('The maximum number of questions').default(100),
    }),
    reply: CourseQuestionStatistics,
    message: 'Question statistics retrieved',
  },
  exportCourseStatistics: {
    method: 'GET',
    path: '/v1/training/courses/:id/statistics/export',
    permission: 'training:read',
    summary: 'Export the statistics of a course',
    description: `Returns a CSV file with one line per lesson, per question that was answered, or per enrolment, of which at most ${reportLimits.learners}. Text that a spreadsheet would run as a formula begins with an apostrophe. \`from\` and \`to\` select learners by the day of their enrolment, in UTC.`,
    params: course,
    query: z.object({
      ...learnerSelection,
      part: z
        .enum(exportParts, { error: `Must be one of ${exportParts.join(', ')}` })
        .describe('The lines of the file')
        .default('lessons'),
    }),
    reply: media('text/csv'),
    message: 'The statistics as CSV',
  },
});
