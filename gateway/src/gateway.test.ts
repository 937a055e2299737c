import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createApiKey } from '@tandem/api-keys';
import { createCallerSigner } from '@tandem/caller';
import { id, idInText, media, operations, signedIn } from '@tandem/contract';
import { credentialChannel } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import jsonwebtoken from 'jsonwebtoken';
import { z } from 'zod';
import { settingsSchema } from './config.ts';
import { createGateway, type RunningGateway } from './create-gateway.ts';
import { testPrincipal } from './testing.ts';

// A fleet of one service whose rows use rare features: streams, the portal audience, deprecation.
const rows = operations({
  upload: {
    method: 'POST',
    path: '/v1/things/:id/upload',
    audience: 'public',
    summary: 'Upload',
    params: z.object({ id: id('tenant') }),
    form: z.object({}),
    reply: z.object({ tenant: id('tenant').optional() }),
    message: '',
    emits: [],
  },
  download: {
    method: 'GET',
    path: '/v1/things/download',
    audience: 'public',
    summary: 'Download',
    reply: media('text/csv'),
    message: '',
  },
  generate: {
    method: 'POST',
    path: '/v1/things/generate',
    permission: 'ai:write',
    peopleOnly: true,
    summary: 'Generate',
    reply: z.object({}),
    envelope: 'short',
    headers: { 'X-AI-Source': 'Where it came from' },
    deprecated: { since: '2026-01-01', sunset: '2027-01-01', successor: '/v1/other' },
    message: '',
    emits: [],
  },
  library: {
    method: 'GET',
    path: '/v1/partners/portal/library',
    audience: 'portal',
    permission: 'co_marketing:read',
    summary: 'Library',
    reply: z.object({ partner: id('partner') }),
    message: '',
  },
  own: {
    method: 'GET',
    path: '/v1/things/own',
    permission: signedIn,
    summary: 'Own',
    reply: z.object({}),
    message: '',
  },
  slow: {
    method: 'GET',
    path: '/v1/things/slow',
    audience: 'public',
    summary: 'Slow',
    reply: z.object({}),
    message: '',
    timeoutMs: 300,
  },
  broken: {
    method: 'GET',
    path: '/v1/things/broken',
    audience: 'public',
    summary: 'Broken',
    reply: z.object({ lead: id('lead') }),
    message: '',
  },
  note: {
    method: 'POST',
    path: '/v1/things/notes',
    audience: 'public',
    summary: 'Note',
    body: z.object({}),
    reply: z.object({}),
    message: '',
    emits: [],
  },
  search: {
    method: 'GET',
    path: '/v1/things/searched',
    audience: 'public',
    summary: 'Search',
    query: z.object({ status: z.string().optional() }),
    reply: z.object({}),
    message: '',
  },
  exportThings: {
    method: 'GET',
    path: '/v1/things/export',
    audience: 'public',
    summary: 'Export',
    query: z.object({ status: z.string().optional() }),
    reply: media('text/csv'),
    message: '',
  },
  flaky: {
    method: 'GET',
    path: '/v1/things/flaky',
    audience: 'public',
    summary: 'Flaky',
    reply: z.object({}),
    message: '',
  },
});

const secrets = `k1:${randomBytes(32).toString('hex')}`;
const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ids = createIdCodec(alphabet);
const signer = createCallerSigner(secrets);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  caller: ReturnType<typeof signer.verify>;
}

let service: Server;
let gateway: RunningGateway;
let base: string;
let flakes: number;
const seen: Seen[] = [];
/** Request handlers of the service, by path. */
const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {};

