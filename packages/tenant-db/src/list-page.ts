import type { QueryResult } from 'pg';
import { type Args, type Building, condition, NotPlain, ordering } from './conditions.ts';
import { isIndexed, type Walk, walkFor } from './list-index.ts';
import { type Lookups, lookupsOf } from './lookups.ts';
import type { Model } from './models.ts';
import type { PageArgs } from './page-args.ts';
import type { Statement } from './pipelined-query.ts';

/**
 * Totals are exact up to this number (D20), and a page reads this many rows along an index before it tries another
 * plan.
 */
export const exactMax = 10_000;
// Limit for reading along the index when no other index finds the records.
const farMax = 50_000;
// Lower limit when functions can find the records instead (lookups.ts).
const nearMax = 3_000;
// How many records may be sorted for a page; more than these are read along the index of the order instead.
const candidatesMax = 2_000;
// From this offset on, rows before the page are skipped with an index-only scan.
const deepFrom = 1_000;
// Limit of a first page in the text of its statement. PostgreSQL caches the plan of a statement whose limit it knows,
// and plans one with a parameter as its limit again for each request, which takes longer than reading the page.
const plannedRows = 101;

/** The rows of a page. */
export interface FoundPage<Row = Args> {
  rows: Row[];
  /** The number of records of the list; undefined when counting would read more than `exactMax` rows. */
  total: number | undefined;
  /** Whether more than `exactMax` records match the indexed conditions alone. */
  isLarge: boolean;
  /** Where to continue if the page is short only because the read limit was reached. */
  resumeAt?: { value: unknown; id: number };
}

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
 * 1. along the index with the order of the list. Conditions on its leading columns bound the scan; the others are
 *    checked on at most `exactMax` rows. This fills a page unless the filter matches very few of the records
 * 2. otherwise from an index that finds the records of a condition, at most `candidatesMax`, which are sorted
 * 3. if there are too many, or no such index: `farMax` rows along the first index; the page then ends early with a
 *    position to continue from
 *
 * @throws NotPlain for conditions that only Prisma can write
 */
export async function findPage(model: Model, args: PageArgs, reader: PageReader): Promise<FoundPage> {
  const plan = planOf(model, args, reader);
  if (!plan.walk?.rest.length) return readInOrder(plan);
  const lookups = lookupsOf(model, args, await reader.lookups());
  const near = await readAlong(plan, args.isKnownLarge && lookups.length ? nearMax : exactMax);
  if (near.rows.length >= args.take || !near.isLarge) return near;
  const found =
    (lookups.length && (await readCandidates(plan, lookups))) ||
    (isIndexed(model, plan.where, plan.walk.rest) && (await readCandidates(plan, [])));
  if (found) return found;
  const far = await readAlong({ ...plan, args: { ...args, isKnownLarge: true } }, farMax);
  if (far.rows.length >= args.take) return far;
  return { ...far, ...(await lastRead(plan)) };
}

interface Plan {
  model: Model;
  args: PageArgs;
  reader: PageReader;
  /** All conditions except those of a cursor. */
  where: Args;
  walk: Walk | undefined;
}

function planOf(model: Model, args: PageArgs, reader: PageReader): Plan {
  const { search } = args;
  const where = search
    ? { ...args.where, AND: [...listOf(args.where['AND']), containing(search.text, search.columns)] }
    : args.where;
  return { model, args, reader, where, walk: walkFor(model, where, args.sort) };
}

/** Reads a page whose conditions are all in the index of its order, or for which no index helps. */
async function readInOrder(plan: Plan): Promise<FoundPage> {
  const { model, args, reader, where } = plan;
  const { skip, after = [], isKnownLarge } = args;
  const { rows } = await reader.send(pageInOrder(plan));
  if (isKnownLarge) return { rows, total: undefined, isLarge: true };
  const [first] = rows;
  const isPastEnd = !first && (skip > 0 || after.length > 0);
  const total = isPastEnd ? await countUpTo(model, where, reader) : withinExact(first ? Number(first['#total']) : 0);
  return { rows: rows.map(withoutCounts), total, isLarge: total === undefined };
}

