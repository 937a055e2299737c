import { createIdCodec } from '@tandem/ids';
import { measureImports } from '../imports.ts';
import { formatNumber } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { type Case, listCases, otherCases } from './cases.ts';
import { fillCrm } from './data.ts';
import type { Encode } from './lists.ts';
import { measureWork } from './work.ts';

const members = ['gateway', 'identity', 'crm', 'files'];
const warmRequests = 4;
const requests = 20;
const timeoutMs = 30_000;
// The first request starts the count of a large list; the pause lets it finish before the measured requests.
const pauseMs = 500;

/**
 * Measures lists of a tenant with millions of records, through the gateway, one request at a time: latency, not
 * throughput. To measure more, such as another service's search, fill its database next to `fillCrm` and add its cases.
 */
export async function measureSize(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  const firstUser = ids.decode('user', tenantId, tenant.userId) as number;
  const narrowed = await tenant.owner.createApiKey({
    body: { name: 'own leads', environment: 'live', permissions: ['leads:read:own'] },
  });
  const keys = { all: tenant.live, own: narrowed.data.fullKey as string };
  for (const entityType of ['lead', 'opportunity', 'account'] as const)
    await tenant.api.createCustomField({
      body: { entityType, key: 'seats', label: 'Seats', type: 'number', sortable: true },
    });
  const [scored, plain] = [await place.aTenant(), await place.aTenant()];
  // After the API keys are created, because filling can take longer than the owner's token is valid.
  await fillCrm(place.databaseUrl('crm'), { id: tenantId, firstUser }, place.log);
  // Users are numbered from the owner, whose key is narrowed to own records.
  const code: Encode = (type, id) => ids.encode(type, tenantId, type === 'user' ? firstUser + id : id);
  const cursor = async (path: string) => (await ask(place, path, keys.all)).body.pagination.nextCursor;
  const [deal] = (await ask(place, '/v1/opportunities?status=open&limit=1', keys.all)).body.data;
  const search = 'status=qualified&source=referral&sort=-score';
  const view = await tenant.owner.createView({
    body: { resource: 'leads', name: 'Referrals', search, visibility: 'tenant' },
  });
  const cases = [...(await listCases({ code, cursor, deal })), ...otherCases(code, view.data.id)];
  const rows: Row[] = [];
  for (const one of cases) {
    const row = await measure(place, one, one.isNarrowed ? keys.own : keys.all);
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  }
  const number = ids.decode('tenant', undefined, scored.id) as number;
  const scoredTenant = { ...scored, number, firstUser: ids.decode('user', number, scored.userId) as number };
  const work = await measureWork(place, { large: { key: keys.all }, scored: scoredTenant, plain });
  const imported = await measureImports(place);
  for (const row of [...work, ...imported]) place.log(`${row.what}: ${row.reached} (${row.detail})`);
  return [...rows, ...work, ...imported];
}

async function measure(place: Place, { what, goalMs, path, hasRecords }: Case, key: string): Promise<Row> {
  const first = await ask(place, path, key);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  for (let request = 0; request < warmRequests; request++) await ask(place, path, key);
  const times: number[] = [];
  let last = first;
  for (let request = 0; request < requests; request++) {
    last = await ask(place, path, key);
    times.push(last.ms);
  }
  const sorted = times.sort((a, b) => a - b);
  const p95 = sorted[Math.ceil(requests * 0.95) - 1] as number;
  const { data, pagination } = last.body;
  return {
    id: 'size',
    what: `At size, ${what}`,
    goal: `p95 ≤ ${goalMs} ms`,
    reached: `${formatNumber(p95)} ms`,
    detail: `median ${formatNumber(sorted[Math.floor(requests / 2)] as number)} ms, first ${formatNumber(first.ms)} ms${pagination ? `, ${foundIn(last.body)}` : ''}`,
    isReached: p95 <= goalMs && (!hasRecords || data.length > 0),
  };
}

/** How many records the page has, and how many there are, if the list counts them. */
function foundIn({ data, pagination }: TimedResponse['body']): string {
  const { total, totalIsEstimate } = pagination;
  if (total === undefined || total === null) return `${data.length} records`;
  return `${data.length} of ${formatNumber(total).replace(/\.0+$/, '')}${totalIsEstimate ? ' (estimate)' : ''}`;
}

interface TimedResponse {
  ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bench reads a few fields of many operations.
  body: any;
}

async function ask({ baseUrl }: Place, path: string, key: string): Promise<TimedResponse> {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { 'X-API-Key': key },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body = await response.json();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
  return { ms, body };
}
