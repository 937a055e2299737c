import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import jsonwebtoken from 'jsonwebtoken';
import { anonymous, aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const refresh = (refreshToken: string) => anonymous(service).refreshSession({ body: { refreshToken } });
const sessionOf = ({ accessToken, tenantId }: { accessToken: string; tenantId: number }) =>
  createIdCodec(secrets.IDS_ALPHABET).decode(
    'session',
    tenantId,
    (jsonwebtoken.decode(accessToken) as { sid: string }).sid,
  ) as number;
const resolve = (of: { accessToken: string; tenantId: number }) =>
  fleet(service).resolveSession({ body: { tenantId: `${of.tenantId}`, sessionId: `${sessionOf(of)}` } });

/** Moves the use of all refresh tokens of a tenant into the past. */
const passHalfAMinute = (tenantId: number) =>
  service.sql(
    `SELECT set_config('app.tenant_id', '${tenantId}', false); UPDATE refresh_token SET used_at = used_at - interval '31 seconds'`,
  );

describe('a refresh token', () => {
  it('is exchanged for new tokens of the same session', async () => {
    const tenant = await aTenant(service);
    const { status, data } = await refresh(tenant.refreshToken);
    expect([status, data.expiresIn]).toEqual([200, 900]);
    expect(data.refreshToken).not.toBe(tenant.refreshToken);
    expect(sessionOf({ ...tenant, accessToken: data.accessToken })).toBe(sessionOf(tenant));
  });

  it('used a second time after 30 seconds ends the session and all its tokens', async () => {
    const tenant = await aTenant(service);
    const second = (await refresh(tenant.refreshToken)).data.refreshToken;
    const third = (await refresh(second)).data.refreshToken;
    expect((await resolve(tenant)).status).toBe(200);
    await passHalfAMinute(tenant.tenantId);
    expect([(await refresh(second)).status, (await refresh(third)).status]).toEqual([401, 401]);
    expect((await resolve(tenant)).status).toBe(404);
    const event = await until('the logout event arrives', () =>
      service.events.find((one) => one.name === 'user.logged_out' && one.tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ reason: 'refresh_reused' });
  });

  it('used again within 30 seconds returns the same successor, also to concurrent requests', async () => {
    const tenant = await aTenant(service);
    const replies = await Promise.all([refresh(tenant.refreshToken), refresh(tenant.refreshToken)]);
    replies.push(await refresh(tenant.refreshToken));
    const [first, ...others] = replies.map(({ data }) => data.refreshToken);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(others).toEqual([first, first]);
    expect((await refresh(first)).status).toBe(200);
    expect((await resolve(tenant)).status).toBe(200);
  });

  it('is not revived by its successor: after the session ends, repeating the exchange fails', async () => {
    const tenant = await aTenant(service);
    await refresh(tenant.refreshToken);
    await tenant.as(tenant.user.id, [], { sessionId: sessionOf(tenant) }).logout();
    expect((await refresh(tenant.refreshToken)).status).toBe(401);
  });

  it('is not stored, and neither is its successor', async () => {
    const tenant = await aTenant(service);
    const { refreshToken } = (await refresh(tenant.refreshToken)).data;
    const rows = await service.sqlWithin(tenant.owner.caller, 'SELECT * FROM refresh_token');
    const stored = JSON.stringify([rows, await service.sql('SELECT * FROM refresh_lookup')]);
    for (const token of [tenant.refreshToken, refreshToken]) expect(stored).not.toContain(token);
  });

  it('that is unknown, or belongs to an inactive user, is rejected with the same error', async () => {
    const { addUser, owner } = await aTenant(service);
    const user = await addUser('member');
    const { data } = await anonymous(service).login({ body: { email: user.email, password: 'correct horse battery' } });
    await owner.updateUser({ params: { id: user.id }, body: { status: 'deactivated' } });
    for (const token of ['x'.repeat(43), data.refreshToken])
      expect((await refresh(token)).body).toMatchObject({ status: 401, code: 'bad_refresh_token' });
  });

  it('lasts 30 days', async () => {
    const tenant = await aTenant(service);
    await service.sql(
      `SELECT set_config('app.tenant_id', '${tenant.tenantId}', false); UPDATE refresh_token SET expires_at = now() - interval '1 second'`,
    );
    expect((await refresh(tenant.refreshToken)).status).toBe(401);
  });
});

describe('logout', () => {
  it('ends the session and its refresh token, and is idempotent', async () => {
    const tenant = await aTenant(service);
    const me = tenant.as(tenant.user.id, [], { sessionId: sessionOf(tenant) });
    expect((await me.logout()).data).toEqual({ signedOut: true });
    expect((await resolve(tenant)).status).toBe(404);
    expect((await refresh(tenant.refreshToken)).status).toBe(401);
    expect((await me.logout()).status).toBe(200);
  });

  it('is not available to API keys', async () => {
    const { tenantId } = await aTenant(service);
    expect((await service.as({ tenantId }).logout()).body.code).toBe('no_session');
  });
});
