import type { Environment } from '@tandem/caller';
import type { Ownership } from '@tandem/tenant-db';
import { fail, failField } from './api-error.ts';
import type { Cursors, Position } from './cursors.ts';

/** One page of a list as a handler returns it. */
export interface PageResult<Item> {
  items: Item[];
  total: number;
  /** Whether `total` is not exact. */
  totalIsEstimate?: boolean;
  page: number;
  limit: number;
  /** Whether records stand before this page. */
  hasPrev: boolean;
  /** Whether records follow; of a list with a cursor its cursor says so. */
  hasNext?: boolean;
  nextCursor: string | null;
}

/**
 * Lists a model for the operation that runs: `where` and `and` narrow it, `searchIn` are the columns that `search` looks
 * into, `nullable` those of the sortable ones that may be empty. `wholeMax` reads so many from the beginning, whichever page
 * the query names.
 */
export type List = <Row extends { id: number }>(options: {
  model: Listable<Row>;
  where?: Record<string, unknown>;
  and?: Record<string, unknown>[];
  searchIn?: readonly string[];
  nullable?: readonly string[];
  wholeMax?: number;
}) => Promise<PageResult<Row>>;

interface ListQuery {
  page: number;
  limit: number;
  cursor?: string | undefined;
  sort: string;
  search?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

export interface Listable<Row> {
  // biome-ignore lint/suspicious/noExplicitAny: each Prisma model has argument types of its own; the caller's `where` is checked there.
  findMany(args: any): PromiseLike<Row[]>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  count(args: any): PromiseLike<number>;
}

// `page` reads and drops all rows before it; beyond this the cursor, which does not, is the way (D20).
const depthMax = 100_000;
const countCacheFrom = 1_000;
const countCacheMs = 2_000;
const countsMax = 1_000;

const counts = new Map<string, { total: number; until: number }>();

/**
 * Reads one page: by number, or after a cursor, which stays right while rows come and go.
 * Totals are counted exactly; one above 1,000 is kept for 2 s per filter.
 * @param options.name names the list inside cursors, so that a cursor of another list is refused
 * @param options.searchIn columns that `search` looks into, anywhere in the text, in any case
 * @param options.nullable sortable columns that may be empty: such rows stand where the largest value would
 * @param options.wholeMax reads so many from the beginning, whichever page the query names
 * @throws 400 for a cursor that was changed or is one of another list, 422 for a page that is too deep
 */
export async function listPage<Row extends { id: number }>(options: {
  name: string;
  model: Listable<Row>;
  query: ListQuery;
  caller: { tenantId?: number; environment: Environment };
  /** What the database adds to every filter for a caller narrowed to own records: totals are counted apart. */
  narrow?: Ownership | undefined;
  where?: Record<string, unknown>;
  and?: Record<string, unknown>[];
  searchIn?: readonly string[];
  nullable?: readonly string[];
  wholeMax?: number;
  cursors: Cursors;
}): Promise<PageResult<Row>> {
  const { name, model, caller, cursors, wholeMax } = options;
  const query =
    wholeMax === undefined ? options.query : { ...options.query, page: 1, limit: wholeMax, cursor: undefined };
  const { page, limit, sort } = query;
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  const context = `${name}/${caller.tenantId}/${caller.environment}/${sort}`;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, context, cursors);
  if (!after && (page - 1) * limit >= depthMax) {
    throw failField('page', `Pages reach ${depthMax} rows deep; go on with cursor, from pagination.nextCursor`);
  }

  const beyondOf = options.nullable?.includes(field) ? beyondWithNulls : beyond;
  const where = { ...options.where, AND: [...(options.and ?? []), ...conditions(query, options.searchIn ?? [])] };
  const order = descending ? 'desc' : 'asc';
  const rows = await model.findMany({
    where: after ? { ...where, AND: [...where.AND, ...beyondOf(field, descending, after)] } : where,
    orderBy: field === 'id' ? { id: order } : [{ [field]: order }, { id: order }],
    take: limit + 1,
    ...(!after && page > 1 && { skip: (page - 1) * limit }),
  });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    total: await total(model, where, `${context} ${JSON.stringify(options.narrow)}`),
    page,
    limit,
    // A cursor always points behind a record.
    hasPrev: after !== undefined || page > 1,
    nextCursor: rows.length > limit && last ? cursors.write([plain(last[field as keyof Row]), last.id], context) : null,
  };
}

function conditions(query: ListQuery, searchIn: readonly string[]): Record<string, unknown>[] {
  const { search, createdFrom, createdTo } = query;
  return [
    ...(createdFrom ? [{ createdAt: { gte: createdFrom } }] : []),
    ...(createdTo ? [{ createdAt: { lte: createdTo } }] : []),
    ...(search
      ? [{ OR: searchIn.map((column) => ({ [column]: { contains: literally(search), mode: 'insensitive' } })) }]
      : []),
  ];
}

/** Prisma hands `contains` to LIKE as it is; here `%`, `_` and the backslash are characters like any other. */
function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** The rows after (value, id). The first condition alone bounds the index scan; the second leaves out what was shown. */
function beyond(field: string, descending: boolean, [value, id]: Position): Record<string, unknown>[] {
  const past = descending ? 'lt' : 'gt';
  if (field === 'id') return [{ id: { [past]: id } }];
  return [{ [field]: { [`${past}e`]: value } }, { OR: [{ [field]: { [past]: value } }, { id: { [past]: id } }] }];
}

/** The same for a column that may be empty: PostgreSQL sorts empty as larger than any value. */
function beyondWithNulls(field: string, descending: boolean, position: Position): Record<string, unknown>[] {
  const [value, id] = position;
  if (value !== null && descending) return beyond(field, descending, position);
  const alike = { [field]: value, id: { [descending ? 'lt' : 'gt']: id } };
  if (value === null) return [descending ? { OR: [alike, { [field]: { not: null } }] } : alike];
  return [{ OR: [{ [field]: { gt: value } }, alike, { [field]: null }] }];
}

async function total<Row>(model: Listable<Row>, where: object, context: string): Promise<number> {
  const key = `${context} ${JSON.stringify(where)}`;
  const known = counts.get(key);
  if (known && known.until > Date.now()) return known.total;
  const counted = await model.count({ where });
  if (counted >= countCacheFrom) {
    if (counts.size >= countsMax) counts.clear();
    counts.set(key, { total: counted, until: Date.now() + countCacheMs });
  }
  return counted;
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