beforeAll(async () => {
  service = createServer((request, response) => {
    const path = (request.url as string).split('?')[0] as string;
    const caller = signer.verify(request.headers['x-ctx'] as string, request.method as string, path);
    // The gateway also fetches keys and reports usage, independently of requests.
    if (path.startsWith('/v1/')) seen.push({ path, headers: request.headers, caller });
    const answer = answers[path] ?? ((_, to) => to.writeHead(404).end('{}'));
    answer(request, response);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
  const settings = settingsSchema.parse({
    REDIS_URL: process.env.TEST_REDIS_URL,
    // Tests assert the rate limit headers; with a slow Redis on a loaded machine, the default would drop them.
    REDIS_TIMEOUT_MS: 10_000,
    NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
    INTERNAL_SECRETS: secrets,
    KEY_PEPPER: 'p'.repeat(32),
    IDS_ALPHABET: alphabet,
    IDENTITY_URL: origin,
    ANONYMOUS_RATE_PER_MINUTE: 10_000,
  });
  gateway = createGateway(settings, { identity: rows }, { identity: origin });
  await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(gateway.server.address() as { port: number }).port}`;
});
afterAll(async () => {
  gateway?.server.close();
  gateway?.server.closeAllConnections();
  await gateway?.close();
  service?.closeAllConnections();
  service?.close();
});

const json = (response: ServerResponse, data: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));

describe('the streaming path', () => {
  it('streams a request body while it arrives, with only the allowed headers', async () => {
    let firstBytes = 0;
    answers['/v1/things/7/upload'] = (request, response) => {
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
    await until('the answer comes', () => text.includes('{"size":100000}'));
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
    answers['/v1/things/download'] = (_, response) => {
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
    answers['/v1/things/7/upload'] = (request, response) =>
      request.resume().on('end', () => {
        response.setHeader('x-ctx-tenant', '7');
        json(response, { data: { tenant: '7' } }, 201);
      });
    const response = await fetch(upload(), form());
    expect([response.status, await response.json()]).toEqual([201, { data: { tenant: ids.encode('tenant', 7, 7) } }]);
  });

  it('passes on the response of a service that refuses a form before its end', async () => {
    answers['/v1/things/7/upload'] = (_, response) => json(response, { code: 'body_too_large' }, 413);
    const response = await fetch(upload(), form('x'.repeat(3_000_000)));
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
  });

  it('forwards a form with Expect: 100-continue with only the allowed headers', async () => {
    answers['/v1/things/7/upload'] = (request, response) =>
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
    await until('the answer comes', () => text.includes('HTTP/1.1 200'));
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
  ])('answers 503 for %s if the service closes the connection', async (_, url, options) => {
    answers['/v1/things/7/upload'] = (request) => request.socket.destroy();
    answers['/v1/things/download'] = (request) => request.socket.destroy();
    const response = await fetch(url(), options());
    const { code } = (await response.json()) as { code: string };
    expect([response.status, code, response.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  });

  it('limits the streams of one address without credentials, so that others are served', async () => {
    answers['/v1/things/download'] = (_, response) => void response.writeHead(200).write('x');
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

const principal = {
  ...testPrincipal,
  environment: null,
  keyId: null,
  sessionId: '3',
  name: 'Partner',
  permissions: ['co_marketing:read'],
};
const portalPrincipal = { ...principal, environment: 'sandbox', userId: null, partnerId: '9', portalUserId: '6' };
const limits = { plan: 'free', monthlyCalls: 1000, ratePerMinute: 60, burst: 10 };

describe('a service of another release', () => {
  it('may return unknown fields, which the gateway removes if they may contain ids', async () => {
    answers['/v1/things/slow'] = (_, response) => {
      response.setHeader('x-id-paths', 'another');
      json(response, { data: { teamId: '7' }, message: 'kept' });
    };
    const response = await fetch(`${base}/v1/things/slow`);
    expect([response.status, await response.json()]).toEqual([200, { data: {}, message: 'kept' }]);
    expect(response.headers.get('x-id-paths')).toBeNull();
  });
});

describe('the portal audience', () => {
  const token = (claims: object = {}, key = privateKey, session = 3) =>
    jsonwebtoken.sign({ tid: ids.encode('tenant', 7, 7), sid: ids.encode('session', 7, session), ...claims }, key, {
      algorithm: 'RS256',
      keyid: 'k',
      issuer: 'tandem',
      subject: ids.encode('user', 7, 5),
      audience: 'portal',
      expiresIn: 60,
      ...(claims as object),
    } as never);
  beforeAll(() => {
    answers['/.well-known/jwks.json'] = (_, response) =>
      json(response, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] });
    answers['/internal/sessions/resolve'] = (_, response) => json(response, { data: { ...portalPrincipal, limits } });
    answers['/v1/partners/portal/library'] = (_, response) => json(response, { data: { partner: '9' } });
  });
  const ask = (authorization: string) => fetch(`${base}/v1/partners/portal/library`, { headers: { authorization } });

  it('accepts a portal token as a portal caller, and encodes ids for its tenant', async () => {
    const response = await ask(`Bearer ${token()}`);
    expect([response.status, ((await response.json()) as { data: { partner: string } }).data.partner]).toEqual([
      200,
      ids.encode('partner', 7, 9),
    ]);
    const { caller } = seen.at(-1) as (typeof seen)[number];
    const who = { type: 'portal', tenantId: 7, environment: 'sandbox', sessionId: 3, partnerId: 9, portalUserId: 6 };
    expect(caller).toMatchObject(who);
    expect([caller?.userId, caller?.usage]).toEqual([undefined, undefined]);
    expect([response.headers.get('ratelimit-limit'), response.headers.get('x-api-usage-current')]).toEqual([
      '60',
      null,
    ]);
  });

  it('refuses a portal token whose session belongs to a user', async () => {
    const portal = answers['/internal/sessions/resolve'];
    answers['/internal/sessions/resolve'] = (_, response) => json(response, { data: { ...principal, limits } });
    const of = (session: number) => token({}, privateKey, session);
    expect((await ask(`Bearer ${of(4)}`)).status).toBe(401);
    answers['/internal/sessions/resolve'] = portal as NonNullable<typeof portal>;
    expect((await ask(`Bearer ${of(5)}`)).status).toBe(200);
  });

  it.each<[string, () => string]>([
    ['for another audience', () => token({ audience: 'platform' })],
    ['of another issuer', () => token({ issuer: 'somebody' })],
    ['that has expired', () => token({ expiresIn: -120 })],
    ['signed by somebody else', () => token({}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
    [
      'without a signature',
      () => `${Buffer.from('{"alg":"none","kid":"k"}').toString('base64url')}.${token().split('.')[1]}.`,
    ],
    ['signed with the public key as a secret', () => hmacToken(token())],
  ])('refuses a token %s', async (_, make) => {
    expect((await ask(`Bearer ${make()}`)).status).toBe(401);
  });

  function hmacToken(like: string): string {
    const secret = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const claims = jsonwebtoken.decode(like) as object;
    const head = Buffer.from('{"alg":"HS256","kid":"k"}').toString('base64url');
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${head}.${body}.${createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')}`;
  }
});

