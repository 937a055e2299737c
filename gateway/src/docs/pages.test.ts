import { fleet } from '../contracts.ts';
import { startTestGateway, type TestGateway } from '../testing.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(fleet, (_, response) => void response.writeHead(500).end());
});

afterAll(() => gateway.close());

const get = (path: string, init: RequestInit = {}) => fetch(gateway.base + path, { redirect: 'manual', ...init });

describe('GET /v1/openapi.json', () => {
  it('returns the document to clients and browsers of any origin', async () => {
    const response = await get('/v1/openapi.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { title: 'Tandem API' },
    });
  });

  it('returns 304 if the client has the current version', async () => {
    const etag = (await get('/v1/openapi.json')).headers.get('etag') as string;
    const response = await get('/v1/openapi.json', { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
  });

  it('is compressed only for clients that accept gzip', async () => {
    const encoding = async (accepted: string) =>
      (await get('/v1/openapi.json', { headers: { 'accept-encoding': accepted } })).headers.get('content-encoding');
    expect(await encoding('gzip, br')).toBe('gzip');
    expect(await encoding('identity')).toBeNull();
    expect(await encoding('gzip;q=0, identity')).toBeNull();
  });

  it('responds to HEAD without a body', async () => {
    const response = await get('/v1/openapi.json', { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10_000);
    expect(await response.text()).toBe('');
  });
});

describe('GET /docs', () => {
  it('is a page that neither loads nor may load anything from another host', async () => {
    const response = await get('/docs');
    const html = await response.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const policy = response.headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  });

  it('loads an existing script, compressed and cacheable', async () => {
    const [, script] = /src="([^"]+)"/.exec(await (await get('/docs')).text()) as unknown as [string, string];
    const response = await get(script, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000);
    expect((await get('/docs/scalar.js')).headers.get('cache-control')).toBe('no-cache');
  });

  it('shows the document with code samples, which /v1/openapi.json does not contain', async () => {
    const samples = (document: unknown) => JSON.stringify(document).split('"x-codeSamples"').length - 1;
    const [shown, served] = await Promise.all(
      ['/docs/openapi.json', '/v1/openapi.json'].map(async (path) => samples(await (await get(path)).json())),
    );
    expect(shown).toBeGreaterThan(150);
    expect(served).toBe(0);
  });

  it('is the redirect target of /', async () => {
    const response = await get('/');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  });
});

it('returns 405 with Allow for any other method', async () => {
  for (const path of ['/', '/docs', '/docs/openapi.json', '/docs/scalar.js', '/v1/openapi.json', '/favicon.ico']) {
    const response = await get(path, { method: 'POST' });
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    expect(await response.json()).toMatchObject({ success: false, code: 'method_not_allowed' });
  }
});

it('does not handle other paths', async () => {
  for (const path of ['/v1/openapi.jsonx', '/docs/', '/docsx', '/v1/', '/toString', '/__proto__', '/docs/scalar.jsx'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect((await get('/v1/leads')).status).toBe(401);
});

it('returns an empty icon that browsers can cache', async () => {
  const response = await get('/favicon.ico');
  expect([response.status, response.headers.get('cache-control')]).toEqual([204, 'public, max-age=86400']);
});

describe('the rate limit without credentials', () => {
  const remaining = (response: Response) => Number(response.headers.get('ratelimit-remaining'));

  it.each(['/', '/docs', '/docs/scalar.js', '/v1/openapi.json'])('counts GET and HEAD of %s', async (path) => {
    const first = await get(path);
    const second = await get(path, { method: 'HEAD' });
    const third = await get(path, { headers: { 'if-none-match': '*' } });
    for (const response of [first, second, third]) {
      expect([response.headers.get('ratelimit-limit'), response.headers.get('ratelimit-policy')]).toEqual([
        '10000',
        '"minute";q=10000;w=60',
      ]);
      expect(Number(response.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    }
    // A new minute may begin between the requests.
    if (remaining(third) < remaining(first)) expect(remaining(first) - remaining(third)).toBe(2);
  });

  it('rejects further requests with 429', async () => {
    const small = await startTestGateway(fleet, (_, response) => void response.end(), { ANONYMOUS_RATE_PER_MINUTE: 1 });
    try {
      const statuses = [];
      for (let count = 0; count < 4; count++) statuses.push((await fetch(`${small.base}/v1/openapi.json`)).status);
      expect(statuses).toContain(429);
    } finally {
      await small.close();
    }
  });
});
