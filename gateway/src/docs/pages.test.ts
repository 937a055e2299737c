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
    const answer = await get('/v1/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { title: 'Tandem API' },
    });
  });

  it('returns 304 if the client has the current version', async () => {
    const etag = (await get('/v1/openapi.json')).headers.get('etag') as string;
    const answer = await get('/v1/openapi.json', { headers: { 'if-none-match': etag } });
    expect(answer.status).toBe(304);
    expect(await answer.text()).toBe('');
  });

  it('is compressed only for clients that accept gzip', async () => {
    const encoding = async (accepted: string) =>
      (await get('/v1/openapi.json', { headers: { 'accept-encoding': accepted } })).headers.get('content-encoding');
    expect(await encoding('gzip, br')).toBe('gzip');
    expect(await encoding('identity')).toBeNull();
    expect(await encoding('gzip;q=0, identity')).toBeNull();
  });

  it('responds to HEAD without a body', async () => {
    const answer = await get('/v1/openapi.json', { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(10_000);
    expect(await answer.text()).toBe('');
  });
});

describe('GET /docs', () => {
  it('is a page that neither loads nor may load anything from another host', async () => {
    const answer = await get('/docs');
    const html = await answer.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const policy = answer.headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  });

  it('loads an existing script, compressed and cacheable', async () => {
    const [, script] = /src="([^"]+)"/.exec(await (await get('/docs')).text()) as unknown as [string, string];
    const answer = await get(script, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000);
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
    const answer = await get('/');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  });
});

it('returns 405 with Allow for any other method', async () => {
  for (const path of ['/', '/docs', '/docs/openapi.json', '/docs/scalar.js', '/v1/openapi.json', '/favicon.ico']) {
    const answer = await get(path, { method: 'POST' });
    expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    expect(await answer.json()).toMatchObject({ success: false, code: 'method_not_allowed' });
  }
});

it('does not handle other paths', async () => {
  for (const path of ['/v1/openapi.jsonx', '/docs/', '/docsx', '/v1/', '/toString', '/__proto__', '/docs/scalar.jsx'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect((await get('/v1/leads')).status).toBe(401);
});

it('returns an empty icon that browsers can cache', async () => {
  const answer = await get('/favicon.ico');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([204, 'public, max-age=86400']);
});

describe('the rate limit without credentials', () => {
  const remaining = (answer: Response) => Number(answer.headers.get('ratelimit-remaining'));

  it.each(['/', '/docs', '/docs/scalar.js', '/v1/openapi.json'])('counts GET and HEAD of %s', async (path) => {
    const first = await get(path);
    const second = await get(path, { method: 'HEAD' });
    const third = await get(path, { headers: { 'if-none-match': '*' } });
    for (const answer of [first, second, third]) {
      expect([answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-policy')]).toEqual([
        '10000',
        '"minute";q=10000;w=60',
      ]);
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
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
