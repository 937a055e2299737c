import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { createTarget } from './guard.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createResolve, type Resolve } from './resolve.ts';

let port: number;
let hits: string[] = [];
const server = http.createServer((request, response) => {
  hits.push(request.url as string);
  if (request.url === '/silent') return;
  if (request.url === '/redirect') response.writeHead(302, { location: '/target' });
  response.end(request.url === '/large' ? Buffer.alloc(1_048_577) : 'hello');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  hits = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const opened: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

function fetchVia(options: { resolve?: Resolve; allowPrivate: boolean; timeoutMs?: number }) {
  const { resolve = createResolve({ hosts: '127.0.0.1 provider.test' }), allowPrivate, timeoutMs = 15_000 } = options;
  const guarded = createTarget({ allowPrivate, resolve });
  // Removes the port of the test server, which the rules do not allow; only addresses are tested here.
  const target = {
    ...guarded,
    urlError: (url: string, environment: string) => guarded.urlError(url.replace(`:${port}`, ''), environment),
  };
  const one = createGuardedFetch({ target, name: 'the test', timeoutMs });
  opened.push(one);
  return (path: string, host = 'provider.test', scheme = 'http') => one.fetch(`${scheme}://${host}:${port}${path}`, {});
}

const isBlocked = { cause: { code: 'BLOCKED_ADDRESS' } };

it('connects to a private name only when private targets are allowed', async () => {
  expect(await (await fetchVia({ allowPrivate: true })('/')).text()).toBe('hello');
  await expect(fetchVia({ allowPrivate: false })('/', 'provider.test', 'https')).rejects.toMatchObject(isBlocked);
  expect(hits).toEqual(['/']);
});

it('does not connect to a private address literal, which needs no lookup', async () => {
  const fetch = fetchVia({ allowPrivate: false });
  await expect(fetch('/', '127.0.0.1', 'https')).rejects.toMatchObject({ code: 'BLOCKED_ADDRESS' });
  expect(hits).toEqual([]);
});

it('does not connect to a name that is public at the check and private on connect, or partly private', async () => {
  const publicAddress = { address: '93.184.216.34', family: 4 };
  const loopback = { address: '127.0.0.1', family: 4 };
  const answers = [[publicAddress], [loopback]];
  const rebinding: Resolve = async () => answers.shift() ?? [loopback];
  const guarded = createTarget({ allowPrivate: false, resolve: rebinding });
  expect(await guarded.resolvedUrlError('https://rebind.example.com/', 'live')).toBeUndefined();
  for (const resolve of [rebinding, async () => [publicAddress, loopback]]) {
    const fetch = fetchVia({ allowPrivate: false, resolve });
    await expect(fetch('/', 'rebind.example.com', 'https')).rejects.toMatchObject(isBlocked);
  }
  expect(hits).toEqual([]);
});

it('reports a name without an address', async () => {
  const resolve: Resolve = () => Promise.reject(new Error('ENOTFOUND'));
  const fetch = fetchVia({ allowPrivate: true, resolve });
  await expect(fetch('/', 'nowhere.example.com')).rejects.toMatchObject({ cause: { code: 'NO_ADDRESS' } });
});

it('follows no redirect', async () => {
  expect((await fetchVia({ allowPrivate: true })('/redirect')).status).toBe(302);
  expect(hits).toEqual(['/redirect']);
});

it('reads at most 1 MiB of a response', async () => {
  const response = await fetchVia({ allowPrivate: true })('/large');
  await expect(response.text()).rejects.toThrow();
});

it('ends after the time limit', async () => {
  await expect(fetchVia({ allowPrivate: true, timeoutMs: 100 })('/silent')).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

it('calls through a proxy, which resolves names', async () => {
  const connectedTo: string[] = [];
  const proxy = http.createServer().on('connect', (request, socket, head) => {
    connectedTo.push(String(request.url));
    const upstream = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const target = createTarget({ allowPrivate: true });
  const one = createGuardedFetch({ target, name: 'the test', timeoutMs: 15_000, proxyUrl });
  expect(await (await one.fetch(`http://provider.test:${port}/`, {})).text()).toBe('hello');
  expect(connectedTo).toEqual([`provider.test:${port}`]);
  await one.close();
  proxy.closeAllConnections();
  proxy.close();
});
