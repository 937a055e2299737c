import { AcceptedAnswer, type KeyedQuestion, Question, QuestionOption } from '@tandem/training-contract';
import { z } from 'zod';
import type { Question as QuestionRow } from '../../generated/client.ts';

const columns = z.object({
  type: Question.shape.type,
  options: z.array(QuestionOption.extend({ correct: z.boolean() })),
  answers: z.array(AcceptedAnswer),
});

/** Converts a row to a question with its answer key. */
export function asQuestion<
  Row extends Pick<QuestionRow, 'id' | 'type' | 'text' | 'options' | 'answers' | 'points' | 'explanation'>,
>(row: Row): Omit<Row, keyof KeyedQuestion> & KeyedQuestion {
  return { ...row, ...columns.parse(row) };
}
