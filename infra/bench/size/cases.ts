import { filtersOf, sortsOf } from '@tandem/testing';
import { formatNumber } from '../numbers.ts';
import { firstId } from './data.ts';
import { type Encode, type MeasuredList, measuredLists, type Options, user } from './lists.ts';

/** A request to repeat, and its time limit. */
export interface Case {
  what: string;
  goalMs: number;
  path: string;
  /** Whether to use the key of a caller who may read only their own records. */
  isNarrowed?: boolean;
  /** Whether the data has records for it. */
  hasRecords?: boolean;
}

/** Requests beside the lists: sums, timelines and a saved view. */
export function otherCases(code: Encode, viewId: string): Case[] {
  const one = (what: string, goalMs: number, path: string): Case => ({ what, goalMs, path });
  return [
    { ...one('leads of a saved view', listGoal, `/v1/leads?view=${viewId}`), hasRecords: true },
    one('summary of opportunities', sumGoal, '/v1/opportunities/summary'),
    one('summary of an owner', sumGoal, `/v1/opportunities/summary?ownerId=${code('user', user)}`),
    one('forecast by month', sumGoal, '/v1/opportunities/forecast'),
    one('forecast by quarter and owner', sumGoal, '/v1/opportunities/forecast?period=quarter&groupBy=owner'),
    one('timeline of a lead with thousands of entries', listGoal, `/v1/leads/${code('lead', firstId + 2)}/timeline`),
    one('timeline of a lead', listGoal, `/v1/leads/${code('lead', firstId + 5)}/timeline`),
    one(
      'timeline of an account with thousands of entries',
      listGoal,
      `/v1/accounts/${code('account', firstId + 1)}/timeline`,
    ),
    one(
      'calls in the timeline of an account',
      listGoal,
      `/v1/accounts/${code('account', firstId + 1)}/timeline?types=call`,
    ),
  ];
}

const sumGoal = 200;
const goals = { page: 30, list: 50, search: 100 };
const { list: listGoal, search: searchGoal } = goals;

/** The sortable custom field of leads, opportunities and accounts. */
const customSort = 'customFields.seats';
const pageSize = 20;
// The deepest page by number.
const pageMax = 5_000;

/**
 * The list requests to measure. Sorts and filters come from the contract: a new sort is measured without further work,
 * and a new filter needs a value.
 */
export async function listCases(options: Options): Promise<Case[]> {
  const lists = measuredLists(options);
  const cases = await Promise.all(lists.map((list) => casesOf(list, options.cursor)));
  const narrowed = (what: string, goalMs: number, path: string): Case => ({
    what,
    goalMs,
    path,
    isNarrowed: true,
    hasRecords: true,
  });
  return [
    ...cases.flat(),
    narrowed('leads of a caller narrowed to own records', listGoal, '/v1/leads'),
    narrowed('leads of a narrowed caller: search', searchGoal, '/v1/leads?search=moran'),
  ];
}

/** The requests to measure for one list. */
export async function casesOf(list: MeasuredList, cursor: (path: string) => Promise<string>): Promise<Case[]> {
  const { row, name, count, deepSort, pages: furtherPages = [], queries, searches, goalMs = goals } = list;
  const path = (query: string) => `${row.path}${query && `?${query}`}`;
  const deep = Math.min(pageMax, Math.floor(count / pageSize / 2));
  const half = Math.floor(deep / 2);
  const deepPages: [string, string][] = [
    [`page ${formatNumber(deep)}`, `page=${deep}`],
    [`page ${formatNumber(half)} by ${deepSort}`, `page=${half}&sort=${deepSort}`],
  ];
  const after = deepPages.map(async ([what, query]): Promise<[string, string]> => {
    return [`after ${what}, by cursor`, `${query}&cursor=${await cursor(path(query))}`];
  });
  const pages = [['first page', ''] as [string, string], ...deepPages, ...furtherPages, ...(await Promise.all(after))];
  const custom = row.query?.shape['sort']?.safeParse(customSort).success ? [customSort, `-${customSort}`] : [];
  const sorts = [...sortsOf(row), ...custom].map((sort) => `sort=${sort}`);
  const isEmpty = (filter: string) => list.withoutRecords?.includes(filter) || filter === 'mine';
  const filters = filtersOf(row).filter((filter) => !isEmpty(filter));
  const found = filters.flatMap((filter) => queriesOf(list, filter));
  const empty = filtersOf(row)
    .filter(isEmpty)
    .flatMap((filter) => queriesOf(list, filter));
  const one = (what: string, goalMs: number, query: string, hasRecords = true): Case => ({
    what: `${name}: ${what}`,
    goalMs,
    path: path(query),
    hasRecords,
  });
  return [
    ...pages.map(([what, query]) => one(what, goalMs.page, query)),
    ...[...sorts, ...found].map((query) => one(shown(query), goalMs.list, query)),
    ...[...empty, ...queries].map((query) => one(shown(query), goalMs.list, query, false)),
    ...searches.map(([what, text]) =>
      one(`search for ${what}`, goalMs.search, `search=${encodeURIComponent(text)}`, false),
    ),
  ];
}

function queriesOf({ row, filters }: MeasuredList, filter: string): string[] {
  if (filter === 'search') return [];
  const values = filters[filter];
  if (values === undefined)
    throw new Error(`infra/bench/size/cases.ts has no value for the filter ${filter} of ${row.id}`);
  return [values].flat().map((value) => (value.startsWith('[') ? `${filter}${value}` : `${filter}=${value}`));
}

/** The query as the table shows it: without ids, and times as dates. */
function shown(query: string): string {
  return query
    .replace(/Id=[\w-]+|(?<=assignedTo)=[\w-]+/g, (text) => `${text.split('=')[0]}=…`)
    .replace(/T[\d:.]+Z/g, '');
}
