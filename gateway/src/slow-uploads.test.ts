import { connect } from 'node:net';
import { media, operations } from '@tandem/contract';
import { until } from '@tandem/testing';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const rows = operations({
  upload: {
    method: 'POST',
    path: '/v1/things',
    audience: 'public',
    summary: 'Upload',
    form: z.object({}),
    reply: z.object({}),
    message: '',
    emits: [],
  },
  download: {
    method: 'GET',
    path: '/v1/things',
    audience: 'public',
    summary: 'Download',
    reply: media('text/plain'),
    message: '',
  },
});

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(
    { identity: rows },
    (request, response) => {
      if (request.method === 'GET') response.writeHead(200, { 'content-type': 'text/plain' }).end('here');
      else if (request.headers['content-type'] !== 'multipart/form-data; boundary=stuck')
        request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    },
    { STREAM_IDLE_MS: 300 },
  );
});
afterAll(() => gateway?.close());

/** Sends a head and the beginning of a body, and returns everything that is answered until the connection ends. */
async function sendPart(boundary: string, part: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  let text = '';
  let isClosed = false;
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(
    `POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 50000000\r\n\r\n${part}`,
  );
  await until('the gateway closes the connection', () => isClosed);
  return text;
}

it('returns 408 to clients that pause their uploads, and goes on with the requests of others', async () => {
  const paused = await Promise.all(Array.from({ length: 20 }, () => sendPart('slow', 'x'.repeat(1_000))));
  expect(paused.map((text) => text.slice(0, 12))).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 408'));
  expect(paused[0]).toMatch(/"code":"request_timeout"/);
  expect((await fetch(`${gateway.base}/v1/things`)).status).toBe(200);
});

it('returns 503 when the service does not read the rest of an upload', async () => {
  expect(await sendPart('stuck', 'x'.repeat(49_000_000))).toMatch(/^HTTP\/1\.1 503[\s\S]*"code":"unavailable"/);
});
