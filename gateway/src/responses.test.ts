import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { operations } from '@tandem/contract';
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
  /** The bytes as they were sent, without decompression. */
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
  ])('is compressed by %s when the client accepts it', async (encoding, decompress) => {
    const response = await ask({ 'accept-encoding': encoding });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers.vary).toBe('Accept-Encoding');
    expect(response.headers['content-length']).toBe(String(response.body.length));
    expect(response.body.length).toBeLessThan(large.length / 10);
    expect(decompress(response.body).toString()).toBe(large);
  });

  it('is sent as it is to other clients, and says that it varies', async () => {
    const response = await ask({});
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers.vary).toBe('Accept-Encoding');
    expect(response.body.toString()).toBe(large);
  });

  it('varies by origin as well when a browser asks', async () => {
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
  it('with the present version gets 304 without a body, with its ETag and the headers of the limits', async () => {
    const response = await ask({ 'if-none-match': '"2", "3"', 'accept-encoding': 'br' });
    expect([response.status, response.body.length, response.headers.etag]).toEqual([304, 0, '"3"']);
    expect(response.headers['content-length']).toBeUndefined();
    expect(Number(response.headers['ratelimit-remaining'])).toBeGreaterThan(0);
  });

  it('counts as a call', async () => {
    const first = await ask({ 'if-none-match': '"3"' });
    const second = await ask({ 'if-none-match': '"3"' });
    expect(Number(second.headers['ratelimit-remaining'])).toBeLessThan(Number(first.headers['ratelimit-remaining']));
  });

  it('with another version gets the record', async () => {
    const response = await ask({ 'if-none-match': '"2"' });
    expect([response.status, response.body.toString()]).toEqual([200, large]);
  });

  it('is answered for HEAD too, and ignored for a write', async () => {
    expect((await ask({ 'if-none-match': '"3"' }, 'HEAD')).status).toBe(304);
    expect((await ask({ 'if-none-match': '"3"' }, 'POST')).status).toBe(200);
  });
});
