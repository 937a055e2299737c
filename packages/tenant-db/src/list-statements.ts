// The SQL statements of lists. list-page.ts decides which of them a page needs, and reads their results.

import { type Args, type Building, condition, NotPlain, ordering } from './conditions.ts';
import type { Walk } from './list-index.ts';
import type { lookupsOf } from './lookups.ts';
import type { Model } from './models.ts';
import { exactMax, type PageArgs } from './page-args.ts';
import type { Statement } from './pipelined-query.ts';

// From this offset on, rows before the page are skipped with an index-only scan.
const deepFrom = 1_000;
// Limit of a first page in the text of its statement. PostgreSQL caches the plan of a statement whose limit it knows,
// and plans one with a parameter as its limit again for each request, which takes longer than reading the page.
const plannedRows = 101;

/** A list to read: model, arguments and index. The statements of the list are built from it. */
export interface Plan {
  model: Model;
  models: ReadonlyMap<string, Model>;
  args: PageArgs;
  /** All conditions except those of a cursor. */
  where: Args;
  walk: Walk | undefined;
  columns: (model: Model, select: Args | undefined) => string;
}

/** A page whose conditions are all in the index of its order; its total is in the column `#total` of every row. */
export function pageInOrder(plan: Plan): Statement {
  const { model, args, where } = plan;
  const { take, skip } = args;
  const now = building(plan);
  const counted = isUncounted(args) ? '' : `, (${boundedCount(model, where, now)}) AS "#total"`;
  const columns = `${plan.columns(model, args.select)}${counted}`;
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

/** Counts all records, up to one more than `exactMax`. */
export function countInOrder(plan: Plan): Statement {
  const now = building(plan);
  return { text: boundedCount(plan.model, plan.where, now), values: now.values };
}

function boundedCount(model: Model, where: Args, now: Building): string {
  const filter = condition(model, where, now);
  return `SELECT count(*) FROM (SELECT 1 FROM "${model.table}" WHERE ${filter} LIMIT ${exactMax + 1}) AS counted`;
}

/**
 * The rows that match among the first `readMax` along the index of the order. Its counts are in the column `#counts` of
 * every row: how many of the first rows match, and how many there are, up to one more than `exactMax`. An empty page has
 * one row for them.
 */
export function pageAlong(plan: Plan, readMax: number): Statement {
  const { model, args } = plan;
  const { covered, rest } = plan.walk as Walk;
  const { take, skip } = args;
  const now = building(plan);
  const counted = isUncounted(args) ? '' : countOfFirst(plan, now);
  const source = rowsOf(model, args, { conditions: { AND: covered }, limit: String(readMax), columns: '*' }, now);
  const page = `FROM (${source}) AS "${model.table}" WHERE ${condition(model, { AND: rest }, now)}
    ORDER BY ${orderOf(model, args)} LIMIT ${parameter(now, take)} OFFSET ${parameter(now, skip)}`;
  const columns = plan.columns(model, args.select);
  if (isUncounted(args)) return { text: `SELECT ${columns} ${page}`, values: now.values };
  const text = `SELECT counts."#counts", page.* FROM (${counted}) AS counts
    LEFT JOIN (SELECT ${columns}, ${sortKeys(model, args)} ${page}) AS page ON true ORDER BY ${outerOrder(args)}`;
  return { text, values: now.values };
}

/** The counts of `pageAlong` alone. */
export function countAlong(plan: Plan): Statement {
  const now = building(plan);
  return { text: countOfFirst(plan, now), values: now.values };
}

function countOfFirst({ model, args, walk }: Plan, now: Building): string {
  const { covered, rest } = walk as Walk;
  const table = `"${model.table}"`;
  const rows = `SELECT * FROM ${table} WHERE ${condition(model, { AND: covered }, now)}
    ORDER BY ${orderOf(model, args)} LIMIT ${exactMax + 1}`;
  const fits = condition(model, { AND: rest }, now);
  return `SELECT ARRAY[count(*) FILTER (WHERE ${fits}), count(*)] AS "#counts" FROM (${rows}) AS ${table}`;
}

/**
 * A page of the records that another index or the lookups find, sorted. `#counts` has the number of records found, and
 * of those that each lookup returned; each is complete up to `max`.
 */
export function pageOfCandidates(plan: Plan, lookups: ReturnType<typeof lookupsOf>, max: number): Statement {
  const { model, args, where } = plan;
  const { take, skip, after = [] } = args;
  const now = building(plan);
  const table = `"${model.table}"`;
  const sources = lookups.map(({ name, values }, index) => {
    const calls = values.map((value) => `SELECT ${name}(${parameter(now, value)}, ${max + 1}) AS id`);
    return `"#ids${index}" AS MATERIALIZED (${calls.join(' UNION ALL ')})`;
  });
  const among = lookups.map((_, index) => ` AND id = ANY(ARRAY(SELECT id FROM "#ids${index}"))`).join('');
  const found = `"#found" AS MATERIALIZED (SELECT * FROM ${table} WHERE ${condition(model, where, now)}${among} LIMIT ${max + 1})`;
  const counts = ['"#found"', ...lookups.map((_, index) => `"#ids${index}"`)].map(
    (source) => `(SELECT count(*) FROM ${source})`,
  );
  const later = after.length ? condition(model, { OR: after }, now) : 'true';
  const text = `WITH ${[...sources, found].join(', ')}
    SELECT counts."#counts", page.* FROM (SELECT ARRAY[${counts.join(', ')}] AS "#counts") AS counts
    LEFT JOIN (SELECT ${plan.columns(model, args.select)}, ${sortKeys(model, args)} FROM "#found" AS ${table} WHERE ${later}
      ORDER BY ${orderOf(model, args)} LIMIT ${parameter(now, take)} OFFSET ${parameter(now, skip)}) AS page ON true
    ORDER BY ${outerOrder(args)}`;
  return { text, values: now.values };
}

/**
 * The rows that match among the first `readMax` along the index of the order. For a short page, `#resumeValue` and
 * `#resumeId` are the position of the last of these rows, in every row of the result; null when there are fewer. Both
 * are in one statement: between two, a deletion would move the position beyond rows that were not read.
 */
export function pageToResume(plan: Plan, readMax: number): Statement {
  const { model, args } = plan;
  const { covered, rest } = plan.walk as Walk;
  const now = building(plan);
  const first = (columns: string) =>
    rowsOf(model, args, { conditions: { AND: covered }, limit: String(readMax), columns }, now);
  const [take, skip] = [parameter(now, args.take), parameter(now, args.skip)];
  const page = `SELECT ${plan.columns(model, args.select)}, ${sortKeys(model, args)} FROM (${first('*')}) AS "${model.table}"
    WHERE ${condition(model, { AND: rest }, now)} ORDER BY ${orderOf(model, args)} LIMIT ${take} OFFSET ${skip}`;
  const keys = args.sort === 'id' ? 'id' : `${columnOf(model, args.sort)}, id`;
  const position = `SELECT ${columnOf(model, args.sort)} AS value, id FROM (${first(keys)}) AS "${model.table}"
    ORDER BY ${orderOf(model, args)} LIMIT 1 OFFSET ${readMax - 1}`;
  const text = `WITH "#page" AS MATERIALIZED (${page})
    SELECT "#page".*, resume.value AS "#resumeValue", resume.id AS "#resumeId" FROM (SELECT 1) AS one
    LEFT JOIN "#page" ON true
    LEFT JOIN (SELECT * FROM (${position}) AS last WHERE (SELECT count(*) FROM "#page") < ${take}) AS resume ON true
    ORDER BY ${outerOrder(args)}`;
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

/** Whether a page is read without its total. */
export function isUncounted({ isKnownLarge, isUncounted }: PageArgs): boolean {
  return isKnownLarge === true || isUncounted === true;
}

function scopeOf(where: Args): Args {
  return Object.fromEntries(Object.entries(where).filter(([name]) => name === 'tenantId' || name === 'environment'));
}

function building({ models }: Plan): Building {
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
