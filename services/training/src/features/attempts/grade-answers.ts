import type { AttemptAnswer, KeyedQuestion, LessonAttempt } from '@tandem/training-contract';
import type { z } from 'zod';
import { round } from '../progress/standing.ts';

type Answer = z.output<typeof AttemptAnswer>;
type Results = NonNullable<z.output<typeof LessonAttempt>['results']>;

/** Grades the answers of a quiz. A question without an answer has no points; there are no points for a part of one. */
export function gradeAnswers(
  questions: readonly KeyedQuestion[],
  answers: readonly Answer[],
): { score: number; results: Results } {
  const given = new Map(answers.map((answer) => [answer.questionId, answer]));
  const results = questions.map((question) => {
    const answer = given.get(question.id);
    const correct = answer !== undefined && isCorrect(question, answer);
    return {
      questionId: question.id,
      correct,
      points: correct ? question.points : 0,
      correctKeys: question.options.filter((option) => option.correct).map(({ key }) => key),
      feedback: question.options.flatMap(({ key, feedback }) =>
        feedback && answer?.keys?.includes(key) ? [feedback] : [],
      ),
      explanation: question.explanation,
    };
  });
  const total = sum(questions.map(({ points }) => points));
  return { score: total ? round((sum(results.map(({ points }) => points)) / total) * 100) : 0, results };
}

function isCorrect(question: KeyedQuestion, { keys = [], text, number }: Answer): boolean {
  if (question.type === 'text')
    return (
      typeof text === 'string' &&
      question.answers.some((accepted) => typeof accepted === 'string' && plain(accepted) === plain(text))
    );
  if (question.type === 'number')
    return typeof number === 'number' && question.answers.some((accepted) => isNear(accepted, number));
  const chosen = new Set(keys);
  return chosen.size > 0 && question.options.every(({ key, correct }) => chosen.has(key) === correct);
}

function isNear(accepted: KeyedQuestion['answers'][number], number: number): boolean {
  if (typeof accepted === 'string') return Number(accepted) === number;
  return Math.abs(number - accepted.value) <= accepted.tolerance;
}

/** Case, spaces and the form of accents do not matter. */
function plain(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
