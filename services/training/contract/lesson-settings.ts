import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { questionLimits } from './questions.ts';

export const lessonTypes = ['video', 'text', 'file', 'link', 'quiz', 'assignment', 'scorm'] as const;
const scoredTypes: readonly string[] = ['quiz', 'assignment', 'scorm'];

/** Whether a lesson has attempts with a score, which counts towards that of the course if the lesson is required. */
export function isScored({ type }: { type: string }): boolean {
  return scoredTypes.includes(type);
}

export const completionRules = ['view', 'min_time', 'quiz', 'manual', 'package'] as const;
export const releaseTypes = ['immediate', 'after_days', 'on_date', 'after_lesson'] as const;
export const answerVisibilities = ['never', 'after_submit', 'after_pass'] as const;

/** The pass mark of a quiz if neither its lesson nor its course has one. */
export const defaultPassScore = 80;
/** Attempts that a lesson may allow at most, and draws of a quiz. */
export const lessonLimits = { attempts: 100, draws: 20, contentChars: 100_000 } as const;

export const LessonType = z.enum(lessonTypes).describe('The type of the lesson');

const secondsError = 'Must be a whole number of seconds from 1 to 86400';
const scoreError = 'Must be a number from 0 to 100';
const attemptsError = `Must be a whole number from 1 to ${lessonLimits.attempts}`;
const daysError = 'Must be a whole number from 1 to 3650';
const countError = `Must be a whole number from 1 to ${questionLimits.perLesson}`;

export const CompletionRule = z
  .enum(completionRules)
  .describe(
    '`view`: opened; `min_time`: open for `minSeconds`; `quiz`: a quiz, assignment or SCORM package passed with `passScore`; `manual`: completed by somebody else with the permission `training:manage`; `package`: completed, and not failed, as the SCORM package reports',
  );

const completionFields = {
  minSeconds: z
    .int({ error: secondsError })
    .min(1, secondsError)
    .max(86_400, secondsError)
    .meta({ description: 'The time that the rule `min_time` requires', examples: [300] }),
  passScore: z
    .number({ error: scoreError })
    .min(0, scoreError)
    .max(100, scoreError)
    .meta({
      description: `The score that passes the rule \`quiz\`; null for the one of the course, or ${defaultPassScore} if it has none`,
      examples: [80],
    }),
  maxAttempts: z
    .int({ error: attemptsError })
    .min(1, attemptsError)
    .max(lessonLimits.attempts, attemptsError)
    .meta({
      description: 'The number of attempts at a quiz, assignment or SCORM package; null for any number',
      examples: [3],
    }),
};

/** How a lesson is completed. */
export const Completion = z.object({
  rule: CompletionRule.meta({ examples: ['view'] }),
  minSeconds: completionFields.minSeconds.nullable().meta({ examples: [null] }),
  passScore: completionFields.passScore.nullable().meta({ examples: [null] }),
  maxAttempts: completionFields.maxAttempts.nullable().meta({ examples: [null] }),
});

export const writableCompletion = z.object({
  rule: CompletionRule,
  minSeconds: completionFields.minSeconds.nullish(),
  passScore: completionFields.passScore.nullish(),
  maxAttempts: completionFields.maxAttempts.nullish(),
});

/** When a lesson opens. */
export const Release = z
  .discriminatedUnion(
    'type',
    [
      z.object({
        type: z.literal('immediate').meta({ description: 'The lesson is open at once', examples: ['immediate'] }),
      }),
      z.object({
        type: z
          .literal('after_days')
          .meta({ description: 'The lesson opens some days after the enrolment', examples: ['after_days'] }),
        days: z
          .int({ error: daysError })
          .min(1, daysError)
          .max(3_650, daysError)
          .meta({ description: 'Days after the enrolment', examples: [7] }),
      }),
      z.object({
        type: z.literal('on_date').meta({ description: 'The lesson opens at a time', examples: ['on_date'] }),
        date: timestamp().meta({ description: 'When the lesson opens', examples: ['2026-06-01T08:00:00.000Z'] }),
      }),
      z.object({
        type: z
          .literal('after_lesson')
          .meta({ description: 'The lesson opens when another one is completed', examples: ['after_lesson'] }),
        lessonId: id('lesson').describe('An earlier lesson of the course'),
      }),
    ],
    { error: `type must be one of ${releaseTypes.join(', ')}` },
  )
  .meta({ description: 'When the lesson opens', examples: [{ type: 'immediate' }] });

export const AnswerVisibility = z
  .enum(answerVisibilities)
  .describe('When learners see the correct answers of their attempts');

const QuizDraw = z.object({
  bankId: id('question_bank').describe('The bank from which questions are drawn'),
  count: z
    .int({ error: countError })
    .min(1, countError)
    .max(questionLimits.perLesson, countError)
    .meta({ description: 'The number of questions to draw for each attempt', examples: [5] }),
});
const TimeLimit = z
  .int({ error: secondsError })
  .min(1, secondsError)
  .max(86_400, secondsError)
  .meta({ description: 'The time for an attempt in seconds; null for any time', examples: [1_800] });
const Draws = z
  .array(QuizDraw)
  .max(lessonLimits.draws, `Must have at most ${lessonLimits.draws} draws`)
  .describe('Questions drawn at random for each attempt, in addition to those of the lesson');

/** The settings of a quiz. */
export const Quiz = z.object({
  timeLimitSeconds: TimeLimit.nullable(),
  randomOrder: z
    .boolean()
    .meta({ description: 'Whether each attempt has the questions in another order', examples: [false] }),
  shuffleOptions: z
    .boolean()
    .meta({ description: 'Whether each attempt has the options in another order', examples: [false] }),
  draw: Draws,
  showAnswers: AnswerVisibility.meta({
    description:
      'When learners see which of their answers were right. A quiz that draws from question banks shows them only with the permission `training:manage`; others send `never`',
    examples: ['after_submit'],
  }),
});

export const writableQuiz = z.object({
  timeLimitSeconds: TimeLimit.nullish(),
  randomOrder: Quiz.shape.randomOrder.default(false),
  shuffleOptions: Quiz.shape.shuffleOptions.default(false),
  draw: Draws.default([]),
  showAnswers: AnswerVisibility.default('after_submit'),
});

/** The completion rule of a lesson that names none. */
export function defaultCompletion(type: (typeof lessonTypes)[number]): z.output<typeof Completion> {
  const rules = { quiz: 'quiz', assignment: 'manual', scorm: 'package' } as const;
  const rule = type in rules ? rules[type as keyof typeof rules] : 'view';
  return { rule, minSeconds: null, passScore: null, maxAttempts: null };
}

/** The score that completes a graded lesson: its own, else the one of the course, else the default. */
export function passScoreOf(lesson: { completion: z.output<typeof Completion> }, course: { passScore: number | null }) {
  return lesson.completion.passScore ?? course.passScore ?? defaultPassScore;
}
