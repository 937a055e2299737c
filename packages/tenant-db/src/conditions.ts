import type { Field, Model } from './models.ts';

export type Args = Record<string, unknown>;

/** Thrown while a statement is built, for arguments that only Prisma supports. */
export class NotPlain extends Error {}

/** A statement under construction: its parameters so far, and how many subqueries it has. */
export interface Building {
  models: ReadonlyMap<string, Model>;
  values: unknown[];
  subqueries: number;
}

/*
 * The complete list of conditions that are converted to SQL. Anything else throws NotPlain and goes through Prisma.
 *
 *   field: value | null                             scalars of the field's own type
 *   field: { equals, not, in, lt, lte, gt, gte }     null for equals and not only; booleans only equals and not; bytes not the last four
 *   field: { contains, startsWith, endsWith, mode }  strings
 *   field: { has }                                  lists
 *   field: { path: [key], equals: value }           a member of a JSON object: a scalar or an object
 *   field: { path: [key], array_contains: [scalar] } a list that is a member of a JSON object
 *   relation: { ... }                               relations whose columns are in the table, with conditions of this list
 *   relation: { some: { ... } }                     relations whose columns are in the other table, with conditions of this list
 *   AND, OR, NOT                                    of this list
 *
 * services/crm/src/direct-queries.test.ts compares each form with Prisma's results by random queries.
 */

/** Converts a `where` to SQL. Columns are qualified with the table, or with the alias of their subquery. */
export function condition(model: Model, where: unknown, building: Building, table = model.table): string {
  if (where === undefined) return 'true';
  if (!isRecord(where)) throw new NotPlain();
  const parts = Object.entries(where as Args).map(([name, value]) => {
    if (name === 'AND' || name === 'OR' || name === 'NOT') return combined(model, name, value, building, table);
    const of = model.fields.get(name);
    return of ? comparison(of, value, building, table) : related(model, name, value, building, table);
  });
  return parts.length ? parts.join(' AND ') : 'true';
}

function combined(model: Model, word: 'AND' | 'OR' | 'NOT', value: unknown, building: Building, table: string): string {
  // Prisma accepts a single condition instead of a list for AND and NOT only.
  if (word === 'OR' && !Array.isArray(value)) throw new NotPlain();
  const list = Array.isArray(value) ? value : [value];
  if (word === 'AND' && !list.length) return 'true';
  // In Prisma, the meaning of an empty list, or of an empty condition in one, depends on the position.
  if (!list.length || !list.every(hasCondition)) throw new NotPlain();
  const { subqueries } = building;
  const parts = list.map((one) => `(${condition(model, one, building, table)})`);
  // Prisma negates inside a relation, which gives other results where that is null.
  if (word === 'NOT' && building.subqueries > subqueries) throw new NotPlain();
  if (word === 'NOT') return `(${parts.map((part) => `NOT ${part}`).join(' AND ')})`;
  return `(${parts.join(` ${word} `)})`;
}

/**
 * Whether a filter restricts the result: an empty filter, one of empty parts, or one that excludes the members of an
 * empty list matches every record.
 */
export function hasCondition(where: unknown): boolean {
  if (!isRecord(where)) return false;
  return Object.entries(where as Args).some(([name, value]) => {
    const list = Array.isArray(value) ? value : [value];
    if (name === 'AND') return list.some(hasCondition);
    // A single alternative that matches everything makes the whole OR match everything.
    if (name === 'OR') return list.every(hasCondition);
    // A condition that matches nothing excludes nothing when negated.
    if (name === 'NOT') return list.some((one) => hasCondition(one) && !matchesNothing(one));
    if (!isRecord(value)) return true;
    const { mode: _, ...operators } = value as Args;
    return Object.entries(operators).some(([operator, operand]) => operator !== 'notIn' || !isEmptyList(operand));
  });
}

function matchesNothing(where: unknown): boolean {
  if (!isRecord(where)) return false;
  return Object.entries(where as Args).some(([name, value]) => {
    if (name === 'OR') return Array.isArray(value) && value.every(matchesNothing);
    if (name === 'AND') return (Array.isArray(value) ? value : [value]).some(matchesNothing);
    return isRecord(value) && isEmptyList((value as Args)['in']);
  });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && !value.length;
}

/** A condition on the record of a relation, or on one of its records. */
function related(model: Model, name: string, value: unknown, building: Building, table: string): string {
  const toMany = model.toMany.get(name);
  const relation = toMany ?? model.relations.get(name);
  const target = relation && building.models.get(relation.target);
  const where = toMany ? someOf(value) : value;
  if (!relation || !target?.isPlain || !isRecord(where) || 'is' in (where as Args) || 'isNot' in (where as Args))
    throw new NotPlain();
  const alias = `r${++building.subqueries}`;
  const links = relation.columns.map(
    (column, index) => `"${alias}"."${relation.references[index]}" = "${table}"."${column}"`,
  );
  const inner = condition(target, where, building, alias);
  return `EXISTS (SELECT 1 FROM "${target.table}" AS "${alias}" WHERE ${links.join(' AND ')} AND (${inner}))`;
}

/** The condition in `{ some: … }`; undefined for other conditions on several records. */
export function someOf(value: unknown): unknown {
  if (!isRecord(value) || Object.keys(value as Args).join() !== 'some') return undefined;
  return (value as Args)['some'];
}

