import { fleet } from '@tandem/gateway/contracts';
import { filtersOf, sortsOf } from '@tandem/testing';
import { formatNumber } from '../numbers.ts';
import { size, users } from './data.ts';

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

/** A list, and what to send besides its declared sorts. */
interface MeasuredList {
  row: Operation;
  name: string;
  /** The number of records. */
  count: number;
  /** The order of a deep page besides the default one. */
  deepSort: string;
  /** Further pages. */
  pages?: [what: string, query: string][];
  /** Values that records have, for every declared filter. */
  filters: Record<string, string | string[]>;
  /** Further queries, such as several filters at once. */
  queries: string[];
  searches: [what: string, text: string][];
}

const pageGoal = 30;
const listGoal = 50;
const searchGoal = 100;

const pageSize = 20;
// The deepest page by number.
const pageMax = 5_000;
const dayMs = 86_400_000;
const user = Math.ceil(users / 2);

type Operation = Parameters<typeof sortsOf>[0];
type Encode = (type: 'user' | 'team' | 'lead' | 'status_definition', id: number) => string;

/**
 * The list requests to measure. Sorts and filters come from the contract: a new sort is measured without further work,
 * and a new filter needs a value.
 * @param options.code encodes an id
 * @param options.cursor fetches a page and returns its `nextCursor`
 */
export async function listCases(options: { code: Encode; cursor: (path: string) => Promise<string> }): Promise<Case[]> {
  const lists = [leads(options.code), opportunities(options.code)];
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

async function casesOf(list: MeasuredList, cursor: (path: string) => Promise<string>): Promise<Case[]> {
  const { row, name, count, deepSort, pages: furtherPages = [], queries, searches } = list;
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
  const sorts = sortsOf(row).map((sort) => `sort=${sort}`);
  const filters = filtersOf(row).flatMap((filter) => queriesOf(list, filter));
  const one = (what: string, goalMs: number, query: string, hasRecords = true): Case => ({
    what: `${name}: ${what}`,
    goalMs,
    path: path(query),
    hasRecords,
  });
  return [
    ...pages.map(([what, query]) => one(what, pageGoal, query)),
    ...[...sorts, ...filters].map((query) => one(shown(query), listGoal, query)),
    ...queries.map((query) => one(shown(query), listGoal, query, false)),
    ...searches.map(([what, text]) =>
      one(`search for ${what}`, searchGoal, `search=${encodeURIComponent(text)}`, false),
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

function leads(code: Encode): MeasuredList {
  const assignee = code('user', user);
  // Ids of other systems have multiples of three.
  const external = 3 * Math.floor(size.leads * 0.3);
  return {
    row: fleet.crm.listLeads,
    name: 'leads',
    count: size.leads,
    deepSort: '-score',
    pages: [['page 500 of a status', 'page=500&status=qualified']],
    filters: {
      status: ['unqualified', 'qualified'],
      source: ['referral', 'web'],
      assignedTo: assignee,
      teamId: code('team', 7),
      scoreMin: '100',
      scoreMax: '1',
      tag: ['vip', 'tag7'],
      converted: ['true', 'false'],
      deleted: ['true', 'false'],
      customFields: [`[account]=A-${external}`, '[color]=red'],
      createdFrom: ['2020-01-01T00:00:00Z', daysAgo(1)],
      createdTo: daysAgo(size.leads / 10_000),
    },
    queries: [
      'scoreMin=20&scoreMax=60',
      'tag=none',
      'status=qualified&sort=-score',
      `assignedTo=${assignee}&sort=score`,
      'tag=vip&sort=lastName',
      'status=new&source=referral&tag=tag7',
      'scoreMax=1&sort=-score',
    ],
    searches: [
      ['one lead', `EXT-${external}`],
      ['a rare name', 'jorandez'],
      ['a name that no lead has', 'no such lead'],
      ['a common name', 'moran'],
      ['a word that every lead has', 'example'],
      ['two letters', 'zz'],
    ],
  };
}

function opportunities(code: Encode): MeasuredList {
  return {
    row: fleet.crm.listOpportunities,
    name: 'opportunities',
    count: size.opportunities,
    deepSort: '-value',
    filters: {
      stage: 'prospecting',
      stageId: code('status_definition', 1),
      status: 'won',
      ownerId: code('user', user),
      teamId: code('team', 7),
      leadId: code('lead', 10_000_002),
      currency: 'EUR',
      valueMin: String(Math.floor(size.opportunities * 0.995)),
      valueMax: '1000',
      closeFrom: daysAgo(-360),
      closeTo: daysAgo(-5),
      createdFrom: ['2020-01-01T00:00:00Z', daysAgo(1)],
      createdTo: daysAgo(size.opportunities / 1_000),
    },
    queries: ['sort=-value&status=won', `ownerId=${code('user', user)}&sort=expectedCloseAt`],
    searches: [['one', 'c4ca4238a0b9']],
  };
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString();
}
