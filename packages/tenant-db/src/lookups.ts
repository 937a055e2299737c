import { type Args, isRecord } from './conditions.ts';
import type { Model } from './models.ts';
import type { PageArgs } from './page-args.ts';

/**
 * The functions of a database that find ids by conditions which row-level security keeps out of indexes: those whose operators
 * PostgreSQL does not know to be leakproof (ILIKE, `@>`). Each belongs to the owner of the tables, holds the caller's
 * tenant and environment in its own text, and is called `<table>_with_<column>(value, most)`, or `<table>_with_text` for
 * the columns that `search` looks into.
 */
export type Lookups = ReadonlySet<string>;

/** Lists the functions of the current database, as SQL. */
export const lookupNames = `SELECT proname AS name FROM pg_catalog.pg_proc
  WHERE pronamespace = 'public'::regnamespace AND proname LIKE '%\\_with\\_%'`;

/** A call for each of the values; the ids of all of them together are the records. */
export interface Lookup {
  name: string;
  values: string[];
}

// Trigrams: a shorter text is in too many of them.
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

function lookupOf(model: Model, condition: Args): Lookup | undefined {
  const [[name, value] = []] = Object.entries(condition);
  if (name === 'OR') return joined((value as Args[]).map((one) => lookupOf(model, one)));
  const field = model.fields.get(name as string);
  if (!field || !isRecord(value)) return undefined;
  const { has, path, equals } = value as { has?: string; path?: string[]; equals?: unknown };
  const called = `${model.table}_with_${field.column}`;
  if (field.isList && typeof has === 'string') return { name: called, values: [has] };
  if (field.type === 'Json' && path) return { name: called, values: [JSON.stringify({ [path[0] as string]: equals })] };
  return undefined;
}

function joined(lookups: (Lookup | undefined)[]): Lookup | undefined {
  const [first] = lookups;
  if (!first || lookups.some((one) => one?.name !== first.name)) return undefined;
  return { name: first.name, values: lookups.flatMap((one) => one?.values ?? []) };
}
