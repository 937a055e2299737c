import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { createIdCodec } from '@tandem/ids';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';
import { seededWords, seedSearch } from './search-seed.ts';
import { measureSearchWrites } from './search-writes.ts';

interface SearchCase {
  id: string;
  what: string;
  query: Record<string, string>;
  path?: 'leads' | 'autocomplete' | 'all';
  permissions?: string[];
}

const tenantId = 1;
const otherTenants = 1_000;
const [users, teams] = [200, 20];
const goalMs = 100;
const warmRequests = 5;
const requests = 40;

const { rare, everywhere } = seededWords;
const narrowedToOwn = ['search:read', 'leads:read:own'];
const narrowedToTeam = ['search:read', 'leads:read:team'];

// Words of search-seed.ts: `bababa` is the most common first name, `bagaba` and `bakaba` are common ones that are last names
// too, `ba` is the beginning of many words.
const cases: SearchCase[] = [
  { id: 'rare', what: 'a rare word', query: { q: rare } },
  { id: 'everywhere', what: 'a word that every lead has', query: { q: everywhere } },
  { id: 'rare-common', what: 'a rare word and one that every lead has', query: { q: `${rare} ${everywhere}` } },
  { id: 'common-common', what: 'two words that every lead has', query: { q: `gmbh ${everywhere}` } },
  { id: 'names', what: 'a common first name and a last name', query: { q: 'bababa bakaba' } },
  { id: 'name-prefixes', what: 'prefixes of a first and a last name', query: { q: 'bab bak' } },
  { id: 'prefix', what: 'a prefix of two letters', query: { q: 'ba' } },
  { id: 'typo', what: 'a typo in a rare word', query: { q: `${rare.slice(0, -1)}k` } },
  { id: 'typo-common', what: 'a typo in a common word', query: { q: 'exampel' } },
  { id: 'status', what: 'a status and a word that every lead has', query: { q: everywhere, status: 'qualified' } },
  { id: 'status-name', what: 'a status and a common first name', query: { q: 'bababa', status: 'qualified' } },
  { id: 'assignee', what: 'an assignee and a word that every lead has', query: { q: everywhere, assignedTo: '5' } },
  { id: 'score', what: 'a minimum score and a word that every lead has', query: { q: everywhere, minScore: '90' } },
  { id: 'score-high', what: 'a score of one lead in 100 and a common word', query: { q: everywhere, minScore: '99' } },
  {
    id: 'score-status',
    what: 'a score of one lead in 10, a status and a common first name',
    query: { q: 'bababa', minScore: '90', status: 'qualified' },
  },
  {
    id: 'filters',
    what: 'three filters and a word that every lead has',
    query: { q: everywhere, status: 'qualified', source: 'web', assignedTo: '5' },
  },
  { id: 'own', what: 'own leads with a common word', query: { q: everywhere }, permissions: narrowedToOwn },
  { id: 'own-name', what: 'own leads with a common first name', query: { q: 'bababa' }, permissions: narrowedToOwn },
  {
    id: 'team',
    what: 'team leads with a common word',
    query: { q: everywhere },
    permissions: narrowedToTeam,
  },
  {
    id: 'team-name',
    what: 'team leads with a common first name',
    query: { q: 'bababa' },
    permissions: narrowedToTeam,
  },
  { id: 'own-rare', what: 'own leads with a rare word', query: { q: rare }, permissions: narrowedToOwn },
  { id: 'deep', what: 'page 100 of a common word', query: { q: everywhere, page: '100', limit: '100' } },
  {
    id: 'deep-status',
    what: 'page 100 of a status and a common word',
    query: { q: everywhere, status: 'qualified', page: '100', limit: '100' },
  },
  {
    id: 'keyword',
    what: 'a common first name and a last name, by words only',
    query: { q: 'bababa bakaba', mode: 'keyword' },
  },
  {
    id: 'semantic',
    what: 'a common first name and a last name, by similarity',
    query: { q: 'bababa bakaba', mode: 'semantic' },
  },
  {
    id: 'facets',
    what: 'three facets of a common first name',
    query: { q: 'bababa', facets: 'status,source,assignedTo' },
  },
  {
    id: 'everything',
    what: 'a filter, facets and own leads with a common word',
    query: { q: everywhere, status: 'qualified', facets: 'status,source' },
    permissions: narrowedToOwn,
  },
  {
    id: 'team-facets',
    what: 'a filter, facets and team leads with a common word',
    query: { q: everywhere, status: 'qualified', facets: 'status,source' },
    permissions: narrowedToTeam,
  },
  { id: 'sort-name', what: 'own leads by name', query: { q: everywhere, sort: 'name' }, permissions: narrowedToOwn },
  { id: 'sort-created', what: 'the newest leads with a common word', query: { q: everywhere, sort: '-createdAt' } },
  {
    id: 'sort-score',
    what: 'a status by score with a common word',
    query: { q: everywhere, status: 'qualified', sort: '-score' },
  },
  { id: 'all', what: 'all types for a common first name', query: { q: 'bababa' }, path: 'all' },
  { id: 'none', what: 'a word that no lead has', query: { q: 'xyzzyq' } },
  { id: 'none-common', what: 'a word that no lead has and a common one', query: { q: `xyzzyq ${everywhere}` } },
  { id: 'suggest', what: 'suggestions for a prefix of two letters', query: { q: 'ba' }, path: 'autocomplete' },
  {
    id: 'suggest-own',
    what: 'suggestions among own leads',
    query: { q: 'ba' },
    path: 'autocomplete',
    permissions: narrowedToOwn,
  },
];

