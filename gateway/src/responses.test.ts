import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { operations } from '@tandem/contract';
import { until } from '@tandem/testing';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const rows = operations({
  read: {
    method: 'GET',
    path: '/v1/things/read',
    audience: 'public',
    summary: 'Read',
    reply: z.object({ text: z.string() }),
    message: '',
  },
  write: {
    method: 'POST',
    path: '/v1/things/write',
    audience: 'public',
    summary: 'Write',
    reply: z.object({ text: z.string() }),
    message: '',
    emits: [],
  },
});
const large = JSON.stringify({ data: { text: 'lead '.repeat(1_000) } });
const small = JSON.stringify({ data: { text: 'lead' } });
let body = large;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ identity: rows }, (incoming: IncomingMessage, response: ServerResponse) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, { ETag: '"3"', 'Content-Length': Buffer.byteLength(body) }).end(body);
    });
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  body = large;
});

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  /** The raw bytes, without decompression. */
  body: Buffer;
}

function ask(headers: Record<string, string>, method: 'GET' | 'HEAD' | 'POST' = 'GET'): Promise<Received> {
  const path = method === 'POST' ? 'write' : 'read';
  return new Promise((resolve, reject) => {
    const outgoing = request(`${gateway.base}/v1/things/${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () =>
        resolve({ status: response.statusCode as number, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.once('error', reject).end();
  });
}

describe('a response of more than 1 kB', () => {
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is compressed with %s if the client accepts it', async (encoding, decompress) => {
    const response = await ask({ 'accept-encoding': encoding });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers.vary).toBe('Accept-Encoding');
    expect(response.headers['content-length']).toBe(String(response.body.length));
    expect(response.body.length).toBeLessThan(large.length / 10);
    expect(decompress(response.body).toString()).toBe(large);
  });

  it('is sent uncompressed to other clients, with Vary', async () => {
    const response = await ask({});
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers.vary).toBe('Accept-Encoding');
    expect(response.body.toString()).toBe(large);
  });

  it('has CORS headers for a browser', async () => {
    const { headers } = await ask({ 'accept-encoding': 'br', origin: 'https://app.example.com' });
    expect([headers['content-encoding'], headers['access-control-allow-origin']]).toEqual(['br', '*']);
  });
});

it('a smaller response is not compressed', async () => {
  body = small;
  const response = await ask({ 'accept-encoding': 'br, gzip' });
  expect([response.headers['content-encoding'], response.body.toString()]).toEqual([undefined, small]);
});

describe('If-None-Match', () => {
  it('with the current version gets 304 without a body, with ETag and rate limit headers', async () => {
    const response = await ask({ 'if-none-match': '"2", "3"', 'accept-encoding': 'br' });
    expect([response.status, response.body.length, response.headers.etag]).toEqual([304, 0, '"3"']);
    expect(response.headers['content-length']).toBeUndefined();
    expect(Number(response.headers['ratelimit-remaining'])).toBeGreaterThan(0);
  });

  it('counts as a call', async () => {
    const calls = () => ask({ 'if-none-match': '"3"' });
    const [first, second] = await until('two calls are within a minute', async () => {
      const [one, other] = [await calls(), await calls()];
      // Otherwise a minute has begun between them.
      return Number(other.headers['ratelimit-reset']) <= Number(one.headers['ratelimit-reset']) && [one, other];
    });
    expect(Number(second?.headers['ratelimit-remaining'])).toBeLessThan(Number(first?.headers['ratelimit-remaining']));
  });

  it('with another version gets the record', async () => {
    const response = await ask({ 'if-none-match': '"2"' });
    expect([response.status, response.body.toString()]).toEqual([200, large]);
  });

  it('works for HEAD too, and is ignored for writes', async () => {
    expect((await ask({ 'if-none-match': '"3"' }, 'HEAD')).status).toBe(304);
    expect((await ask({ 'if-none-match': '"3"' }, 'POST')).status).toBe(200);
  });
});