describe('a deprecated operation for people', () => {
  const permissions = ['ai:write'];
  const token = jsonwebtoken.sign({ tid: ids.encode('tenant', 7, 7), sid: ids.encode('session', 7, 11) }, privateKey, {
    algorithm: 'RS256',
    keyid: 'k',
    issuer: 'tandem',
    expiresIn: 60,
    subject: ids.encode('user', 7, 5),
    audience: 'platform',
  });
  const ask = (headers: Record<string, string>) => fetch(`${base}/v1/things/generate`, { method: 'POST', headers });
  beforeAll(() => {
    const who = { ...principal, permissions, limits };
    answers['/internal/sessions/resolve'] = (_, response) => json(response, { data: { ...who, sessionId: '11' } });
    answers['/internal/keys/resolve'] = (_, response) =>
      json(response, { data: { ...who, sessionId: null, keyId: '8', environment: 'live' } });
    answers['/internal/usage/read'] = (_, response) => json(response, { data: { calls: 0, recorded: [] } });
    answers['/v1/things/generate'] = (_, response) => {
      response.setHeader('x-ai-source', 'template');
      response.setHeader('x-other', 'ours');
      json(response, { success: true });
    };
  });

  it('accepts a token, and returns the deprecation headers and its declared response header', async () => {
    const tenant = ids.encode('tenant', 7, 7);
    const { status, headers } = await ask({ authorization: `Bearer ${token}`, 'x-tenant-id': tenant });
    expect([status, headers.get('x-ai-source'), headers.get('x-other')]).toEqual([200, 'template', null]);
    expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
      '@1767225600',
      'Fri, 01 Jan 2027 00:00:00 GMT',
      '</v1/other>; rel="successor-version"',
    ]);
  });

  it('refuses an API key with the permission, and names the credentials to send', async () => {
    const response = await ask({ 'x-api-key': createApiKey('live').key });
    const body = (await response.json()) as { message: string; errors: { field: string }[] };
    expect([response.status, body.message, body.errors[0]?.field]).toEqual([
      403,
      'Insufficient permissions',
      'X-API-Key',
    ]);
  });
});

it('passes the usage of a key to the service, equal to the response header', async () => {
  const { key } = createApiKey('live');
  const data = { ...principal, tenantId: '8', keyId: '9', environment: 'live', limits };
  answers['/internal/keys/resolve'] = (_, response) => json(response, { data });
  answers['/internal/usage/read'] = (_, response) =>
    json(response, { data: { calls: 40, recorded: [{ gateway: 'ended', calls: 40 }] } });
  answers['/v1/things/own'] = (_, response) => json(response, { data: {} });
  for (const usage of [41, 42]) {
    const response = await fetch(`${base}/v1/things/own`, { headers: { 'x-api-key': key } });
    expect(response.headers.get('x-api-usage-current')).toBe(String(usage));
    expect(seen.at(-1)?.caller?.usage).toBe(usage);
  }
});

