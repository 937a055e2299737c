import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { Secret, TOTP } from 'otpauth';
import { anonymous, aTenant, mailTo, password, type Service, startIdentity } from '../../identity.test-service.ts';

let mailbox: Mailbox;
let service: Service;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startIdentity({ SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
});

type Tenant = Awaited<ReturnType<typeof aTenant>>;
interface Enrollment {
  otpauthUri: string;
  secret: string;
  recoveryCodes: string[];
}

/** A code of the app, `steps` of 30 seconds from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const login = (email: string) => anonymous(service).login({ body: { email, password } });
const prove = (challengeToken: string, code: string) =>
  anonymous(service).loginTotp({ body: { challengeToken, code } });
const challenged = async (email: string) => (await login(email)).data.challengeToken as string;
const within = (tenant: Tenant, text: string) =>
  service.sql(`SELECT set_config('app.tenant_id', '${tenant.tenantId}', false); ${text}`);
/** Lets the app show another code: codes are accepted once, and tests do not wait 30 seconds. */
const nextCode = (tenant: Tenant) => within(tenant, 'UPDATE totp SET last_step = 0');

async function withTotp() {
  const tenant = await aTenant(service);
  const enrollment = (await tenant.owner.startTotp({ body: {} })).data as Enrollment;
  const confirmed = await tenant.owner.confirmTotp({ body: { code: codeOf(enrollment.secret) } });
  expect([confirmed.status, confirmed.data]).toEqual([200, { enabled: true }]);
  await nextCode(tenant);
  return { tenant, ...enrollment };
}

