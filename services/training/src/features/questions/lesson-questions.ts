import { isDeepStrictEqual } from 'node:util';
import { type FieldError, unknownId } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { KeyedQuestion, writableQuestion } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { fieldsOf, type QuestionFields, questionErrors } from './check-question.ts';
import { asQuestion } from './question.ts';

type QuestionInput = z.output<typeof writableQuestion> & { id?: number | undefined };

/** A question of a request, with the id of the question of the lesson that it replaces. */
export interface RequestedQuestion {
  id: number | undefined;
  fields: QuestionFields;
}

/** Reads the questions of a request; fails with 422, naming each error. */
export function readQuestions(questions: readonly QuestionInput[]): RequestedQuestion[] {
  const ids = questions.map(({ id }) => id);
  const read = questions.map((question) => ({ id: question.id, fields: fieldsOf(question) }));
  const errors = read.flatMap(({ id, fields }, index): FieldError[] => [
    ...questionErrors(fields, `questions.${index}.`),
    ...(id !== undefined && ids.indexOf(id) < index
      ? [{ field: `questions.${index}.id`, message: 'Must be unique; another question has this id' }]
      : []),
  ]);
  if (errors.length) throw fail('validation_failed', errors);
  return read;
}

/** The questions of a lesson, in their order. */
export async function questionsOf(tx: Tx, lessonId: number): Promise<KeyedQuestion[]> {
  const rows = await tx.question.findMany({ where: { lessonId }, orderBy: { order: 'asc' } });
  return rows.map(asQuestion);
}

/** Replaces the questions of a locked lesson. Those with an id are kept. Resolves to whether any has changed. */
export async function writeQuestions(tx: Tx, lessonId: number, requested: RequestedQuestion[]): Promise<boolean> {
  const rows = await tx.question.findMany({ where: { lessonId } });
  const before = new Map(rows.map((row) => [row.id, { ...asQuestion(row), order: row.order }]));
  const errors = requested.flatMap(({ id }, index) =>
    id === undefined || before.has(id) ? [] : [{ field: `questions.${index}.id`, message: unknownId('question') }],
  );
  if (errors.length) throw fail('validation_failed', errors);
  const kept = new Set(requested.map(({ id }) => id));
  const removed = [...before.keys()].filter((id) => !kept.has(id));
  if (removed.length) await tx.question.deleteMany({ where: { id: { in: removed } } });
  const added: (QuestionFields & { lessonId: number; order: number })[] = [];
  let isChanged = removed.length > 0;
  for (const [order, { id, fields }] of requested.entries()) {
    const known = id === undefined ? undefined : before.get(id);
    if (!known) {
      added.push({ ...fields, lessonId, order });
      continue;
    }
    if (isSame(known, { ...fields, order })) continue;
    isChanged = true;
    await tx.question.updateMany({ where: { id: known.id }, data: { ...fields, order, version: { increment: 1 } } });
  }
  if (added.length) await tx.question.createMany({ data: added });
  return isChanged || added.length > 0;
}

function isSame(known: object, wanted: object): boolean {
  const current = known as Record<string, unknown>;
  return Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(current[field], value));
}
