import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { testService, type testSettings, until } from '@tandem/testing';
import { hashOf } from './embedding/grams.ts';
import { type Api, nobody, type Service, searchOf } from './search.test-service.ts';
import { searchService } from './service.ts';
import { wordsOf } from './words.ts';

const dimensions = 64;
// Words with one meaning: they have one dimension, and every other word has one of the rest.
const meanings = [
  ['physician', 'doctor', 'medic'],
  ['automobile', 'car', 'vehicle'],
  ['bakery', 'pastry', 'bread'],
  ['lawyer', 'attorney', 'solicitor'],
];

/** The vector of a text. */
export function vectorOf(text: string): number[] {
  const vector = Array<number>(dimensions).fill(0);
  for (const { term } of wordsOf(text)) {
    const meaning = meanings.findIndex((words) => words.includes(term));
    const at = meaning >= 0 ? meaning : meanings.length + (hashOf(term) % (dimensions - meanings.length));
    vector[at] = (vector[at] as number) + (meaning >= 0 ? 1 : 0.2);
  }
  return vector;
}

interface Request {
  model: string;
  input: string[];
}
type Answer = (request: Request, response: ServerResponse) => void;

/** Answers with a vector for each text. */
export const embeds =
  ({ tokens, change = (data) => data }: { tokens?: number; change?: (data: object[]) => object[] } = {}): Answer =>
  ({ input }, response) => {
    const data = change(input.map((text, index) => ({ index, embedding: vectorOf(text) })));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, usage: { total_tokens: tokens ?? input.length } }));
  };

/** Answers with an error. */
export const answers =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status).end('{}');

/** A provider of embeddings: it knows synonyms. */
export async function embeddingProvider() {
  const requests: Request[] = [];
  let answer = embeds();
  let held = Promise.resolve();
  const server = http.createServer(async (incoming, response) => {
    const request = (await json(incoming)) as Request;
    requests.push(request);
    await held;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    texts: () => requests.flatMap(({ input }) => input),
    answer: (next: Answer) => {
      answer = next;
    },
    /** Lets answers wait until the function that it returns is called. */
    hold: () => {
      const gate = Promise.withResolvers<void>();
      held = gate.promise;
      return gate.resolve;
    },
    /** Breaks the connections, as the crash of a proxy does. */
    disconnect: () => server.closeAllConnections(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}

export type EmbeddingProvider = Awaited<ReturnType<typeof embeddingProvider>>;

/** search with a provider of embeddings. */
export const startWithProvider = (
  provider: EmbeddingProvider,
  { model = 'meaning', perDay = 1_000_000, crmUrl = nobody } = {},
  shared?: Awaited<ReturnType<typeof testSettings>>,
): Promise<Service> =>
  testService(
    'search',
    (given) =>
      searchService({
        ...given,
        ...searchOf(crmUrl, nobody),
        AI_PROVIDER_API_KEY: 'sk-of-the-test',
        AI_PROVIDER_BASE_URL: provider.url,
        AI_PROVIDER_EMBEDDING_MODEL: model,
        AI_PROVIDER_EMBEDDING_DIMENSIONS: dimensions,
        AI_PROVIDER_EMBEDDING_TOKENS_PER_DAY: perDay,
      }),
    shared,
  );

/** The state of the embedding of a tenant. */
export async function stateOf(service: Service, { caller }: Api): Promise<Record<string, unknown>> {
  const [state] = await service.sqlWithin(caller, 'SELECT * FROM embedding_state');
  return state ?? {};
}

/** Waits until no document of the tenant waits for its vector. */
export async function embedded(service: Service, api: Api, model = 'meaning:64'): Promise<void> {
  await until('the documents are embedded', async () => {
    const { covered_by: by, is_queued: isQueued } = await stateOf(service, api);
    return by === model && !isQueued;
  });
}

/** Documents and models for which there are vectors of a provider. */
export async function vectorsOf(service: Service, { caller }: Api): Promise<string[]> {
  const rows = await service.sqlWithin(
    caller,
    `SELECT document_id || ' ' || model AS vector FROM embedding JOIN document ON id = doc_id
     WHERE model <> 'local-1' ORDER BY 1`,
  );
  return rows.map(({ vector }) => String(vector));
}
