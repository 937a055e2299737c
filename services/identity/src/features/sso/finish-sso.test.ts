import { until } from '@tandem/testing';
import { anonymous, password } from '../../identity.test-service.ts';
import { cookiesOf, startSso, unique, valueIn } from './sso.test-service.ts';

let sso: Awaited<ReturnType<typeof startSso>>;
beforeAll(async () => {
  sso = await startSso();
});
afterAll(() => sso?.close());

describe('a person who signs in through the identity provider', () => {
  it('gets a user at the first sign-in, a browser session, and returns to where they were', async () => {
    const { tenant, domain } = await sso.aCompany();
    const email = `grace@${domain}`;
    const subject = unique();
    sso.provider.people.set(subject, { email, email_verified: true, name: 'Grace Brewster Hopper' });
    const { location, cookie, jar } = await sso.begin({ email, returnTo: '/leads?status=new' });
    const to = new URL(location);
    expect([to.origin, to.searchParams.get('code_challenge_method')]).toEqual([sso.provider.issuer, 'S256']);
    expect(cookie).toMatch(/; Path=\/v1\/auth\/sso; Max-Age=600; HttpOnly; SameSite=Lax$/);

    const reply = await sso.finish(await sso.provider.signIn(subject, location), jar);
    expect([reply.status, reply.headers['location']]).toEqual([302, 'http://localhost:8080/leads?status=new']);
    expect(valueIn(cookiesOf(reply), 'tandem_sso')).toBe('');
    const refreshed = await anonymous(sso.service).refreshSession({
      body: {},
      headers: { cookie: `tandem_refresh=${valueIn(cookiesOf(reply), 'tandem_refresh')}` },
    });
    expect(refreshed.status).toBe(200);
    const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    expect(user).toMatchObject({ email, firstName: 'Grace', lastName: 'Brewster Hopper' });
    expect(user.roleId).toBe(tenant.roleId('member'));
    const event = await until('the sign-in is an event', () =>
      sso.service.events.find(({ name, tenantId }) => name === 'user.logged_in' && tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ userId: user.id, method: 'sso' });
  });

  it('is recognised by their subject afterwards, whatever their address', async () => {
    const { tenant, domain } = await sso.aCompany();
    const { subject } = await sso.signIn(`grace@${domain}`);
    await tenant.owner.configureSso({ body: sso.settings({ clientSecret: undefined }) });
    sso.provider.people.set(subject, { email: `hopper@${domain}`, email_verified: false });
    const { location, jar } = await sso.begin({ slug: tenant.tenant['slug' as 'id'] });
    expect((await sso.finish(await sso.provider.signIn(subject, location), jar)).status).toBe(302);
    expect((await tenant.owner.listUsers({ query: { search: domain } })).data).toHaveLength(1);
  });

  it('is linked to the user with their verified address', async () => {
    const { tenant, domain } = await sso.aCompany({ allowSignUp: false });
    const user = await tenant.addUser('manager', { email: `ada@${domain}` });
    expect((await sso.signIn(`ADA@${domain}`)).reply.status).toBe(302);
    const me = tenant.as(user.id);
    expect((await me.listSessions()).data).toMatchObject([{ method: 'sso' }]);
  });

  it('needs a verified address within a proven domain', async () => {
    const { tenant, domain } = await sso.aCompany();
    await tenant.addUser('member', { email: `ada@${domain}` });
    expect(await sso.codeOf(sso.signIn(`ada@${domain}`, { email_verified: false }))).toBe('sso_email_unverified');
    expect(await sso.codeOf(sso.signIn(`ada@${domain}`, { email_verified: 'false' }))).toBe('sso_email_unverified');
    expect(await sso.codeOf(sso.signIn(`ada@${domain}`, { email: `eve@not-${domain}` }))).toBe('sso_domain_unproven');
    expect(await sso.codeOf(sso.signIn(`ada@${domain}`, { email: `eve@sub.${domain}` }))).toBe('sso_domain_unproven');
  });

  it('needs no statement of the provider that the address is verified, if its domain is proven', async () => {
    const { tenant, domain } = await sso.aCompany({ allowSignUp: false });
    await tenant.addUser('member', { email: `ada@${domain}` });
    const unstated = { email_verified: undefined };
    expect((await sso.signIn(`ada@${domain}`, unstated)).reply.status).toBe(302);
    const foreign = sso.signIn(`ada@${domain}`, { ...unstated, email: `ada@${unique()}.example.com` });
    expect(await sso.codeOf(foreign)).toBe('sso_domain_unproven');
    expect(await sso.codeOf(sso.signIn(`ada@${domain}`, { ...unstated, xms_edov: false }))).toBe(
      'sso_email_unverified',
    );
  });

  it('without a user is refused unless the tenant allows sign-up', async () => {
    const { domain } = await sso.aCompany({ allowSignUp: false });
    expect(await sso.codeOf(sso.signIn(`grace@${domain}`))).toBe('sso_no_account');
  });

  it('gets one user, also if an administrator creates the user at the same time', async () => {
    const { tenant, domain } = await sso.aCompany();
    const email = `grace@${domain}`;
    const body = { email, password, firstName: 'Grace', lastName: 'Hopper' };
    const [{ reply, subject }, created] = await Promise.all([sso.signIn(email), tenant.owner.createUser({ body })]);
    expect([302, 409]).toContain(reply.status);
    expect([201, 409]).toContain(created.status);
    expect((await sso.signIn(email, {}, subject)).reply.status).toBe(302);
    expect((await tenant.owner.listUsers({ query: { search: email } })).data).toHaveLength(1);
  });

  it('signs up without the role of an invitation whose sender lost the right to it, and closes it', async () => {
    const { tenant, domain } = await sso.aCompany();
    const email = `grace@${domain}`;
    const admin = await tenant.addUser('admin');
    const invited = await tenant.as(admin.id).inviteUser({ body: { email, roleId: tenant.roleId('admin') } });
    expect(invited.status).toBe(201);
    await tenant.owner.setUserRole({ params: { id: admin.id }, body: { roleId: tenant.roleId('member') } });
    expect((await sso.signIn(email)).reply.status).toBe(302);
    const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    expect(user.roleId).toBe(tenant.roleId('member'));
    expect((await tenant.owner.listInvitations()).data).toMatchObject([{ status: 'revoked', acceptedUserId: null }]);
  });

  it('who is deactivated is refused', async () => {
    const { tenant, domain } = await sso.aCompany();
    const { subject } = await sso.signIn(`grace@${domain}`);
    await sso.within(tenant, `UPDATE "user" SET status = 'deactivated' WHERE email = 'grace@${domain}'`);
    expect(await sso.codeOf(sso.signIn(`grace@${domain}`, {}, subject))).toBe('sso_not_allowed');
  });

  it('ranks no higher than the person who set the provider up', async () => {
    const { tenant, domain } = await sso.aCompany();
    const admin = tenant.as((await tenant.addUser('admin')).id, ['tenant:manage', 'users:*', 'leads:*']);
    await tenant.addUser('owner', { email: `owner@${domain}` });
    expect((await admin.configureSso({ body: sso.settings() })).status).toBe(200);
    expect(await sso.codeOf(sso.signIn(`owner@${domain}`))).toBe('sso_not_allowed');
    expect((await tenant.owner.configureSso({ body: sso.settings() })).status).toBe(200);
    expect((await sso.signIn(`owner@${domain}`)).reply.status).toBe(302);
  });
});

