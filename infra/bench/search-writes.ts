import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { formatNumber } from './numbers.ts';
import type { Row } from './results.ts';

const [indexGoal, duplicatesGoalMs] = [1_000, 200];
const [clients, documentsPerRequest, indexMs] = [2, 500, 15_000];
const requests = 40;

/**
 * Measures bulk requests and the search for duplicates at a search service that runs with these settings.
 * @param tenantId the tenant with many documents
 */
export async function measureSearchWrites(
  settings: Record<string, string>,
  log: (line: string) => void,
  { tenantId, documents }: { tenantId: number; documents: number },
): Promise<Row[]> {
  const post = poster(settings, tenantId);
  const rows = [await measureIndexing(post), await measureDuplicates(post, documents)];
  for (const row of rows) log(`${row.what}: ${row.reached} (${row.detail})`);
  return rows;
}

type Post = (path: string, body: object) => Promise<{ data: unknown }>;

function poster(settings: Record<string, string>, tenantId: number): Post {
  const signer = createCallerSigner(settings['INTERNAL_SECRETS'] as string);
  const caller: Caller = {
    ...{ type: 'user', tenantId, environment: 'live', userId: 5, permissions: ['*'], requestId: 'bench' },
  };
  return async (path, body) => {
    const reply = await fetch(`http://127.0.0.1:${settings['PORT']}${path}`, {
      method: 'POST',
      headers: { [callerHeader]: signer.sign(caller, 'POST', path), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    if (reply.status !== 200) throw new Error(`${path} returned ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as { data: unknown };
  };
}

function aDocument(number: number) {
  const data = { firstName: `Ada${number % 997}`, lastName: `Lovelace${number}`, company: `Engines ${number % 5_000}` };
  return { type: 'lead', id: `bench-${number}`, data: { ...data, email: `ada.${number}@engines.example` } };
}

async function measureIndexing(post: Post): Promise<Row> {
  const began = performance.now();
  let [sent, stored] = [0, 0];
  const client = async () => {
    while (performance.now() - began < indexMs) {
      const documents = Array.from({ length: documentsPerRequest }, () => aDocument(++sent));
      const { data } = await post('/v1/search/index/bulk', { documents });
      stored += (data as { succeeded: number }).succeeded;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = (stored * 1_000) / (performance.now() - began);
  return {
    id: 'search-index',
    what: `Documents in bulk requests of ${documentsPerRequest}`,
    goal: `≥ ${formatNumber(indexGoal)}/s`,
    reached: `${formatNumber(perSecond)}/s`,
    detail: `${clients} clients, ${formatNumber(stored)} of ${formatNumber(sent)} documents indexed`,
    isReached: perSecond >= indexGoal && stored === sent,
  };
}

async function measureDuplicates(post: Post, documents: number): Promise<Row> {
  const times: number[] = [];
  for (let n = 1; n <= requests; n++) {
    const { email, ...data } = aDocument(n).data;
    const began = performance.now();
    await post('/v1/search/duplicates', { type: 'lead', data: { ...data, email: email.replace('ada.', 'ad.') } });
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  const at = (part: number) => times[Math.floor(times.length * part)] as number;
  return {
    id: 'search-duplicates',
    what: `Duplicates of a person in ${formatNumber(documents)} leads, with a typo in the address`,
    goal: `p95 ≤ ${duplicatesGoalMs} ms`,
    reached: `${formatNumber(at(0.95))} ms`,
    detail: `p50 ${formatNumber(at(0.5))} ms`,
    isReached: at(0.95) <= duplicatesGoalMs,
  };
}
