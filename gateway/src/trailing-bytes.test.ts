import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { operations } from '@tandem/contract';
import { until } from '@tandem/testing';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const rows = operations({
  create: {
    audience: 'public',
    method: 'POST',
    path: '/v1/works',
    status: 201,
    summary: 'Work',
    message: '',
    body: z.object({}),
    reply: z.object({}),
    emits: [],
  },
});
const create = 'POST /v1/works HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
const garbage = 'GARBAGE\r\n\r\n';

let gateway: TestGateway;
let pending: ServerResponse[];

beforeAll(async () => {
  gateway = await startTestGateway({ identity: rows }, (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/v1/works') pending.push(response);
    else response.writeHead(404).end('{}');
  });
});
beforeEach(() => {
  pending = [];
});
afterAll(() => gateway?.close());

/** A connection to the gateway, and the text that it has received. */
function aConnection() {
  const socket = connect(gateway.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  return { socket, closed: once(socket, 'close'), text: () => text };
}

/** Sends requests, and `rest` when the service has them all; answers them when the gateway has found the error. */
async function exchange(requests: string, count: number, rest: string): Promise<string> {
  const { socket, closed, text } = aConnection();
  socket.write(requests);
  await until('the service has the requests', () => pending.length === count);
  const found = once(gateway.server, 'clientError');
  socket.write(rest);
  await found;
  for (const response of pending)
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"success":true}');
  await closed;
  return text();
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('bytes that are not HTTP', () => {
  it('after a request leave it its own response, and then close the connection', async () => {
    const text = await exchange(create, 1, garbage);
    expect(statuses(text)).toEqual([201]);
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('after two requests leave both their own responses', async () => {
    expect(statuses(await exchange(create + create, 2, garbage))).toEqual([201, 201]);
  });

  it('within the body of a second request leave the first its own response', async () => {
    const chunked = create.replace('Content-Length: 2', 'Transfer-Encoding: chunked').replace('{}', garbage);
    expect(statuses(await exchange(create, 1, chunked))).toEqual([201]);
  });

  it('after a response get 400', async () => {
    const { socket, closed, text } = aConnection();
    socket.write(create);
    await until('the service has the request', () => pending.length === 1);
    pending[0]?.writeHead(201, { 'content-type': 'application/json' }).end('{"success":true}');
    await until('the response has arrived', () => text().includes('"success":true'));
    socket.write(garbage);
    await closed;
    expect(statuses(text())).toEqual([201, 400]);
  });

  it('in the body of a request get 400', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = once(socket, 'close');
    socket.write(create.replace('Content-Length: 2', 'Transfer-Encoding: chunked').replace('{}', garbage));
    await closed;
    expect([statuses(String(Buffer.concat(chunks))), pending]).toEqual([[400], []]);
  });
});
