import type { Environment } from '@tandem/caller';
import type { Facets } from '@tandem/contract';
import { containing, exactMax, type FoundPage, type IdsArgs, type Ownership, type PageArgs } from '@tandem/tenant-db';
import { fail, failField } from './api-error.ts';
import type { Cursors, Position } from './cursors.ts';
import type { Totals } from './totals.ts';

/** One page of a list as a handler returns it. */
export interface PageResult<Item> {
  items: Item[];
  total: number;
  /** Whether the total is an estimate, or up to a minute old. */
  isTotalEstimate?: boolean;
  page: number;
  limit: number;
  /** Whether there are records before this page. */
  hasPrev: boolean;
  /** Whether there are more records. Set only by lists without cursors, such as search; others show it by `nextCursor`. */
  hasNext?: boolean;
  nextCursor: string | null;
  /** Counts of values, of a list whose reply is a `facetedPage`. */
  facets?: Facets;
  areFacetsEstimates?: boolean;
}

/** Options that a handler sets for its list. */
interface ListOptions<Row> {
  model: Listable<Row>;
  /** Filters the list; conditions on a single field are served by indexes. */
  where?: Record<string, unknown>;
  and?: Record<string, unknown>[];
  /** Columns that `search` matches, case-insensitively and anywhere in the text. */
  searchIn?: readonly string[];
  /** Text to search for, instead of the `search` of the query: for a list that accepts it under another name too. */
  search?: string | undefined;
  /** Nullable sort columns: null sorts as the largest value. */
  nullable?: readonly string[];
  /** The column of a sort that is not named after one; the list must leave out records without a value in it. */
  sortColumn?: string | undefined;
  /** The columns to read, all when absent; must include `id` and the sortable columns. */
  select?: Readonly<Record<string, true>>;
  /** Reads up to this many records from the beginning, ignoring the pagination of the query. */
  wholeMax?: number;
}

/** Lists a model for the current operation. */
export type List = <Row extends { id: number }>(options: ListOptions<Row>) => Promise<PageResult<Row>>;

/** A model of the tenant's database. */
export interface Listable<Row> {
  findPage(args: PageArgs): Promise<FoundPage<Row>>;
  countPage(args: PageArgs): Promise<number | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: each Prisma model has its own argument types; the caller's `where` is checked there.
  count(args: any): PromiseLike<number>;
}

interface ListQuery {
  page: number;
  limit: number;
  cursor?: string | undefined;
  sort: string;
  search?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

// `page` reads and skips all rows before it; beyond this depth clients must use the cursor (D20).
const depthMax = 100_000;

/**
 * Reads one page: by number, or after a cursor, which stays correct while rows are added and deleted. Totals are exact
 * up to 10,000, and concurrent requests share their counts (shared-counts.ts); larger totals are estimates (estimated-totals.ts). A page can end early when its filter and order together would
 * take too long; its cursor then continues after the last row that was read.
 * @param options.name identifies the list inside cursors, so that a cursor of another list is rejected
 * @param options.narrow the condition the database adds for a caller narrowed to own records: totals are counted
 * separately
 * @throws ApiError 400 for a cursor that was changed or belongs to another list, 422 for a page that is too deep
 */
export async function listPage<Row extends { id: number }>(
  options: ListOptions<Row> & {
    name: string;
    query: ListQuery;
    caller: { tenantId?: number; environment: Environment };
    narrow?: Ownership | undefined;
    cursors: Cursors;
    totals: Totals;
  },
): Promise<PageResult<Row>> {
  const { name, model, caller, cursors, totals, wholeMax, searchIn = [], select } = options;
  const query =
    wholeMax === undefined ? options.query : { ...options.query, page: 1, limit: wholeMax, cursor: undefined };
  const { page, limit, sort } = query;
  const search = options.search ?? query.search;
  const isDescending = sort.startsWith('-');
  const field = options.sortColumn ?? (isDescending ? sort.slice(1) : sort);
  const scope = `${name}/${caller.tenantId}/${caller.environment}`;
  const context = `${scope}/${sort}`;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, context, cursors);
  const skip = after ? 0 : (page - 1) * limit;
  if (skip >= depthMax)
    throw failField(
      'page',
      `Pages are limited to the first ${depthMax} records; use cursor with pagination.nextCursor to read further`,
    );

