import type { Environment } from '@tandem/caller';
import { containing, exactMax, type FoundPage, type Ownership, type PageArgs } from '@tandem/tenant-db';
import { fail, failField } from './api-error.ts';
import type { Cursors, Position } from './cursors.ts';
import { estimateTotal, isLarge, noteLarge } from './totals.ts';

/** One page of a list as a handler returns it. */
export interface PageResult<Item> {
  items: Item[];
  total: number;
  /** Whether the total is an estimate, or up to a minute old. */
  isTotalEstimate?: boolean;
  page: number;
  limit: number;
  /** Whether records stand before this page. */
  hasPrev: boolean;
  /** Whether records follow; of a list with a cursor its cursor says so. */
  hasNext?: boolean;
  nextCursor: string | null;
}

/** What a handler says about its list. */
interface ListOptions<Row> {
  model: Listable<Row>;
  /** Narrows the list; plain conditions on one field each are served by indexes. */
  where?: Record<string, unknown>;
  and?: Record<string, unknown>[];
  /** Columns that `search` looks into, anywhere in the text, in any case. */
  searchIn?: readonly string[];
  /** Sortable columns that may be empty: such rows stand where the largest value would. */
  nullable?: readonly string[];
  /** The columns to read, all when absent; `id` and the sortable ones have to be among them. */
  select?: Readonly<Record<string, true>>;
  /** Reads so many from the beginning, whichever page the query names. */
  wholeMax?: number;
}

/** Lists a model for the operation that runs. */
export type List = <Row extends { id: number }>(options: ListOptions<Row>) => Promise<PageResult<Row>>;

/** A model of the tenant's database. */
export interface Listable<Row> {
  findPage(args: PageArgs): Promise<FoundPage<Row>>;
  // biome-ignore lint/suspicious/noExplicitAny: each Prisma model has argument types of its own; the caller's `where` is checked there.
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

// `page` reads and drops all rows before it; beyond this the cursor, which does not, is the way (D20).
const depthMax = 100_000;

/**
 * Reads one page: by number, or after a cursor, which stays right while rows come and go. Totals are exact up to 10,000;
 * larger ones are estimates (totals.ts). A page can end early when its filter and its order together would take too long;
 * its cursor then goes on behind what was read.
 * @param options.name names the list inside cursors, so that a cursor of another list is refused
 * @param options.narrow what the database adds to every filter for a caller narrowed to own records: totals are counted apart
 * @throws 400 for a cursor that was changed or is one of another list, 422 for a page that is too deep
 */
export async function listPage<Row extends { id: number }>(
  options: ListOptions<Row> & {
    name: string;
    query: ListQuery;
    caller: { tenantId?: number; environment: Environment };
    narrow?: Ownership | undefined;
    cursors: Cursors;
  },
): Promise<PageResult<Row>> {
  const { name, model, caller, cursors, wholeMax, searchIn = [], select } = options;
  const query =
    wholeMax === undefined ? options.query : { ...options.query, page: 1, limit: wholeMax, cursor: undefined };
  const { page, limit, sort, search } = query;
  const isDescending = sort.startsWith('-');
  const field = isDescending ? sort.slice(1) : sort;
  const scope = `${name}/${caller.tenantId}/${caller.environment}`;
  const context = `${scope}/${sort}`;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, context, cursors);
  const skip = after ? 0 : (page - 1) * limit;
  if (skip >= depthMax)
    throw failField('page', `Pages reach ${depthMax} rows deep; go on with cursor, from pagination.nextCursor`);

