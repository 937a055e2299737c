import { randomBytes } from 'node:crypto';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { type ProviderPerson, startNameServer, startProvider } from '@tandem/testing/sso-peers';
import {
  anonymous,
  aTenant,
  mailTo,
  ownSettings,
  password,
  type Service,
  startIdentity,
  tokenIn,
} from '../../identity.test-service.ts';

let service: Service;
let mailbox: Mailbox;
let provider: Awaited<ReturnType<typeof startProvider>>;
let names: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  names = await startNameServer();
  provider = await startProvider(`${ownSettings.PUBLIC_URL}/v1/auth/sso/callback`);
  mailbox = await startMailbox();
  service = await startIdentity({ SSO_DNS_SERVERS: [names.address], SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
  await provider?.close();
  names?.close();
});

type Tenant = Awaited<ReturnType<typeof aTenant>>;
const unique = () => randomBytes(6).toString('hex');
const within = (tenant: Tenant, text: string) =>
  service.sql(`SELECT set_config('app.tenant_id', '${tenant.tenantId}', false); ${text}`);
const cookiesOf = ({ headers }: { headers: Record<string, string> }) => [headers['set-cookie'] ?? []].flat();
const valueIn = (cookies: string[], name: string) =>
  cookies
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(';')[0];

async function proveDomain(tenant: Tenant, domain: string) {
  const { data } = await tenant.owner.addSsoDomain({ body: { domain } });
  names.records.set(data.recordName, data.recordValue);
  const verified = await tenant.owner.verifySsoDomain({ params: { id: data.id } });
  expect([verified.status, verified.data?.status]).toEqual([200, 'verified']);
  return data as { id: string };
}

const settings = (fields: object = {}) => ({
  issuer: provider.issuer,
  clientId: provider.clientId,
  clientSecret: provider.secret,
  ...fields,
});

/** A tenant on the plan with single sign-on, with a proven domain. */
async function aCompany(fields: { enforce?: boolean; allowSignUp?: boolean } = {}) {
  const tenant = await aTenant(service);
  await within(tenant, `UPDATE tenant SET plan = 'team'`);
  const domain = `${unique()}.example.com`;
  await proveDomain(tenant, domain);
  const body = settings({ allowSignUp: true, defaultRoleId: tenant.roleId('member'), ...fields });
  const configured = await tenant.owner.configureSso({ body });
  expect(configured.status).toBe(200);
  return { tenant, domain, configured };
}

/** Begins a sign-in; returns the redirect to the provider and the cookie of the browser. */
async function begin(query: Record<string, string>) {
  const started = await anonymous(service).startSso({ query });
  expect(started.status).toBe(302);
  const [cookie = ''] = cookiesOf(started);
  return { location: started.headers['location'] as string, cookie, jar: cookie.split(';')[0] as string };
}

const finish = (callback: URL, jar: string) =>
  anonymous(service).finishSso({ query: Object.fromEntries(callback.searchParams), headers: { cookie: jar } });

/** The whole way of a browser. */
async function signIn(email: string, person: ProviderPerson = {}, subject = unique()) {
  provider.people.set(subject, { email, email_verified: true, name: 'Grace Brewster Hopper', ...person });
  const { location, jar } = await begin({ email });
  return { subject, reply: await finish(await provider.signIn(subject, location), jar) };
}

const codeOf = async (signedIn: ReturnType<typeof signIn>) => (await signedIn).reply.body.code;

