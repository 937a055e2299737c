import type { Caller } from '@tandem/caller';
import {
  type FieldError,
  type Operation,
  pageItem,
  parentFilters,
  recordFilters,
  type recordPages,
  unknownId,
} from '@tandem/contract';
import { inTurns } from '@tandem/process';
import { z } from 'zod';
import type { AnyContext, AnyHandler } from './any-handler.ts';
import { ApiError, fail, failField } from './api-error.ts';
import type { Handler } from './handler.ts';
import { type List, recordsById } from './list.ts';
import { readFields } from './read-fields.ts';

/** A list whose records can be exported: its row, and the handler of that row, which reads them by `list`. */
export interface ExportedList {
  row: Operation;
  // biome-ignore lint/suspicious/noExplicitAny: a handler fits the row that it was written for.
  handler: Handler<any, any, any>;
}

type Body = z.output<typeof recordPages.readRecordPage.body>;
type Page = z.output<typeof recordPages.readRecordPage.reply>;
type Request = Omit<Body, 'list'>;

// A page that becomes larger ends early. One record can be this large at most, because bodies of requests are limited.
const pageBytesMax = 2_000_000;

/**
 * Reads a page of records of a list in the order of ids. It runs the handler of the list, so that an export has the records
 * that the list shows, as it shows them.
 * @param inside.caller whose `me` the filters mean
 */
export async function readRecordPage(
  { row, handler }: ExportedList,
  { filters, after, limit }: Request,
  inside: { tx: unknown; caller: Caller },
): Promise<Page> {
  const { params, query, errors } = inputOf(row, filters);
  if (errors.length) return { records: [], next: null, errors };
  let position: number | null = null;
  let ids: number[] = [];
  const list: List = async (options) => {
    const { rows, next } = await recordsById(options, { query, after, limit });
    position = next;
    ids = rows.map(({ id }) => id);
    return { items: rows, total: rows.length, page: 1, limit, hasPrev: after > 0, nextCursor: null };
  };
  try {
    const items = await runList(handler, { ...inside, params, query, list });
    if (items.length !== ids.length) throw new Error(`${row.id} does not return each of the records that it reads`);
    const records = fitting(await inTurns(items, (item) => asWire(row, item)));
    return { records, next: records.length < items.length ? (ids[records.length - 1] as number) : position };
  } catch (error) {
    const rejected = rejectedFilters(error, row);
    if (!rejected) throw error;
    return { records: [], next: null, errors: rejected };
  }
}

/**
 * The handler of `recordPages`.
 * @param lists by operation id
 */
export function recordPagesHandler(lists: readonly ExportedList[]) {
  const byId = new Map(lists.map((list) => [list.row.id, list]));
  return {
    // In `check`, because the handler of a list is not written for a transaction.
    async check({ body, caller, tx }: { body: Body; caller: Caller; tx: unknown }): Promise<Page> {
      const list = byId.get(body.list);
      if (!list || caller.tenantId === undefined) throw fail('not_found');
      if (caller.narrow && !list.row.narrows) throw fail('forbidden');
      return readRecordPage(list, body, { tx, caller: { ...caller, permissions: [permissionFor(list.row, caller)] } });
    },
    run: ({ found }: { found: Page }) => found,
  };
}

/**
 * The permission of the list, as far as the service that asks has found it to reach for its user: some handlers read it, because
 * own records are not those of a column.
 */
function permissionFor({ permission }: Operation, { narrow }: Caller): string {
  if (!narrow) return permission as string;
  return `${permission}:${narrow.teamIds?.length ? 'team' : 'own'}`;
}

/** The path parameters and the query of a list, from the filters of an export. */
function inputOf(row: Operation, filters: Record<string, unknown>) {
  const errors: FieldError[] = [];
  const { shape } = row.query as z.ZodObject;
  const schema = z.object({ filters: recordFilters(row) });
  const found = readFields(schema, { filters }, errors);
  const paging = Object.entries(shape).filter(([name]) => ['page', 'limit', 'sort'].includes(name));
  const defaults = z.object(Object.fromEntries(paging) as z.ZodRawShape).parse({});
  const given: Record<string, unknown> = { ...found?.filters };
  const params = parentFilters(row.params).map(({ name, filter }) => {
    const value = given[filter];
    delete given[filter];
    return [name, value];
  });
  return { params: Object.fromEntries(params), query: { ...defaults, ...given }, errors };
}

/** Runs the handler of a list with a `list` that reads in another order. */
async function runList(
  handler: ExportedList['handler'],
  inside: { tx: unknown; caller: Caller; params: object; query: object; list: List },
): Promise<unknown[]> {
  const { check, run } = (typeof handler === 'function' ? { run: handler } : handler) as AnyHandler;
  const context = {
    ...inside,
    body: undefined,
    isHead: false,
    // A file must not lack records without anybody noticing.
    missing: (field: string, message: string): never => {
      throw failField(field, message);
    },
  } as unknown as AnyContext;
  const found = check && (await check(context));
  const { items } = (await run({ ...context, found })) as { items: unknown[] };
  return items;
}

function asWire({ reply }: Operation, item: unknown): Sized {
  const record = z.encode(pageItem(reply) as z.ZodType, item) as Record<string, unknown>;
  return { record, bytes: JSON.stringify(record).length };
}

interface Sized {
  record: Record<string, unknown>;
  bytes: number;
}

/** The first records up to the size of a page, at least one. */
function fitting(items: Sized[]): Page['records'] {
  let sum = 0;
  const end = items.findIndex(({ bytes }, index) => {
    sum += bytes;
    return index > 0 && sum > pageBytesMax;
  });
  return (end < 0 ? items : items.slice(0, end)).map(({ record }) => record);
}

/** The errors of a handler that rejects a filter, named as the body of an export names it. */
function rejectedFilters(error: unknown, { params }: Operation): FieldError[] | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const [parent] = parentFilters(params);
  if (error.code === 'not_found' && parent)
    return [{ field: `filters.${parent.filter}`, message: unknownId(parent.type) }];
  if (error.code !== 'validation_failed') return undefined;
  return error.errors.map(({ field, message }) => ({ field: `filters.${field.replace(/^filter\./, '')}`, message }));
}
