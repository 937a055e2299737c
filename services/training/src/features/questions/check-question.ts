import type { FieldError } from '@tandem/contract';
import { type KeyedQuestion, questionLimits, type writableQuestion } from '@tandem/training-contract';
import type { z } from 'zod';

type QuestionInput = Readonly<z.output<typeof writableQuestion>>;
/** The columns of a question that a request decides. */
export type QuestionFields = Omit<KeyedQuestion, 'id'>;

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** The columns of a question as a request sends it: options without a key get a letter by their position. */
export function fieldsOf({ type, text, options, answers, points, explanation = null }: QuestionInput): QuestionFields {
  return {
    type,
    text,
    options: options.map((option, index) => ({
      key: option.key ?? (letters[index] as string),
      text: option.text,
      correct: option.correct,
      feedback: option.feedback ?? null,
    })),
    answers,
    points,
    explanation,
  };
}

/** The errors of a question: rules between its fields, which depend on its type. */
export function questionErrors(question: QuestionFields, prefix = ''): FieldError[] {
  const { type, options, answers } = question;
  const error = (field: string, message: string): FieldError => ({ field: `${prefix}${field}`, message });
  // Attempts store up to 200 questions as they were drawn.
  const chars = JSON.stringify(question).length;
  if (chars > questionLimits.chars)
    return [
      error('text', `The question with its options has ${chars} characters; shorten it to ${questionLimits.chars}`),
    ];
  if (type === 'text' || type === 'number') {
    return [
      ...(options.length ? [error('options', `Must be empty for a question of the type ${type}`)] : []),
      ...(answers.length ? [] : [error('answers', `Is required for a question of the type ${type}`)]),
      ...answers.flatMap((answer, index) =>
        (typeof answer === 'string') === (type === 'text') ? [] : [error(`answers.${index}`, shapeOf(type))],
      ),
    ];
  }
  return [
    ...optionErrors(type, options, error),
    ...(answers.length
      ? [error('answers', `Must be empty for a question of the type ${type}; mark options instead`)]
      : []),
  ];
}

function shapeOf(type: 'text' | 'number'): string {
  return type === 'text' ? 'Must be a text' : 'Must be an object with value and tolerance';
}

function optionErrors(
  type: Exclude<QuestionFields['type'], 'text' | 'number'>,
  options: QuestionFields['options'],
  error: (field: string, message: string) => FieldError,
): FieldError[] {
  const max = type === 'true_false' ? questionLimits.optionsMin : questionLimits.optionsMax;
  const range = max === questionLimits.optionsMin ? `exactly ${max}` : `${questionLimits.optionsMin} to ${max}`;
  const correct = options.filter((option) => option.correct).length;
  const keys = options.map(({ key }) => key);
  return [
    ...(options.length < questionLimits.optionsMin || options.length > max
      ? [error('options', `Must have ${range} options`)]
      : []),
    ...(correct ? [] : [error('options', 'Must have at least one correct option')]),
    ...(correct > 1 && type !== 'multiple' ? [error('options', 'Must have only one correct option')] : []),
    ...keys.flatMap((key, index) =>
      keys.indexOf(key) < index ? [error(`options.${index}.key`, 'Must be unique within the question')] : [],
    ),
  ];
}
