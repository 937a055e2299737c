import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import {
  type Api,
  anonymous,
  aPeer,
  type Peer,
  publicUrl,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { anAddress, aPortalUser, aPortalUserOf, mailTo, password, tokenIn } from '../../portal.test-service.ts';

let mailbox: Mailbox;
let peer: Peer;
let service: Service;
beforeAll(async () => {
  [mailbox, peer] = await Promise.all([startMailbox(), aPeer()]);
  service = await startPartner(peer, { SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([peer?.close(), mailbox?.close()]);
});

const changed = 'another long phrase';
const badToken = [422, [{ field: 'token', message: 'Is invalid, used or expired; request a new link' }]];
const suspend = (api: Api, id: string) => api.suspendPartner({ params: { id }, body: { reason: 'Fraud' } });
const askFor = (operation: 'requestMagicLink' | 'forgotPortalPassword', email: string, tenant: string) =>
  anonymous(service)[operation]({ body: { email, tenant } });
const verify = (token: string) => anonymous(service).verifyMagicLink({ body: { token } });
const reset = (token: string, word = changed) =>
  anonymous(service).resetPortalPassword({ body: { token, password: word } });

describe('a link to sign in', () => {
  it('opens a session once', async () => {
    const { email, tenant, partner, user } = await aPortalUser(service);
    const asked = await askFor('requestMagicLink', email.toUpperCase(), tenant);
    expect([asked.status, asked.data]).toEqual([202, { accepted: true }]);
    const mail = await mailTo(mailbox, email, /^Sign in to the partner portal of Analytical Engines/);
    expect(mail.text).toContain(`${publicUrl}/portal/sign-in?token=`);
    const token = tokenIn(mail);
    const replies = await Promise.all([verify(token), verify(token)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    const { data } = replies.find(({ status }) => status === 200) as (typeof replies)[number];
    expect(data).toMatchObject({ token: 'access', refreshToken: 'refresh', partner: { id: partner.id } });
    await until('the sign-in is an event', () =>
      service.events.some(({ name, target }) => name === 'portal_user.logged_in' && target.id === Number(user.id)),
    );
    const again = await verify(token);
    expect([again.status, again.body.errors]).toEqual(badToken);
  });

  it('does not work after the partner was suspended, for another purpose, or made up', async () => {
    const { api, email, tenant, partner } = await aPortalUser(service);
    await askFor('requestMagicLink', email, tenant);
    const token = tokenIn(await mailTo(mailbox, email, /^Sign in/));
    for (const reply of [await reset(token), await verify('k1.AAAA')])
      expect([reply.status, reply.body.errors]).toEqual(badToken);
    await suspend(api, partner.id);
    const refused = await verify(token);
    expect([refused.status, refused.body.code]).toEqual([403, 'partner_not_approved']);
  });
});

describe('a forgotten portal password', () => {
  it('is reset once, which ends all sessions, withdraws other links and notifies the user', async () => {
    const { email, tenant, partner, user, login } = await aPortalUser(service);
    await askFor('requestMagicLink', email, tenant);
    const magic = tokenIn(await mailTo(mailbox, email, /^Sign in/));
    await askFor('forgotPortalPassword', email, tenant);
    const mail = await mailTo(mailbox, email, /^Reset your password for the partner portal of Analytical Engines/);
    expect(mail.text).toContain(`${publicUrl}/portal/reset-password?token=`);
    const token = tokenIn(mail);
    const replies = await Promise.all([reset(token, changed), reset(token, changed)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect([(await login()).status, (await login(changed)).status]).toEqual([401, 200]);
    expect((await verify(magic)).status).toBe(422);
    const ended = await until('the sessions are ended', () =>
      peer.requests.find(({ path, body }) => path.endsWith('/end') && body.portalUserId === user.id),
    );
    expect(ended.body).toEqual({ partnerId: partner.id, portalUserId: user.id });
    await mailTo(mailbox, email, /^Your password was changed/);
    await until('the change is an event', () =>
      service.events.some(
        ({ name, target }) => name === 'portal_user.password_changed' && target.id === Number(user.id),
      ),
    );
  });

  it('can be set by an invited user too, while the partner is pending', async () => {
    const api = service.as();
    const { data } = await api.createPartner({
      body: { email: anAddress(), firstName: 'Joan', lastName: 'Clarke' },
    });
    const { email, tenant } = await aPortalUserOf(service, api, data, { password: undefined });
    await askFor('forgotPortalPassword', email, tenant);
    expect((await reset(tokenIn(await mailTo(mailbox, email, /^Reset/)))).status).toBe(200);
    const [user] = (await api.listPortalUsers({ params: { id: data.id } })).data;
    expect(user.status).toBe('active');
  });

  it('gets the same answer and no message for users without access, unknown addresses and other tenants', async () => {
    const known = await aPortalUser(service);
    const suspended = await aPortalUser(service);
    await suspend(suspended.api, suspended.partner.id);
    const other = `${service.as().caller.tenantId}`;
    const asked = (email: string, tenant: string) =>
      Promise.all([askFor('forgotPortalPassword', email, tenant), askFor('requestMagicLink', email, tenant)]);
    const expected = await asked(known.email, known.tenant);
    const pairs: [string, string][] = [
      [suspended.email, suspended.tenant],
      [known.email, other],
      [anAddress(), known.tenant],
    ];
    for (const [email, tenant] of pairs)
      expect((await asked(email, tenant)).map(({ status, data }) => [status, data])).toEqual(
        expected.map(({ status, data }) => [status, data]),
      );
    await until('the known address has both messages', () => mailbox.to(known.email).length === 2);
    expect(mailbox.to(suspended.email)).toEqual([]);
  });

  it('sends three links within an hour, and takes five requests a minute for an address from one client', async () => {
    const { email, tenant } = await aPortalUser(service);
    const statuses = [];
    for (let count = 0; count < 6; count++) statuses.push((await askFor('forgotPortalPassword', email, tenant)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
    await until('three links are sent', () => mailbox.to(email).length === 3);
    const { caller } = service.as({ tenantId: Number(tenant) });
    const rows = await service.sqlWithin(caller, 'SELECT 1 FROM portal_token');
    expect(rows).toHaveLength(3);
  });
});

it('one client asks for links 30 times a minute, whatever the addresses', async () => {
  const { tenant } = await aPortalUser(service);
  const client = service.as({ ...anonymous(service).caller, ip: '10.1.2.3', tenantId: undefined } as never);
  const ask = () => client.requestMagicLink({ body: { email: anAddress(), tenant } });
  for (let count = 0; count < 30; count++) expect((await ask()).status).toBe(202);
  const { status, headers } = await ask();
  expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
});

describe('the own account', () => {
  it('changes the partner for owners only, which other services learn', async () => {
    const api = service.as();
    const owner = await aPortalUser(service, api);
    const member = await aPortalUserOf(service, api, owner.partner, { role: 'member' });
    const body = { firstName: 'Grace', company: 'Hut 8', phone: '+49 170 1234567' };
    const { status, data } = await owner.signedIn.updatePortalMe({ body });
    expect([status, data]).toMatchObject([
      200,
      { user: { id: owner.user.id }, partner: { ...body, phone: '+491701234567', version: 3 } },
    ]);
    expect((await api.getPartner({ params: { id: owner.partner.id } })).data.company).toBe('Hut 8');
    const event = await until('the change is an event', () =>
      service.events.find(({ name, target }) => name === 'partner.updated' && target.id === Number(owner.partner.id)),
    );
    expect(event).toMatchObject({ caller: { type: 'portal' }, record: { company: 'Hut 8' } });
    const refused = await member.signedIn.updatePortalMe({ body: { company: 'Hut 9' } });
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.field]).toEqual([
      403,
      'portal_role',
      'company',
    ]);
    expect((await owner.signedIn.updatePortalMe({ body: { firstName: null } })).status).toBe(422);
  });

  it('changes the own password with the current one, in any role, and keeps this session', async () => {
    const { signedIn, login, user, partner, email } = await aPortalUser(service, service.as(), { role: 'marketer' });
    const setPassword = (fields: object) => signedIn.updatePortalMe({ body: { password: changed, ...fields } });
    for (const fields of [{}, { currentPassword: 'wrong' }])
      expect((await setPassword(fields)).body.errors?.[0]?.field).toBe('currentPassword');
    expect((await setPassword({ currentPassword: password })).data.user.id).toBe(user.id);
    expect([(await login()).status, (await login(changed)).status]).toEqual([401, 200]);
    const ended = await until('other sessions are ended', () =>
      peer.requests.find(({ path, body }) => path.endsWith('/end') && body.portalUserId === user.id),
    );
    expect(ended.body).toEqual({ partnerId: partner.id, portalUserId: user.id, exceptSessionId: '3' });
    await mailTo(mailbox, email, /^Your password was changed/);
  });
});