  const where = conditionOf(options, query);
  const ids = idsOf(scope, field, [where, search, options.narrow]);
  const beyondOf = options.nullable?.includes(field) ? rowsAfterWithNulls : rowsAfter;
  const startedAt = performance.now();
  const args: PageArgs = {
    where,
    sort: field,
    isDescending,
    skip,
    take: limit + 1,
    ...(after && { after: beyondOf(field, isDescending, after) }),
    ...(select && { select }),
    ...(search && { search: { text: search, columns: searchIn } }),
  };
  const found = await pageOf(model, args, ids, totals);
  const items = found.rows.slice(0, limit);
  const total = await totalOf(found, {
    ids,
    totals,
    seen: found.rows.length ? skip + found.rows.length : 0,
    waitMs: performance.now() - startedAt,
    count: () => model.count({ where: search ? { AND: [where, containing(search, searchIn)] } : where }),
  });
  return {
    items,
    ...total,
    page,
    limit,
    // A cursor always points after a record.
    hasPrev: after !== undefined || page > 1,
    nextCursor: nextCursor(found, { limit, field, write: (position) => cursors.write(position, context) }),
  };
}

/** Which records of a model a list has, without the text to search for. */
export type ListFilter = Pick<ListOptions<unknown>, 'where' | 'and' | 'searchIn'>;

function conditionOf({ where, and = [] }: ListFilter, query: Pick<ListQuery, 'createdFrom' | 'createdTo'>) {
  return { ...where, AND: [...and.filter(hasFields), ...createdBetween(query)] };
}

/**
 * The ids of the records that a list has for a query, in order, whatever its page.
 * @param max further ids are not read; one more is returned to tell that there are more
 */
export function listedIds(
  model: { findIds(args: IdsArgs): Promise<number[]> },
  filter: ListFilter,
  { query, max }: { query: Pick<ListQuery, 'search' | 'createdFrom' | 'createdTo'>; max: number },
): Promise<number[]> {
  const { search } = query;
  const { searchIn: columns = [] } = filter;
  const where = conditionOf(filter, query);
  return model.findIds({ where, take: max + 1, ...(search && { search: { text: search, columns } }) });
}

/**
 * Reads the records that a list has for a query in the order of ids, whatever its page. The work is bounded: a page can end
 * early, or be empty, when few records match.
 * @returns the id after which the next page begins; null after the last record
 */
export async function recordsById<Row extends { id: number }>(
  { model, searchIn = [], ...options }: ListOptions<Row>,
  { query, after, limit }: { query: Partial<ListQuery>; after: number; limit: number },
): Promise<{ rows: Row[]; next: number | null }> {
  const search = options.search ?? query.search;
  const { rows, resumeAt } = await model.findPage({
    where: conditionOf({ ...options, and: [...(options.and ?? []), { id: { gt: after } }] }, query),
    sort: 'id',
    isDescending: false,
    skip: 0,
    take: limit,
    // Nobody asks for the total.
    isKnownLarge: true,
    ...(search && { search: { text: search, columns: searchIn } }),
  });
  const last = rows.length === limit ? rows.at(-1)?.id : resumeAt?.id;
  return { rows, next: last ?? null };
}

/** The keys under which requests for the same list share its total. */
interface ListIds {
  /** Its scope, sort column and filter. */
  exact: string;
  /** The same with times in minutes, so that filters by the current time share what is an estimate anyway. */
  rough: string;
  /** Without the sort column, on which it depends whether a filter can be counted, but not its total. */
  unsorted: string;
}

/** Reads a page with its total, or beside a count that other requests for the same list share. */
async function pageOf<Row>(
  model: Listable<Row>,
  args: PageArgs,
  ids: ListIds,
  { estimated, shared }: Totals,
): Promise<FoundPage<Row>> {
  const isKnownLarge = estimated.isLarge(ids.rough);
  if (isKnownLarge) return model.findPage({ ...args, isKnownLarge });
  const counting = shared.join(ids.exact, async () => ({ total: await model.countPage(args) }));
  if (!counting) return shared.reading(ids.exact, model.findPage(args));
  const [page, counted] = await Promise.all([model.findPage({ ...args, isUncounted: true }), counting]);
  // The read limit ended the page: another plan may find more records.
  const isCut = page.isLarge && page.rows.length < args.take;
  if (counted && !isCut) return { ...page, total: counted.total, isLarge: counted.total === undefined };
  return model.findPage(args);
}