describe('a person who signs in through the identity provider', () => {
  it('gets a user at the first sign-in, a browser session, and returns to where they were', async () => {
    const { tenant, domain } = await aCompany();
    const email = `grace@${domain}`;
    const subject = unique();
    provider.people.set(subject, { email, email_verified: true, name: 'Grace Brewster Hopper' });
    const { location, cookie, jar } = await begin({ email, returnTo: '/leads?status=new' });
    const to = new URL(location);
    expect([to.origin, to.searchParams.get('code_challenge_method')]).toEqual([provider.issuer, 'S256']);
    expect(cookie).toMatch(/; Path=\/v1\/auth\/sso; Max-Age=600; HttpOnly; SameSite=Lax$/);

    const reply = await finish(await provider.signIn(subject, location), jar);
    expect([reply.status, reply.headers['location']]).toEqual([302, 'http://localhost:8080/leads?status=new']);
    expect(valueIn(cookiesOf(reply), 'tandem_sso')).toBe('');
    const refreshed = await anonymous(service).refreshSession({
      body: {},
      headers: { cookie: `tandem_refresh=${valueIn(cookiesOf(reply), 'tandem_refresh')}` },
    });
    expect(refreshed.status).toBe(200);
    const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    expect(user).toMatchObject({ email, firstName: 'Grace', lastName: 'Brewster Hopper' });
    expect(user.roleId).toBe(tenant.roleId('member'));
    const event = await until('the sign-in is an event', () =>
      service.events.find(({ name, tenantId }) => name === 'user.logged_in' && tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ userId: user.id, method: 'sso' });
  });

  it('is recognised by their subject afterwards, whatever their address', async () => {
    const { tenant, domain } = await aCompany();
    const { subject } = await signIn(`grace@${domain}`);
    await tenant.owner.configureSso({ body: settings({ clientSecret: undefined }) });
    provider.people.set(subject, { email: `hopper@${domain}`, email_verified: false });
    const { location, jar } = await begin({ slug: tenant.tenant['slug' as 'id'] });
    expect((await finish(await provider.signIn(subject, location), jar)).status).toBe(302);
    expect((await tenant.owner.listUsers({ query: { search: domain } })).data).toHaveLength(1);
  });

  it('is linked to the user with their verified address', async () => {
    const { tenant, domain } = await aCompany({ allowSignUp: false });
    const user = await tenant.addUser('manager', { email: `ada@${domain}` });
    expect((await signIn(`ADA@${domain}`)).reply.status).toBe(302);
    const me = tenant.as(user.id);
    expect((await me.listSessions()).data).toMatchObject([{ method: 'sso' }]);
  });

  it('needs a verified address within a proven domain', async () => {
    const { tenant, domain } = await aCompany();
    await tenant.addUser('member', { email: `ada@${domain}` });
    expect(await codeOf(signIn(`ada@${domain}`, { email_verified: false }))).toBe('sso_email_unverified');
    expect(await codeOf(signIn(`ada@${domain}`, { email_verified: 'false' }))).toBe('sso_email_unverified');
    expect(await codeOf(signIn(`ada@${domain}`, { email: `eve@not-${domain}` }))).toBe('sso_domain_unproven');
    expect(await codeOf(signIn(`ada@${domain}`, { email: `eve@sub.${domain}` }))).toBe('sso_domain_unproven');
  });

  it('needs no statement of the provider that the address is verified, if its domain is proven', async () => {
    const { tenant, domain } = await aCompany({ allowSignUp: false });
    await tenant.addUser('member', { email: `ada@${domain}` });
    const unstated = { email_verified: undefined };
    expect((await signIn(`ada@${domain}`, unstated)).reply.status).toBe(302);
    const foreign = signIn(`ada@${domain}`, { ...unstated, email: `ada@${unique()}.example.com` });
    expect(await codeOf(foreign)).toBe('sso_domain_unproven');
    expect(await codeOf(signIn(`ada@${domain}`, { ...unstated, xms_edov: false }))).toBe('sso_email_unverified');
  });

  it('without a user is refused unless the tenant allows sign-up', async () => {
    const { domain } = await aCompany({ allowSignUp: false });
    expect(await codeOf(signIn(`grace@${domain}`))).toBe('sso_no_account');
  });

  it('gets one user, also if an administrator creates the user at the same time', async () => {
    const { tenant, domain } = await aCompany();
    const email = `grace@${domain}`;
    const body = { email, password, firstName: 'Grace', lastName: 'Hopper' };
    const [{ reply }, created] = await Promise.all([signIn(email), tenant.owner.createUser({ body })]);
    expect([302, 409]).toContain(reply.status);
    expect([201, 409]).toContain(created.status);
    expect((await signIn(email)).reply.status).toBe(302);
    expect((await tenant.owner.listUsers({ query: { search: email } })).data).toHaveLength(1);
  });

  it('signs up without the role of an invitation whose sender lost the right to it, and closes it', async () => {
    const { tenant, domain } = await aCompany();
    const email = `grace@${domain}`;
    const admin = await tenant.addUser('admin');
    const invited = await tenant.as(admin.id).inviteUser({ body: { email, roleId: tenant.roleId('admin') } });
    expect(invited.status).toBe(201);
    await tenant.owner.setUserRole({ params: { id: admin.id }, body: { roleId: tenant.roleId('member') } });
    expect((await signIn(email)).reply.status).toBe(302);
    const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    expect(user.roleId).toBe(tenant.roleId('member'));
    expect((await tenant.owner.listInvitations()).data).toMatchObject([{ status: 'revoked', acceptedUserId: null }]);
  });

  it('who is deactivated is refused', async () => {
    const { tenant, domain } = await aCompany();
    const { subject } = await signIn(`grace@${domain}`);
    await within(tenant, `UPDATE "user" SET status = 'deactivated' WHERE email = 'grace@${domain}'`);
    expect(await codeOf(signIn(`grace@${domain}`, {}, subject))).toBe('sso_not_allowed');
  });

  it('ranks no higher than the person who set the provider up', async () => {
    const { tenant, domain } = await aCompany();
    const admin = tenant.as((await tenant.addUser('admin')).id, ['tenant:manage', 'users:*', 'leads:*']);
    await tenant.addUser('owner', { email: `owner@${domain}` });
    expect((await admin.configureSso({ body: settings() })).status).toBe(200);
    expect(await codeOf(signIn(`owner@${domain}`))).toBe('sso_not_allowed');
    expect((await tenant.owner.configureSso({ body: settings() })).status).toBe(200);
    expect((await signIn(`owner@${domain}`)).reply.status).toBe(302);
  });
});

