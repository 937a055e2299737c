import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type Definition, type Entity, readDefinitions } from './custom-field.ts';
import { checkValue, errorOf } from './values.ts';

interface CustomQuery {
  sort?: string | undefined;
  customFieldsMin?: Record<string, string> | undefined;
  customFieldsMax?: Record<string, string> | undefined;
}

/** The part of a list's options that follows from sortable custom fields. */
export interface CustomList {
  conditions: Record<string, unknown>[];
  sortColumn: string | undefined;
}

const sortPrefix = /^-?customFields\./;

/**
 * Translates sorts and ranges of custom fields to the columns that hold their values. A list sorted by a custom field has
 * only records with a value.
 * @throws 422 for a key that is not sortable, or whose records are still being read
 */
export async function listByCustomFields(tx: Tx, entityType: Entity, query: CustomQuery): Promise<CustomList> {
  const { sort = '', customFieldsMin = {}, customFieldsMax = {} } = query;
  const sortKey = sortPrefix.test(sort) ? sort.replace(sortPrefix, '') : undefined;
  const ranges = [
    ...rangesOf('customFieldsMin', 'gte', customFieldsMin),
    ...rangesOf('customFieldsMax', 'lte', customFieldsMax),
  ];
  if (sortKey === undefined && !ranges.length) return { conditions: [], sortColumn: undefined };
  const definitions = await readDefinitions(tx, entityType);
  const sortColumn = sortKey === undefined ? undefined : slotOf(definitions, 'sort', sortKey);
  const conditions = ranges.map(({ field, operator, key, text }) => {
    const slot = slotOf(definitions, `${field}.${key}`, key);
    return { [slot]: { [operator]: boundOf(definitions, { field: `${field}.${key}`, key, text }) } };
  });
  return { conditions: sortColumn ? [{ [sortColumn]: { not: null } }, ...conditions] : conditions, sortColumn };
}

function rangesOf(field: string, operator: 'gte' | 'lte', bounds: Record<string, string>) {
  return Object.entries(bounds).map(([key, text]) => ({ field, operator, key, text }));
}

function slotOf(definitions: readonly Definition[], field: string, key: string): string {
  const found = definitions.find((one) => one.key === key);
  if (!found?.sortable || !found.slot) {
    const sortable = definitions.filter((one) => one.sortable).map((one) => one.key);
    const remedy = sortable.length ? `; sortable are ${sortable.join(', ')}` : '';
    throw failField(field, `No sortable custom field has the key ${key}${remedy}`);
  }
  if (found.status !== 'ready') throw failField(field, 'Existing records are still being read; try again in a moment');
  return found.slot;
}

/** Numbers are text in a query; texts are compared as they are sorted. */
function boundOf(
  definitions: readonly Definition[],
  { field, key, text }: { field: string; key: string; text: string },
): string | number | Date {
  const { type } = definitions.find((one) => one.key === key) as Definition;
  const isNumber = type === 'number' && text.trim() !== '' && Number.isFinite(Number(text));
  const checked = checkValue({ type: type === 'select' ? 'text' : type, options: [] }, isNumber ? Number(text) : text);
  if ('sortValue' in checked) return checked.sortValue;
  throw failField(field, errorOf(checked) ?? 'Does not fit the type of the field');
}

/** The conditions of the filter `customFields`, by equality. */
export function customFieldConditions(filters: Record<string, string> = {}): Record<string, unknown>[] {
  return Object.entries(filters).map(([key, text]) => ({
    OR: jsonValuesOf(text).map((value) => ({ customFields: { path: [key], equals: value } })),
  }));
}

/** JSON values that a query text may match in a custom field: the string, and the number or boolean it spells. */
function jsonValuesOf(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? [text, Number(text)] : [text];
}
