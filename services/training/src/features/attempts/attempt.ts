import type { Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import type { JobContext } from '@tandem/jobs';
import { fragment } from '@tandem/tenant-db';
import {
  type AnswerVisibility,
  type AttemptAnswer,
  type KeyedQuestion,
  LessonAttempt,
  withoutKey,
} from '@tandem/training-contract';
import { z } from 'zod';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { isLearner, isTeacher } from '../progress/teacher.ts';
import { gradeAnswers } from './grade-answers.ts';

export type AttemptRecord = z.output<typeof LessonAttempt>;
export type Answer = z.output<typeof AttemptAnswer>;

/** The questions of an attempt as they were drawn, and when their results are shown. */
export interface Drawn {
  questions: KeyedQuestion[];
  showAnswers: z.output<typeof AnswerVisibility>;
}

/** The job that ends an attempt whose time is over. */
export const closeAttemptJob = { name: 'close-attempt', payload: z.object({ attemptId: id('attempt') }) };
export type CloseAttempt = JobContext<z.output<typeof closeAttemptJob.payload>, Tx>;

/** Answers that arrive so long after the end were on their way. */
export const graceMs = 30_000;

const columns = LessonAttempt.pick({ status: true });

/**
 * The number of attempts at the `lesson` with the `progress` of a query that count towards its limit: not those that ended with
 * the enrolment, the lesson or its type.
 */
export const usedAttempts = fragment`
  CASE WHEN lesson.type IN ('quiz', 'assignment', 'scorm') THEN (SELECT count(*)::int FROM attempt
    WHERE attempt.enrollment_id = progress.enrollment_id AND attempt.lesson_id = lesson.id AND attempt.status <> 'ended')
  ELSE 0 END`;

/** Whether the time of an attempt is over. */
export function isOver({ endsAt }: Pick<AttemptRow, 'endsAt'>): boolean {
  return endsAt !== null && endsAt.getTime() + graceMs <= Date.now();
}

/** Whether the lesson was of another type when the attempt began, so that the attempt cannot pass it any more. */
export function isOfOtherType({ lessonType }: Pick<AttemptRow, 'lessonType'>, lesson: { lessonType: string }): boolean {
  return lessonType !== null && lessonType !== lesson.lessonType;
}

/** The questions in a column. */
export function drawnOf({ questions }: AttemptRow): Drawn {
  return Array.isArray(questions) ? { questions: [], showAnswers: 'never' } : (questions as unknown as Drawn);
}

/** The answers in a column. */
export function answersOf({ answers }: AttemptRow): Answer[] {
  return (answers ?? []) as unknown as Answer[];
}

/**
 * Converts a row to the contract's `LessonAttempt`.
 * @param seesKeys whether the caller sees the results of every graded attempt
 */
export function asAttempt(row: AttemptRow, seesKeys: boolean): AttemptRecord {
  const { questions, showAnswers } = drawnOf(row);
  const isShown = showAnswers === 'after_submit' || (showAnswers === 'after_pass' && row.passed === true);
  const isVisible = row.status === 'graded' && (seesKeys || isShown);
  const answers = answersOf(row);
  return {
    ...row,
    ...columns.parse(row),
    questions: questions.map(withoutKey),
    answers,
    results: isVisible ? gradeAnswers(questions, answers).results : null,
  };
}

/**
 * An attempt as its reader sees it: learners see what the quiz shows of their own, and neither answers nor results of others,
 * because the answers of somebody who has passed are the answer key.
 */
export function attemptFor(caller: Caller, row: AttemptRow): AttemptRecord {
  const attempt = asAttempt(row, isTeacher(caller));
  return seesAnswers(caller, row) ? attempt : { ...attempt, answers: [], results: null };
}

/** Whether the caller sees the answers of an attempt. */
export function seesAnswers(caller: Caller, { userId }: Pick<AttemptRow, 'userId'>): boolean {
  return isTeacher(caller) || (userId !== null && isLearner(caller, { learnerType: 'user', learnerId: userId }));
}
