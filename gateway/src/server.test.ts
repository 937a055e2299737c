import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { settingsSchema } from './config.ts';
import { createGateway, type RunningGateway } from './create-gateway.ts';

let gateway: RunningGateway;
let port: number;
// Nothing listens on this port, so no request reaches a service.
const closedOrigin = 'http://127.0.0.1:9';

beforeAll(async () => {
  const settings = settingsSchema.parse({
    REDIS_URL: process.env.TEST_REDIS_URL,
    NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
    INTERNAL_SECRETS: `k1:${randomBytes(32).toString('hex')}`,
    KEY_PEPPER: 'p'.repeat(32),
    PUBLIC_URL: 'https://api.example.com',
    IDS_ALPHABET: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    IDENTITY_URL: closedOrigin,
  });
  gateway = createGateway(settings, { identity: {} }, { identity: closedOrigin });
  await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
  port = (gateway.server.address() as { port: number }).port;
});
afterAll(async () => {
  gateway?.server.close();
  gateway?.server.closeAllConnections();
  await gateway?.close();
});

/** Sends raw bytes and reads the response until the gateway closes the connection. */
async function exchange(text: string) {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let response = '';
  for await (const chunk of socket) response += chunk;
  const [head = '', body = ''] = response.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) };
}

describe('a target in absolute form is served like its path', () => {
  it.each([
    ['http://a/v1/openapi.json', 'a', 200],
    ['HTTPS://a.example:8443/v1/openapi.json?x=1', 'other', 200],
    ['http://[::1]:80/v1/openapi.json', '[::1]', 200],
    ['http://a/v1/nothing', 'a', 404],
    ['http://user@a/v1/openapi.json', 'a', 404],
    ['ftp://a/v1/openapi.json', 'a', 404],
  ])('%s', async (target, host, status) => {
    expect((await exchange(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status).toBe(
      status,
    );
  });

  it.each(['http://a', 'http://a?x=1'])('%s is the root', async (target) => {
    const { status, headers } = await exchange(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect([status, headers['location']]).toEqual([302, '/docs']);
  });
});

describe('errors that Node would answer itself get our envelope and a request id', () => {
  it.each([
    [
      'an unknown expectation',
      'GET /v1/x HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n',
      417,
      'expectation_failed',
    ],
    ['HTTP/1.1 without Host', 'GET /v1/x HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    ['a page without Host', 'GET /docs HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    ['two hosts', 'GET /v1/x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    [
      'one host twice',
      'GET /docs HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['two hosts in HTTP/1.0', 'GET /v1/x HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    ['an invalid host', 'GET /v1/x HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    [
      'a target in absolute form without Host',
      'GET http://a/v1/openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a target in absolute form with two hosts',
      'GET http://a/v1/openapi.json HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['a request that is not HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers too large',
      `GET /v1/x HTTP/1.1\r\nHost: a\r\nx-big: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s', async (_, text, status, code) => {
    const response = await exchange(text);
    expect([response.status, response.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
    expect(response.body).toMatchObject({
      success: false,
      status,
      code,
      message: expect.any(String),
      meta: { version: 'v1', requestId: expect.stringMatching(/^req_[0-9a-f]{24}$/) },
    });
    expect(response.headers['x-request-id']).toBe(response.body.meta.requestId);
  });

  it('names the missing header and the request id of the client', async () => {
    const response = await exchange('GET /v1/x HTTP/1.1\r\nX-Request-Id: my-request-1\r\nConnection: close\r\n\r\n');
    expect([response.body.errors, response.headers['x-request-id']]).toEqual([
      [{ field: 'Host', message: 'Is required with HTTP/1.1' }],
      'my-request-1',
    ]);
    // Counts against the address, like every other response.
    expect(response.headers['ratelimit-limit']).toBe('60');
  });
});

it('serves HTTP/1.0 without Host, and requests with Expect: 100-continue', async () => {
  expect((await exchange('GET /v1/x HTTP/1.0\r\n\r\n')).status).toBe(404);
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'GET /v1/x HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n',
  );
  const [first] = await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk) => resolve([chunk])));
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 Continue/);
  socket.destroy();
});
