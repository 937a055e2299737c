import { type Args, isRecord, someOf } from './conditions.ts';
import type { Index, Model, Presence, ToMany } from './models.ts';

/** A condition on one field, or a combination of several under the name of its operator (OR). */
interface Condition {
  name: string;
  value: unknown;
}

/** How an index serves a list: which conditions bound the scan, and which are checked on the rows it returns. */
export interface Walk {
  covered: Args[];
  rest: Args[];
}

const scopeFields = ['tenantId', 'environment'];
const bounds = new Set(['gte', 'lte', 'gt', 'lt']);

/**
 * Finds the index that returns the records in the order of `sort`, with as many of the conditions as possible in its
 * leading columns.
 * @param where conditions including the scope, as the guard passes them on
 * @returns undefined when no index has this order
 */
export function walkFor(model: Model, where: Args, sort: string): Walk | undefined {
  const conditions = flat(where);
  let best: Condition[] | undefined;
  for (const index of model.indexes) {
    const covered = coveredBy(index, conditions, sort);
    if (covered && covered.length > (best?.length ?? -1)) best = covered;
  }
  return best && split(conditions, best);
}

/** The conditions that bound a scan of the index; undefined when it does not return the records in order. */
function coveredBy(index: Index, conditions: Condition[], sort: string): Condition[] | undefined {
  const implied = (index.where ?? []).map((presence) => conditions.find((one) => implies(one, presence)));
  if (implied.includes(undefined)) return undefined;
  const covered = new Set(implied);
  for (const field of index.fields) {
    if (field === sort)
      return endsTheOrder(index, sort) ? conditions.filter((one) => covered.has(one) || isRange(one, sort)) : undefined;
    const equal = conditions.find((one) => isEqual(one, field));
    if (!equal) return undefined;
    covered.add(equal);
  }
  return undefined;
}

/** Whether the order is total after the sort column: the id follows, or the sort column completes a unique key. */
function endsTheOrder({ fields, isUnique }: Index, sort: string): boolean {
  const after = fields.slice(fields.indexOf(sort) + 1);
  return after[0] === 'id' || (after.length === 0 && isUnique);
}

function split(conditions: Condition[], covered: Condition[]): Walk {
  const where = ({ name, value }: Condition): Args => ({ [name]: value });
  const rest = conditions.filter((one) => !covered.includes(one));
  return { covered: covered.map(where), rest: rest.map(where) };
}

/** Flattens a filter into conditions on single fields where possible. */
function flat(where: Args): Condition[] {
  return Object.entries(where).flatMap(([name, value]) => {
    if (name !== 'AND') return [{ name, value }];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => flat(one as Args));
  });
}

function isEqual({ name, value }: Condition, field: string): boolean {
  return name === field && value !== null && ['string', 'number', 'boolean'].includes(typeof value);
}

function isRange({ name, value }: Condition, field: string): boolean {
  return name === field && isRecord(value) && Object.keys(value as Args).every((operator) => bounds.has(operator));
}

/** Whether a condition implies one part of the predicate of a partial index. */
function implies({ name, value }: Condition, { field, isNull }: Presence): boolean {
  if (name !== field) return false;
  if (isNull) return value === null;
  // No comparison is true for null, so every other condition on the field excludes it.
  return value !== null && !(isRecord(value) && 'not' in (value as Args) && (value as Args)['not'] !== null);
}

/** Whether an index finds the records of one of the conditions in `rest`, if all of `where` hold. */
export function isIndexed(model: Model, where: Args, rest: Args[]): boolean {
  const all = flat(where);
  return rest.flatMap(flat).some((condition) => {
    const { name, value } = condition;
    if (name === 'OR') return (value as Args[]).every((one) => isIndexed(model, where, [one]));
    const toMany = model.toMany.get(name);
    if (toMany) return findsOther(toMany, value);
    return model.indexes.some((index) => {
      const { where = [] } = index;
      if (!where.every((presence) => all.some((one) => implies(one, presence)))) return false;
      const isNarrowing = value !== null && where.some((presence) => implies(condition, presence));
      return isNarrowing || (value !== null && firstField(index) === name);
    });
  });
}

/** Whether an index of the other table finds the records of `{ some: … }` by the value of one of their fields. */
function findsOther({ indexes }: ToMany, value: unknown): boolean {
  const conditions = flat((someOf(value) ?? {}) as Args);
  return indexes.some((index) => !index.where && conditions.some((one) => isEqual(one, firstField(index) ?? '')));
}

function firstField({ fields }: Index): string | undefined {
  return fields.find((field) => !scopeFields.includes(field));
}
