import { formatNumber } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import type { Case } from './cases.ts';

const warmRequests = 4;
const requests = 20;
const timeoutMs = 30_000;
// The first request starts the count of a large list; the pause lets it finish before the measured requests.
const pauseMs = 500;

/** Repeats a request, one at a time; the 95th percentile is compared with the goal. */
export async function measure(
  place: Place,
  { what, goalMs, path, hasRecords }: Case,
  { key, id }: { key: string | Token; id: string },
): Promise<Row> {
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
    id,
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

/** The token of a session, instead of an API key. */
export interface Token {
  token: string;
}

interface TimedResponse {
  ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bench reads a few fields of many operations.
  body: any;
}

/** Sends a request through the gateway. */
export async function ask({ baseUrl }: Place, path: string, key: string | Token): Promise<TimedResponse> {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}${path}`, {
    headers: typeof key === 'string' ? { 'X-API-Key': key } : { Authorization: `Bearer ${key.token}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body = await response.json();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
  return { ms, body };
}