describe('when the person who set the provider up is no longer active', () => {
  it('rejects sign-ins until another user saves its settings', async () => {
    const { tenant, domain } = await aCompany();
    const { subject } = await signIn(`grace@${domain}`);
    const admin = await tenant.addUser('admin');
    expect((await tenant.as(admin.id).configureSso({ body: settings() })).status).toBe(200);
    expect((await signIn(`grace@${domain}`, {}, subject)).reply.status).toBe(302);
    expect((await tenant.owner.deactivateUser({ params: { id: admin.id }, body: {} })).status).toBe(200);
    expect(await codeOf(signIn(`grace@${domain}`, {}, subject))).toBe('sso_not_allowed');
    const titles = (await tenant.owner.listNotifications()).data.map(({ title }: { title: string }) => title);
    expect(titles).toContain('Single sign-on needs somebody who answers for it');
    expect((await tenant.owner.configureSso({ body: settings() })).status).toBe(200);
    expect((await signIn(`grace@${domain}`, {}, subject)).reply.status).toBe(302);
  });
});

describe('the callback', () => {
  const expired = [400, 'sso_expired'];
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  it('works once, in the browser that began the sign-in', async () => {
    const { domain } = await aCompany();
    const subject = unique();
    provider.people.set(subject, { email: `grace@${domain}`, email_verified: true });
    const [mine, other] = [await begin({ email: `grace@${domain}` }), await begin({ email: `grace@${domain}` })];
    const callback = await provider.signIn(subject, mine.location);
    expect(outcome(await finish(callback, ''))).toEqual(expired);
    expect(outcome(await finish(callback, other.jar))).toEqual(expired);
    expect(outcome(await finish(callback, mine.jar.replace('=', '=A')))).toEqual(expired);
    expect((await finish(callback, mine.jar)).status).toBe(302);
    expect(outcome(await finish(callback, mine.jar))).toEqual(expired);
  });

  it('is refused with another nonce or another PKCE challenge', async () => {
    const { domain } = await aCompany();
    const subject = unique();
    provider.people.set(subject, { email: `grace@${domain}`, email_verified: true });
    const changed = async (parameter: string, value: string) => {
      const { location, jar } = await begin({ email: `grace@${domain}` });
      const url = new URL(location);
      url.searchParams.set(parameter, value);
      return outcome(await finish(await provider.signIn(subject, url.href), jar));
    };
    expect(await changed('nonce', 'another')).toEqual([502, 'sso_failed']);
    expect(await changed('code_challenge', 'a'.repeat(43))).toEqual(expired);
  });

  it('shows an HTML page if the provider refused', async () => {
    const { domain } = await aCompany();
    const { location, jar } = await begin({ email: `grace@${domain}` });
    const state = new URL(location).searchParams.get('state') as string;
    const query = { error: 'access_denied', state, iss: provider.issuer };
    const headers = { cookie: jar, accept: 'text/html' };
    const reply = await anonymous(service).finishSso({ query, headers });
    expect([reply.status, reply.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(reply.text).toContain('The identity provider refused the sign-in');
  });
});

describe('starting single sign-on', () => {
  it('needs a tenant that uses it', async () => {
    const { tenant, domain } = await aCompany();
    const start = async (query: Record<string, string>) => (await anonymous(service).startSso({ query })).body;
    expect(await start({ email: `a@${unique()}.example.com` })).toMatchObject({ status: 404, code: 'sso_off' });
    expect((await start({})).errors).toMatchObject([{ field: 'email' }]);
    for (const returnTo of ['//evil.example.com', 'https://evil.example.com', '/\\evil.example.com', '/€', '/a\u0000b'])
      expect((await start({ email: `a@${domain}`, returnTo })).errors).toMatchObject([{ field: 'returnTo' }]);
    await within(tenant, `UPDATE tenant SET plan = 'free'`);
    expect(await start({ email: `a@${domain}` })).toMatchObject({ status: 404, code: 'sso_off' });
  });
});

describe('enforcing single sign-on', () => {
  it('refuses passwords of users in proven domains, except those of owners', async () => {
    const { tenant, domain } = await aCompany({ enforce: true });
    const people = {
      inside: (await tenant.addUser('member', { email: `ada@${domain}` })).email,
      outside: (await tenant.addUser('member')).email,
      owner: (await tenant.addUser('owner', { email: `owner@${domain}` })).email,
    };
    const codeFor = async (email: string, given = password) =>
      (await anonymous(service).login({ body: { email, password: given } })).body.code;
    expect(await codeFor(people.inside)).toBe('sso_required');
    expect(await codeFor(people.inside, 'wrong')).toBe('bad_credentials');
    expect([await codeFor(people.outside), await codeFor(people.owner)]).toEqual([undefined, undefined]);
    expect((await tenant.owner.deleteSso()).status).toBe(200);
    expect(await codeFor(people.inside)).toBeUndefined();
  });
});

describe('while single sign-on is enforced', () => {
  it('sessions that began with a password end at their next refresh', async () => {
    const { tenant, domain } = await aCompany();
    const enter = async (email: string) =>
      (await anonymous(service).login({ body: { email, password } })).data.refreshToken as string;
    const inside = await enter((await tenant.addUser('member', { email: `ada@${domain}` })).email);
    const outside = await enter((await tenant.addUser('member')).email);
    const bySso = valueIn(cookiesOf((await signIn(`grace@${domain}`)).reply), 'tandem_refresh') as string;
    await tenant.owner.configureSso({
      body: settings({ allowSignUp: true, defaultRoleId: tenant.roleId('member'), enforce: true }),
    });
    const codeFor = async (refreshToken: string) =>
      (await anonymous(service).refreshSession({ body: { refreshToken } })).body.code;
    expect(await codeFor(inside)).toBe('sso_required');
    expect(await codeFor(inside)).toBe('bad_refresh_token');
    expect([await codeFor(outside), await codeFor(bySso)]).toEqual([undefined, undefined]);
    const event = await until('the end of the session is an event', () =>
      service.events.find(({ name, tenantId }) => name === 'user.logged_out' && tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ reason: 'sso_required' });
  });

  it('cannot be avoided by a change of the e-mail address', async () => {
    const { tenant, domain } = await aCompany();
    const ada = await tenant.addUser('member', { email: `ada@${domain}` });
    const change = (newEmail: string) => tenant.as(ada.id).changeOwnEmail({ body: { newEmail, password } });
    const outside = `${unique()}@example.com`;
    expect((await change(outside)).status).toBe(202);
    const token = tokenIn(await mailTo(mailbox, outside, /./));
    const enforced = settings({ allowSignUp: true, defaultRoleId: tenant.roleId('member'), enforce: true });
    expect((await tenant.owner.configureSso({ body: enforced })).status).toBe(200);
    expect((await change(`${unique()}@example.com`)).body.errors).toMatchObject([{ field: 'newEmail' }]);
    expect((await anonymous(service).verifyEmail({ body: { token } })).status).toBe(422);
    expect((await change(`lovelace@${domain}`)).status).toBe(202);

    const member = `grace@${domain}`;
    await signIn(member);
    const [user] = (await tenant.owner.listUsers({ query: { search: member } })).data;
    const moved = `${unique()}@example.com`;
    const body = { email: moved };
    expect((await tenant.owner.updateUser({ params: { id: user.id }, body })).status).toBe(200);
    expect((await tenant.owner.setUserPassword({ params: { id: user.id }, body: { new: password } })).status).toBe(200);
    expect((await anonymous(service).login({ body: { email: moved, password } })).body.code).toBe('sso_required');
  });

  it('an invitation is accepted by the first sign-in through the provider, not by a password', async () => {
    const { tenant, domain } = await aCompany({ enforce: true, allowSignUp: false });
    const email = `grace@${domain}`;
    const { data: team } = await tenant.owner.createTeam({ body: { name: 'Sales' } });
    const roleId = tenant.roleId('manager');
    await tenant.owner.inviteUser({ body: { email, roleId, teamIds: [team.id] } });
    const token = tokenIn(await mailTo(mailbox, email, /invites you to/));
    const body = { password, firstName: 'Grace', lastName: 'Hopper' };
    const refused = await anonymous(service).acceptInvitation({ params: { token }, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'sso_required']);
    expect((await signIn(email)).reply.status).toBe(302);
    const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    expect(user).toMatchObject({ roleId, teamIds: [team.id], emailVerified: true });
    const [invitation] = (await tenant.owner.listInvitations()).data;
    expect(invitation).toMatchObject({ status: 'accepted', acceptedUserId: user.id });
  });
});

describe('setting single sign-on up', () => {
  it('hides the secret, which is required again when issuer or client change', async () => {
    const { tenant, configured } = await aCompany();
    expect(configured.data).toMatchObject({ clientSecret: '***', issuer: provider.issuer, enforce: false });
    const stored = await service.sqlWithin(tenant.owner.caller, 'SELECT * FROM sso_connection');
    expect(JSON.stringify(stored)).not.toContain(provider.secret);
    const without = (fields: object) =>
      tenant.owner.configureSso({ body: settings({ clientSecret: undefined, ...fields }) });
    expect((await without({})).data.version).toBe(2);
    for (const fields of [{ issuer: 'http://127.0.0.1:1' }, { clientId: 'another' }])
      expect((await without(fields)).body.errors).toMatchObject([{ field: 'clientSecret' }]);
    expect((await tenant.owner.getSso()).data.domains).toHaveLength(1);
    const entry = await until('the change is in the audit log', async () => {
      const { data } = await tenant.owner.listAuditLogs({ query: { action: 'sso.configure' } });
      return data[0];
    });
    expect(JSON.stringify(entry)).not.toContain(provider.secret);
  });

  it('needs a provider that can be reached, and a role below the owner that the caller may assign', async () => {
    const tenant = await aTenant(service);
    const fieldOf = async (fields: object, api = tenant.owner) =>
      (await api.configureSso({ body: settings(fields) })).body.errors?.[0]?.field;
    expect(await fieldOf({ issuer: 'http://127.0.0.1:1' })).toBe('issuer');
    expect(await fieldOf({ issuer: 'http://169.254.169.254' })).toBe('issuer');
    expect(await fieldOf({ allowSignUp: true })).toBe('defaultRoleId');
    expect(await fieldOf({ defaultRoleId: tenant.roleId('owner') })).toBe('defaultRoleId');
    for (const directory of ['common', 'organizations', 'consumers', '{tenantid}']) {
      const issuer = `https://login.microsoftonline.com/${directory}/v2.0`;
      const refused = await tenant.owner.configureSso({ body: settings({ issuer }) });
      expect(refused.body.errors).toMatchObject([
        { field: 'issuer', message: expect.stringMatching(/^Must (be|name)/) },
      ]);
    }
    const limited = tenant.as((await tenant.addUser('member')).id, ['tenant:manage']);
    const body = settings({ defaultRoleId: tenant.roleId('admin') });
    expect((await limited.configureSso({ body })).status).toBe(403);
    expect((await tenant.owner.getSso()).status).toBe(404);
  });

  it('keeps the default role from being deleted', async () => {
    const { tenant } = await aCompany();
    const { data: role } = await tenant.owner.createRole({ body: { name: 'Guests', permissions: ['leads:read'] } });
    await tenant.owner.configureSso({ body: settings({ defaultRoleId: role.id }) });
    expect((await tenant.owner.deleteRole({ params: { id: role.id } })).body.code).toBe('role_in_use');
  });
});

describe('a domain', () => {
  it('is proven by its DNS record, and then no other tenant can take it', async () => {
    const [tenant, rival] = [await aTenant(service), await aTenant(service)];
    const domain = `${unique()}.example.com`;
    const added = await tenant.owner.addSsoDomain({ body: { domain: `${domain.toUpperCase()}.` } });
    expect([added.status, added.data.domain, added.data.status]).toEqual([201, domain, 'pending']);
    const params = { id: added.data.id };
    expect((await tenant.owner.verifySsoDomain({ params })).body.code).toBe('proof_missing');
    names.records.set(added.data.recordName, added.data.recordValue);
    expect((await tenant.owner.verifySsoDomain({ params })).data.status).toBe('verified');
    expect((await tenant.owner.addSsoDomain({ body: { domain } })).body.code).toBe('domain_exists');

    const theirs = (await rival.owner.addSsoDomain({ body: { domain } })).data;
    expect((await rival.owner.verifySsoDomain({ params: { id: theirs.id } })).body.code).toBe('proof_missing');
    names.records.set(theirs.recordName, theirs.recordValue);
    expect((await rival.owner.verifySsoDomain({ params: { id: theirs.id } })).body.code).toBe('domain_taken');
    expect((await rival.owner.verifySsoDomain({ params })).status).toBe(404);
    expect((await tenant.owner.deleteSsoDomain({ params })).status).toBe(200);
    expect((await rival.owner.verifySsoDomain({ params: { id: theirs.id } })).data.status).toBe('verified');
    expect((await tenant.owner.listSsoDomains()).data).toEqual([]);
  });

  it.each(['localhost', '10.0.0.1', 'a b.example.com', '-a.example.com', 'example'])('cannot be %s', async (domain) => {
    const { owner } = await aTenant(service);
    expect((await owner.addSsoDomain({ body: { domain } })).body.errors).toMatchObject([{ field: 'domain' }]);
  });
});
