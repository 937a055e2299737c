import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { KeyedQuestion } from '@tandem/training-contract';
import type { Answer } from './attempt.ts';

/**
 * Checks answers against the questions of the attempt.
 * @throws 422 for a question that the attempt does not have, an unknown option, or an answer of another kind
 */
export function checkAnswers(questions: readonly KeyedQuestion[], answers: readonly Answer[]): void {
  const known = new Map(questions.map((question) => [question.id, question]));
  const seen = new Set<number>();
  const errors = answers.flatMap((answer, index): FieldError[] => {
    const question = known.get(answer.questionId);
    const field = `answers.${index}.questionId`;
    if (!question) return [{ field, message: 'Is not a question of this attempt' }];
    if (seen.has(question.id)) return [{ field, message: 'Is answered twice' }];
    seen.add(question.id);
    const fault = faultOf(question, answer);
    return fault ? [{ field: `answers.${index}.${fault.part}`, message: fault.message }] : [];
  });
  if (errors.length) throw fail('validation_failed', errors);
}

function faultOf(question: KeyedQuestion, { keys, text, number }: Answer) {
  const takes = question.type === 'text' ? 'text' : question.type === 'number' ? 'number' : 'keys';
  const others = { keys, text, number };
  const wrong = (['keys', 'text', 'number'] as const).find((part) => part !== takes && others[part] !== undefined);
  if (wrong) return { part: wrong, message: `A question of the type ${question.type} takes ${takes}` };
  if (!keys) return undefined;
  const unknown = keys.find((key) => !question.options.some((option) => option.key === key));
  if (unknown !== undefined)
    return { part: 'keys', message: `Must be of ${question.options.map(({ key }) => key).join(', ')}` };
  if (new Set(keys).size < keys.length) return { part: 'keys', message: 'Must not repeat a key' };
  if (question.type !== 'multiple' && keys.length > 1) return { part: 'keys', message: 'Must contain one key' };
  return undefined;
}
