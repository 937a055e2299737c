import type { FieldError } from '@tandem/contract';
import { ApiError, diff } from '@tandem/service';
import type { Outcome } from './target.ts';

/** The outcome of a row that a rule refuses. */
export function failedBy(error: unknown, row: number): Outcome {
  if (!(error instanceof ApiError)) throw error;
  const errors: FieldError[] = error.errors.length ? error.errors : [{ field: '', message: error.message }];
  return { row, action: 'failed', errors };
}

// These follow from every change, so they do not show whether somebody else changed the record.
const derived = ['version', 'updatedAt', 'allowedTransitions'];

/** The fields that an update changed, before and after, for the undo. */
export function sides(
  before: object,
  updated: object,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const { audit } = diff(before, updated);
  const changed = Object.entries(audit).filter(([field]) => !derived.includes(field));
  return {
    before: Object.fromEntries(changed.map(([field, { from }]) => [field, from])),
    after: Object.fromEntries(changed.map(([field, { to }]) => [field, to])),
  };
}
