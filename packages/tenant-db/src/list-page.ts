import type { QueryResult } from 'pg';
import { type Args, isRecord } from './conditions.ts';
import { isIndexed, walkFor } from './list-index.ts';
import {
  countAlong,
  countInOrder,
  isUncounted,
  type Plan,
  pageAlong,
  pageInOrder,
  pageOfCandidates,
  pageToResume,
} from './list-statements.ts';
import { type Lookup, type Lookups, lookupsOf } from './lookups.ts';
import type { Model } from './models.ts';
import { exactMax, type FoundPage, type IdsArgs, type PageArgs } from './page-args.ts';
import type { Statement } from './pipelined-query.ts';

// Limit for reading along the index when no other index finds the records.
const farMax = 50_000;
// Lower limit when functions can find the records instead (lookups.ts).
const nearMax = 3_000;
// How many records may be sorted for a page; more than these are read along the index of the order instead.
const candidatesMax = 2_000;

/** Dependencies for reading a page. */
export interface PageReader {
  models: ReadonlyMap<string, Model>;
  columns: (model: Model, select: Args | undefined) => string;
  send: (statement: Statement) => Promise<QueryResult>;
  lookups: () => Promise<Lookups>;
}

/**
 * Reads a page of a list with bounded work for any filter:
 *
 * 1. a few records that are named by their ids: these, sorted
 * 2. along the index with the order of the list. Conditions on its leading columns bound the scan; the others are
 *    checked on at most `exactMax` rows. This fills a page unless the filter matches very few of the records
 * 3. otherwise from an index that finds the records of a condition, at most `candidatesMax`, which are sorted
 * 4. if there are too many, or no such index: `farMax` rows along the first index; the page then ends early with a
 *    position to continue from
 *
 * @throws NotPlain for conditions that only Prisma can write
 */
export async function findPage(model: Model, args: PageArgs, reader: PageReader): Promise<FoundPage> {
  const plan = planOf(model, args, reader);
  if (!plan.walk?.rest.length) return readInOrder(plan, reader);
  const lookups = lookupsOf(model, args, await reader.lookups());
  const readMax = args.isKnownLarge && lookups.length ? nearMax : exactMax;
  const near = await readAlong(plan, reader, readMax);
  if (near.rows.length >= args.take || !near.isLarge || args.isUncounted) return near;
  // At this density more rows fill the page, which are cheaper than `farMax` rows if there are too many candidates.
  if (readMax < exactMax && near.rows.length * exactMax >= args.take * readMax) {
    const further = await readAlong(plan, reader, exactMax);
    if (further.rows.length >= args.take) return further;
  }
  const found =
    (lookups.length && (await readCandidates(plan, reader, lookups))) ||
    (isIndexed(model, plan.where, plan.walk.rest) && (await readCandidates(plan, reader, [])));
  if (found) return found;
  return readFar(plan, reader);
}

/**
 * Counts the records of a list, without a page. Reads at most `exactMax` rows.
 * @returns undefined when there are more rows to check
 * @throws NotPlain for conditions that only Prisma can write
 */
export async function countPage(model: Model, args: PageArgs, reader: PageReader): Promise<number | undefined> {
  const plan = planOf(model, args, reader);
  if (!plan.walk?.rest.length) return countAll(plan, reader);
  const { rows } = await reader.send(countAlong(plan));
  const [matched = 0, read = 0] = rows[0]['#counts'] as number[];
  return read > exactMax ? undefined : matched;
}

/**
 * Finds the first ids of the records that match, in the order of ids. Starts from the functions that find at most
 * `exactMax` records each (lookups.ts); without such a function PostgreSQL chooses the index.
 * @throws NotPlain for conditions that only Prisma can write
 */
export async function findIds(model: Model, ids: IdsArgs, reader: PageReader): Promise<number[]> {
  const args = pageOfIds(ids);
  const plan = planOf(model, args, reader);
  const rows = await readFromLookups(plan, reader, lookupsOf(model, args, await reader.lookups()));
  return (rows ?? (await reader.send(pageInOrder(plan))).rows).map(({ id }) => id as number);
}

/** The page that has the first ids of the records that match. */
export function pageOfIds({ where, search, take }: IdsArgs): PageArgs {
  const select = { id: true };
  return {
    where,
    ...(search && { search }),
    take,
    skip: 0,
    sort: 'id',
    isDescending: false,
    select,
    isUncounted: true,
  };
}