  const where = { ...options.where, AND: [...(options.and ?? []).filter(hasFields), ...createdBetween(query)] };
  const filter = `${scope} ${withoutSeconds(JSON.stringify([where, search, options.narrow]))}`;
  const beyondOf = options.nullable?.includes(field) ? beyondWithNulls : beyond;
  const startedAt = performance.now();
  const found = await model.findPage({
    where,
    sort: field,
    isDescending,
    skip,
    take: limit + 1,
    isKnownLarge: isLarge(filter),
    ...(after && { after: beyondOf(field, isDescending, after) }),
    ...(select && { select }),
    ...(search && { search: { text: search, columns: searchIn } }),
  });
  const items = found.rows.slice(0, limit);
  if (found.isLarge) noteLarge(filter);
  const total = await totalOf(found, {
    filter,
    seen: skip + found.rows.length,
    waitMs: performance.now() - startedAt,
    count: () => model.count({ where: search ? { AND: [where, containing(search, searchIn)] } : where }),
  });
  return {
    items,
    ...total,
    page,
    limit,
    // A cursor always points behind a record.
    hasPrev: after !== undefined || page > 1,
    nextCursor: nextCursor(found, { limit, field, write: (position) => cursors.write(position, context) }),
  };
}

async function totalOf(
  found: FoundPage<unknown>,
  about: { filter: string; seen: number; waitMs: number; count: () => PromiseLike<number> },
): Promise<{ total: number; isTotalEstimate?: boolean }> {
  if (found.total !== undefined) return { total: found.total };
  const estimate = await estimateTotal(about.filter, about.count, about.waitMs);
  return { total: Math.max(estimate ?? exactMax, about.seen), isTotalEstimate: true };
}

function nextCursor<Row extends { id: number }>(
  { rows, resumeAt }: FoundPage<Row>,
  { limit, field, write }: { limit: number; field: string; write: (position: Position) => string },
): string | null {
  const last = rows[limit - 1];
  if (rows.length > limit && last) return write([plain(last[field as keyof Row]), last.id]);
  return resumeAt ? write([plain(resumeAt.value), resumeAt.id]) : null;
}

/** A rule that does not apply to the caller is an empty condition. */
function hasFields(condition: Record<string, unknown>): boolean {
  return Object.keys(condition).length > 0;
}

function createdBetween({ createdFrom, createdTo }: ListQuery): Record<string, unknown>[] {
  return [
    ...(createdFrom ? [{ createdAt: { gte: createdFrom } }] : []),
    ...(createdTo ? [{ createdAt: { lte: createdTo } }] : []),
  ];
}
/** The rows after (value, id), in ranges: the rest of those with the same value, then all behind them. */
function beyond(field: string, isDescending: boolean, [value, id]: Position): Record<string, unknown>[] {
  const past = isDescending ? 'lt' : 'gt';
  if (field === 'id') return [{ id: { [past]: id } }];
  return [{ [field]: value, id: { [past]: id } }, { [field]: { [past]: value } }];
}

/** The same for a column that may be empty: PostgreSQL sorts empty as larger than any value. */
function beyondWithNulls(field: string, isDescending: boolean, position: Position): Record<string, unknown>[] {
  const [value, id] = position;
  const alike = { [field]: value, id: { [isDescending ? 'lt' : 'gt']: id } };
  if (value === null) return isDescending ? [alike, { [field]: { not: null } }] : [alike];
  return isDescending
    ? beyond(field, isDescending, position)
    : [...beyond(field, isDescending, position), { [field]: null }];
}

/** Filters by the current time are one filter for a minute: their totals are estimates anyway. */
function withoutSeconds(filter: string): string {
  return filter.replace(/(T\d\d:\d\d):\d\d\.\d{3}Z/g, '$1');
}

function plain(value: unknown): unknown {
  return value instanceof Date ? { at: value.toISOString() } : value;
}

function readCursor(cursor: string, context: string, cursors: Cursors): Position {
  const position = cursors.read(cursor, context);
  if (!position) throw fail('bad_cursor', [{ field: 'cursor', message: 'Not a cursor of this list' }]);
  const [value, id] = position;
  return [typeof value === 'object' && value !== null ? new Date((value as { at: string }).at) : value, id];
}
