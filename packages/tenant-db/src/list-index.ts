import { type Args, isRecord } from './conditions.ts';
import type { Index, Model } from './models.ts';

/** One condition on one field, or a combination of several, as an element of a flat list. */
type Condition = Args;

/** How a list is read along an index: which conditions bound the scan, and which are checked on the rows it returns. */
export interface Walk {
  covered: Condition[];
  rest: Condition[];
}

const scopeFields = ['tenantId', 'environment'];
const bounds = new Set(['gte', 'lte', 'gt', 'lt']);

/**
 * Finds the index that returns the records in the order of `sort`, with as many of the conditions as possible in its leading
 * columns.
 * @param where conditions with the scope, as wall one passes them on
 * @returns undefined when no index has this order
 */
export function walkFor(model: Model, where: Args, sort: string): Walk | undefined {
  const conditions = flat(where);
  const walks = model.indexes.flatMap((index) => walkAlong(index, conditions, sort) ?? []);
  return walks.sort((a, b) => b.covered.length - a.covered.length)[0];
}

function walkAlong(index: Index, conditions: Condition[], sort: string): Walk | undefined {
  const partial = index.where === undefined ? undefined : conditions.find((one) => implies(one, index));
  if (index.where !== undefined && !partial) return undefined;
  const covered = new Set<Condition>(partial ? [partial] : []);
  for (const field of index.fields) {
    if (field === sort) return endsTheOrder(index, sort) ? split(conditions, covered, sort) : undefined;
    const equal = conditions.find((one) => isEqual(one, field));
    if (!equal) return undefined;
    covered.add(equal);
  }
  return undefined;
}

/** Whether the rows are in one order after the sort column: the id follows, or the sort column ends a unique key. */
function endsTheOrder({ fields, isUnique }: Index, sort: string): boolean {
  const after = fields.slice(fields.indexOf(sort) + 1);
  return after[0] === 'id' || (after.length === 0 && isUnique);
}

function split(conditions: Condition[], covered: Set<Condition>, sort: string): Walk {
  const isCovered = (one: Condition) => covered.has(one) || isRange(one, sort);
  return { covered: conditions.filter(isCovered), rest: conditions.filter((one) => !isCovered(one)) };
}

/** The conditions of a filter, one field each where that is possible. */
function flat(where: Args): Condition[] {
  return Object.entries(where).flatMap(([name, value]) => {
    if (name !== 'AND') return [{ [name]: value }];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => flat(one as Args));
  });
}

function fieldOf(condition: Condition): [string, unknown] {
  return Object.entries(condition)[0] as [string, unknown];
}

function isEqual(condition: Condition, field: string): boolean {
  const [name, value] = fieldOf(condition);
  return name === field && value !== null && ['string', 'number', 'boolean'].includes(typeof value);
}

function isRange(condition: Condition, field: string): boolean {
  const [name, value] = fieldOf(condition);
  return name === field && isRecord(value) && Object.keys(value as Args).every((operator) => bounds.has(operator));
}

/** Whether a condition says what the index says of its rows. */
function implies(condition: Condition, { where }: Index): boolean {
  const [name, value] = fieldOf(condition);
  if (!where || name !== where.field) return false;
  if (where.isNull) return value === null;
  // No comparison holds for null, so every other condition on the field excludes it.
  return value !== null && !(isRecord(value) && 'not' in (value as Args) && (value as Args)['not'] !== null);
}

/** Whether an index finds the records of one of the conditions in `rest`, given that all of `where` hold. */
export function isIndexed(model: Model, where: Args, rest: Condition[]): boolean {
  const all = flat(where);
  return rest.some((condition) => {
    const [name, value] = fieldOf(condition);
    if (name === 'OR') return (value as Condition[]).every((one) => isIndexed(model, where, flat(one)));
    return model.indexes.some((index) => {
      if (index.where && !all.some((one) => implies(one, index))) return false;
      const isNarrowing = index.where !== undefined && implies(condition, index) && value !== null;
      return isNarrowing || (value !== null && index.fields.find((field) => !scopeFields.includes(field)) === name);
    });
  });
}
