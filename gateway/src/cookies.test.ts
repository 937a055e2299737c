import { media, operations } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const common = { audience: 'public', summary: '', message: '' } as const;
const rows = operations({
  open: {
    ...common,
    method: 'POST',
    path: '/v1/auth/session',
    reply: z.object({ cookie: z.string().nullable() }),
    emits: [],
    cookies: { session: 'The session' },
  },
  start: {
    ...common,
    method: 'GET',
    path: '/v1/auth/start',
    reply: media('text/plain'),
    cookies: { session: 'The session' },
  },
  other: {
    ...common,
    method: 'POST',
    path: '/v1/other',
    reply: z.object({ cookie: z.string().nullable() }),
    emits: [],
  },
});

const own = 'https://app.example.com';
let gateway: TestGateway;
let listed: TestGateway;
beforeAll(async () => {
  const start = (settings: object) =>
    startTestGateway(
      { identity: rows },
      (request, response) => {
        const cookies = ['session=new; HttpOnly', 'second=1'];
        const isText = request.url === '/v1/auth/start';
        response.writeHead(200, {
          'Content-Type': isText ? 'text/plain' : 'application/json',
          'Set-Cookie': isText ? cookies : 'session=new; HttpOnly',
        });
        const cookie = request.headers.cookie ?? null;
        response.end(isText ? cookie : JSON.stringify({ data: { cookie } }));
      },
      { ...settings },
    );
  gateway = await start({});
  listed = await start({ CORS_ORIGINS: own });
});
afterAll(async () => {
  await gateway?.close();
  await listed?.close();
});

const post = (path: string, headers: Record<string, string> = {}, { base } = gateway) =>
  fetch(`${base}${path}`, { method: 'POST', headers: { cookie: 'a=1; session=abc; b=2', ...headers } });

describe('cookies', () => {
  it('reach a service, and are set, only if the operation declares them', async () => {
    const reply = await post('/v1/auth/session');
    expect([await reply.json(), reply.headers.getSetCookie()]).toMatchObject([
      { data: { cookie: 'session=abc' } },
      ['session=new; HttpOnly'],
    ]);
    const other = await post('/v1/other');
    expect([await other.json(), other.headers.getSetCookie()]).toMatchObject([{ data: { cookie: null } }, []]);
  });

  it('pass with pages and redirects too', async () => {
    const reply = await fetch(`${gateway.base}/v1/auth/start`, { headers: { cookie: 'a=1; session=abc' } });
    expect([await reply.text(), reply.headers.getSetCookie().length]).toEqual(['session=abc', 2]);
  });

  it('are not accepted from pages of other origins', async () => {
    const statusFrom = async (origin: string, at: TestGateway) =>
      (await post('/v1/auth/session', { origin }, at)).status;
    expect(await statusFrom('https://api.example.com', gateway)).toBe(200);
    expect(await statusFrom('https://api.example.com', listed)).toBe(200);
    expect(await statusFrom(own, gateway)).toBe(403);
    expect(await statusFrom('null', gateway)).toBe(403);
    expect(await statusFrom(own, listed)).toBe(200);
    expect(await statusFrom('https://evil.example.com', listed)).toBe(403);
    expect((await post('/v1/other', { origin: own })).status).toBe(200);
  });

  it('are not accepted from the same host over http, or by another port or name of the gateway', async () => {
    for (const origin of ['http://api.example.com', 'https://api.example.com:8443', gateway.base]) {
      const reply = await post('/v1/auth/session', { origin, host: new URL(origin).host });
      expect([reply.status, await reply.json()]).toMatchObject([403, { errors: [{ field: 'Origin' }] }]);
    }
    const plain = await startTestGateway(
      { identity: rows },
      (_, response) => response.end('{"data":{"cookie":null}}'),
      {
        PUBLIC_URL: 'http://api.example.com/',
      },
    );
    const statusFrom = async (origin: string) => (await post('/v1/auth/session', { origin }, plain)).status;
    expect([await statusFrom('http://api.example.com'), await statusFrom('https://api.example.com')]).toEqual([
      200, 403,
    ]);
    await plain.close();
  });

  it('may be sent by scripts of listed origins only', async () => {
    const credentials = async (origin: string, at: TestGateway) =>
      (await post('/v1/other', { origin }, at)).headers.get('access-control-allow-credentials');
    expect([await credentials(own, listed), await credentials(own, gateway)]).toEqual(['true', null]);
    expect(await credentials('https://evil.example.com', listed)).toBeNull();
  });
});
