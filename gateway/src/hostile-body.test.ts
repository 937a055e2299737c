import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import { freeForm, id, operations } from '@tandem/contract';
import { longestTurn } from '@tandem/testing';
import { z } from 'zod';
import { settingsSchema } from './config.ts';
import { createGateway, type RunningGateway } from './create-gateway.ts';

const largeMax = 1_500_000;
const common = { method: 'POST', audience: 'public', message: '', emits: [] } as const;
const rows = operations({
  login: { ...common, path: '/v1/auth/login', summary: 'Log in', body: z.object({}), reply: z.object({}) },
  write: {
    ...common,
    path: '/v1/large',
    summary: 'Write much',
    bodyMax: largeMax,
    body: z.object({ leadId: id('lead').nullish(), data: freeForm() }),
    reply: z.object({ many: z.array(z.object({ leadId: id('lead').nullable(), data: freeForm() })) }),
  },
});

let responseBody = '{}';
let service: Server;
let gateway: RunningGateway;
let port: number;
const portOf = (server: Server) => (server.address() as { port: number }).port;
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
beforeAll(async () => {
  service = createServer((from, to) => {
    from.resume();
    from.on('end', () => to.writeHead(200, { 'content-type': 'application/json' }).end(responseBody));
  });
  await listen(service);
  const origin = `http://127.0.0.1:${portOf(service)}`;
  const settings = settingsSchema.parse({
    REDIS_URL: process.env.TEST_REDIS_URL,
    REDIS_TIMEOUT_MS: 10_000,
    KEY_PEPPER: 'p'.repeat(32),
    NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
    ANONYMOUS_RATE_PER_MINUTE: 10_000,
    INTERNAL_SECRETS: `k1:${randomBytes(32).toString('hex')}`,
    IDENTITY_URL: origin,
    PUBLIC_URL: 'https://api.example.com',
    IDS_ALPHABET: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  });
  gateway = createGateway(settings, { identity: rows }, { identity: origin });
  await listen(gateway.server);
  port = portOf(gateway.server);
});
beforeEach(() => {
  responseBody = '{}';
});
afterAll(async () => {
  gateway?.server.closeAllConnections();
  gateway?.server.close();
  await gateway?.close();
  service?.closeAllConnections();
  service?.close();
});

const post = (path: string, body: Buffer) =>
  new Promise<number>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode as number));
    })
      .on('error', reject)
      .end(body);
  });

const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));
const longNumber = `${'1'.repeat(299)},`;

it.each<[string, string, string, number]>([
  ['a login with 256 KB of long numbers', '/v1/auth/login', `{"x":[${fill(longNumber, 261_000)}1]}`, 200],
  ['1 MB of long numbers', '/v1/large', `{"x":[${fill(longNumber, 1_020_000)}1]}`, 200],
  ['1.5 MB of long numbers', '/v1/large', `{"x":[${fill(longNumber, 1_490_000)}1]}`, 200],
  ['500,000 numbers', '/v1/large', `{"x":[${fill('1,', 1_000_000)}1]}`, 400],
  ['500,000 objects', '/v1/large', `{"x":[${fill('{},', 1_490_000)}1]}`, 400],
  ['the maximum number of objects', '/v1/large', `{"x":[${Array(19_000).fill('{}').join(',')}]}`, 200],
  ['deep lists', '/v1/large', fill('[', 1_490_000), 400],
  ['deep objects', '/v1/large', fill('{"a":', 1_490_000), 400],
  ['many keys', '/v1/large', `{${fill('"a":1,', 1_490_000)}"b":1}`, 400],
  ['escapes', '/v1/large', `{"x":"${fill('\\u0001', 1_490_000)}"}`, 200],
  ['escaped quotes', '/v1/large', `{"x":"${fill('\\"', 1_490_000)}"}`, 200],
  ['backslashes', '/v1/large', `{"x":"${fill('\\\\', 1_490_000)}"}`, 200],
  ['a long key', '/v1/large', `{"${fill('a', 1_490_000)}":1}`, 200],
  ['spaces', '/v1/large', `{"x"${fill(' ', 1_490_000)}:1}`, 200],
])('%s blocks the event loop for less than 50 ms', async (_, path, text, status) => {
  const body = Buffer.from(text);
  expect(await longestTurn(async () => expect(await post(path, body)).toBe(status))).toBeLessThan(50);
});

it.each<[string, unknown]>([
  ['objects', {}],
  ['numbers', 1],
  ['escaped quotes', '"'],
])('a response of 100 records with 16 KB of %s each blocks the event loop for less than 50 ms', async (_, value) => {
  const data = { list: Array(Math.floor(16_000 / (JSON.stringify(value).length + 1))).fill(value) };
  responseBody = JSON.stringify({ data: { many: Array(100).fill({ leadId: null, data }) } });
  const read = async () => expect(await post('/v1/large', Buffer.from('{"data":{}}'))).toBe(200);
  expect(await longestTurn(read)).toBeLessThan(50);
});
