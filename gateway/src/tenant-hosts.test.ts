import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { type Caller, createCallerSigner } from '@tandem/caller';
import { media, operations } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const row = { method: 'GET', audience: 'public', summary: '', reply: media('text/html'), message: '' } as const;
const rows = operations({
  home: { ...row, path: '/', hosts: 'tenants' },
  page: { ...row, path: '/:slug', hosts: 'tenants', params: z.object({ slug: z.string() }) },
  own: { ...row, path: '/p/:slug', params: z.object({ slug: z.string() }) },
  short: { ...row, path: '/short' },
  api: { ...row, path: '/v1/things', reply: z.object({}) },
});

const secrets = `k1:${randomBytes(32).toString('hex')}`;
const signer = createCallerSigner(secrets);
let gateway: TestGateway;
let seen: { path: string; caller: Caller | undefined }[] = [];
beforeAll(async () => {
  gateway = await startTestGateway(
    { campaign: rows },
    (incoming, response) => {
      const path = incoming.url as string;
      const caller = signer.verify(incoming.headers['x-ctx'] as string, incoming.method as string, path);
      if (caller?.type === 'anonymous') seen.push({ path, caller });
      response.writeHead(200, { 'content-type': path.startsWith('/v1/') ? 'application/json' : 'text/html' });
      response.end(path.startsWith('/v1/') ? '{"data":{}}' : 'a page');
    },
    { INTERNAL_SECRETS: secrets, OWN_HOSTS: 'Gateway.internal:8080, alias.example.com.' },
  );
});
afterAll(() => gateway?.close());
beforeEach(() => {
  seen = [];
});

/** Sends a request with a Host header, which `fetch` would not send. */
function send(host: string, path: string, { method = 'GET', headers = {} } = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port: gateway.port, host: '127.0.0.1', path, method, headers: { host, ...headers } }, (response) =>
      resolve(response.resume()),
    )
      .on('error', reject)
      .end();
  });
}
const statusOf = async (...input: Parameters<typeof send>) => (await send(...input)).statusCode;

describe('the domain of a tenant', () => {
  it.each([
    'www.shop.example',
    'WWW.Shop.Example',
    'www.shop.example.',
    'www.shop.example:8443',
    'Www.shop.example.:80',
  ])('is what the Host header %s names, and reaches the service with the signed caller', async (host) => {
    for (const path of ['/', '/spring-offer']) expect([path, await statusOf(host, path)]).toEqual([path, 200]);
    expect(seen.map(({ path, caller }) => [path, caller?.host])).toEqual([
      ['/', 'www.shop.example'],
      ['/spring-offer', 'www.shop.example'],
    ]);
  });

  it('is not what another header names', async () => {
    const headers = {
      'x-forwarded-host': 'www.other.example',
      forwarded: 'host=www.other.example',
      'x-original-host': 'www.other.example',
    };
    await send('www.shop.example', '/spring-offer', { headers });
    await send('api.example.com', '/p/spring-offer', { headers });
    expect(seen.map(({ caller }) => caller?.host)).toEqual(['www.shop.example', undefined]);
  });

  it('shows pages only: no documentation, and no other path of the platform', async () => {
    for (const path of [
      '/docs/openapi.json',
      '/docs/scalar.js',
      '/p/spring-offer',
      '/.well-known/jwks.json',
      '/a/b',
      '/a/',
    ])
      expect([path, await statusOf('www.shop.example', path)]).toEqual([path, 404]);
    expect(seen).toEqual([]);
    // A path of one segment is that of a page, whatever the platform has there.
    for (const path of ['/docs', '/short', '/metrics']) await send('www.shop.example', path);
    expect(seen.map(({ path }) => path)).toEqual(['/docs', '/short', '/metrics']);
  });

  it('is read, not written', async () => {
    expect(await statusOf('www.shop.example', '/spring-offer', { method: 'HEAD' })).toBe(200);
    const refused = await send('www.shop.example', '/spring-offer', { method: 'POST' });
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('has the API, without the host in the caller, and the health of the gateway', async () => {
    expect(await statusOf('www.shop.example', '/v1/things')).toBe(200);
    expect(seen.map(({ path, caller }) => [path, caller?.host])).toEqual([['/v1/things', undefined]]);
    for (const path of ['/v1/openapi.json', '/healthz', '/readyz', '/favicon.ico'])
      expect([path, (await statusOf('www.shop.example', path)) as number]).toEqual([path, expect.any(Number)]);
    expect(await statusOf('www.shop.example', '/healthz')).toBe(200);
    expect(await statusOf('www.shop.example', '/favicon.ico')).toBe(204);
  });
});

describe('a host of the platform', () => {
  it.each([
    'api.example.com',
    'API.example.com:443',
    'api.example.com.',
    'gateway.internal',
    'gateway.internal:9090',
    'alias.example.com',
    'localhost:8080',
    'tandem.localhost',
    'gateway',
    '127.0.0.1:8080',
    '10.0.0.7',
    '[::1]:8080',
  ])('is %s: it has the documentation and no page of a domain', async (host) => {
    expect(await statusOf(host, '/')).toBe(302);
    expect(await statusOf(host, '/docs')).toBe(200);
    expect(await statusOf(host, '/short')).toBe(200);
    expect(await statusOf(host, '/spring-offer')).toBe(404);
    expect(seen.map(({ path, caller }) => [path, caller?.host])).toEqual([['/short', undefined]]);
  });

  it('is a domain of a tenant if it is only below the own host', async () => {
    expect(await statusOf('www.api.example.com', '/docs/openapi.json')).toBe(404);
  });
});
