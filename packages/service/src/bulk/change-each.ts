import { idsInText, type Operation, type ResourceType } from '@tandem/contract';
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
  about: About,
): Promise<(ChangeError | undefined)[]> {
  const errors: (ChangeError | undefined)[] = new Array(ids.length).fill(undefined);
  const order = [...ids.entries()].sort(([, one = 0], [, other = 0]) => one - other);
  for (const [index, id] of order) {
    const { error } = await attempt(() => {
      if (id === undefined) throw fail('not_found');
      if (ids.indexOf(id) < index) throw fail('duplicate_in_request');
      return change(id);
    }, about);
    errors[index] = error;
  }
  return errors;
}

interface About {
  row: Operation;
  log: Log;
  /** The public id of a record that an error names. */
  codeOf(type: ResourceType, id: number): string;
}

/**
 * Makes one change of several, and returns its result or the error for the client.
 * @throws errors that the change did not cause, such as an unavailable database
 */
export async function attempt<T>(
  change: () => T | Promise<T>,
  { row, log, codeOf }: About,
): Promise<{ value: T; error?: undefined } | { value?: undefined; error: ChangeError }> {
  try {
    return { value: await change() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, errors } = toErrorResponse(error, row, log);
    if (status >= 500) throw error;
    // The gateway encodes ids in the texts of errors, but this one is part of a successful response.
    const text = (from: string) =>
      from.replace(idsInText, (_, type: ResourceType, id: string) => codeOf(type, Number(id)));
    const fields = errors.map((one) => ({ field: one.field, message: text(one.message) }));
    return { error: { code, message, errors: fields } };
  }
}
