import type { FieldError } from '@tandem/contract';
import type { Tx } from '../../handler.ts';
import type { Checked, Dedupe, ImportTarget } from './target.ts';

/** The required fields that a row may lack, because it may update a record that has them. */
export function omissible({ existing }: ImportTarget, { by, action }: Dedupe): string[] {
  return action === 'update' && existing ? existing.required.filter((field) => field !== by) : [];
}

/** The errors of a row without an existing record, which lacks fields of a new one. */
export function missingErrors(
  body: object,
  { required, type, key }: { required: readonly string[]; type: ImportTarget['type']; key: string | undefined },
): FieldError[] {
  // A row without a key always creates a record.
  const message = key === undefined ? 'Is required' : `Is required, because no ${type} has the key yet`;
  return required
    .filter((field) => (body as Record<string, unknown>)[field] === undefined)
    .map((field) => ({ field, message }));
}

/**
 * Checks the rows of a file, batch by batch, that lack fields of a new record: whether a record, or an earlier row, has
 * their key. Resolves to the errors by row.
 */
export function newRowsCheck({ existing, type }: ImportTarget, dedupe: Dedupe) {
  const created = new Set<string>();
  return async (tx: Tx, records: readonly Checked[]): Promise<Map<number, FieldError[]>> => {
    const errors = new Map<number, FieldError[]>();
    if (!existing || dedupe.action !== 'update') return errors;
    const { required, keyOf, find } = existing;
    const rows = records.map(({ row, body }) => {
      const key = keyOf(body, dedupe);
      return { row, key, missing: missingErrors(body, { required, type, key }) };
    });
    const keys = rows.flatMap(({ key, missing }) => (missing.length && key !== undefined ? [key] : []));
    const found = keys.length ? await find(tx, dedupe, keys) : new Map<string, number>();
    for (const { row, key, missing } of rows) {
      if (!missing.length && key !== undefined) created.add(key);
      const isKnown = key !== undefined && (found.has(key) || created.has(key));
      if (missing.length && !isKnown) errors.set(row, missing);
    }
    return errors;
  };
}