function pageInOrder({ model, args, reader, where }: Plan): Statement {
  const { take, skip, isKnownLarge } = args;
  const now = building(reader);
  const counted = isKnownLarge ? '' : `, (${boundedCount(model, where, now)}) AS "#total"`;
  const columns = `${reader.columns(model, args.select)}${counted}`;
  const order = `ORDER BY ${orderOf(model, args)}`;
  const first = (rows: { limit: string; columns: string }) => rowsOf(model, args, { conditions: where, ...rows }, now);
  const limit = parameter(now, take);
  if (skip >= deepFrom) {
    const ids = `${first({ limit, columns: 'id' })} OFFSET ${parameter(now, skip)}`;
    const scope = condition(model, scopeOf(where), now);
    const text = `SELECT ${columns} FROM "${model.table}" WHERE ${scope} AND id = ANY(ARRAY(${ids})) ${order}`;
    return { text, values: now.values };
  }
  const rows = skip
    ? `${first({ limit, columns: '*' })} OFFSET ${parameter(now, skip)}`
    : first({ limit: String(Math.max(take, plannedRows)), columns: '*' });
  const text = `SELECT ${columns} FROM (${rows}) AS "${model.table}" ${order} LIMIT ${limit}`;
  return { text, values: now.values };
}

/**
 * The query of the first rows in the order of the list. After a cursor each range is read along the index separately,
 * and the rows of earlier ranges come first.
 */
function rowsOf(
  model: Model,
  args: PageArgs,
  { conditions, limit, columns }: { conditions: Args; limit: string; columns: string },
  now: Building,
): string {
  const { after = [] } = args;
  const window = `ORDER BY ${orderOf(model, args)} LIMIT ${limit}`;
  const rowsIn = (range: Args | undefined) => {
    const filter = condition(model, range ? { AND: [conditions, range] } : conditions, now);
    return `SELECT ${columns} FROM "${model.table}" WHERE ${filter} ${window}`;
  };
  if (after.length < 2) return rowsIn(after[0]);
  const ranges = after.map((range) => `(${rowsIn(range)})`).join(' UNION ALL ');
  return `SELECT * FROM (${ranges}) AS "${model.table}" ${window}`;
}

function boundedCount(model: Model, where: Args, now: Building): string {
  const filter = condition(model, where, now);
  return `SELECT count(*) FROM (SELECT 1 FROM "${model.table}" WHERE ${filter} LIMIT ${exactMax + 1}) AS counted`;
}

async function countUpTo(model: Model, where: Args, reader: PageReader): Promise<number | undefined> {
  const now = building(reader);
  const text = boundedCount(model, where, now);
  const { rows } = await reader.send({ text, values: now.values });
  return withinExact(Number(rows[0].count));
}

/** Reads the first rows along the index of the order, and checks the remaining conditions on each. */
async function readAlong(plan: Plan, readMax: number): Promise<FoundPage> {
  const { model, args, reader } = plan;
  const { covered, rest } = plan.walk as Walk;
  const { take, skip, isKnownLarge } = args;
  const now = building(reader);
  const counted = isKnownLarge ? '' : countAlong(plan, now);
  const source = rowsOf(model, args, { conditions: { AND: covered }, limit: String(readMax), columns: '*' }, now);
  const page = `FROM (${source}) AS "${model.table}" WHERE ${condition(model, { AND: rest }, now)}
    ORDER BY ${orderOf(model, args)} LIMIT ${parameter(now, take)} OFFSET ${parameter(now, skip)}`;
  const columns = reader.columns(model, args.select);
  if (isKnownLarge) {
    const { rows } = await reader.send({ text: `SELECT ${columns} ${page}`, values: now.values });
    return { rows, total: undefined, isLarge: true };
  }
  // The counts are needed for an empty page as well.
  const text = `SELECT counts."#counts", page.* FROM (${counted}) AS counts
    LEFT JOIN (SELECT ${columns}, ${sortKeys(model, args)} ${page}) AS page ON true ORDER BY ${outerOrder(args)}`;
  const { rows } = await reader.send({ text, values: now.values });
  const [matched = 0, read = 0] = rows[0]['#counts'] as number[];
  const isLarge = read > exactMax;
  return { rows: rows.filter(isRow).map(withoutCounts), total: isLarge ? undefined : matched, isLarge };
}

/** Counts how many of the first rows along the index match, and how many there are, up to one more than `exactMax`. */
function countAlong({ model, args, walk }: Plan, now: Building): string {
  const { covered, rest } = walk as Walk;
  const table = `"${model.table}"`;
  const rows = `SELECT * FROM ${table} WHERE ${condition(model, { AND: covered }, now)}
    ORDER BY ${orderOf(model, args)} LIMIT ${exactMax + 1}`;
  const fits = condition(model, { AND: rest }, now);
  return `SELECT ARRAY[count(*) FILTER (WHERE ${fits}), count(*)] AS "#counts" FROM (${rows}) AS ${table}`;
}

