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

/** A value of a filter, and its place in the request for field errors. */
interface Filter {
  field: string;
  key: string;
  text: string;
}

const sortPrefix = /^-?customFields\./;

/**
 * Translates filters of custom fields to conditions, and sorts and ranges to the columns that hold their values. A list sorted by a custom field has
 * only records with a value.
 * @param within the place of the filters in a body, for field errors: `filter.`
 * @throws 422 for a key that is not sortable, whose records are still being read, or whose type the value does not fit
 */
export async function listByCustomFields(
  tx: Tx,
  entityType: Entity,
  query: CustomQuery,
  within = '',
): Promise<CustomList> {
  const { sort = '', customFields = {}, customFieldsMin = {}, customFieldsMax = {} } = query;
  const sortKey = sortPrefix.test(sort) ? sort.replace(sortPrefix, '') : undefined;
  const ranges = [
    ...filtersOf(`${within}customFieldsMin`, customFieldsMin).map((filter) => ({ ...filter, operator: 'gte' })),
    ...filtersOf(`${within}customFieldsMax`, customFieldsMax).map((filter) => ({ ...filter, operator: 'lte' })),
  ];
  const filters = filtersOf(`${within}customFields`, customFields);
  if (sortKey === undefined && !ranges.length && !filters.length) return { conditions: [], sortColumn: undefined };
  const definitions = await readDefinitions(tx, entityType);
  const sortColumn = sortKey === undefined ? undefined : slotOf(definitions, 'sort', sortKey);
  const equal = filters.map((filter) =>
    equality(
      definitions.find(({ key }) => key === filter.key),
      filter,
    ),
  );
  const between = ranges.map(({ operator, ...filter }) => {
    const slot = slotOf(definitions, filter.field, filter.key);
    return { [slot]: { [operator]: boundOf(definitions, filter) } };
  });
  const sorted = sortColumn ? [{ [sortColumn]: { not: null } }] : [];
  return { conditions: [...sorted, ...between, ...equal], sortColumn };
}

function filtersOf(parameter: string, texts: Record<string, string>): Filter[] {
  return Object.entries(texts).map(([key, text]) => ({ field: `${parameter}.${key}`, key, text }));
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
function boundOf(definitions: readonly Definition[], { field, key, text }: Filter): string | number | Date {
  const { type } = definitions.find((one) => one.key === key) as Definition;
  const checked = checkValue({ type: type === 'select' ? 'text' : type, options: [] }, spelledValue(type, text));
  if ('sortValue' in checked) return checked.sortValue;
  throw failField(field, errorOf(checked) ?? 'Does not fit the type of the field');
}

/**
 * The condition of the filter `customFields` for one key. A list matches if it contains the value.
 * @throws 422 for a value that the field cannot have: an empty list would look like an answer
 */
function equality(definition: Definition | undefined, { field, key, text }: Filter): Record<string, unknown> {
  const values = definition ? valuesOf(definition, field, text) : jsonValuesOf(text);
  if (definition?.type === 'multi_select') return { customFields: { path: [key], array_contains: values } };
  return { OR: values.map((value) => ({ customFields: { path: [key], equals: value } })) };
}

/** JSON values of a defined field that a query text matches. Values that are older than the definition may be texts. */
function valuesOf({ type, options }: Definition, field: string, text: string): unknown[] {
  const value = spelledValue(type, text);
  // A filter names one value of a list.
  const error = errorOf(checkValue({ type: type === 'multi_select' ? 'select' : type, options }, value));
  if (error)
    throw failField(field, type === 'currency' ? 'Must be an amount and its currency, such as 12.5 EUR' : error);
  if (type === 'multi_select' || type === 'currency') return [value];
  return type === 'number' ? [text, value] : jsonValuesOf(text);
}

/** The value of the field's type that a query text spells, or else the text. */
function spelledValue(type: Definition['type'], text: string): unknown {
  if (type === 'currency') return moneyOf(text) ?? text;
  if (type === 'number') return numberOf(text) ?? text;
  return type === 'checkbox' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

function numberOf(text: string): number | undefined {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function moneyOf(text: string): { amount: number; currency: string } | undefined {
  const [, amount, currency] = /^(-?\d{1,15}(?:\.\d{1,15})?) ([A-Z]{3})$/.exec(text) ?? [];
  return amount === undefined || currency === undefined ? undefined : { amount: Number(amount), currency };
}

/** JSON values that a query text may match in a custom field: the string, and the number or boolean it spells. */
function jsonValuesOf(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? [text, Number(text)] : [text];
}
