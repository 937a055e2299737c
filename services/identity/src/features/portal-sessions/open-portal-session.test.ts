import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import jsonwebtoken from 'jsonwebtoken';
import { anonymous, aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const ids = createIdCodec(secrets.IDS_ALPHABET);
const partner = (tenantId: number, environment: 'live' | 'sandbox' = 'live') =>
  service.as({ type: 'system', name: 'partner', tenantId, environment, userId: undefined, keyId: undefined } as never);
const refresh = (refreshToken: string) => fleet(service).refreshPortalSession({ body: { refreshToken } });

/** Opens a session in the portal of a partner. */
async function aPortalSession(input: object = {}, environment: 'live' | 'sandbox' = 'live') {
  const tenant = await aTenant(service);
  const { tenantId } = tenant;
  const open = async (fields: object = {}) => {
    const body = { partnerId: '40', portalUserId: '50', name: 'Joan Clarke', ...input, ...fields };
    const reply = await partner(tenantId, environment).openPortalSession({ body });
    expect(reply.status).toBe(201);
    const claims = jsonwebtoken.decode(reply.data.accessToken) as jsonwebtoken.JwtPayload;
    const sessionId = `${ids.decode('session', tenantId, claims.sid)}`;
    const resolve = () => fleet(service).resolveSession({ body: { tenantId: `${tenantId}`, sessionId } });
    return { ...reply.data, claims, sessionId, resolve };
  };
  return { tenant, tenantId, open, ...(await open()) };
}

describe('a partner portal session', () => {
  it('issues tokens for the portal audience with the portal user as subject', async () => {
    const before = Date.now();
    const { accessToken, expiresIn, expiresAt, tenantId } = await aPortalSession();
    const { body } = await anonymous(service).getJwks();
    const [jwk] = (body as unknown as { keys: JsonWebKey[] }).keys;
    const verify = (audience: string) =>
      jsonwebtoken.verify(accessToken, createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }), {
        algorithms: ['RS256'],
        audience,
        issuer: 'tandem',
      });
    expect(verify('portal')).toMatchObject({
      sub: ids.encode('portal_user', tenantId, 50),
      tid: ids.encode('tenant', tenantId, tenantId),
      perms: [],
    });
    expect(() => verify('platform')).toThrow('audience');
    expect(expiresIn).toBe(900);
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 900_000);
  });

  it('resolves to the partner, portal user and environment, without platform permissions', async () => {
    const { resolve } = await aPortalSession({}, 'sandbox');
    expect((await resolve()).data).toMatchObject({
      partnerId: '40',
      portalUserId: '50',
      userId: null,
      keyId: null,
      name: 'Joan Clarke',
      environment: 'sandbox',
      permissions: [],
      teamIds: [],
      limits: { plan: 'free' },
    });
  });

  it('can be ended by session, portal user or partner, without ending other sessions', async () => {
    const { tenantId, open, resolve, sessionId } = await aPortalSession();
    const [second, colleague, stranger] = [
      await open(),
      await open({ portalUserId: '51' }),
      await open({ partnerId: '41', portalUserId: '52' }),
    ];
    const all = [{ resolve }, second, colleague, stranger];
    const openStates = () => Promise.all(all.map(async (one) => (await one.resolve()).status === 200));
    const end = async (body: object) => (await partner(tenantId).endPortalSessions({ body })).data.ended;
    expect(await openStates()).toEqual([true, true, true, true]);
    expect(await end({ sessionId })).toBe(1);
    expect(await openStates()).toEqual([false, true, true, true]);
    expect(await end({ partnerId: '40', portalUserId: '50', exceptSessionId: second.sessionId })).toBe(0);
    expect(await end({ partnerId: '40', portalUserId: '50' })).toBe(1);
    expect(await openStates()).toEqual([false, false, true, true]);
    expect(await end({ partnerId: '40' })).toBe(1);
    expect(await openStates()).toEqual([false, false, false, true]);
    expect(await end({ partnerId: '40' })).toBe(0);
    expect((await refresh(second.refreshToken)).status).toBe(401);
    expect((await partner(tenantId).endPortalSessions({ body: {} })).body.errors?.[0]?.field).toBe('partnerId');
  });

  it('cannot be ended from another tenant, and user sessions cannot be ended as portal sessions', async () => {
    const { resolve, sessionId, tenant, tenantId } = await aPortalSession();
    const other = await aTenant(service);
    expect((await partner(other.tenantId).endPortalSessions({ body: { sessionId } })).data.ended).toBe(0);
    expect((await resolve()).status).toBe(200);
    const { sid } = jsonwebtoken.decode(tenant.accessToken) as jsonwebtoken.JwtPayload;
    const own = `${ids.decode('session', tenantId, sid)}`;
    expect((await partner(tenantId).endPortalSessions({ body: { sessionId: own } })).data.ended).toBe(0);
  });

  it('cannot be ended from the other environment of its tenant', async () => {
    const { tenantId, sessionId, resolve } = await aPortalSession({}, 'sandbox');
    const ended = async (environment: 'live' | 'sandbox', body: object) =>
      (await partner(tenantId, environment).endPortalSessions({ body })).data.ended;
    for (const body of [{ sessionId }, { partnerId: '40' }, { partnerId: '40', portalUserId: '50' }])
      expect(await ended('live', body)).toBe(0);
    expect((await resolve()).status).toBe(200);
    expect(await ended('sandbox', { sessionId })).toBe(1);
  });

  it('is accessible to internal services only', async () => {
    const { owner } = await aTenant(service);
    const body = { partnerId: '40', portalUserId: '50', name: 'Eve' };
    expect((await owner.openPortalSession({ body })).status).toBe(403);
  });
});

describe('a portal refresh token', () => {
  it('can be exchanged once; a second use ends the session', async () => {
    const { refreshToken, tenantId, resolve } = await aPortalSession();
    const next = await refresh(refreshToken);
    expect([next.status, next.data]).toEqual([
      200,
      expect.objectContaining({ partnerId: '40', portalUserId: '50', tenantId: `${tenantId}`, environment: 'live' }),
    ]);
    expect((await refresh(next.data.refreshToken)).status).toBe(200);
    const again = await refresh(refreshToken);
    expect([again.status, again.body.code]).toEqual([401, 'bad_refresh_token']);
    expect((await resolve()).status).toBe(404);
    expect((await refresh(next.data.refreshToken)).status).toBe(401);
  });

  it('can be exchanged once under concurrent requests', async () => {
    const { refreshToken } = await aPortalSession();
    const replies = await Promise.all(Array.from({ length: 6 }, () => refresh(refreshToken)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is rejected by the platform, as user tokens are by the portal; neither is consumed by the attempt', async () => {
    const { refreshToken, tenant } = await aPortalSession();
    const platform = (token: string) => anonymous(service).refreshSession({ body: { refreshToken: token } });
    expect((await platform(refreshToken)).status).toBe(401);
    expect((await refresh(tenant.refreshToken)).status).toBe(401);
    expect((await platform(tenant.refreshToken)).status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(200);
    expect((await refresh('nobody’s')).status).toBe(401);
  });
});