/** Reads a page of the records that another index finds, sorted; undefined when there are too many to sort. */
async function readCandidates(plan: Plan, lookups: Lookup[]): Promise<FoundPage | undefined> {
  const { model, args, reader, where } = plan;
  const { take, skip, after = [] } = args;
  const now = building(reader);
  const table = `"${model.table}"`;
  const sources = lookups.map(({ name, values }, index) => {
    const calls = values.map((value) => `SELECT ${name}(${parameter(now, value)}, ${candidatesMax + 1}) AS id`);
    return `"#ids${index}" AS MATERIALIZED (${calls.join(' UNION ALL ')})`;
  });
  const among = lookups.map((_, index) => ` AND id = ANY(ARRAY(SELECT id FROM "#ids${index}"))`).join('');
  const found = `"#found" AS MATERIALIZED (SELECT * FROM ${table} WHERE ${condition(model, where, now)}${among} LIMIT ${candidatesMax + 1})`;
  const counts = ['"#found"', ...lookups.map((_, index) => `"#ids${index}"`)].map(
    (source) => `(SELECT count(*) FROM ${source})`,
  );
  const later = after.length ? condition(model, { OR: after }, now) : 'true';
  const text = `WITH ${[...sources, found].join(', ')}
    SELECT counts."#counts", page.* FROM (SELECT ARRAY[${counts.join(', ')}] AS "#counts") AS counts
    LEFT JOIN (SELECT ${reader.columns(model, args.select)}, ${sortKeys(model, args)} FROM "#found" AS ${table} WHERE ${later}
      ORDER BY ${orderOf(model, args)} LIMIT ${parameter(now, take)} OFFSET ${parameter(now, skip)}) AS page ON true
    ORDER BY ${outerOrder(args)}`;
  const { rows } = await reader.send({ text, values: now.values });
  const sizes = rows[0]['#counts'] as number[];
  if (sizes.some((size) => size > candidatesMax)) return undefined;
  return { rows: rows.filter(isRow).map(withoutCounts), total: sizes[0], isLarge: true };
}

/** The last of the `farMax` rows that `readAlong` read; empty when there were fewer. */
async function lastRead({ model, args, reader, walk }: Plan): Promise<Pick<FoundPage, 'resumeAt'>> {
  const { covered } = walk as Walk;
  const now = building(reader);
  const columns = args.sort === 'id' ? 'id' : `${columnOf(model, args.sort)}, id`;
  const source = rowsOf(model, args, { conditions: { AND: covered }, limit: String(farMax), columns }, now);
  const text = `SELECT ${columnOf(model, args.sort)} AS value, id FROM (${source}) AS "${model.table}"
    ORDER BY ${orderOf(model, args)} LIMIT 1 OFFSET ${farMax - 1}`;
  const { rows } = await reader.send({ text, values: now.values });
  return rows[0] ? { resumeAt: rows[0] } : {};
}

type Lookup = ReturnType<typeof lookupsOf>[number];

/** The condition that one of the columns contains a text, case-insensitively. `%`, `_` and backslash are escaped. */
export function containing(text: string, columns: readonly string[]): Args {
  const literal = text.replace(/[\\%_]/g, '\\$&');
  return { OR: columns.map((column) => ({ [column]: { contains: literal, mode: 'insensitive' } })) };
}

function listOf(and: unknown): unknown[] {
  if (and === undefined) return [];
  return Array.isArray(and) ? and : [and];
}

function scopeOf(where: Args): Args {
  return Object.fromEntries(Object.entries(where).filter(([name]) => name === 'tenantId' || name === 'environment'));
}

function building({ models }: PageReader): Building {
  return { models, values: [], subqueries: 0 };
}

function parameter(now: Building, value: unknown): string {
  return `$${now.values.push(value)}`;
}

function columnOf(model: Model, name: string): string {
  const field = model.fields.get(name);
  if (!field) throw new NotPlain();
  return `"${model.table}"."${field.column}"`;
}

function orderOf(model: Model, { sort, isDescending }: PageArgs): string {
  const direction = isDescending ? 'desc' : 'asc';
  return ordering(model, sort === 'id' ? { id: direction } : [{ [sort]: direction }, { id: direction }]);
}

/** The sort columns under internal names, because a page may select other columns. */
function sortKeys(model: Model, { sort }: PageArgs): string {
  return `${columnOf(model, sort)} AS "#sort", ${columnOf(model, 'id')} AS "#id"`;
}

function outerOrder({ isDescending }: PageArgs): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  return `"#sort" ${direction}, "#id" ${direction}`;
}

function isRow(row: Args): boolean {
  return row['#id'] !== null;
}

function withoutCounts(row: Args): Args {
  const { '#total': _total, '#counts': _counts, '#sort': _sort, '#id': _id, ...record } = row;
  return record;
}

function withinExact(count: number): number | undefined {
  return count <= exactMax ? count : undefined;
}
