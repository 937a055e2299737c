import { storableText } from '../templates/storable-text.ts';

/** The JSON of records with rendered texts. One text that cannot be stored would fail the executions of its whole batch. */
export function storableJson(records: readonly object[]): string {
  return JSON.stringify(records, (_key, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
}
