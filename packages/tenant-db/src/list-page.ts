import type { QueryResult } from 'pg';
import { type Args, type Building, condition, NotPlain, ordering } from './conditions.ts';
import { isIndexed, type Walk, walkFor } from './list-index.ts';
import { type Lookups, lookupsOf } from './lookups.ts';
import type { Model } from './models.ts';
import type { PageArgs } from './page-args.ts';
import type { Statement } from './pipelined-query.ts';

/** How many records a total is exact up to (D20), and how many a page reads along an index before it tries another way. */
export const exactMax = 10_000;
// More is read along the index only where no other index finds the records.
const farMax = 50_000;
// Less is read where functions can find the records instead (lookups.ts).
const nearMax = 3_000;
// How many records may be sorted for a page: more than these are found again along the index of the order.
const candidatesMax = 2_000;
// From here on the rows before the page are skipped in the index alone.
const deepFrom = 1_000;

/** The rows of a page. */
export interface FoundPage<Row = Args> {
  rows: Row[];
  /** How many records the list has; undefined when that would take more than reading `exactMax` of them. */
  total: number | undefined;
  /** Whether there are more than `exactMax` records before the conditions that are checked on each. */
  isLarge: boolean;
  /** Where to go on when the page is shorter than asked for only because enough was read. */
  resumeAt?: { value: unknown; id: number };
}

/** What a page is read with. */
export interface PageReader {
  models: ReadonlyMap<string, Model>;
  columns: (model: Model, select: Args | undefined) => string;
  send: (statement: Statement) => Promise<QueryResult>;
  lookups: () => Promise<Lookups>;
}

/**
 * Reads a page of a list so that the work is bounded whatever the filter:
 *
 * 1. along the index that has the order of the list. Conditions in its leading columns bound the scan; the others are checked
 *    on at most `exactMax` rows. This fills a page of all filters that match more than some thousandths of the records
 * 2. when it does not: from an index that finds the records of a condition, at most `candidatesMax`, which are sorted
 * 3. when those are too many, or no index finds them: `farMax` rows along the first index; then the page ends early and says
 *    where to go on
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
  /** All conditions but those of a cursor. */
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

/** A page whose conditions are all in the index of its order, or one that no index helps. */
async function readInOrder({ model, args, reader, where }: Plan): Promise<FoundPage> {
  const { take, skip, after = [], isKnownLarge } = args;
  const now = building(reader);
  const counted = isKnownLarge ? '' : `, (${boundedCount(model, where, now)}) AS "#total"`;
  const order = orderOf(model, args);
  const [table, columns] = [`"${model.table}"`, reader.columns(model, args.select)];
  const isDeep = skip >= deepFrom;
  const source = rowsOf(
    model,
    args,
    { conditions: where, limit: parameter(now, take), columns: isDeep ? 'id' : '*' },
    now,
  );
  const text = isDeep
    ? `SELECT ${columns}${counted} FROM ${table} WHERE ${condition(model, scopeOf(where), now)}
        AND id = ANY(ARRAY(${source} OFFSET ${parameter(now, skip)})) ORDER BY ${order}`
    : `SELECT ${columns}${counted} FROM (${source} OFFSET ${parameter(now, skip)}) AS ${table} ORDER BY ${order}`;
  const { rows } = await reader.send({ text, values: now.values });
  if (isKnownLarge) return { rows, total: undefined, isLarge: true };
  const [first] = rows;
  const isPastEnd = !first && (skip > 0 || after.length > 0);
  const total = isPastEnd ? await countUpTo(model, where, reader) : withinExact(first ? Number(first['#total']) : 0);
  return { rows: rows.map(withoutCounts), total, isLarge: total === undefined };
}

/**
 * The first rows in the order of the list, as a query. Behind a cursor each range is read along the index on its own, and the
 * rows of the earlier ones come first.
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

/** The first rows along the index of the order, with the conditions that it does not cover checked on each. */
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
  // The counts are wanted of an empty page as well.
  const text = `SELECT counts."#counts", page.* FROM (${counted}) AS counts
    LEFT JOIN (SELECT ${columns}, ${sortKeys(model, args)} ${page}) AS page ON true ORDER BY ${outerOrder(args)}`;
  const { rows } = await reader.send({ text, values: now.values });
  const [matched = 0, read = 0] = rows[0]['#counts'] as number[];
  const isLarge = read > exactMax;
  return { rows: rows.filter(isRow).map(withoutCounts), total: isLarge ? undefined : matched, isLarge };
}

/** How many of the first rows along the index fit, and how many there are, up to one more than `exactMax`. */
function countAlong({ model, args, walk }: Plan, now: Building): string {
  const { covered, rest } = walk as Walk;
  const table = `"${model.table}"`;
  const rows = `SELECT * FROM ${table} WHERE ${condition(model, { AND: covered }, now)}
    ORDER BY ${orderOf(model, args)} LIMIT ${exactMax + 1}`;
  const fits = condition(model, { AND: rest }, now);
  return `SELECT ARRAY[count(*) FILTER (WHERE ${fits}), count(*)] AS "#counts" FROM (${rows}) AS ${table}`;
}

/** A page of the records that an index finds, sorted; undefined when there are more than may be sorted. */
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

/** The last row that `readAlong` read of `farMax`; nothing when there were fewer. */
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

/** The condition that one of the columns contains a text, in any case. `%`, `_` and the backslash are characters like any other. */
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

/** The columns of the order under names of their own: a page may select others only. */
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
