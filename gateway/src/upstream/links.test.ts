import { createServer, type Server, type Socket } from 'node:net';
import { until } from '@tandem/testing';
import { createDeadlines } from '../deadlines.ts';
import { InvalidResponseError } from './head.ts';
import { LinkBusyError, LinkLostError, LinkTimeoutError } from './link.ts';
import { createLinks, type LinkLimits, type Links } from './links.ts';

// A service whose every byte is controlled by the test.
let server: Server;
let links: Links;
let connections: Socket[];
let requests: string[];
let respond: (socket: Socket, request: string) => void;

beforeEach(async () => {
  connections = [];
  requests = [];
  server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      requests.push(bytes.toString('latin1'));
      respond(socket, bytes.toString('latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  links = openLinks();
});
afterEach(() => {
  links.close();
  for (const socket of connections) socket.destroy();
  server.close();
});

const openLinks = (limits?: LinkLimits) => {
  const origin = new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const options = { max: 2, responseMax: 1_000, deadlines: createDeadlines(100), ...(limits && { limits }) };
  return createLinks({ origin, address: '127.0.0.1' }, options);
};
const aGet = { method: 'GET', path: '/x', headers: { a: 'b' }, body: undefined, repeatable: true };
const get = (timeoutMs = 5_000, endsAt?: number) => links.send({ ...aGet, timeoutMs }, endsAt);
const post = () => links.send({ ...aGet, method: 'POST', timeoutMs: 5_000, repeatable: false });
const text = async () => (await get()).body.toString();
const respondWith = (bytes: string) => {
  respond = (socket) => socket.write(bytes);
};

describe('a response', () => {
  it('is read completely, however it is split', async () => {
    const bytes = 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\nETag: "3"\r\n\r\nhello world';
    for (let cut = 1; cut < bytes.length; cut += 7) {
      respond = (socket) => {
        socket.write(bytes.slice(0, cut));
        setImmediate(() => socket.write(bytes.slice(cut)));
      };
      const response = await get();
      expect([response.status, response.headers['etag'], response.body.toString()]).toEqual([
        200,
        '"3"',
        'hello world',
      ]);
    }
    // All requests used one connection.
    expect(connections).toHaveLength(1);
  });

  it('may be chunked or have no body', async () => {
    respondWith('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n');
    expect(await text()).toBe('hello world');
    respondWith('HTTP/1.1 204 No Content\r\n\r\n');
    expect(await text()).toBe('');
  });

  it.each([
    ['invalid bytes', 'rubbish\r\n\r\n'],
    ['an unsupported HTTP version', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['an interim response', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\n{}'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}'],
    ['an invalid length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}'],
    ['more bytes than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK'],
    ['an invalid chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n0\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(4_000)}`],
  ])('with %s is refused, and its connection is never used again', async (_, bytes) => {
    respondWith(bytes);
    await expect(get()).rejects.toBeInstanceOf(InvalidResponseError);
    respondWith('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await text()).toBe('ok');
    expect(connections).toHaveLength(2);
  });

  it('that is larger than allowed is refused', async () => {
    respondWith('HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n');
    await expect(get()).rejects.toThrow('too large');
  });

  it('that is truncated is a lost connection', async () => {
    respond = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel');
    await expect(get()).rejects.toBeInstanceOf(LinkLostError);
  });

  it('that never arrives times out, and the next request gets its own response', async () => {
    respond = () => {};
    await expect(get(200)).rejects.toBeInstanceOf(LinkTimeoutError);
    respondWith('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await text()).toBe('ok');
  });
});

describe('requests', () => {
  it('are serialized with a content length if they have a body', async () => {
    respondWith('HTTP/1.1 204 No Content\r\n\r\n');
    const common = { timeoutMs: 5_000, repeatable: true };
    await links.send({ method: 'POST', path: '/y?z=1', headers: { a: 'b' }, body: '{"ü":1}', ...common });
    await links.send({ method: 'PUT', path: '/y', headers: {}, body: Buffer.from('{}'), ...common });
    expect(requests.map((request) => request.replace(/127\.0\.0\.1:\d+/, 'host'))).toEqual([
      `POST /y?z=1 HTTP/1.1\r\nhost: host\r\na: b\r\ncontent-length: 8\r\n\r\n${Buffer.from('{"ü":1}').toString('latin1')}`,
      'PUT /y HTTP/1.1\r\nhost: host\r\ncontent-length: 2\r\n\r\n{}',
    ]);
  });

  it('cannot smuggle another request', async () => {
    respondWith('HTTP/1.1 204 No Content\r\n\r\n');
    const send = (path: string, headers: Record<string, string> = {}) =>
      links.send({ ...aGet, path, headers, timeoutMs: 5_000 });
    await expect(send('/a HTTP/1.1\r\nx: y')).rejects.toThrow('Invalid character');
    await expect(send('/a', { 'if-match': '"1"\r\nx: y' })).rejects.toThrow('Invalid character');
    expect(requests).toEqual([]);
  });

  it('beyond the maximum of connections wait for a free one, up to their timeout', async () => {
    const pending: Socket[] = [];
    respond = (socket) => pending.push(socket);
    const first = [get(), get()];
    await expect(get(200)).rejects.toBeInstanceOf(LinkBusyError);
    const third = get();
    respond = (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    for (const socket of pending) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    expect((await Promise.all([...first, third])).map((response) => response.status)).toEqual([204, 204, 204]);
    expect(connections).toHaveLength(2);
  });

  it('are not sent after their timeout, which may begin before the call', async () => {
    respond = () => {};
    await expect(get(60_000, performance.now())).rejects.toBeInstanceOf(LinkBusyError);
    expect(requests).toEqual([]);
    const pending = [get(60_000, performance.now() + 200), get(60_000, performance.now() + 200)];
    const waiting = get(60_000, performance.now() + 200);
    const results = await Promise.allSettled([...pending, waiting]);
    const [timedOut, busy] = [expect.any(LinkTimeoutError), expect.any(LinkBusyError)];
    expect(results.map((result) => 'reason' in result && result.reason)).toEqual([timedOut, timedOut, busy]);
  });

  it('use a new connection if the service closed the idle one', async () => {
    respond = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    expect([await text(), await text()]).toEqual(['ok', 'ok']);
    expect(connections).toHaveLength(2);
  });
});

describe('a connection', () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  it('is not reused after the idle timeout, because the service may be closing it', async () => {
    links.close();
    links = openLinks({ idleMs: 1, freshMs: 1, ageMs: 60_000 });
    respondWith(ok);
    await get();
    const startedAt = performance.now();
    await until('the connection is idle for too long', () => performance.now() - startedAt > 2);
    await get();
    expect(connections).toHaveLength(2);
    await until('the first one is closed by the gateway', () => connections[0]?.readableEnded);
  });

  it('that was idle is used by a request that can be repeated, and by no other: a stopping service may close it', async () => {
    links.close();
    links = openLinks({ idleMs: 60_000, freshMs: 1, ageMs: 60_000 });
    respondWith(ok);
    const idle = async () => {
      const startedAt = performance.now();
      await until('the connection was idle', () => performance.now() - startedAt > 2);
    };
    await post();
    await idle();
    await get();
    expect(connections).toHaveLength(1);
    await idle();
    await post();
    expect(connections).toHaveLength(2);
    await until('the first one is closed by the gateway', () => connections[0]?.readableEnded);
  });

  it('is replaced at its maximum age, so that new instances behind a load balancer receive requests', async () => {
    links.close();
    links = openLinks({ idleMs: 60_000, freshMs: 60_000, ageMs: 1 });
    respond = (socket) => setTimeout(() => socket.write(ok), 5);
    await get();
    await get();
    expect(connections).toHaveLength(2);
  });

  it('is closed by the gateway if a response on another one has Connection: close', async () => {
    const pending: Socket[] = [];
    respond = (socket) => pending.push(socket);
    const both = Promise.all([get(), get()]);
    await until('both requests have arrived', () => pending.length === 2);
    for (const socket of pending) socket.write(ok);
    await both;
    respond = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    await get();
    await until('the idle one is closed too', () => connections.every((socket) => socket.readableEnded));
  });
});