describe('when the person who set the provider up is no longer active', () => {
  it('rejects sign-ins until another user saves its settings', async () => {
    const { tenant, domain } = await sso.aCompany();
    const { subject } = await sso.signIn(`grace@${domain}`);
    const admin = await tenant.addUser('admin');
    expect((await tenant.as(admin.id).configureSso({ body: sso.settings() })).status).toBe(200);
    expect((await sso.signIn(`grace@${domain}`, {}, subject)).reply.status).toBe(302);
    expect((await tenant.owner.deactivateUser({ params: { id: admin.id }, body: {} })).status).toBe(200);
    expect(await sso.codeOf(sso.signIn(`grace@${domain}`, {}, subject))).toBe('sso_not_allowed');
    const titles = (await tenant.owner.listNotifications()).data.map(({ title }: { title: string }) => title);
    expect(titles).toContain('Single sign-on needs somebody who answers for it');
    expect((await tenant.owner.configureSso({ body: sso.settings() })).status).toBe(200);
    expect((await sso.signIn(`grace@${domain}`, {}, subject)).reply.status).toBe(302);
  });
});

describe('the callback', () => {
  const expired = [400, 'sso_expired'];
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  it('works once, in the browser that began the sign-in', async () => {
    const { domain } = await sso.aCompany();
    const subject = unique();
    sso.provider.people.set(subject, { email: `grace@${domain}`, email_verified: true });
    const [mine, other] = [
      await sso.begin({ email: `grace@${domain}` }),
      await sso.begin({ email: `grace@${domain}` }),
    ];
    const callback = await sso.provider.signIn(subject, mine.location);
    expect(outcome(await sso.finish(callback, ''))).toEqual(expired);
    expect(outcome(await sso.finish(callback, other.jar))).toEqual(expired);
    expect(outcome(await sso.finish(callback, mine.jar.replace('=', '=A')))).toEqual(expired);
    expect((await sso.finish(callback, mine.jar)).status).toBe(302);
    expect(outcome(await sso.finish(callback, mine.jar))).toEqual(expired);
  });

  it('is refused with another nonce or another PKCE challenge', async () => {
    const { domain } = await sso.aCompany();
    const subject = unique();
    sso.provider.people.set(subject, { email: `grace@${domain}`, email_verified: true });
    const changed = async (parameter: string, value: string) => {
      const { location, jar } = await sso.begin({ email: `grace@${domain}` });
      const url = new URL(location);
      url.searchParams.set(parameter, value);
      return outcome(await sso.finish(await sso.provider.signIn(subject, url.href), jar));
    };
    expect(await changed('nonce', 'another')).toEqual([502, 'sso_failed']);
    expect(await changed('code_challenge', 'a'.repeat(43))).toEqual(expired);
  });

  it('shows an HTML page if the provider refused', async () => {
    const { domain } = await sso.aCompany();
    const { location, jar } = await sso.begin({ email: `grace@${domain}` });
    const state = new URL(location).searchParams.get('state') as string;
    const query = { error: 'access_denied', state, iss: sso.provider.issuer };
    const headers = { cookie: jar, accept: 'text/html' };
    const reply = await anonymous(sso.service).finishSso({ query, headers });
    expect([reply.status, reply.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(reply.text).toContain('<h1>This did not work</h1>');
    expect(reply.text).toContain('<p>The identity provider refused the sign-in.</p>');
  });
});

describe('starting single sign-on', () => {
  it('needs a tenant that uses it', async () => {
    const { tenant, domain } = await sso.aCompany();
    const start = async (query: Record<string, string>) => (await anonymous(sso.service).startSso({ query })).body;
    expect(await start({ email: `a@${unique()}.example.com` })).toMatchObject({ status: 404, code: 'sso_off' });
    expect((await start({})).errors).toMatchObject([{ field: 'email' }]);
    for (const returnTo of ['//evil.example.com', 'https://evil.example.com', '/\\evil.example.com', '/€', '/a\u0000b'])
      expect((await start({ email: `a@${domain}`, returnTo })).errors).toMatchObject([{ field: 'returnTo' }]);
    await sso.within(tenant, `UPDATE tenant SET plan = 'free'`);
    expect(await start({ email: `a@${domain}` })).toMatchObject({ status: 404, code: 'sso_off' });
  });
});
