import type { FieldError } from '@tandem/contract';
import { ApiError, diff } from '@tandem/service';
import type { z } from 'zod';
import type { Outcome } from './target.ts';

/** The outcome of a row that a rule refuses. */
export function failedBy(error: unknown, row: number): Outcome {
  if (!(error instanceof ApiError)) throw error;
  const errors: FieldError[] = error.errors.length ? error.errors : [{ field: '', message: error.message }];
  return { row, action: 'failed', errors };
}

/** Converts rows; those that a rule refuses are left out, and added to the outcomes. */
export async function passing<From extends { row: number }, To>(
  rows: readonly From[],
  outcomes: Outcome[],
  convert: (row: From) => Promise<To>,
): Promise<To[]> {
  const passed: To[] = [];
  for (const one of rows)
    await convert(one).then(
      (result) => passed.push(result),
      (error: unknown) => outcomes.push(failedBy(error, one.row)),
    );
  return passed;
}

// These follow from every change, so they do not show whether somebody else changed the record.
const derived = new Set(['version', 'updatedAt', 'allowedTransitions', 'daysInStage']);

/** The public fields that an update changed, before and after, for the undo. */
export function sides(
  record: z.ZodObject,
  before: object,
  updated: object,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const { audit } = diff(before, updated);
  const changed = Object.entries(audit).filter(([field]) => field in record.shape && !derived.has(field));
  return {
    before: Object.fromEntries(changed.map(([field, { from }]) => [field, from])),
    after: Object.fromEntries(changed.map(([field, { to }]) => [field, to])),
  };
}