const ordered: Record<string, string> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };
const patterns: Record<string, (text: string) => string> = {
  contains: (text) => `%${text}%`,
  startsWith: (text) => `${text}%`,
  endsWith: (text) => `%${text}`,
};

function comparison(of: Field, value: unknown, building: Building, table: string): string {
  const column = `"${table}"."${of.column}"`;
  const parameter = (operand: unknown) => `$${building.values.push(operand)}`;
  if (of.type === 'Json') return memberCondition(column, value, parameter);
  if (value === null && !of.isList) return isNull(of, column, true);
  if (isOf(of, value) && !of.isList) return `${column} = ${parameter(value)}`;
  if (!isRecord(value)) throw new NotPlain();
  const { mode, ...operators } = value as Args;
  const parts = Object.entries(operators).map(([operator, operand]) => {
    if (of.isList) {
      if (operator !== 'has' || of.type !== 'String' || typeof operand !== 'string') throw new NotPlain();
      return `${column} @> ARRAY[${parameter(operand)}]::text[]`;
    }
    if (mode !== undefined && !(operator in patterns)) throw new NotPlain();
    if (operator in patterns) return like(of, column, parameter, { operator, operand, mode });
    if (operator === 'in' && of.type !== 'Boolean' && Array.isArray(operand) && operand.every((one) => isOf(of, one)))
      // PostgreSQL plans a list each time, and caches the plan for a single value.
      return operand.length === 1 ? `${column} = ${parameter(operand[0])}` : `${column} = ANY(${parameter(operand)})`;
    if (operand === null && (operator === 'equals' || operator === 'not'))
      return isNull(of, column, operator === 'equals');
    if (!isOf(of, operand)) throw new NotPlain();
    if (operator === 'equals') return `${column} = ${parameter(operand)}`;
    if (operator === 'not') return `${column} <> ${parameter(operand)}`;
    const sign = of.type === 'Boolean' || of.type === 'Bytes' ? undefined : ordered[operator];
    if (!sign) throw new NotPlain();
    return `${column} ${sign} ${parameter(operand)}`;
  });
  if (!parts.length) throw new NotPlain();
  return parts.join(' AND ');
}

/** The condition that a member of a JSON column has a value, or is a list that contains it. */
function memberCondition(column: string, value: unknown, parameter: (operand: unknown) => string): string {
  if (!isRecord(value)) throw new NotPlain();
  const { path, ...operators } = value as { path?: unknown };
  const [[operator, operand] = [], ...more] = Object.entries(operators);
  if (!Array.isArray(path) || path.length !== 1 || more.length) throw new NotPlain();
  const isScalar = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one);
  // An object that contains the wanted one can have more members.
  if (operator === 'equals' && isRecord(operand))
    return `${column} -> ${parameter(path[0])}::text = ${parameter(JSON.stringify(operand))}::jsonb`;
  const isList = operator === 'array_contains' && Array.isArray(operand) && operand.every(isScalar);
  if (!isList && !(operator === 'equals' && isScalar(operand))) throw new NotPlain();
  return `${column} @> ${parameter(JSON.stringify({ [path[0] as string]: operand }))}::jsonb`;
}

/** Prisma rejects null for a column that is not nullable. */
function isNull(of: Field, column: string, isWanted: boolean): string {
  if (!of.isNullable) throw new NotPlain();
  return `${column} IS ${isWanted ? '' : 'NOT '}NULL`;
}

function like(
  of: Field,
  column: string,
  parameter: (value: unknown) => string,
  { operator, operand, mode }: { operator: string; operand: unknown; mode: unknown },
): string {
  if (of.type !== 'String' || typeof operand !== 'string') throw new NotPlain();
  if (mode !== undefined && mode !== 'insensitive' && mode !== 'default') throw new NotPlain();
  const pattern = (patterns[operator] as (text: string) => string)(operand);
  return `${column} ${mode === 'insensitive' ? 'ILIKE' : 'LIKE'} ${parameter(pattern)}`;
}

/** Converts an `orderBy` to SQL; empty when there is none. */
export function ordering(model: Model, orderBy: unknown): string {
  const list = orderBy === undefined ? [] : Array.isArray(orderBy) ? orderBy : [orderBy];
  return list
    .flatMap((one: Args) => Object.entries(one))
    .map(([name, direction]) => {
      const of = model.fields.get(name);
      if (!of || of.type === 'Json' || of.isList || (direction !== 'asc' && direction !== 'desc')) throw new NotPlain();
      return `"${model.table}"."${of.column}" ${direction === 'asc' ? 'ASC' : 'DESC'}`;
    })
    .join(', ');
}

/** Whether a value is a scalar of the field's type. Invalid values are left to Prisma, which rejects them. */
export function isOf(of: Field, value: unknown): boolean {
  switch (of.type) {
    case 'String':
      // PostgreSQL cannot store a NUL in text.
      return typeof value === 'string' && !value.includes('\0');
    case 'Int':
      return Number.isSafeInteger(value);
    case 'Float':
      return Number.isFinite(value);
    case 'Boolean':
      return typeof value === 'boolean';
    case 'DateTime':
      return value instanceof Date && !Number.isNaN(value.getTime());
    case 'Bytes':
      return value instanceof Uint8Array;
    default:
      return false;
  }
}

/** Whether a value is an object literal, not an instance of a class. */
export function isRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