describe('enrolling a second factor', () => {
  it('returns a secret for an app and ten recovery codes, and takes effect when a code is proven', async () => {
    const tenant = await aTenant(service);
    const started = await tenant.owner.startTotp({ body: {} });
    const { otpauthUri, secret, recoveryCodes } = started.data as Enrollment;
    expect([started.status, new Set(recoveryCodes).size]).toEqual([201, 10]);
    for (const code of recoveryCodes) expect(code).toMatch(/^([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/);
    const uri = new URL(otpauthUri);
    expect([uri.protocol, uri.host, uri.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', secret]);
    expect(decodeURIComponent(uri.pathname)).toBe(`/Tandem Analytical Engines:${tenant.email}`);
    expect((await login(tenant.email)).data.accessToken).toBeDefined();
    expect((await tenant.owner.confirmTotp({ body: { code: '000000' } })).body.code).toBe('bad_code');
    await tenant.owner.confirmTotp({ body: { code: codeOf(secret) } });
    expect((await login(tenant.email)).data).toMatchObject({ challenge: 'totp', expiresIn: 300 });
    expect((await tenant.owner.getTotp()).data).toMatchObject({
      enabled: true,
      recoveryCodesLeft: 10,
      required: false,
    });
    const event = await until('the event arrives', () =>
      service.events.find(({ name, tenantId }) => name === 'user.totp_enabled' && tenantId === tenant.tenantId),
    );
    expect(event.data).toEqual({ userId: tenant.user.id });
  });

  it('requires a code of the one in use, which works until the new one is confirmed', async () => {
    const { tenant, secret, recoveryCodes } = await withTotp();
    const { owner, email } = tenant;
    expect((await owner.startTotp({ body: {} })).body.code).toBe('code_required');
    expect((await owner.startTotp({ body: { code: '000000' } })).body.code).toBe('bad_code');
    const next = (await owner.startTotp({ body: { code: recoveryCodes[0] as string } })).data as Enrollment;
    expect((await prove(await challenged(email), codeOf(secret))).status).toBe(200);
    expect((await owner.confirmTotp({ body: { code: codeOf(next.secret) } })).status).toBe(200);
    await nextCode(tenant);
    expect((await prove(await challenged(email), codeOf(secret))).body.code).toBe('bad_code');
    expect((await prove(await challenged(email), recoveryCodes[1] as string)).body.code).toBe('bad_code');
    expect((await prove(await challenged(email), codeOf(next.secret))).status).toBe(200);
  });

  it('cannot be confirmed after an hour, or if it was never started', async () => {
    const tenant = await aTenant(service);
    expect((await tenant.owner.confirmTotp({ body: { code: '123456' } })).body.code).toBe('no_enrollment');
    const { secret } = (await tenant.owner.startTotp({ body: {} })).data as Enrollment;
    await within(tenant, "UPDATE totp SET created_at = now() - interval '61 minutes'");
    expect((await tenant.owner.confirmTotp({ body: { code: codeOf(secret) } })).body.code).toBe('no_enrollment');
  });

  it('stores neither the secret nor the codes in the clear', async () => {
    const { tenant, secret, recoveryCodes } = await withTotp();
    const read = (table: string) => service.sqlWithin(tenant.owner.caller, `SELECT * FROM ${table}`);
    const stored = JSON.stringify([await read('totp'), await read('recovery_code')]);
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      expect(stored).not.toContain(text);
  });
});

describe('signing in with a second factor', () => {
  it('needs a code of the app, accepted once, with a tolerance of one step', async () => {
    const { tenant, secret } = await withTotp();
    const token = await challenged(tenant.email);
    for (const steps of [-3, 3]) expect((await prove(token, codeOf(secret, steps))).body.code).toBe('bad_code');
    const code = codeOf(secret);
    const signedIn = await prove(token, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect(signedIn.data).toMatchObject({ user: { email: tenant.email }, tenant: { id: tenant.tenant.id } });
    expect((await prove(token, code)).body.code).toBe('bad_code');
    expect((await prove(token, codeOf(secret, 1))).status).toBe(200);
    const sessions = (await tenant.owner.listSessions()).data as { method: string }[];
    expect(sessions.map(({ method }) => method)).toContain('totp');
  });

  it('accepts one of two concurrent attempts with the same code', async () => {
    const { tenant, secret } = await withTotp();
    const token = await challenged(tenant.email);
    const replies = await Promise.all([prove(token, codeOf(secret)), prove(token, codeOf(secret))]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('accepts each recovery code once, and notifies when few are left', async () => {
    const { tenant, recoveryCodes } = await withTotp();
    const [first, ...others] = recoveryCodes as [string, ...string[]];
    expect((await prove(await challenged(tenant.email), first.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect((await prove(await challenged(tenant.email), first)).body.code).toBe('bad_code');
    const notices = async () =>
      ((await tenant.owner.listNotifications({ query: { category: 'security' } })).data as { title: string }[]).map(
        ({ title }) => title,
      );
    for (const code of others.slice(0, 5)) await prove(await challenged(tenant.email), code);
    expect(await notices()).toEqual([]);
    await prove(await challenged(tenant.email), others[5] as string);
    expect(await notices()).toEqual(['3 recovery codes are left']);
    const { data } = await until('the entry is in the audit log', async () => {
      const found = await tenant.owner.listAuditLogs({ query: { action: 'user.use_recovery_code', limit: '100' } });
      return found.data.length === 7 && found;
    });
    expect(data[0].actor).toMatchObject({ type: 'user', id: tenant.user.id });
  });

  it('opens no browser session before the code', async () => {
    const { tenant, secret } = await withTotp();
    const opened = await anonymous(service).createBrowserSession({ body: { email: tenant.email, password } });
    expect([opened.data.challenge, opened.headers['set-cookie']]).toEqual(['totp', undefined]);
    const { refreshToken } = (await prove(opened.data.challengeToken, codeOf(secret))).data;
    expect((await anonymous(service).createBrowserSession({ body: { refreshToken } })).status).toBe(200);
  });

  it('rejects a challenge that is invalid, or of an earlier password', async () => {
    const { tenant, secret } = await withTotp();
    const token = await challenged(tenant.email);
    const codes = async (given: string) => (await prove(given, codeOf(secret))).body.code;
    expect(await codes('AAAA')).toBe('bad_challenge');
    expect(await codes(`${token.slice(0, -2)}AA`)).toBe('bad_challenge');
    await within(tenant, `UPDATE "user" SET password_hash = password_hash || 'x'`);
    expect(await codes(token)).toBe('bad_challenge');
  });

  it('limits wrong codes per user, whatever their address', async () => {
    const { tenant, secret } = await withTotp();
    const token = await challenged(tenant.email);
    for (let times = 0; times < 5; times++) await prove(token, '000000');
    const reply = await prove(token, codeOf(secret));
    expect([reply.status, reply.body.code]).toEqual([429, 'too_many_failures']);
  });
});

describe('turning the second factor off', () => {
  it('needs a code', async () => {
    const { tenant, secret } = await withTotp();
    expect((await tenant.owner.disableTotp({ body: { code: '000000' } })).body.code).toBe('bad_code');
    expect((await tenant.owner.disableTotp({ body: { code: codeOf(secret) } })).data).toEqual({ enabled: false });
    expect((await tenant.owner.disableTotp({ body: { code: codeOf(secret) } })).body.code).toBe('totp_off');
    expect((await login(tenant.email)).data.accessToken).toBeDefined();
    expect((await tenant.owner.getTotp()).data).toMatchObject({ enabled: false, recoveryCodesLeft: 0 });
  });

  it('is refused while the tenant requires one', async () => {
    const { tenant, secret } = await withTotp();
    await tenant.owner.updateCurrentTenant({ body: { settings: { requireTotp: true } } });
    expect((await tenant.owner.disableTotp({ body: { code: codeOf(secret) } })).body.code).toBe('totp_required');
    expect((await tenant.owner.getTotp()).data).toMatchObject({ enabled: true, required: true });
  });

  it('by an administrator ends the sessions of the user, who must not rank higher', async () => {
    const { tenant } = await withTotp();
    const admin = tenant.as((await tenant.addUser('admin')).id, ['users:manage']);
    const params = { id: tenant.user.id };
    expect((await admin.resetUserTotp({ params })).status).toBe(403);
    expect((await tenant.owner.resetUserTotp({ params })).status).toBe(403);
    const other = tenant.as((await tenant.addUser('owner')).id);
    expect((await other.resetUserTotp({ params })).data).toEqual({ id: tenant.user.id, deleted: true });
    expect((await other.resetUserTotp({ params })).body.code).toBe('totp_off');
    expect((await tenant.owner.listSessions()).data).toEqual([]);
    expect((await login(tenant.email)).data.accessToken).toBeDefined();
  });
});

describe('the user gets a message', () => {
  const warning = 'If this was not you, change your password now and inform an administrator.';

  it('when the second factor is turned on, replaced with its recovery codes, and turned off', async () => {
    const { tenant, recoveryCodes } = await withTotp();
    const { owner, email } = tenant;
    expect((await mailTo(mailbox, email, /^Your second factor was turned on/)).text).toContain(warning);
    const next = (await owner.startTotp({ body: { code: recoveryCodes[0] as string } })).data as Enrollment;
    expect((await owner.confirmTotp({ body: { code: codeOf(next.secret) } })).status).toBe(200);
    const replaced = await mailTo(mailbox, email, /^Your second factor was replaced/);
    expect(replaced.text).toContain('with new recovery codes');
    for (const code of next.recoveryCodes) expect(`${replaced.text}${replaced.html}`).not.toContain(code);
    await nextCode(tenant);
    expect((await owner.disableTotp({ body: { code: codeOf(next.secret) } })).status).toBe(200);
    expect((await mailTo(mailbox, email, /^Your second factor was turned off/)).text).toContain(warning);
  });

  it('when an administrator removes the second factor', async () => {
    const { tenant } = await withTotp();
    const other = tenant.as((await tenant.addUser('owner')).id);
    expect((await other.resetUserTotp({ params: { id: tenant.user.id } })).status).toBe(200);
    const mail = await mailTo(mailbox, tenant.email, /^Your second factor was removed/);
    expect(mail.text).toContain('An administrator of Analytical Engines removed');
  });

  it('when they enrol at sign-in', async () => {
    const tenant = await aTenant(service);
    await tenant.owner.updateCurrentTenant({ body: { settings: { requireTotp: true, locale: 'de' } } });
    const token = await challenged(tenant.email);
    const { data } = await anonymous(service).enrollTotpAtLogin({ body: { challengeToken: token } });
    expect((await prove(token, codeOf(data.secret))).status).toBe(200);
    await mailTo(mailbox, tenant.email, /^Ihr zweiter Faktor wurde eingerichtet/);
  });
});

describe('a tenant that requires a second factor', () => {
  it('lets users without one enrol at sign-in, and only that', async () => {
    const tenant = await aTenant(service);
    await tenant.owner.updateCurrentTenant({ body: { settings: { requireTotp: true } } });
    const { data } = await login(tenant.email);
    expect(data).toMatchObject({ challenge: 'totp_enrollment' });
    const challengeToken = data.challengeToken as string;
    expect((await prove(challengeToken, '123456')).body.code).toBe('no_enrollment');
    const enroll = () => anonymous(service).enrollTotpAtLogin({ body: { challengeToken } });
    const { secret } = (await enroll()).data as Enrollment;
    expect((await prove(challengeToken, '000000')).body.code).toBe('bad_code');
    expect((await prove(challengeToken, codeOf(secret))).data.accessToken).toBeDefined();
    expect((await enroll()).body.code).toBe('totp_on');
    expect((await login(tenant.email)).data).toMatchObject({ challenge: 'totp' });
  });

  it('ends sessions of users without one at their next refresh, and no others', async () => {
    const { tenant } = await withTotp();
    const colleague = await tenant.addUser('member');
    const theirs = (await login(colleague.email)).data.refreshToken as string;
    await tenant.owner.updateCurrentTenant({ body: { settings: { requireTotp: true } } });
    const refresh = (refreshToken: string) => anonymous(service).refreshSession({ body: { refreshToken } });
    expect((await refresh(tenant.refreshToken)).status).toBe(200);
    expect((await refresh(theirs)).body).toMatchObject({ status: 401, code: 'totp_required' });
    const event = await until('the session has ended', () =>
      service.events.find(({ name, tenantId }) => name === 'user.logged_out' && tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ userId: colleague.id, reason: 'totp_required' });
  });
});
