import { type Args, isRecord } from './conditions.ts';
import type { Model } from './models.ts';
import type { PageArgs } from './page-args.ts';

/**
 * Database functions that find ids by conditions for which row-level security prevents index use: those with operators
 * that are not leakproof (ILIKE, `@>`). Each belongs to the owner of the tables, applies the caller's tenant and
 * environment itself, and is called `<table>_with_<column>(value, most)`, or `<table>_with_text` for the columns of
 * `search`.
 */
export type Lookups = ReadonlySet<string>;

/** Lists the functions of the current database, as SQL. */
export const lookupNames = `SELECT proname AS name FROM pg_catalog.pg_proc
  WHERE pronamespace = 'public'::regnamespace AND proname LIKE '%\\_with\\_%'`;

/** One call per value; the result is the union of the ids. */
export interface Lookup {
  name: string;
  values: string[];
}

// Trigrams: a shorter text matches too many of them.
const searchLengthMin = 3;

/** The functions that find the records of the page's conditions. */
export function lookupsOf(model: Model, { where, search }: PageArgs, known: Lookups): Lookup[] {
  const lookups = conditionsOf(where).flatMap((one) => lookupOf(model, one) ?? []);
  if (search && [...search.text].length >= searchLengthMin)
    lookups.push({ name: `${model.table}_with_text`, values: [search.text] });
  return lookups.filter(({ name }) => known.has(name));
}

function conditionsOf(where: Args): Args[] {
  return Object.entries(where).flatMap(([name, value]) =>
    name === 'AND' ? (Array.isArray(value) ? value : [value]).flatMap(conditionsOf) : [{ [name]: value }],
  );
}

interface Member {
  has?: string;
  path?: string[];
  equals?: unknown;
  array_contains?: unknown;
}

function lookupOf(model: Model, condition: Args): Lookup | undefined {
  const [[name, value] = []] = Object.entries(condition);
  if (name === 'OR') return joined((value as Args[]).map((one) => lookupOf(model, one)));
  const field = model.fields.get(name as string);
  if (!field || !isRecord(value)) return undefined;
  const { has, path, equals, array_contains } = value as Member;
  const member = equals ?? array_contains;
  const called = `${model.table}_with_${field.column}`;
  if (field.isList && typeof has === 'string') return { name: called, values: [has] };
  // The function compares one member of the object itself: it knows no nested objects and no other operators.
  if (field.type !== 'Json' || path?.length !== 1 || member === undefined) return undefined;
  return { name: called, values: [JSON.stringify({ [path[0] as string]: member })] };
}

function joined(lookups: (Lookup | undefined)[]): Lookup | undefined {
  const [first] = lookups;
  if (!first || lookups.some((one) => one?.name !== first.name)) return undefined;
  return { name: first.name, values: lookups.flatMap((one) => one?.values ?? []) };
}
