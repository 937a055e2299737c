import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as jsonOf } from 'node:stream/consumers';
import { createEmbedding } from './index.ts';

type Respond = (response: ServerResponse) => void;

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** A provider that answers every request in one way. */
async function aProvider(respond: Respond) {
  const calls: { path: string | undefined; key: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    calls.push({ path: request.url, key: request.headers.authorization, body: await jsonOf(request) });
    respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/` };
}

const json =
  (status: number, body: unknown): Respond =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const dimensions = 16;
const vector = (first: number, length = dimensions) => [first, ...Array(length - 1).fill(0.5)];
const data = (...vectors: unknown[]) => vectors.map((embedding, index) => ({ index, embedding }));

function anEmbedding(url: string, changes: object = {}) {
  return createEmbedding({
    AI_PROVIDER_API_KEY: 'sk-of-the-test',
    AI_PROVIDER_BASE_URL: url,
    AI_PROVIDER_EMBEDDING_MODEL: 'meaning',
    AI_PROVIDER_EMBEDDING_DIMENSIONS: dimensions,
    AI_PROVIDER_EMBEDDING_TOKENS_PER_DAY: 1_000,
    ...changes,
  });
}

const embed = async (url: string, texts = ['one', 'two'], timeoutMs = 5_000) =>
  anEmbedding(url)?.embed(texts, timeoutMs);

it('returns the vectors in the order of the texts, with their cost, requested by the protocol', async () => {
  const [one, two] = [vector(1), vector(2)];
  const { calls, url } = await aProvider(
    json(200, { data: data(one, two).toReversed(), usage: { prompt_tokens: 7, total_tokens: 7 } }),
  );
  expect(await embed(url)).toEqual({ vectors: [one, two], tokens: 7 });
  expect(calls).toEqual([
    {
      path: '/v1/embeddings',
      key: 'Bearer sk-of-the-test',
      body: { model: 'meaning', input: ['one', 'two'], dimensions, encoding_format: 'float' },
    },
  ]);
});

it('estimates the cost when the provider does not tell it', async () => {
  const { url } = await aProvider(json(200, { data: data(vector(1), vector(2)) }));
  expect(await embed(url, ['12345678', '1'])).toMatchObject({ tokens: 3 });
});

it('names model and dimensions together', () => {
  expect(anEmbedding('http://127.0.0.1:9')?.name).toBe('meaning:16');
});

it.each([{ AI_PROVIDER_API_KEY: '' }, { AI_PROVIDER_EMBEDDING_MODEL: '' }])('does not exist with %j', (without) => {
  expect(anEmbedding('http://127.0.0.1:9', without)).toBeUndefined();
});

it('refuses more texts than a request may have', async () => {
  const { calls, url } = await aProvider(json(200, {}));
  await expect(embed(url, Array(65).fill('text'))).rejects.toThrow('1 to 64 texts');
  expect(calls).toHaveLength(0);
});

it.each<[string, Respond, object]>([
  ['500', json(500, {}), { why: 'provider returned 500', isDown: true, isTextAtFault: false }],
  ['429', json(429, {}), { why: 'provider returned 429', isDown: true, isTextAtFault: false }],
  ['400', json(400, {}), { why: 'provider returned 400', isDown: false, isTextAtFault: true }],
  ['413', json(413, {}), { why: 'provider returned 413', isDown: false, isTextAtFault: true }],
  ['a redirect', (response) => void response.writeHead(307, { location: '/x' }).end(), { isDown: true }],
  ['no JSON', (response) => void response.end('<html>'), { why: 'response is not JSON', isDown: true }],
  ['null', json(200, null), { why: 'response has no data' }],
  ['half a batch', json(200, { data: data(vector(1)) }), { why: '1 vectors for 2 texts', isTextAtFault: false }],
  ['null entries', json(200, { data: [null, null] }), { why: 'a vector without the index of its text' }],
  ['other dimensions', json(200, { data: data(vector(1, 8), vector(2, 8)) }), { why: 'vectors of 8 numbers, not 16' }],
  [
    'one index twice',
    json(200, { data: [...data(vector(1)), ...data(vector(2))] }),
    { why: 'two vectors with one index' },
  ],
  ['text in a vector', json(200, { data: data(vector(1), Array(16).fill('0')) }), { isTextAtFault: false }],
  ['a vector without length', json(200, { data: data(vector(1), Array(16).fill(0)) }), { isTextAtFault: false }],
  ['too many bytes', (response) => void response.end('x'.repeat(100_000)), { why: 'response too large' }],
  ['a connection that breaks', (response) => void response.destroy(), { why: 'unreachable: UND_ERR_SOCKET' }],
])('fails after %s, without a retry', async (_, respond, expected) => {
  const { calls, url } = await aProvider(respond);
  const embedded = await embed(url);
  expect(embedded).toMatchObject(expected);
  expect([embedded?.vectors, calls.length]).toEqual([undefined, 1]);
});

it('gives up a provider that does not answer in time', async () => {
  const { url } = await aProvider(() => {});
  const began = performance.now();
  expect(await embed(url, ['one'], 300)).toMatchObject({ why: 'timed out', isDown: true });
  expect(performance.now() - began).toBeLessThan(5_000);
});