describe('an address with too many failed authentications', () => {
  it('is refused for unknown keys; a key that was valid before keeps working after its cache entry is invalidated', async () => {
    const { key } = createApiKey('live');
    const keyId = 5;
    let asked = 0;
    answers['/internal/keys/resolve'] = (_, response) => {
      asked++;
      json(response, { data: { ...principal, keyId: `${keyId}`, environment: 'live', allowedIps: null, limits } });
    };
    answers['/internal/usage/read'] = (_, response) => json(response, { data: { calls: 0, recorded: [] } });
    answers['/v1/things/own'] = (_, response) => json(response, { data: {} });
    const ask = (apiKey: string) => fetch(`${base}/v1/things/own`, { headers: { 'x-api-key': apiKey } });
    expect((await ask(key)).status).toBe(200);
    await until('the address has failed too often', async () => {
      if ((await ask('svc_live_sk_wrong')).status !== 429) return false;
      return (await ask(createApiKey('live').key)).status === 429;
    });
    const before = asked;
    const redis = new Redis(process.env.TEST_REDIS_URL as string);
    await redis.publish(credentialChannel, JSON.stringify({ keyId }));
    redis.disconnect();
    await until('the key is resolved again', async () => {
      expect((await ask(key)).status).toBe(200);
      return asked > before;
    });
  });
});

describe('a service', () => {
  const status = async (path: string) => {
    const response = await fetch(`${base}${path}`);
    return [response.status, ((await response.json()) as { code: string }).code, response.headers.get('retry-after')];
  };

  it('that is too slow causes 504', async () => {
    answers['/v1/things/slow'] = () => {};
    expect(await status('/v1/things/slow')).toEqual([504, 'upstream_timeout', '1']);
  });

  it('gets at most 100 query parameters', async () => {
    answers['/v1/things/searched'] = (_, response) => json(response, { data: {} });
    const search = (count: number) =>
      `/v1/things/searched?${Array.from({ length: count - 1 }, (_, index) => `p${index}=`).join('&')}&status=new`;
    expect((await fetch(base + search(100))).status).toBe(200);
    const before = seen.length;
    const refused = await fetch(base + search(101));
    const { errors } = (await refused.json()) as { errors: unknown };
    expect([refused.status, errors, seen.length]).toEqual([
      422,
      [{ field: 'query', message: 'Must have at most 100 parameters' }],
      before,
    ]);
  });

  it('that streams a file gets at most 100 query parameters', async () => {
    const query = Array.from({ length: 101 }, (_, index) => `p${index}=`).join('&');
    expect(await status(`/v1/things/export?${query}`)).toEqual([422, 'validation_failed', null]);
  });

  it('that puts an id into an error message has it encoded', async () => {
    const message = `Was converted before, to ${idInText('opportunity', 12)}`;
    answers['/v1/things/broken'] = (_, response) => {
      response.setHeader('x-ctx-tenant', '7');
      json(response, { errors: [{ field: 'leadId', message }] }, 409);
    };
    const { errors } = (await (await fetch(`${base}/v1/things/broken`)).json()) as { errors: { message: string }[] };
    expect(errors[0]?.message).toBe(`Was converted before, to ${ids.encode('opportunity', 7, 12)}`);
  });

  it('that sends an invalid response causes 502', async () => {
    answers['/v1/things/broken'] = (_, response) => response.writeHead(200).end('<html>');
    expect(await status('/v1/things/broken')).toEqual([502, 'bad_gateway', null]);
  });

  it('that drops a connection receives a GET once more', async () => {
    flakes = 0;
    answers['/v1/things/flaky'] = (request, response) =>
      flakes++ ? json(response, { data: {} }) : request.socket.destroy();
    expect((await fetch(`${base}/v1/things/flaky`)).status).toBe(200);
    expect(flakes).toBe(2);
  });
});

describe('hostile connections', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port } = new URL(base);
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
      socket.on('error', () => resolve('reset'));
      socket.write(text);
    });
  it.each([
    ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /v1/things/1/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n'],
    ['no request at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['a bare line feed in the request line', 'GET / HTTP/1.1\nHost: a\n\n'],
  ])('with %s receive 400 and reach no service', async (_, text) => {
    const before = seen.length;
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen.length).toBe(before);
  });
});

it('records a request with a truncated body as refused, not as served', async () => {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const head =
    'POST /v1/things/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n';
  await new Promise((resolve) => socket.write(`${head}{`, resolve));
  await new Promise<void>((resolve) => gateway.ops.listen(0, '127.0.0.1', resolve));
  const { port: opsPort } = gateway.ops.address() as { port: number };
  socket.destroy();
  const line = await until('the request is recorded', async () => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    return text.split('\n').find((one) => one.startsWith('tandem_requests_total') && one.includes('operation="note"'));
  });
  gateway.ops.close();
  expect(line).toContain('status="400"');
});
