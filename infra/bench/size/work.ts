import { randomBytes } from 'node:crypto';
import type { TestTenant } from '@tandem/test-fleet';
import { formatNumber } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { addLeads } from './data.ts';

const scoredLeads = 100_000;
// 1 in 20 of the leads: a bulk operation changes at most 10,000.
const bulkFilter = 'source=manual';
const creations = 60;
const besideSize = 200;
const pollMs = 500;
const waitMaxMs = 600_000;

interface Tenants {
  /** The large tenant; its lists are read beside other work. */
  large: { key: string };
  /** The tenant whose leads are recounted and changed, with the numbers of itself and of its first user. */
  scored: TestTenant & { number: number; firstUser: number };
  /** A tenant without rules. */
  plain: TestTenant;
}

// biome-ignore lint/suspicious/noExplicitAny: the bench reads a few fields of many operations.
type Body = any;

/** Measures work that is no list: rules at creation, a recount, a bulk change, and other calls beside them. */
export async function measureWork(place: Place, { large, scored, plain }: Tenants): Promise<Row[]> {
  const request = requester(place.baseUrl);
  const send: Send = async (...args) => (await request(...args)).data;
  await createRules(send, scored);
  const creation = await measureCreation(send, { scored: scored.live, plain: plain.live });
  await addLeads(place.databaseUrl('crm'), { id: scored.number, firstUser: scored.firstUser }, scoredLeads);
  const read = async () => {
    const startedAt = performance.now();
    await send(large.key, 'GET', '/v1/leads');
    return performance.now() - startedAt;
  };
  const alone = await p95Of(read);
  const recount = await measureRecount(send, scored.live, read);
  const bulk = await measureBulk(request, scored.live, read);
  return [creation, ...recount.rows(alone), besideRow(`a bulk change (${bulk.detail})`, bulk.beside, alone)];
}

type Send = (key: string, method: string, path: string, body?: object) => Promise<Body>;

/** Sends requests; resolves to the body of the response. */
function requester(baseUrl: string): Send {
  return async (key, method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'X-API-Key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
}

/** Five scoring rules and five assignment rules that match every lead, of which the last one assigns. */
async function createRules(send: Send, { live, userId }: TestTenant): Promise<void> {
  for (let rule = 1; rule <= 5; rule++) {
    const scoring = { name: `Rule ${rule}`, field: 'email', operator: 'is_set', points: rule };
    await send(live, 'POST', '/v1/leads/scoring-rules', scoring);
    const match = [{ field: 'source', operator: 'equals', value: 'web' }];
    const assignment = { name: `Rule ${rule}`, match, userIds: [userId], method: 'round_robin' };
    await send(live, 'POST', '/v1/leads/assignment-rules', assignment);
  }
}

/** Creations in both tenants in turns, so that other load affects both. */
async function measureCreation(send: Send, keys: { scored: string; plain: string }): Promise<Row> {
  const times = { scored: [] as number[], plain: [] as number[] };
  for (let request = 0; request < creations; request++)
    for (const name of ['plain', 'scored'] as const) {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      const startedAt = performance.now();
      await send(keys[name], 'POST', '/v1/leads', { email, firstName: 'Ada', lastName: 'Lovelace', source: 'web' });
      // The first requests open connections.
      if (request >= 10) times[name].push(performance.now() - startedAt);
    }
  const [withRules, without] = [medianOf(times.scored), medianOf(times.plain)];
  const ratio = withRules / without;
  return {
    id: 'size-work',
    what: 'Creation of a lead with five matching rules, against one without',
    goal: '≤ 1.30 ×',
    reached: `${formatNumber(ratio)} ×`,
    detail: `medians ${formatNumber(withRules)} and ${formatNumber(without)} ms`,
    isReached: ratio <= 1.3,
  };
}

async function measureRecount(send: Send, key: string, read: () => Promise<number>) {
  const rule = { name: 'Recount', field: 'lastName', operator: 'is_set', points: 20 };
  const startedAt = performance.now();
  const { recountJobId } = await send(key, 'POST', '/v1/leads/scoring-rules', rule);
  let last: Body;
  const progress = new Set<number>();
  const beside = await p95Of(read, async () => {
    last = await send(key, 'GET', `/v1/jobs/${recountJobId}`);
    progress.add(last.progress.done);
    return isRunning(last.status, performance.now() - startedAt);
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    rows: (alone: number): Row[] => [
      {
        id: 'size-work',
        what: `Recount of ${formatNumber(scoredLeads)} scores`,
        goal: 'a job with progress',
        reached: `${formatNumber(seconds)} s`,
        detail: `${last.status}, ${formatNumber(last.progress.done)} leads, progress seen at ${progress.size} values`,
        isReached: last.status === 'completed' && progress.size > 2,
      },
      besideRow('a recount', beside, alone),
    ],
  };
}

async function measureBulk(request: Send, key: string, read: () => Promise<number>) {
  const { pagination } = await request(key, 'GET', `/v1/leads?${bulkFilter}&limit=1`);
  const filter = Object.fromEntries(new URLSearchParams(bulkFilter));
  const body = { filter, expectedCount: pagination.total, change: { tags: ['bulk'] } };
  const startedAt = performance.now();
  const { jobId } = (await request(key, 'POST', '/v1/leads:bulk-update', body)).data;
  let last: Body;
  const beside = await p95Of(read, async () => {
    last = (await request(key, 'GET', `/v1/jobs/${jobId}`)).data;
    return isRunning(last.status, performance.now() - startedAt);
  });
  const rate = last.progress.done / ((performance.now() - startedAt) / 1_000);
  return { detail: `${last.status}, ${formatNumber(last.progress.done)} leads, ${formatNumber(rate)}/s`, beside };
}

function besideRow(what: string, beside: number, alone: number): Row {
  const ratio = beside / alone;
  return {
    id: 'size-work',
    what: `p95 of the first page of leads beside ${what}, against p95 alone`,
    goal: '≤ 1.50 ×',
    reached: `${formatNumber(ratio)} ×`,
    detail: `${formatNumber(beside)} and ${formatNumber(alone)} ms`,
    isReached: ratio <= 1.5,
  };
}

function isRunning(status: string, ms: number): boolean {
  return !['completed', 'failed', 'cancelled'].includes(status) && ms < waitMaxMs;
}

/** The 95th percentile of reads while other work goes on; without other work, of a fixed number of reads. */
async function p95Of(read: () => Promise<number>, goesOn?: () => Promise<boolean>): Promise<number> {
  const times: number[] = [];
  let polledAt = performance.now();
  let isOver = false;
  while (!isOver) {
    times.push(await read());
    if (goesOn && performance.now() - polledAt < pollMs) continue;
    isOver = goesOn ? !(await goesOn()) : times.length >= besideSize;
    polledAt = performance.now();
  }
  const sorted = times.sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
}

function medianOf(times: number[]): number {
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] as number;
}
