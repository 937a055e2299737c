import type { Operation } from '@tandem/contract';
import type { Log } from '@tandem/process';
import { ApiError, fail } from '../api-error.ts';
import { toErrorResponse } from '../error-response.ts';

/** Why one record was not changed. */
export interface ChangeError {
  code: string;
  message: string;
  errors: { field: string; message: string }[];
}

/**
 * Changes records one after another in the current transaction, and collects the error of each that cannot be changed.
 * They are changed in the order of their ids, because two bulk operations that lock the same records in different orders
 * would wait for each other.
 * @param ids the records; undefined for an id that is none of this tenant, and each of a repeated id but the first fails
 * @returns the error of each, in the order of `ids`; undefined for a record that was changed
 * @throws errors that no record caused, such as an unavailable database
 */
export async function changeEach(
  ids: readonly (number | undefined)[],
  change: (id: number) => Promise<unknown>,
  { row, log }: { row: Operation; log: Log },
): Promise<(ChangeError | undefined)[]> {
  const errors: (ChangeError | undefined)[] = new Array(ids.length).fill(undefined);
  const order = [...ids.entries()].sort(([, one = 0], [, other = 0]) => one - other);
  for (const [index, id] of order) {
    try {
      if (id === undefined) throw fail('not_found');
      if (ids.indexOf(id) < index) throw fail('duplicate_in_request');
      await change(id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, code, message, errors: fields } = toErrorResponse(error, row, log);
      if (status >= 500) throw error;
      errors[index] = { code, message, errors: fields };
    }
  }
  return errors;
}
