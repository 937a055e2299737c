import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  anonymous,
  aPartner,
  aPeer,
  missingId,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { anAddress, aPortalUser, aPortalUserOf, mailTo, password, tokenIn } from '../../portal.test-service.ts';

let mailbox: Mailbox;
let peer: Peer;
let service: Service;
beforeAll(async () => {
  [mailbox, peer] = await Promise.all([startMailbox(), aPeer()]);
  service = await startPartner(peer, { SMTP_URL: mailbox.smtpUrl, PORTAL_URL: 'https://partners.example.com' });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([peer?.close(), mailbox?.close()]);
});

type Named = { partner: { id: string }; user: { id: string } };
const paramsOf = ({ partner, user }: Named) => ({ id: partner.id, uid: user.id });
const change = (api: Api, named: Named, role: string) =>
  api.updatePortalUser({ params: paramsOf(named), body: { role } });
const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((event) => event.name === name && event.target.id === Number(id)));

it('a portal user is found under its own partner only', async () => {
  const one = await aPortalUser(service);
  const { data } = await one.api.getPortalUser({ params: paramsOf(one) });
  expect(data).toMatchObject({ id: one.user.id, status: 'active', role: 'owner' });
  const other = await anApprovedPartner(one.api);
  const elsewhere = { params: { id: other.id, uid: one.user.id } };
  const replies = [
    await one.api.getPortalUser(elsewhere),
    await one.api.updatePortalUser({ ...elsewhere, body: { role: 'member' } }),
    await one.api.deletePortalUser(elsewhere),
    await one.api.invitePortalUser(elsewhere),
    await one.api.getPortalUser({ params: { id: one.partner.id, uid: missingId } }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});

describe('the owners of a partner', () => {
  it('keep the last one, who is neither deleted nor gets another role', async () => {
    const api = service.as();
    const owner = await aPortalUser(service, api);
    const member = {
      partner: owner.partner,
      ...(await aPortalUserOf(service, api, owner.partner, { role: 'member' })),
    };
    for (const refused of [await change(api, owner, 'member'), await api.deletePortalUser({ params: paramsOf(owner) })])
      expect([refused.status, refused.body.code]).toEqual([409, 'last_owner']);
    const { data } = await change(api, member, 'owner');
    expect([data.role, data.version]).toEqual(['owner', 2]);
    expect(await eventOf('portal_user.updated', member.user.id)).toMatchObject({
      data: { portalUserId: member.user.id, partnerId: owner.partner.id },
      changes: { role: { from: 'member', to: 'owner' } },
    });
    expect((await change(api, owner, 'marketer')).data.role).toBe('marketer');
    expect((await api.deletePortalUser({ params: paramsOf(owner) })).status).toBe(200);
  });

  it('include invited users only while nobody has a password', async () => {
    const api = service.as();
    const owner = await aPortalUser(service, api);
    const invited = await aPortalUserOf(service, api, owner.partner, { password: undefined });
    expect((await change(api, owner, 'member')).status).toBe(409);
    expect((await change(api, { ...owner, ...invited }, 'member')).status).toBe(200);
  });

  it('are never both removed by two requests at the same time', async () => {
    const api = service.as();
    for (let attempt = 0; attempt < 5; attempt++) {
      const first = await aPortalUser(service, api);
      const second = { partner: first.partner, ...(await aPortalUserOf(service, api, first.partner)) };
      const replies = await Promise.all([
        api.deletePortalUser({ params: paramsOf(first) }),
        change(api, second, 'member'),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });
});

it('deleting a portal user ends the sessions of this user only, and sign-in with them', async () => {
  const api = service.as();
  const owner = await aPortalUser(service, api);
  const member = { partner: owner.partner, ...(await aPortalUserOf(service, api, owner.partner, { role: 'member' })) };
  expect((await member.login()).status).toBe(200);
  expect((await api.deletePortalUser({ params: paramsOf(member) })).data).toEqual({
    id: member.user.id,
    deleted: true,
  });
  const ended = await until('the sessions are ended', () =>
    peer.requests.find(({ path, body }) => path.endsWith('/end') && body.portalUserId === member.user.id),
  );
  expect(ended.body).toEqual({ partnerId: owner.partner.id, portalUserId: member.user.id });
  expect((await member.login()).status).toBe(401);
  expect((await member.signedIn.getPortalMe()).status).toBe(401);
  await eventOf('portal_user.deleted', member.user.id);
});

describe('an invitation', () => {
  it('lets the user choose a password once, and activates them', async () => {
    const api = service.as();
    const { partner, user, email, login } = await aPortalUser(service, api, { password: undefined });
    expect(user).toMatchObject({ status: 'invited', email });
    await eventOf('portal_user.invited', user.id);
    expect((await login()).status).toBe(401);
    const mail = await mailTo(mailbox, email, /invites you to its partner portal/);
    expect(mail.text).toContain('https://partners.example.com/portal/invitation?token=');
    const body = { token: tokenIn(mail), password };
    expect((await anonymous(service).resetPortalPassword({ body })).data).toEqual({ reset: true });
    expect((await login()).status).toBe(200);
    expect((await api.getPortalUser({ params: paramsOf({ partner, user }) })).data.status).toBe('active');
    const activated = await eventOf('portal_user.updated', user.id);
    expect(activated).toMatchObject({
      caller: { type: 'portal', portalUserId: Number(user.id) },
      changes: { status: { from: 'invited', to: 'active' } },
    });
    const again = await anonymous(service).resetPortalPassword({ body });
    expect([again.status, again.body.errors?.[0]?.field]).toEqual([422, 'token']);
    const invite = await api.invitePortalUser({ params: paramsOf({ partner, user }) });
    expect([invite.status, invite.body.code]).toEqual([409, 'already_active']);
  });

  it('is sent again with a new link, three times within an hour', async () => {
    const { api, partner, user, email } = await aPortalUser(service, service.as(), { password: undefined });
    const first = tokenIn(await mailTo(mailbox, email, /invites you/));
    const invite = () => api.invitePortalUser({ params: paramsOf({ partner, user }) });
    expect([(await invite()).status, (await invite()).status]).toEqual([200, 200]);
    const limited = await invite();
    expect([limited.status, limited.body.code]).toEqual([429, 'too_many_links']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(3_000);
    await until('three messages arrive', () => mailbox.to(email).length === 3);
    const old = await anonymous(service).resetPortalPassword({ body: { token: first, password } });
    expect([old.status, old.body.errors?.[0]?.field]).toEqual([422, 'token']);
  });

  it('stores no token in the clear', async () => {
    const { api, email } = await aPortalUser(service, service.as(), { password: undefined });
    const token = tokenIn(await mailTo(mailbox, email, /invites you/));
    for (const table of ['portal_token', 'platform.mail', 'platform.job']) {
      const rows = await service.sqlWithin(api.caller, `SELECT t::text AS row FROM ${table} t`);
      expect(rows.filter(({ row }) => String(row).includes(token))).toEqual([]);
    }
    expect(JSON.stringify(service.events)).not.toContain(token);
  });
});

describe('approvePartner with sendInvite', () => {
  const approve = (api: Api, id: string) => api.approvePartner({ params: { id }, body: { sendInvite: true } });

  it('invites the address of the partner as the owner', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner({ email: 'Ada.Invited@example.com' }) });
    expect((await approve(api, data.id)).data.status).toBe('approved');
    const email = 'ada.invited@example.com';
    const { data: users } = await api.listPortalUsers({ params: { id: data.id } });
    expect(users).toMatchObject([{ email, role: 'owner', status: 'invited' }]);
    const body = { token: tokenIn(await mailTo(mailbox, email, /invites you/)), password };
    expect((await anonymous(service).resetPortalPassword({ body })).status).toBe(200);
  });

  it('tells a partner with an owner how to sign in, and changes nothing if the address is taken', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner({ email: anAddress('owned') }) });
    const owner = await aPortalUserOf(service, api, data);
    expect((await approve(api, data.id)).status).toBe(200);
    const subject = /^Analytical Engines approved your application/;
    expect((await mailTo(mailbox, owner.email, subject)).text).toContain('Sign in to the partner portal');
    expect((await mailTo(mailbox, data.email, subject)).text).toContain('for an invitation');
    const { email } = await aPortalUser(service, api);
    const { data: second } = await api.createPartner({ body: aPartner({ email }) });
    const refused = await approve(api, second.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'email_taken']);
    expect((await api.getPartner({ params: { id: second.id } })).data.status).toBe('pending');
  });
});