async function totalOf(
  found: FoundPage<unknown>,
  about: { ids: ListIds; totals: Totals; seen: number; waitMs: number; count: () => PromiseLike<number> },
): Promise<{ total: number; isTotalEstimate?: boolean }> {
  const { ids, totals, seen, waitMs, count } = about;
  if (found.isLarge) totals.estimated.noteLarge(ids.rough);
  // A record may have been created between the count and the page.
  if (found.total !== undefined) return { total: Math.max(found.total, seen) };
  const estimate = await totals.estimated.estimate(ids.unsorted, count, waitMs);
  return { total: Math.max(estimate ?? exactMax, seen), isTotalEstimate: true };
}

function nextCursor<Row extends { id: number }>(
  { rows, resumeAt }: FoundPage<Row>,
  { limit, field, write }: { limit: number; field: string; write: (position: Position) => string },
): string | null {
  const last = rows[limit - 1];
  if (rows.length > limit && last) return write([plain(last[field as keyof Row]), last.id]);
  return resumeAt ? write([plain(resumeAt.value), resumeAt.id]) : null;
}

/** Whether a condition has fields. A rule that does not apply to the caller is an empty condition. */
function hasFields(condition: Record<string, unknown>): boolean {
  return Object.keys(condition).length > 0;
}

function createdBetween({
  createdFrom,
  createdTo,
}: Pick<ListQuery, 'createdFrom' | 'createdTo'>): Record<string, unknown>[] {
  return [
    ...(createdFrom ? [{ createdAt: { gte: createdFrom } }] : []),
    ...(createdTo ? [{ createdAt: { lte: createdTo } }] : []),
  ];
}
/** Conditions for the rows after (value, id): those with the same value and a later id, then all later values. */
function rowsAfter(field: string, isDescending: boolean, [value, id]: Position): Record<string, unknown>[] {
  const past = isDescending ? 'lt' : 'gt';
  if (field === 'id') return [{ id: { [past]: id } }];
  return [{ [field]: value, id: { [past]: id } }, { [field]: { [past]: value } }];
}

/** The same for a nullable column: PostgreSQL sorts null as the largest value. */
function rowsAfterWithNulls(field: string, isDescending: boolean, position: Position): Record<string, unknown>[] {
  const [value, id] = position;
  const alike = { [field]: value, id: { [isDescending ? 'lt' : 'gt']: id } };
  if (value === null) return isDescending ? [alike, { [field]: { not: null } }] : [alike];
  return isDescending
    ? rowsAfter(field, isDescending, position)
    : [...rowsAfter(field, isDescending, position), { [field]: null }];
}

function idsOf(scope: string, sort: string, filter: unknown[]): ListIds {
  const unsorted = `${scope} ${inMinutes(filter)}`;
  return { exact: `${scope} ${sort} ${JSON.stringify(filter)}`, rough: `${unsorted} ${sort}`, unsorted };
}

function inMinutes(filter: unknown): string {
  // JSON.stringify has already converted dates to text in `value`, but not in `this`.
  return JSON.stringify(filter, function (this: Record<string, unknown>, name, value) {
    return this[name] instanceof Date ? (value as string).slice(0, 16) : value;
  });
}

function plain(value: unknown): unknown {
  return value instanceof Date ? { at: value.toISOString() } : value;
}

function readCursor(cursor: string, context: string, cursors: Cursors): Position {
  const position = cursors.read(cursor, context);
  if (!position)
    throw fail('bad_cursor', [{ field: 'cursor', message: 'Must be pagination.nextCursor of the same list' }]);
  const [value, id] = position;
  return [typeof value === 'object' && value !== null ? new Date((value as { at: string }).at) : value, id];
}
