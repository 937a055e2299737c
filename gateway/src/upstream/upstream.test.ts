import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { until } from '@tandem/testing';
import { createUpstream, type Upstream } from './upstream.ts';

// On Linux all of 127.0.0.0/8 is loopback, so several instances can listen on one port, like pods behind one name.
const pods = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen<S extends Server>(server: S, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  closing.push(() => server.close());
  return (server.address() as { port: number }).port;
}

function start(origin: string, addresses: () => readonly string[]): Upstream {
  const upstream = createUpstream(origin, async () => addresses());
  closing.push(() => upstream.close());
  return upstream;
}

const send = (upstream: Upstream, method = 'GET', more: { timeoutMs?: number; tenantId?: number } = {}) =>
  upstream.send({
    method,
    path: '/',
    headers: {},
    body: undefined,
    timeoutMs: 10_000,
    tenantId: undefined,
    repeatable: method === 'GET',
    ...more,
  });
const addressOf = async (upstream: Upstream, method?: string) => (await send(upstream, method)).body.toString();
const sendAddress: RequestListener = (request, response) => response.end(request.socket.localAddress);

describe('a service with several addresses', () => {
  it('receives requests at each of them', async () => {
    const port = await listen(createServer(sendAddress), pods[0], 0);
    await listen(createServer(sendAddress), pods[1], port);
    const upstream = start(`http://service.test:${port}`, () => [pods[0], pods[1]]);
    await until('the name is resolved', () => addressOf(upstream).catch(() => undefined));
    const called = [];
    for (let count = 0; count < 10; count++) called.push(await addressOf(upstream));
    expect(called.filter((address) => address === pods[0])).toHaveLength(5);
    expect(called.filter((address) => address === pods[1])).toHaveLength(5);
  });

  it('loses no request, not even a non-idempotent one, if nothing listens at one of them', async () => {
    const port = await listen(createServer(sendAddress), pods[0], 0);
    const upstream = start(`http://service.test:${port}`, () => [pods[0], pods[2]]);
    await until('the name is resolved', () => addressOf(upstream).catch(() => undefined));
    for (let count = 0; count < 40; count++) expect(await addressOf(upstream, 'POST')).toBe(pods[0]);
    expect(upstream.state()).toBe('closed');
  });

  it('is called at its new addresses after a change', async () => {
    const port = await listen(createServer(sendAddress), pods[0], 0);
    await listen(createServer(sendAddress), pods[1], port);
    let addresses = [pods[0] as string];
    const upstream = start(`http://service.test:${port}`, () => addresses);
    await until('the name is resolved', () => addressOf(upstream).catch(() => undefined));
    addresses = [pods[1]];
    await until('requests go to the new address', async () => (await addressOf(upstream)) === pods[1]);
    expect(await addressOf(upstream)).toBe(pods[1]);
  });
});

describe('a request that cannot be sent in time', () => {
  /** A service that holds `count` requests until they are released. */
  async function aBusyService(count: number, tenantId?: number) {
    const held: ServerResponse[] = [];
    const port = await listen(
      createServer((_, response) => held.push(response)),
      pods[0],
      0,
    );
    const upstream = start(`http://${pods[0]}:${port}`, () => [pods[0]]);
    const requests = Array.from({ length: count }, () => send(upstream, 'POST', tenantId ? { tenantId } : {}));
    await until('all requests have arrived', () => held.length === count);
    const release = () => {
      for (const response of held) response.end();
      return Promise.all(requests);
    };
    return { upstream, held, release };
  }
  const notSent = { code: 'unavailable', retryAfter: 1, mayHaveRun: false };

  it('because all connections are in use gets 503, and does not count as a failure of the service', async () => {
    const { upstream, held, release } = await aBusyService(64);
    const others = Array.from({ length: 10 }, () => send(upstream, 'POST', { timeoutMs: 200 }));
    for (const other of others) await expect(other).rejects.toMatchObject(notSent);
    expect([held.length, upstream.state()]).toEqual([64, 'closed']);
    expect(await release()).toHaveLength(64);
  });

  it('because its tenant uses its share gets 503 within the timeout of the operation', async () => {
    const { upstream, release } = await aBusyService(48, 7);
    await expect(send(upstream, 'POST', { timeoutMs: 200, tenantId: 7 })).rejects.toMatchObject(notSent);
    expect(upstream.state()).toBe('closed');
    await release();
    // Every request may wait 5 s for its share otherwise.
  }, 4_000);
});

describe('a service behind https', () => {
  const serve = () =>
    listen(
      createTlsServer({ key, cert }, (_, response) => response.end('over TLS')),
      pods[0],
      0,
    );

  it('is refused with an untrusted certificate, and called once its authority is trusted', async () => {
    const port = await serve();
    const untrusted = start(`https://service.test:${port}`, () => [pods[0]]);
    await expect(send(untrusted)).rejects.toThrow('unavailable');
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    closing.push(() => setDefaultCACertificates(before));
    const trusted = start(`https://service.test:${port}`, () => [pods[0]]);
    expect(await until('the name is resolved', () => addressOf(trusted).catch(() => undefined))).toBe('over TLS');
  });

  it('is refused if its certificate is for another name', async () => {
    const port = await serve();
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    closing.push(() => setDefaultCACertificates(before));
    const other = start(`https://other.test:${port}`, () => [pods[0]]);
    await expect(send(other)).rejects.toThrow('unavailable');
  });
});

// A certificate for service.test, made for this test alone: openssl req -x509 -newkey ec -pkeyopt
// ec_paramgen_curve:P-256 -days 36500 -nodes -subj /CN=service.test -addext subjectAltName=DNS:service.test
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrQoqs/WTYLzWqbh4
Pb/wdoJtgBWPnfJh0fIodPmS4zGhRANCAAT+UO0qXBtyohcBvd8Qa5RHb/vBNq1c
3wGVDIOlQd19MOw9wpcl3V0R7CpNXyCrnHBi8o+/SAkKYf88cxnXKocq
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUEZQtMd0puRJdAt8zT5nB1BOjPtMwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMc2VydmljZS50ZXN0MCAXDTI2MTEyMjExMTY0MFoYDzIxMjYx
MDI5MTExNjQwWjAXMRUwEwYDVQQDDAxzZXJ2aWNlLnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAT+UO0qXBtyohcBvd8Qa5RHb/vBNq1c3wGVDIOlQd19MOw9
wpcl3V0R7CpNXyCrnHBi8o+/SAkKYf88cxnXKocqo2wwajAdBgNVHQ4EFgQUFzVb
MCjgyHYpj2/dKoeBa6N+fMgwHwYDVR0jBBgwFoAUFzVbMCjgyHYpj2/dKoeBa6N+
fMgwDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxzZXJ2aWNlLnRlc3QwCgYI
KoZIzj0EAwIDSAAwRQIhAMGqEHi7gfnr97LbTTfT8G9vl0pdcIUS+F+ZvKgwt52x
AiBYSUeGNSap0Zq+teQsZkaMwfqMysDpAzk9WFxSyzFT7A==
-----END CERTIFICATE-----
`;