/**
 * Measures searches among many leads of one tenant, with 1,000 other tenants beside it: one request after the other, sent to
 * the search service as the gateway sends it.
 */
export async function measureSearchSize(
  place: Place,
  documents = Number(process.env['SEARCH_DOCUMENTS'] ?? 3_000_000),
): Promise<Row[]> {
  const settings = place.environment['search'] as Record<string, string>;
  const ids = createIdCodec(settings['IDS_ALPHABET'] as string);
  const many = (count: number, type: 'user' | 'team') =>
    Array.from({ length: count }, (_, n) => ids.encode(type, tenantId, n + 1));
  const began = performance.now();
  const seed = { tenantId, documents, otherTenants, users: many(users, 'user'), teams: many(teams, 'team') };
  await seedSearch(place.databaseUrl('search'), seed, (step) =>
    place.log(`seeding the search: ${step} (${formatNumber((performance.now() - began) / 1_000)} s)`),
  );
  await place.startMember('search');
  const searches = await measureSearches(settings, place.log, documents);
  return [...searches, ...(await measureSearchWrites(settings, place.log, { tenantId, documents }))];
}

/** Measures each case at a search service that runs with these settings. */
export async function measureSearches(
  settings: Record<string, string>,
  log: (line: string) => void,
  documents: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of cases) {
    sampleReference();
    const row = await measureCase(settings, one, documents);
    log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  }
  return rows;
}

async function measureCase(settings: Record<string, string>, one: SearchCase, documents: number): Promise<Row> {
  const send = sender(settings, one);
  for (let n = 0; n < warmRequests; n++) await send();
  const times: number[] = [];
  let total = '';
  for (let n = 0; n < requests; n++) {
    const began = performance.now();
    total = await send();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((part) => times[Math.floor(times.length * part)] as number) as [number, number];
  return {
    id: `search-${one.id}`,
    what: `Search in ${formatNumber(documents)} leads: ${one.what}`,
    goal: `p95 ≤ ${goalMs} ms`,
    reached: `${formatNumber(p95)} ms`,
    detail: `p50 ${formatNumber(p50)} ms, ${total}`,
    isReached: p95 <= goalMs,
  };
}

/** Sends one request; resolves to how many documents were found. */
function sender(settings: Record<string, string>, { query, path = 'leads', permissions = ['*'] }: SearchCase) {
  const signer = createCallerSigner(settings['INTERNAL_SECRETS'] as string);
  const caller: Caller = {
    type: 'user',
    tenantId,
    environment: 'live',
    userId: 5,
    teamIds: [3, 4],
    permissions,
    requestId: 'bench',
  };
  const target = path === 'all' ? '/v1/search' : `/v1/search/${path}`;
  const url = `http://127.0.0.1:${settings['PORT']}${target}?${new URLSearchParams(query)}`;
  return async (): Promise<string> => {
    const headers = { [callerHeader]: signer.sign(caller, 'GET', target), 'x-request-id': caller.requestId };
    const reply = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    const { data, pagination } = (await reply.json()) as Answer;
    if (reply.status !== 200) throw new Error(`${url} returned ${reply.status}`);
    if (!pagination) return `${data.length} suggested`;
    return `${formatNumber(pagination.total)}${pagination.totalIsEstimate ? ' or more' : ''} found`;
  };
}

interface Answer {
  data: unknown[];
  pagination?: { total: number; totalIsEstimate?: boolean };
}