/** Reads from the functions that return all of their records; undefined when all of them have more than `exactMax`. */
async function readFromLookups(plan: Plan, reader: PageReader, lookups: Lookup[]): Promise<Args[] | undefined> {
  if (!lookups.length) return undefined;
  const { rows } = await reader.send(pageOfCandidates(plan, lookups, exactMax));
  const [, ...sizes] = rows[0]['#counts'] as number[];
  if (sizes.every((size) => size <= exactMax)) return rows.filter(isRow).map(withoutCounts);
  return readFromLookups(
    plan,
    reader,
    lookups.filter((_, index) => (sizes[index] as number) <= exactMax),
  );
}

function planOf(model: Model, args: PageArgs, { models, columns }: PageReader): Plan {
  const { search } = args;
  const where = search
    ? { ...args.where, AND: [...listOf(args.where['AND']), containing(search.text, search.columns)] }
    : args.where;
  // Few records by their ids are read and sorted: along an index they would be searched among all others.
  const walk = isFewIds(where) ? undefined : walkFor(model, where, args.sort);
  return { model, models, columns, args, where, walk };
}

function isFewIds(where: Args): boolean {
  const id = where['id'];
  if (!isRecord(id)) return false;
  const ids = (id as { in?: unknown }).in;
  return Array.isArray(ids) && ids.length <= candidatesMax;
}

/** Reads a page whose conditions are all in the index of its order, or for which no index helps. */
async function readInOrder(plan: Plan, reader: PageReader): Promise<FoundPage> {
  const { skip, after = [], isKnownLarge } = plan.args;
  const { rows } = await reader.send(pageInOrder(plan));
  if (isUncounted(plan.args)) return { rows, total: undefined, isLarge: isKnownLarge === true };
  const [first] = rows;
  const isPastEnd = !first && (skip > 0 || after.length > 0);
  const total = isPastEnd ? await countAll(plan, reader) : withinExact(first ? Number(first['#total']) : 0);
  return { rows: rows.map(withoutCounts), total, isLarge: total === undefined };
}

async function countAll(plan: Plan, reader: PageReader): Promise<number | undefined> {
  const { rows } = await reader.send(countInOrder(plan));
  return withinExact(Number(rows[0].count));
}

/** Reads the first rows along the index of the order, and checks the remaining conditions on each. */
async function readAlong(plan: Plan, reader: PageReader, readMax: number): Promise<FoundPage> {
  const { rows } = await reader.send(pageAlong(plan, readMax));
  if (isUncounted(plan.args)) return { rows, total: undefined, isLarge: true };
  const [matched = 0, read = 0] = rows[0]['#counts'] as number[];
  const isLarge = read > exactMax;
  return { rows: rows.filter(isRow).map(withoutCounts), total: isLarge ? undefined : matched, isLarge };
}

/** Reads a page of the records that another index finds; undefined when there are too many to sort. */
async function readCandidates(
  plan: Plan,
  reader: PageReader,
  lookups: ReturnType<typeof lookupsOf>,
): Promise<FoundPage | undefined> {
  const { rows } = await reader.send(pageOfCandidates(plan, lookups, candidatesMax));
  const sizes = rows[0]['#counts'] as number[];
  if (sizes.some((size) => size > candidatesMax)) return undefined;
  return { rows: rows.filter(isRow).map(withoutCounts), total: sizes[0], isLarge: true };
}

/** Reads the first `farMax` rows along the index of the order. */
async function readFar(plan: Plan, reader: PageReader): Promise<FoundPage> {
  const { rows } = await reader.send(pageToResume(plan, farMax));
  const { '#resumeValue': value, '#resumeId': id } = rows[0];
  const page = { rows: rows.filter(isRow).map(withoutCounts), total: undefined, isLarge: true };
  return id === null ? page : { ...page, resumeAt: { value, id } };
}

/** The condition that one of the columns contains a text, case-insensitively. `%`, `_` and backslash are escaped. */
export function containing(text: string, columns: readonly string[]): Args {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  return { OR: columns.map((column) => ({ [column]: { contains: literal, mode: 'insensitive' } })) };
}

function listOf(and: unknown): unknown[] {
  if (and === undefined) return [];
  return Array.isArray(and) ? and : [and];
}

function isRow(row: Args): boolean {
  return row['#id'] !== null;
}

function withoutCounts(row: Args): Args {
  const {
    '#total': _total,
    '#counts': _counts,
    '#sort': _sort,
    '#id': _id,
    '#resumeValue': _value,
    '#resumeId': _resumeId,
    ...record
  } = row;
  return record;
}

function withinExact(count: number): number | undefined {
  return count <= exactMax ? count : undefined;
}
