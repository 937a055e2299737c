import { users } from './data.ts';

/** A request to repeat, and its time limit. */
export interface Case {
  what: string;
  goalMs: number;
  path: string;
  /** Whether to use the key of a caller who may read only their own records. */
  isNarrowed?: boolean;
}

const pageGoal = 30;
const listGoal = 50;
const searchGoal = 100;

const user = Math.ceil(users / 2);

/**
 * The list requests to measure.
 * @param options.code encodes an id
 * @param options.cursor fetches a page and returns its `nextCursor`
 */
export async function listCases(options: {
  code: (type: 'user' | 'team', id: number) => string;
  cursor: (path: string) => Promise<string>;
}): Promise<Case[]> {
  const { code, cursor } = options;
  const leads = (query: string) => `/v1/leads${query && `?${query}`}`;
  const after = async (query: string) => leads(`${query}&cursor=${await cursor(leads(query))}`);
  const pages: [string, string][] = [
    ['first page', ''],
    ['page 5,000', 'page=5000'],
    ['page 2,500 by score', 'page=2500&sort=-score'],
    ['page 500 of a status', 'page=500&status=qualified'],
  ];
  const sorts = ['createdAt', 'updatedAt', '-updatedAt', 'score', '-score', 'email', 'lastName'];
  const filters = [
    'status=unqualified',
    'status=qualified',
    'source=referral',
    'source=web',
    `assignedTo=${code('user', user)}`,
    `teamId=${code('team', 7)}`,
    'scoreMin=100',
    'scoreMin=20&scoreMax=60',
    'tag=vip',
    'tag=tag7',
    'converted=true',
    'deleted=true',
    'customFields[account]=A-1234567',
    'customFields[color]=red',
    'createdFrom=2020-01-01T00:00:00Z',
    'tag=none',
    'status=qualified&sort=-score',
    `assignedTo=${code('user', user)}&sort=score`,
    'tag=vip&sort=lastName',
    'status=new&source=referral&tag=tag7',
    'scoreMax=1&sort=-score',
  ];
  const searches: [string, string][] = [
    ['one lead', 'EXT-2718282'],
    ['a rare name', 'jorandez'],
    ['a name that no lead has', 'no such lead'],
    ['a common name', 'moran'],
    ['a word that every lead has', 'example'],
    ['two letters', 'zz'],
  ];
  const row = (what: string, goalMs: number, path: string): Case => ({ what, goalMs, path });
  return [
    ...pages.map(([what, query]) => row(`leads: ${what}`, pageGoal, leads(query))),
    row('leads: after page 5,000, by cursor', pageGoal, await after('page=5000')),
    row('leads: after page 2,500 by score, by cursor', pageGoal, await after('page=2500&sort=-score')),
    ...sorts.map((sort) => row(`leads: sort=${sort}`, listGoal, leads(`sort=${sort}`))),
    ...filters.map((query) => row(`leads: ${query.replace(/=[\w-]{16,}/g, '=…')}`, listGoal, leads(query))),
    ...searches.map(([what, text]) =>
      row(`leads: search for ${what}`, searchGoal, leads(`search=${encodeURIComponent(text)}`)),
    ),
    { ...row('leads of a caller narrowed to own records', listGoal, leads('')), isNarrowed: true },
    { ...row('leads of a narrowed caller: search', searchGoal, leads('search=moran')), isNarrowed: true },
    row('opportunities: first page', pageGoal, '/v1/opportunities'),
    row('opportunities: sort=-value&status=won', listGoal, '/v1/opportunities?sort=-value&status=won'),
    row('opportunities: search for one', searchGoal, '/v1/opportunities?search=c4ca4238a0b9'),
  ];
}
