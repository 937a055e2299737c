import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type Definition, type Entity, readDefinitions } from './custom-field.ts';
import { checkValue, errorOf } from './values.ts';

interface CustomQuery {
  customFields?: Record<string, string> | undefined;
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
 * Translates filters of custom fields to conditions, and sorts and ranges to the columns that hold their values. A list sorted by a custom field has
 * only records with a value.
 * @throws 422 for a key that is not sortable, whose records are still being read, or whose type the value does not fit
 */
export async function listByCustomFields(tx: Tx, entityType: Entity, query: CustomQuery): Promise<CustomList> {
  const { sort = '', customFields = {}, customFieldsMin = {}, customFieldsMax = {} } = query;
  const sortKey = sortPrefix.test(sort) ? sort.replace(sortPrefix, '') : undefined;
  const ranges = [
    ...rangesOf('customFieldsMin', 'gte', customFieldsMin),
    ...rangesOf('customFieldsMax', 'lte', customFieldsMax),
  ];
  const filters = Object.entries(customFields);
  if (sortKey === undefined && !ranges.length && !filters.length) return { conditions: [], sortColumn: undefined };
  const definitions = await readDefinitions(tx, entityType);
  const sortColumn = sortKey === undefined ? undefined : slotOf(definitions, 'sort', sortKey);
  const equal = filters.map(([key, text]) => equality(definitions.find((one) => one.key === key)?.type, key, text));
  const between = ranges.map(({ field, operator, key, text }) => {
    const slot = slotOf(definitions, `${field}.${key}`, key);
    return { [slot]: { [operator]: boundOf(definitions, { field: `${field}.${key}`, key, text }) } };
  });
  const sorted = sortColumn ? [{ [sortColumn]: { not: null } }] : [];
  return { conditions: [...sorted, ...between, ...equal], sortColumn };
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

/** The condition of the filter `customFields` for one key. A list matches if it contains the value. */
function equality(type: Definition['type'] | undefined, key: string, text: string): Record<string, unknown> {
  if (type === 'multi_select') return { customFields: { path: [key], array_contains: [text] } };
  const values = type === 'currency' ? [moneyOf(key, text)] : jsonValuesOf(text);
  return { OR: values.map((value) => ({ customFields: { path: [key], equals: value } })) };
}

function moneyOf(key: string, text: string): { amount: number; currency: string } {
  const [, amount, currency] = /^(-?\d{1,15}(?:\.\d{1,15})?) ([A-Z]{3})$/.exec(text) ?? [];
  if (amount === undefined || currency === undefined)
    throw failField(`customFields.${key}`, 'Must be an amount and its currency, such as 12.5 EUR');
  return { amount: Number(amount), currency };
}

/** JSON values that a query text may match in a custom field: the string, and the number or boolean it spells. */
function jsonValuesOf(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? [text, Number(text)] : [text];
}
