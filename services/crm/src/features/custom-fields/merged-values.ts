import { freeForm } from '@tandem/contract';
import { failField } from '@tandem/service';

/**
 * The custom fields of records that are merged; the first record that has a key keeps its value.
 * @throws 422 naming `mergeIds` when they are more than one record can have
 */
export function mergedCustomFields(
  records: readonly { customFields: Record<string, unknown> }[],
): Record<string, unknown> {
  const merged = Object.assign({}, ...records.map(({ customFields }) => customFields).reverse());
  const { error } = freeForm().safeParse(merged);
  if (!error) return merged;
  throw failField('mergeIds', `The custom fields of the records do not fit into one: ${error.issues[0]?.message}`);
}
