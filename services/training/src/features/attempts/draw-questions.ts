import { randomInt } from 'node:crypto';
import { AnswerVisibility, type KeyedQuestion, QuestionType } from '@tandem/training-contract';
import { z } from 'zod';
import type { Question as QuestionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Drawn } from './attempt.ts';

const StoredQuiz = z.object({
  timeLimitSeconds: z.int().nullish(),
  randomOrder: z.boolean().default(false),
  shuffleOptions: z.boolean().default(false),
  draw: z.array(z.object({ bankId: z.coerce.number(), count: z.int() })).default([]),
  showAnswers: AnswerVisibility.default('after_submit'),
});
export type QuizSettings = z.output<typeof StoredQuiz>;

/** The settings in the column of a quiz. */
export function quizOf(column: unknown): QuizSettings {
  return StoredQuiz.parse(column ?? {});
}

/** Draws the questions of an attempt: those of the lesson, and some of each bank, none twice. */
export async function drawQuestions(tx: Tx, lessonId: number, quiz: QuizSettings): Promise<Drawn> {
  const own = await tx.question.findMany({ where: { lessonId }, orderBy: [{ order: 'asc' }, { id: 'asc' }] });
  const rows = new Map(own.map((row) => [row.id, row]));
  for (const { bankId, count } of quiz.draw) {
    // Only the drawn questions are loaded: those of a bank can have many megabytes.
    const drawn = await tx.sql<{ id: number }>`
      SELECT id FROM question WHERE bank_id = ${bankId} ORDER BY random() LIMIT ${count}::int`;
    const ids = drawn.map(({ id }) => Number(id));
    for (const row of shuffled(await tx.question.findMany({ where: { id: { in: ids } } }))) rows.set(row.id, row);
  }
  const questions = [...rows.values()].map(keyed).map((question) =>
    // True and false keep their places.
    quiz.shuffleOptions && question.type !== 'true_false'
      ? { ...question, options: shuffled(question.options) }
      : question,
  );
  return { questions: quiz.randomOrder ? shuffled(questions) : questions, showAnswers: quiz.showAnswers };
}

function keyed({ id, type, text, options, answers, points, explanation }: QuestionRow): KeyedQuestion {
  return {
    id,
    type: QuestionType.parse(type),
    text,
    options: options as KeyedQuestion['options'],
    answers: answers as KeyedQuestion['answers'],
    points,
    explanation,
  };
}

/** Fisher–Yates with numbers that a learner cannot predict. */
function shuffled<One>(list: readonly One[]): One[] {
  const mixed = [...list];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [mixed[last], mixed[other]] = [mixed[other] as One, mixed[last] as One];
  }
  return mixed;
}
