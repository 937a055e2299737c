import { id, requiredText, text } from '@tandem/contract';
import { z } from 'zod';

export const questionTypes = ['single', 'multiple', 'true_false', 'text', 'number'] as const;

/** Limits of questions: options and accepted answers of a question, questions of a lesson and of a bank, characters of a question with all of its texts. */
export const questionLimits = {
  optionsMin: 2,
  optionsMax: 20,
  answers: 50,
  perLesson: 200,
  perBank: 1_000,
  chars: 16_000,
} as const;

export const QuestionType = z
  .enum(questionTypes)
  .describe(
    'One option, several options, true or false (two options), a text or a number. Texts are compared without regard to case and surrounding spaces.',
  );
const pointsError = 'Must be a number from 0.5 to 100';
const Points = z
  .number({ error: pointsError })
  .min(0.5, pointsError)
  .max(100, pointsError)
  .meta({ description: 'The points of a correct answer', examples: [1] });
const OptionKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,20}$/, { error: 'Must consist of 1 to 20 letters, digits, dashes and underscores' })
  .meta({ description: 'The key of the option, by which answers name it', examples: ['a'] });
const OptionText = requiredText(1_000).meta({ description: 'The text of the option', examples: ['An open question'] });
const QuestionText = requiredText(5_000).meta({
  description: 'The question',
  examples: ['How does a first call begin?'],
});
const Explanation = text(5_000).meta({
  description: 'The explanation that learners see with the answers; null without the permission `training:manage`',
  examples: ['Open questions show what the customer needs.'],
});
const Feedback = text(1_000).meta({
  description: 'The text that learners who choose the option see with the answers',
  examples: ['Right: it lets the customer talk.'],
});
const Correct = z.boolean().meta({
  description: 'Whether the option is correct; null without the permission `training:manage`',
  examples: [true],
});

/** A number that is accepted as the answer, within a tolerance. */
export const AcceptedNumber = z.object({
  value: z.number().meta({ description: 'The accepted number', examples: [42] }),
  tolerance: z
    .number()
    .min(0, 'Must be 0 or more')
    .meta({ description: 'The permitted deviation', examples: [0.5] }),
});

export const AcceptedAnswer = z
  .union([requiredText(500), AcceptedNumber])
  .meta({ description: 'An accepted text, or an accepted number with its tolerance', examples: ['42'] });
export const QuestionOption = z.object({
  key: OptionKey,
  text: OptionText,
  correct: Correct.nullable(),
  feedback: Feedback.nullable(),
});

/** A question as responses show it; `withoutKey` removes the answer key. */
export const Question = z.object({
  id: id('question'),
  type: QuestionType.meta({ examples: ['single'] }),
  text: QuestionText,
  options: z.array(QuestionOption).describe('The options; empty for texts and numbers'),
  answers: z
    .array(AcceptedAnswer)
    .nullable()
    .meta({
      description: 'The accepted answers of a text or number; null without the permission `training:manage`',
      examples: [[]],
    }),
  points: Points,
  explanation: Explanation.nullable(),
});

/** The fields of a question that clients send. `checkQuestion` has the rules between them. */
export const writableQuestion = z.object({
  type: QuestionType,
  text: QuestionText,
  options: z
    .array(
      z.object({
        key: OptionKey.describe('The key of the option; by default `a`, `b`, … by its position').optional(),
        text: OptionText,
        correct: Correct.default(false),
        feedback: Feedback.nullish(),
      }),
    )
    .max(questionLimits.optionsMax, `Must have at most ${questionLimits.optionsMax} options`)
    .describe('The options; at least two unless the answer is a text or a number')
    .default([]),
  answers: z
    .array(AcceptedAnswer)
    .max(questionLimits.answers, `Must have at most ${questionLimits.answers} answers`)
    .describe('The accepted answers of a question of the type text or number')
    .default([]),
  points: Points.default(1),
  explanation: Explanation.nullish(),
});

/** A question inside the service: with its answer key. */
export type KeyedQuestion = Omit<z.output<typeof Question>, 'options' | 'answers'> & {
  options: { key: string; text: string; correct: boolean; feedback: string | null }[];
  answers: z.output<typeof AcceptedAnswer>[];
};

/** Removes the answer key and everything else that reveals it. */
export function withoutKey(question: KeyedQuestion): z.output<typeof Question> {
  const options = question.options.map(({ key, text }) => ({ key, text, correct: null, feedback: null }));
  return { ...question, options, answers: null, explanation: null };
}
