import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { failedSignInsPerHourMax } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import jsonwebtoken from 'jsonwebtoken';
import {
  anonymous,
  aTenant,
  fleet,
  password,
  type Service,
  secrets,
  startIdentity,
} from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

describe('login', () => {
  it('returns tokens, the user and the tenant', async () => {
    const { email, tenant } = await aTenant(service);
    const { status, data } = await anonymous(service).login({ body: { email: email.toUpperCase(), password } });
    expect([status, data.tokenType, data.expiresIn]).toEqual([200, 'Bearer', 900]);
    expect(data).toMatchObject({ user: { email }, tenant: { id: tenant.id } });
    expect(data.user.lastLoginAt).not.toBeNull();
  });

  it('issues tokens with public ids that verify with the published key', async () => {
    const { accessToken, tenantId, user } = await aTenant(service);
    const { body } = await anonymous(service).getJwks();
    const [key] = (body as unknown as { keys: (JsonWebKey & { kid: string })[] }).keys;
    const { header, payload } = jsonwebtoken.verify(
      accessToken,
      createPublicKey({ key: key as JsonWebKey, format: 'jwk' }),
      {
        algorithms: ['RS256'],
        audience: 'platform',
        issuer: 'tandem',
        complete: true,
      },
    );
    const claims = payload as jsonwebtoken.JwtPayload;
    const ids = createIdCodec(secrets.IDS_ALPHABET);
    expect(header.kid).toBe(key?.kid);
    expect(claims).toMatchObject({
      role: 'owner',
      perms: ['*'],
      tid: ids.encode('tenant', tenantId, tenantId),
      sub: ids.encode('user', tenantId, Number(user.id)),
    });
    expect((claims.exp as number) - (claims.iat as number)).toBe(900);
    const session = await fleet(service).resolveSession({
      body: { tenantId: `${tenantId}`, sessionId: `${ids.decode('session', tenantId, claims.sid)}` },
    });
    expect(session.data).toMatchObject({
      userId: user.id,
      keyId: null,
      environment: null,
      permissions: ['*'],
      limits: { plan: 'free' },
    });
  });

  it('records failures of known users in the audit log, up to a limit', async () => {
    const tenant = await aTenant(service);
    const user = await tenant.addUser('member');
    const failures = async () => {
      const { data } = await tenant.owner.listAuditLogs({ query: { action: 'user.login', limit: '100' } });
      return data.filter(({ outcome }: { outcome: string }) => outcome === 'failure');
    };
    const fails = (email: string, ip?: string) =>
      anonymous(service, ip).login({ body: { email, password: 'wrong password' } });
    await fails('nobody@example.com');
    await fails(user.email, '203.0.113.7');
    const [entry] = await until('the failure is in the log', async () => {
      const found = await failures();
      return found.length === 1 && found;
    });
    const ids = createIdCodec(secrets.IDS_ALPHABET);
    expect(entry).toMatchObject({
      actor: { type: 'anonymous', id: null, name: null },
      targets: [{ type: 'user', id: ids.encode('user', tenant.tenantId, Number(user.id)) }],
      context: { ip: '203.0.113.7' },
    });
    for (let times = 0; times < 2 * failedSignInsPerHourMax + 4; times++) await fails(user.email);
    await anonymous(service).login({ body: { email: tenant.email, password } });
    await until('later entries are there', async () => {
      const { data } = await tenant.owner.listAuditLogs({ query: { action: 'user.login', limit: '100' } });
      return data[0]?.outcome === 'success';
    });
    // The attempts may span two hours, and the counter resets every hour.
    expect((await failures()).length).toBeLessThanOrEqual(2 * failedSignInsPerHourMax);
    expect((await failures()).length).toBeGreaterThanOrEqual(failedSignInsPerHourMax - 1);
  });

  it('returns the same error for every failure', async () => {
    const { email, addUser, owner, tenantId } = await aTenant(service);
    const gone = await addUser('member');
    await owner.updateUser({ params: { id: gone.id }, body: { status: 'deactivated' } });
    const tries = [
      { email, password: 'wrong password' },
      { email: 'nobody@example.com', password },
      { email: gone.email, password },
      { email, password, tenantId: `${tenantId + 100_000}` },
    ];
    for (const body of tries) {
      const reply = await anonymous(service).login({ body });
      expect([reply.status, reply.body.code, reply.body.message]).toEqual([
        401,
        'bad_credentials',
        'Invalid e-mail address or password',
      ]);
    }
  });

  it('requires tenantId when the credentials match several tenants, otherwise selects the matching one', async () => {
    const [first, second, third] = [await aTenant(service), await aTenant(service), await aTenant(service)];
    await first.addUser('member', { email: third.email });
    const unclear = await anonymous(service).login({ body: { email: third.email, password } });
    expect([unclear.status, unclear.body.errors?.map(({ field }) => field)]).toEqual([422, ['tenantId']]);
    const named = await anonymous(service).login({
      body: { email: third.email, password, tenantId: `${first.tenantId}` },
    });
    expect(named.data.tenant.id).toBe(`${first.tenantId}`);
    await second.addUser('viewer', { email: first.email, password: 'quite another one' });
    const byPassword = await anonymous(service).login({ body: { email: first.email, password: 'quite another one' } });
    expect(byPassword.data.tenant.id).toBe(`${second.tenantId}`);
  });

  it('rejects the sixth attempt after five failures per address and IP, even with the correct password', async () => {
    const { email } = await aTenant(service);
    const here = anonymous(service, '10.1.1.1');
    for (let failures = 0; failures < 5; failures++)
      expect((await here.login({ body: { email, password: 'wrong password' } })).status).toBe(401);
    const refused = await here.login({ body: { email, password } });
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_failures']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect((await anonymous(service, '10.1.1.2').login({ body: { email, password } })).status).toBe(200);
  });

  it('counts failures per IPv6 /64 network', async () => {
    const { email } = await aTenant(service);
    for (let host = 1; host <= 5; host++)
      await anonymous(service, `2001:db8:1:1::${host}`).login({ body: { email, password: 'wrong password' } });
    const attempt = async (ip: string) => (await anonymous(service, ip).login({ body: { email, password } })).status;
    expect([await attempt('2001:db8:1:1:ffff::6'), await attempt('2001:db8:1:2::1')]).toEqual([429, 200]);
  });

  it('counts concurrent attempts', async () => {
    const { email } = await aTenant(service);
    const here = anonymous(service, '10.2.2.2');
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => here.login({ body: { email, password: 'wrong password' } })),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  it('allows concurrent logins with the correct password', async () => {
    const { email } = await aTenant(service);
    const here = anonymous(service, '10.3.3.3');
    const replies = await Promise.all(Array.from({ length: 8 }, () => here.login({ body: { email, password } })));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('stores neither passwords nor tokens in plain text', async () => {
    const { refreshToken, accessToken } = await aTenant(service);
    const tables = await service.sql(
      `SELECT schemaname || '."' || tablename || '"' AS name FROM pg_tables WHERE schemaname IN ('public', 'platform')`,
    );
    for (const { name } of tables) {
      const dump = JSON.stringify(await service.sql(`SELECT * FROM ${name}`));
      for (const secret of [password, refreshToken, accessToken]) expect(dump.includes(secret)).toBe(false);
    }
  });
});
