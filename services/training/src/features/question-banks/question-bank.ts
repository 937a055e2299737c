import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import { type BankQuestion, withoutKey } from '@tandem/training-contract';
import type { z } from 'zod';
import type { QuestionBank as BankRow, Question as QuestionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { isTeacher, rejectMember } from '../progress/teacher.ts';
import { asQuestion } from '../questions/question.ts';

/** Reads a question bank. */
export async function findBank(tx: Tx, id: number): Promise<BankRow> {
  const row = await tx.questionBank.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Locks a question bank: its questions and the draws from it change one after another. */
export async function lockBank(tx: Tx, id: number): Promise<BankRow> {
  const row = await tx.questionBank.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Converts a row to the contract's `BankQuestion`, with its answer key. */
export function asBankQuestion(row: QuestionRow) {
  return { ...asQuestion(row), bankId: row.bankId as number };
}

/** The same as the caller may see it. */
export function shownTo(caller: Caller, row: QuestionRow): z.output<typeof BankQuestion> {
  const question = asBankQuestion(row);
  return isTeacher(caller) ? question : { ...question, ...withoutKey(question) };
}

/**
 * Whether lessons draw from a bank, and the most that a draw of a course that has been published takes. Deleted courses count
 * until they are purged, because they can be restored.
 */
export async function drawsFrom(tx: Tx, bankId: number): Promise<{ isDrawn: boolean; most: number }> {
  const [found] = await tx.sql<{ lessons: number; most: number | null }>`
    SELECT count(*)::int AS lessons, max((draw->>'count')::int) FILTER (WHERE course.status <> 'draft' OR course.published_at IS NOT NULL) AS most
    FROM lesson JOIN course ON course.id = lesson.course_id, jsonb_array_elements(lesson.quiz->'draw') AS draw
    WHERE lesson.quiz IS NOT NULL AND lesson.deleted_at IS NULL
      AND draw->>'bankId' = ${String(bankId)}`;
  return { isDrawn: Boolean(found?.lessons), most: found?.most ?? 0 };
}

/** @throws 403 if a course that has been published draws from a bank, and the caller may not decide who passes it */
export async function checkMayChangeQuestions(tx: Tx, caller: Caller, bankId: number): Promise<void> {
  if (isTeacher(caller) || !(await drawsFrom(tx, bankId)).most) return;
  rejectMember(caller, 'id', 'Decides who passes a published course');
}
