import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createApiKey } from '@tandem/api-keys';
import { credentialChannel } from '@tandem/identity-contract';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import jsonwebtoken from 'jsonwebtoken';
import {
  base,
  handlers,
  ids,
  json,
  limits,
  portalPrincipal,
  principal,
  privateKey,
  publicKey,
  seen,
  useThings,
} from './things.test-service.ts';

useThings();

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
    handlers['/.well-known/jwks.json'] = (_, response) =>
      json(response, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] });
    handlers['/internal/sessions/resolve'] = (_, response) => json(response, { data: { ...portalPrincipal, limits } });
    handlers['/v1/partners/portal/library'] = (_, response) => json(response, { data: { partner: '9' } });
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
      '600',
      null,
    ]);
  });

  it('refuses a portal token whose session belongs to a user', async () => {
    const portal = handlers['/internal/sessions/resolve'];
    handlers['/internal/sessions/resolve'] = (_, response) => json(response, { data: { ...principal, limits } });
    const of = (session: number) => token({}, privateKey, session);
    expect((await ask(`Bearer ${of(4)}`)).status).toBe(401);
    handlers['/internal/sessions/resolve'] = portal as NonNullable<typeof portal>;
    expect((await ask(`Bearer ${of(5)}`)).status).toBe(200);
  });

  it('names the remedy when the session of a portal token has ended', async () => {
    const portal = handlers['/internal/sessions/resolve'];
    handlers['/internal/sessions/resolve'] = (_, response) =>
      json(response, { success: false, code: 'not_found', message: 'Not found' }, 404);
    const response = await ask(`Bearer ${token({}, privateKey, 6)}`);
    handlers['/internal/sessions/resolve'] = portal as NonNullable<typeof portal>;
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect([response.status, code, message]).toEqual([401, 'unauthenticated', 'The session has ended. Sign in again']);
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
    handlers['/internal/sessions/resolve'] = (_, response) => json(response, { data: { ...who, sessionId: '11' } });
    handlers['/internal/keys/resolve'] = (_, response) =>
      json(response, { data: { ...who, sessionId: null, keyId: '8', environment: 'live' } });
    handlers['/internal/usage/read'] = (_, response) => json(response, { data: { calls: 0, recorded: [] } });
    handlers['/v1/things/generate'] = (_, response) => {
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
  handlers['/internal/keys/resolve'] = (_, response) => json(response, { data });
  handlers['/internal/usage/read'] = (_, response) =>
    json(response, { data: { calls: 40, recorded: [{ gateway: 'ended', calls: 40 }] } });
  handlers['/v1/things/own'] = (_, response) => json(response, { data: {} });
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
    handlers['/internal/keys/resolve'] = (_, response) => {
      asked++;
      json(response, { data: { ...principal, keyId: `${keyId}`, environment: 'live', allowedIps: null, limits } });
    };
    handlers['/internal/usage/read'] = (_, response) => json(response, { data: { calls: 0, recorded: [] } });
    handlers['/v1/things/own'] = (_, response) => json(response, { data: {} });
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
