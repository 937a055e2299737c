import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { s3Store } from './s3.ts';
import type { Store } from './store.ts';

let bucket: Server;
let store: Store;

beforeAll(async () => {
  // Accepts every request. Only objects have a response, which ends before its content.
  bucket = createServer((request, response) => {
    if (request.method === 'GET') response.writeHead(200, { 'content-length': '100' }).write('half');
  });
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const settings = {
    S3_BUCKET: 'bucket',
    S3_REGION: 'eu-central-1',
    S3_ENDPOINT: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`,
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  };
  store = await s3Store(settings as never, { requestMs: 300, silenceMs: 300, copyMs: 400 });
});
afterAll(() => {
  bucket?.closeAllConnections();
  bucket?.close();
});

it.each([
  ['a size', () => store.size('1/live/a')],
  ['an upload', () => store.put('1/live/a', Readable.from([Buffer.from('a')]))],
  ['a copy', () => store.copy('1/live/a', '1/live/b')],
  ['the content of an object', async () => buffer(await store.get('1/live/a'))],
])('a bucket that stays silent ends the request for %s', async (_, request) => {
  await expect(request()).rejects.toThrow(/timed? ?out|exceeded/i);
});
