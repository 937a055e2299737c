/** A text that PostgreSQL can store: a limit of its length can leave half of a surrogate pair, and filters a NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** The JSON of records with rendered texts. One text that cannot be stored would fail the executions of its whole batch. */
export function storableJson(records: readonly object[]): string {
  return JSON.stringify(records, (_key, value: unknown) => (typeof value === 'string' ? storable(value) : value));
}
