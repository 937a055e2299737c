import { connect } from 'node:net';
import { until } from '@tandem/testing';
import { base, handlers, json, useThings } from './things.test-service.ts';

useThings();

const path = '/v1/things/reports';
const received: { body: Buffer; headers: Record<string, unknown> }[] = [];
beforeAll(() => {
  handlers[path] = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ body: Buffer.concat(chunks), headers: request.headers });
    json(response, { success: true, data: {} });
  };
});
beforeEach(() => void received.splice(0));

const streamedPath = '/v1/things/mails';

const send = (body: string | Buffer<ArrayBuffer>, headers: Record<string, string>) =>
  fetch(base + path, { method: 'POST', body, headers });

describe('an operation that takes the bytes of a body', () => {
  it.each([
    ['text/plain; charset=UTF-8', '{ "Type" :"Notification"}'],
    ['application/x-www-form-urlencoded', 'Body=Stop&From=%2B49'],
    ['application/json', '{ "a" : 1.0 }'],
  ])('gets them unchanged as %s, with the headers that it declares', async (type, body) => {
    const reply = await send(body, { 'content-type': type, 'x-signature': 'abc', 'x-other': 'x' });
    expect(reply.status).toBe(200);
    expect(String(received[0]?.body)).toBe(body);
    expect(received[0]?.headers).toMatchObject({ 'content-type': type, 'x-signature': 'abc' });
    expect(received[0]?.headers).not.toHaveProperty('x-other');
  });

  it('gets bytes that are no text', async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect((await send(bytes, { 'content-type': 'message/rfc822' })).status).toBe(200);
    expect(received[0]?.body).toEqual(bytes);
  });

  it('refuses a body that is too large, or compressed', async () => {
    expect((await send('x'.repeat(1_001), { 'content-type': 'text/plain' })).status).toBe(413);
    const compressed = await send('x', { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    expect(compressed.status).toBe(415);
    expect(received).toEqual([]);
  });
});

describe('an operation with a streamed body', () => {
  it('gets the bytes while they arrive, with the headers that it declares', async () => {
    let size = 0;
    let headers: Record<string, unknown> = {};
    handlers[streamedPath] = (request, response) => {
      headers = request.headers;
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      request.on('end', () => json(response, { success: true, data: {} }));
    };
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const head = [
      'Host: a',
      'Content-Type: message/rfc822',
      'Content-Length: 100000',
      'X-Signature: abc',
      'X-Other: x',
    ];
    socket.write(`POST ${streamedPath} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${'x'.repeat(50_000)}`);
    await until('the first half arrives before the second is sent', () => size > 0);
    socket.write('x'.repeat(50_000));
    await until('the response arrives', () => text.includes('HTTP/1.1 200'));
    socket.destroy();
    expect(size).toBe(100_000);
    expect(headers).toMatchObject({ 'content-type': 'message/rfc822', 'x-signature': 'abc' });
    expect(headers).not.toHaveProperty('x-other');
  });

  it('has a limit for those without credentials from all addresses, so that slow ones do not stop other streams', async () => {
    let begun = 0;
    handlers[streamedPath] = (request) => void request.once('data', () => begun++);
    handlers['/v1/things/download'] = (_, response) => void response.end('x');
    const { hostname, port } = new URL(base);
    const open = (localAddress: string) => {
      const socket = connect({ port: Number(port), host: hostname, localAddress });
      socket.write(`POST ${streamedPath} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx`);
      return socket;
    };
    const slow = ['127.0.0.2', '127.0.0.3'].flatMap((address) => Array.from({ length: 32 }, () => open(address)));
    await until('all are at the service', () => begun === 64);
    let text = '';
    const oneMore = open('127.0.0.4').on('data', (chunk) => {
      text += chunk;
    });
    await until('the next one is refused', () => text.startsWith('HTTP/1.1 503'));
    expect((await fetch(`${base}/v1/things/download`)).status).toBe(200);
    for (const socket of [...slow, oneMore]) socket.destroy();
    const isAdmitted = async () => {
      const before = begun;
      const again = open('127.0.0.4');
      const answered = new Promise((resolve) => again.once('data', resolve));
      await Promise.race([answered, until('it is at the service', () => begun > before)]);
      again.destroy();
      return begun > before;
    };
    await until('another one is admitted', isAdmitted);
  });

  it('refuses a body that is too large, or compressed, before the service gets it', async () => {
    handlers[streamedPath] = () => {
      throw new Error('The service got it');
    };
    const post = (body: string, more = {}) =>
      fetch(base + streamedPath, { method: 'POST', body, headers: { 'content-type': 'message/rfc822', ...more } });
    expect((await post('x'.repeat(1_000_001))).status).toBe(413);
    expect((await post('x', { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});
