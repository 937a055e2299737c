import { failField } from '@tandem/service';

/** Fails with 422 unless the ids of an order are those of all records, once each. */
export function checkComplete(ids: readonly number[], records: readonly { id: number }[], nouns: string): void {
  const known = new Set(records.map(({ id }) => id));
  const isComplete =
    ids.length === records.length && ids.every((id) => known.has(id)) && new Set(ids).size === ids.length;
  if (!isComplete) throw failField('ids', `Must contain the id of every ${nouns} of the course, once and no others`);
}
