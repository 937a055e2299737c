import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { until } from '@tandem/testing';
import { base, handlers, ids, json, type Seen, seen, signer, useThings } from './things.test-service.ts';

useThings();

describe('the streaming path', () => {
  it('streams a request body while it arrives, with only the allowed headers', async () => {
    let firstBytes = 0;
    handlers['/v1/things/7/upload'] = (request, response) => {
      let size = 0;
      request.on('data', (chunk: Buffer) => {
        firstBytes ||= chunk.length;
        size += chunk.length;
      });
      request.on('end', () => json(response, { size }));
    };
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    const half = 'x'.repeat(50_000);
    socket.write(
      `POST /v1/things/${ids.encode('tenant', 7, 7)}/upload HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\nX-Internal-User: 1\r\nx-ctx: forged\r\nCookie: a=b\r\n\r\n${half}`,
    );
    await until('the first half has arrived before the second is sent', () => firstBytes > 0);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(half);
    await until('the response arrives', () => text.includes('{"size":100000}'));
    socket.destroy();
    const { headers, caller } = seen.at(-1) as Seen;
    expect(caller).toMatchObject({ type: 'anonymous' });
    expect(Object.keys(headers).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'host',
      'traceparent',
      'x-ctx',
      'x-request-id',
    ]);
    expect(text).toMatch(/x-request-id: req_/i);
  });

  it('streams a response chunk by chunk, without the internal headers of the service', async () => {
    let sendRest: (() => void) | undefined;
    handlers['/v1/things/download'] = (_, response) => {
      response.writeHead(200, {
        'content-type': 'text/csv',
        'content-disposition': 'attachment',
        'x-powered-by': 'us',
        'x-ctx-tenant': '7',
      });
      response.write('first');
      sendRest = () => response.end('second');
    };
    const response = await fetch(`${base}/v1/things/download`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('first');
    sendRest?.();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('second');
    expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
      'text/csv',
      'attachment',
    ]);
    expect([
      response.headers.get('x-powered-by'),
      response.headers.get('x-ctx-tenant'),
      response.headers.get('ratelimit-limit'),
    ]).toEqual([null, null, '10000']);
  });
});

describe('errors on the streaming path', () => {
  const form = (text = 'x') => ({
    method: 'POST',
    body: text,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  const upload = () => `${base}/v1/things/${ids.encode('tenant', 7, 7)}/upload`;

  it('encodes the ids in the response to a form', async () => {
    handlers['/v1/things/7/upload'] = (request, response) =>
      request.resume().on('end', () => {
        response.setHeader('x-ctx-tenant', '7');
        json(response, { data: { tenant: '7' } }, 201);
      });
    const response = await fetch(upload(), form());
    expect([response.status, await response.json()]).toEqual([201, { data: { tenant: ids.encode('tenant', 7, 7) } }]);
  });

  it('passes on the response of a service that refuses a form before its end', async () => {
    handlers['/v1/things/7/upload'] = (_, response) => json(response, { code: 'body_too_large' }, 413);
    const response = await fetch(upload(), form('x'.repeat(3_000_000)));
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
  });

  it('forwards a form with Expect: 100-continue with only the allowed headers', async () => {
    handlers['/v1/things/7/upload'] = (request, response) =>
      request.resume().on('end', () => json(response, { data: {} }));
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const head = `POST ${new URL(upload()).pathname} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1\r\nX-Internal-User: 1\r\nCookie: a=b\r\n\r\n`;
    socket.write(head);
    await until('the gateway asks for the body', () => text.includes('100 Continue'));
    socket.write('x');
    await until('the response arrives', () => text.includes('HTTP/1.1 200'));
    socket.destroy();
    const { headers } = seen.at(-1) as Seen;
    expect([headers.cookie, headers['x-internal-user'], headers.expect]).toEqual([undefined, undefined, undefined]);
    expect(signer.verify(headers['x-ctx'] as string, 'POST', '/v1/things/7/upload')).toMatchObject({
      type: 'anonymous',
    });
  });

  it.each([
    ['a form', upload, form],
    ['a download', () => `${base}/v1/things/download`, () => ({})],
  ])('returns 503 for %s if the service closes the connection', async (_, url, options) => {
    handlers['/v1/things/7/upload'] = (request) => request.socket.destroy();
    handlers['/v1/things/download'] = (request) => request.socket.destroy();
    const response = await fetch(url(), options());
    const { code } = (await response.json()) as { code: string };
    expect([response.status, code, response.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  });

  it('limits the streams of one address without credentials, so that others are served', async () => {
    handlers['/v1/things/download'] = (_, response) => void response.writeHead(200).write('x');
    const download = (localAddress: string) =>
      new Promise<IncomingMessage>((resolve, reject) =>
        get(`${base}/v1/things/download`, { localAddress, agent: false }, resolve).on('error', reject),
      );
    const running = await Promise.all(Array.from({ length: 32 }, () => download('127.0.0.1')));
    expect(running.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const [oneMore, other] = [await download('127.0.0.1'), await download('127.0.0.2')];
    for (const one of [...running, oneMore, other]) one.destroy();
    expect([oneMore.statusCode, other.statusCode]).toEqual([503, 200]);
    await until('another stream is admitted', async () => {
      const again = await download('127.0.0.1');
      again.destroy();
      return again.statusCode === 200;
    });
  });
});
