import { createIdCodec } from '@tandem/ids';
import { shown } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { type Case, listCases } from './cases.ts';
import { fillCrm } from './data.ts';

const members = ['gateway', 'identity', 'crm'];
const warmRequests = 4;
const requests = 20;
const timeoutMs = 30_000;
// The first request starts the count of a large list, which the others need not share the processor with.
const restMs = 500;

/**
 * Measures lists of a tenant with millions of records, through the gateway, one request at a time: what a request costs, not how
 * many there can be. To measure more, such as another service's search, fill its database beside `fillCrm` and add its cases.
 */
export async function measureSize(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  const narrowed = await tenant.owner.createApiKey({
    body: { name: 'own leads', environment: 'live', permissions: ['leads:read:own'] },
  });
  const keys = { all: tenant.live, own: narrowed.data.fullKey as string };
  // After the keys: filling can take longer than the owner's token is good for.
  await fillCrm(place.databaseUrl('crm'), tenantId, place.log);
  const cases = await listCases({
    code: (type, id) => ids.encode(type, tenantId, id),
    cursor: async (path) => (await ask(place, path, keys.all)).body.pagination.nextCursor,
  });
  const rows: Row[] = [];
  for (const one of cases) {
    const row = await measure(place, one, one.isNarrowed ? keys.own : keys.all);
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  }
  return rows;
}

async function measure(place: Place, { what, goalMs, path }: Case, key: string): Promise<Row> {
  const first = await ask(place, path, key);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  for (let request = 0; request < warmRequests; request++) await ask(place, path, key);
  const times: number[] = [];
  let last = first;
  for (let request = 0; request < requests; request++) {
    last = await ask(place, path, key);
    times.push(last.ms);
  }
  const sorted = times.sort((a, b) => a - b);
  const p95 = sorted[Math.ceil(requests * 0.95) - 1] as number;
  const { total, totalIsEstimate } = last.body.pagination;
  const count = `${shown(total).replace(/\.0+$/, '')}${totalIsEstimate ? ' (estimate)' : ''}`;
  return {
    id: 'size',
    what: `At size, ${what}`,
    goal: `p95 ≤ ${goalMs} ms`,
    reached: `${shown(p95)} ms`,
    detail: `median ${shown(sorted[Math.floor(requests / 2)] as number)} ms, first ${shown(first.ms)} ms, ${last.body.data.length} of ${count}`,
    isReached: p95 <= goalMs,
  };
}

interface Answer {
  ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bench reads a few fields of many operations.
  body: any;
}

async function ask({ baseUrl }: Place, path: string, key: string): Promise<Answer> {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { 'X-API-Key': key },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body = await response.json();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(body)}`);
  return { ms, body };
}
