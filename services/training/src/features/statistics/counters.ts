import type { CourseStatistics } from '@tandem/training-contract';
import type { z } from 'zod';
import { round } from '../progress/standing.ts';

/** The values of the metrics by lesson; those of the course itself at 0. */
export type Counters = Map<number, Map<string, number>>;

type QuestionStatistics = z.output<typeof CourseStatistics>['lessons'][number]['questions'];

/** Reads the counters of a lesson. */
export function counterOf(counters: Counters, lessonId: number): (metric: string) => number {
  const metrics = counters.get(lessonId);
  return (metric) => metrics?.get(metric) ?? 0;
}

/** The median of `days:<n>`: the least number of days in which half of the completions were done. */
export function medianDays(metrics: ReadonlyMap<string, number> = new Map()): number | null {
  const days = [...metrics]
    .flatMap(([metric, count]) => (metric.startsWith('days:') ? [{ days: Number(metric.slice(5)), count }] : []))
    .sort((one, other) => one.days - other.days);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  let reached = 0;
  for (const { days: after, count } of days) {
    reached += count;
    if (reached * 2 >= total) return after;
  }
  return null;
}

/**
 * The statistics of each question that was answered, by `answered:<id>`, `correct:<id>` and `option:<id>:<key>`.
 * @param seesOptions whether the caller sees how often each option was chosen, which tells the right one
 */
export function questionStatistics(
  metrics: ReadonlyMap<string, number> = new Map(),
  { seesOptions }: { seesOptions: boolean },
): QuestionStatistics {
  const questions = new Map<number, { answered: number; correct: number; options: { key: string; count: number }[] }>();
  for (const [metric, value] of metrics) {
    const [kind, id, key = ''] = metric.split(':');
    if (id === undefined || kind === 'days') continue;
    const question = questions.get(Number(id)) ?? { answered: 0, correct: 0, options: [] };
    if (kind === 'answered') question.answered = value;
    if (kind === 'correct') question.correct = value;
    if (kind === 'option' && seesOptions) question.options.push({ key, count: value });
    questions.set(Number(id), question);
  }
  return [...questions]
    .sort(([one], [other]) => one - other)
    .map(([questionId, { answered, correct, options }]) => ({
      questionId,
      answered,
      correctRate: answered ? round((correct / answered) * 100) : null,
      options: options.sort((one, other) => one.key.localeCompare(other.key)),
    }));
}
