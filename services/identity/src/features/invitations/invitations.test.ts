import { randomBytes } from 'node:crypto';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import {
  anonymous,
  aTenant,
  mailTo,
  password,
  type Service,
  startIdentity,
  tokenIn,
} from '../../identity.test-service.ts';

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
const anAddress = () => `${randomBytes(6).toString('hex')}@example.com`;
const person = { password, firstName: 'Grace', lastName: 'Hopper' };
const accept = (token: string) => anonymous(service).acceptInvitation({ params: { token }, body: person });

async function invited(tenant: Tenant, fields: { roleId?: string; teamIds?: string[] } = {}) {
  const email = anAddress();
  const { data, status } = await tenant.owner.inviteUser({ body: { email, ...fields } });
  expect(status).toBe(201);
  return { email, invitation: data, token: tokenIn(await mailTo(mailbox, email, /invites you to/)) };
}

/** Moves times of an invitation into the past. */
async function age(tenant: Tenant, id: string, column: 'expires_at' | 'sent_at'): Promise<void> {
  const caller = { tenantId: tenant.tenantId, environment: 'live' } as never;
  await service.sqlWithin(caller, `UPDATE invitation SET ${column} = now() - interval '1 hour' WHERE id = $1`, [id]);
}

it('makes a user with role, teams and a proven address, who is signed in', async () => {
  const tenant = await aTenant(service);
  const { data: team } = await tenant.owner.createTeam({ body: { name: 'Sales' } });
  const { data: gone } = await tenant.owner.createTeam({ body: { name: 'Gone' } });
  const roleId = tenant.roleId('manager');
  const { email, invitation, token } = await invited(tenant, { roleId, teamIds: [team.id, gone.id] });
  expect(invitation).toMatchObject({
    email,
    roleId,
    status: 'pending',
    invitedBy: tenant.user.id,
    acceptedUserId: null,
  });
  await service.sqlWithin(
    { tenantId: tenant.tenantId, environment: 'live' } as never,
    'DELETE FROM team WHERE id = $1',
    [gone.id],
  );
  const offer = await anonymous(service).getInvitationOffer({ params: { token } });
  expect(offer.data).toMatchObject({
    tenantName: 'Analytical Engines',
    invitedBy: 'Ada Lovelace',
    email,
    roleName: 'manager',
    status: 'pending',
  });
  const { status, data } = await accept(token);
  expect(status).toBe(200);
  expect(data.user).toMatchObject({ email, roleId, teamIds: [team.id], emailVerified: true, firstName: 'Grace' });
  expect(data.tenant.id).toBe(tenant.tenant.id);
  const { refreshToken } = data;
  expect((await anonymous(service).refreshSession({ body: { refreshToken } })).status).toBe(200);
  expect((await anonymous(service).login({ body: { email, password } })).status).toBe(200);
  const { data: listed } = await tenant.owner.listInvitations({ query: { status: 'accepted' } });
  expect(listed).toMatchObject([{ id: invitation.id, acceptedUserId: data.user.id, version: 2 }]);
  const names = ['user.invited', 'invitation.accepted', 'user.created', 'user.logged_in'];
  await until('the events arrive', () => {
    const seen = service.events.filter((event) => event.tenantId === tenant.tenantId).map((event) => event.name);
    return names.every((name) => seen.includes(name));
  });
});

it('gives no session before a second factor that the tenant requires', async () => {
  const tenant = await aTenant(service);
  await tenant.owner.updateCurrentTenant({ body: { settings: { requireTotp: true } } });
  const { email, token } = await invited(tenant);
  const { status, data } = await accept(token);
  expect([status, data]).toEqual([
    200,
    { challenge: 'totp_enrollment', challengeToken: expect.any(String), expiresIn: 300 },
  ]);
  const { challengeToken } = data;
  expect((await anonymous(service).enrollTotpAtLogin({ body: { challengeToken } })).status).toBe(200);
  const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
  expect(user).toMatchObject({ email, emailVerified: true, lastLoginAt: null });
});

it('notifies the sender when it is accepted', async () => {
  const tenant = await aTenant(service);
  const { email, token } = await invited(tenant);
  await accept(token);
  const { data } = await tenant.owner.listNotifications();
  expect(data).toEqual([
    expect.objectContaining({
      title: 'Your invitation was accepted',
      body: `Grace Hopper (${email}) signed up.`,
      category: 'invitations',
    }),
  ]);
});

it('is accepted once', async () => {
  const { token } = await invited(await aTenant(service));
  const replies = await Promise.all([accept(token), accept(token)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  const late = await accept(token);
  expect([late.status, late.body.code]).toEqual([409, 'invitation_closed']);
});

it('refuses a known address, and a second invitation of a pending one', async () => {
  const tenant = await aTenant(service);
  const known = await tenant.owner.inviteUser({ body: { email: tenant.email } });
  expect([known.status, known.body.code]).toEqual([409, 'email_taken']);
  const { email, invitation } = await invited(tenant);
  const again = await tenant.owner.inviteUser({ body: { email: email.toUpperCase() } });
  expect([again.status, again.body.code]).toEqual([409, 'already_invited']);
  await age(tenant, invitation.id, 'expires_at');
  expect((await tenant.owner.inviteUser({ body: { email } })).status).toBe(201);
});

it('grants no role that the sender may not grant, when it is sent and when it is accepted', async () => {
  const tenant = await aTenant(service);
  const admin = await tenant.addUser('admin');
  const asAdmin = tenant.as(admin.id, ['users:write', 'users:read', 'leads:read']);
  const above = await asAdmin.inviteUser({ body: { email: anAddress(), roleId: tenant.roleId('owner') } });
  expect(above.status).toBe(403);
  const email = anAddress();
  await tenant.as(admin.id).inviteUser({ body: { email, roleId: tenant.roleId('admin') } });
  const token = tokenIn(await mailTo(mailbox, email, /invites you to/));
  await tenant.owner.setUserRole({ params: { id: admin.id }, body: { roleId: tenant.roleId('member') } });
  expect((await accept(token)).body.code).toBe('invitation_closed');
});

describe('an invitation to a team, from a sender who is limited to team records', () => {
  const limited = ['users:read', 'users:manage', 'leads:read:team'];

  async function teamInvitation() {
    const tenant = await aTenant(service);
    const roleOf = async (name: string, permissions: string[]): Promise<string> =>
      (await tenant.owner.createRole({ body: { name, permissions } })).data.id;
    const senderRole = await roleOf('Lead', limited);
    const roleId = await roleOf('Seller', ['leads:read:team']);
    const { data: team } = await tenant.owner.createTeam({ body: { name: 'Sales' } });
    const sender = await tenant.addUser('member', { roleId: senderRole, teamIds: [team.id] });
    const as = tenant.as(sender.id, limited, { teamIds: [Number(team.id)] });
    const email = anAddress();
    const { status } = await as.inviteUser({ body: { email, roleId, teamIds: [team.id] } });
    expect(status).toBe(201);
    const token = tokenIn(await mailTo(mailbox, email, /invites you to/));
    return { tenant, team, sender, senderRole, roleId, token };
  }

  it('is accepted while the sender is in the team', async () => {
    const { team, token } = await teamInvitation();
    const reply = await accept(token);
    expect([reply.status, reply.data.user.teamIds]).toEqual([200, [team.id]]);
  });

  it('is refused once the sender has left the team, and accepted when it is deleted', async () => {
    const { tenant, team, sender, token } = await teamInvitation();
    await tenant.owner.removeTeamMember({ params: { id: team.id, userId: sender.id } });
    const refused = await accept(token);
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      'invitation_closed',
      expect.stringContaining('its sender may no longer give its role and teams'),
    ]);
    expect((await tenant.owner.listUsers()).body.pagination?.total).toBe(2);
    expect((await tenant.owner.deleteTeam({ params: { id: team.id } })).status).toBe(200);
    expect((await accept(token)).data.user.teamIds).toEqual([]);
  });

  it('is refused if the limit came after the invitation', async () => {
    const { tenant, senderRole, roleId } = await teamInvitation();
    const { data: other } = await tenant.owner.createTeam({ body: { name: 'Support' } });
    const sender = await tenant.addUser('admin');
    const email = anAddress();
    await tenant.as(sender.id).inviteUser({ body: { email, roleId, teamIds: [other.id] } });
    const token = tokenIn(await mailTo(mailbox, email, /invites you to/));
    await tenant.owner.setUserRole({ params: { id: sender.id }, body: { roleId: senderRole } });
    expect((await accept(token)).body.code).toBe('invitation_closed');
  });

  it('is refused if its role has got the right to change members without this limit', async () => {
    const { tenant, roleId, token } = await teamInvitation();
    const permissions = ['users:read', 'users:write'];
    await tenant.owner.updateRole({ params: { id: roleId }, body: { permissions } });
    expect((await accept(token)).body.code).toBe('invitation_closed');
  });
});

it('ends when it is revoked, and revoking again changes nothing', async () => {
  const tenant = await aTenant(service);
  const { invitation, token } = await invited(tenant);
  const params = { id: invitation.id };
  const revoked = await tenant.owner.revokeInvitation({ params });
  expect(revoked.data).toMatchObject({ status: 'revoked', version: 2 });
  expect((await tenant.owner.revokeInvitation({ params })).data.version).toBe(2);
  expect((await accept(token)).status).toBe(409);
  expect((await anonymous(service).getInvitationOffer({ params: { token } })).data.status).toBe('revoked');
  expect((await tenant.owner.resendInvitation({ params })).body.code).toBe('transition_refused');
  const used = await invited(tenant);
  await accept(used.token);
  expect((await tenant.owner.revokeInvitation({ params: { id: used.invitation.id } })).body.code).toBe(
    'transition_refused',
  );
});

it('expires, and can be sent again with a new link, after which the old one is invalid', async () => {
  const tenant = await aTenant(service);
  const { email, invitation, token } = await invited(tenant);
  const params = { id: invitation.id };
  const soon = await tenant.owner.resendInvitation({ params });
  expect([soon.status, soon.body.code]).toEqual([429, 'too_many_links']);
  await age(tenant, invitation.id, 'expires_at');
  await age(tenant, invitation.id, 'sent_at');
  const { data: expired } = await tenant.owner.listInvitations({ query: { status: 'expired' } });
  expect(expired).toMatchObject([{ id: invitation.id, status: 'expired' }]);
  expect((await accept(token)).status).toBe(409);
  const { data: sent } = await tenant.owner.resendInvitation({ params });
  expect(sent.status).toBe('pending');
  const next = await until('the second message arrives', () =>
    mailbox.to(email).length === 2 ? tokenIn(mailbox.to(email)[1] as never) : undefined,
  );
  expect((await anonymous(service).getInvitationOffer({ params: { token } })).status).toBe(404);
  expect((await accept(next)).status).toBe(200);
});

it('is rejected above the daily limit of unverified senders and of the plan Free', async () => {
  const tenant = await aTenant(service);
  const { caller } = tenant.owner;
  const invite = async () => {
    const { status, body, headers } = await tenant.owner.inviteUser({ body: { email: anAddress() } });
    if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(86_000);
    return status === 201 ? status : body.code;
  };
  /** Counts as so many messages of invitations. */
  const send = (count: number) =>
    service.sqlWithin(
      caller,
      `INSERT INTO platform.mail (ref, kind, sender, template, recipient, content, not_after, state, ended_at)
      SELECT gen_random_uuid(), 'account', 'default', 'invitation', 'a@example.com', '', now(), 'sent', now()
      FROM generate_series(1, $1::int)`,
      [count],
    );
  await send(9);
  expect([await invite(), await invite()]).toEqual([201, 'invitation_limit']);
  await service.sqlWithin(caller, 'UPDATE "user" SET email_verified_at = now() WHERE id = $1', [tenant.user.id]);
  expect(await invite()).toBe(201);
  await send(88);
  expect([await invite(), await invite()]).toEqual([201, 'invitation_limit']);
  await service.sqlWithin(caller, `UPDATE tenant SET plan = 'starter'`);
  expect(await invite()).toBe(201);
});

it('keeps its role from being deleted', async () => {
  const tenant = await aTenant(service);
  const { data: role } = await tenant.owner.createRole({ body: { name: 'Guest', permissions: ['leads:read'] } });
  const { invitation } = await invited(tenant, { roleId: role.id });
  const refused = await tenant.owner.deleteRole({ params: { id: role.id } });
  expect([refused.status, refused.body.code]).toEqual([409, 'role_in_use']);
  await tenant.owner.revokeInvitation({ params: { id: invitation.id } });
  expect((await tenant.owner.deleteRole({ params: { id: role.id } })).status).toBe(200);
});

it('belongs to its tenant', async () => {
  const { invitation } = await invited(await aTenant(service));
  const other = await aTenant(service);
  const params = { id: invitation.id };
  expect((await other.owner.resendInvitation({ params })).status).toBe(404);
  expect((await other.owner.revokeInvitation({ params })).status).toBe(404);
  expect((await other.owner.listInvitations()).data).toEqual([]);
});

it('has a page with a form, which changes nothing by itself', async () => {
  const { email, token } = await invited(await aTenant(service));
  const { text, headers } = await anonymous(service).showInvitationPage({ params: { token } });
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(text).toContain(email);
  expect(text).toContain(`data-action="/v1/auth/invitations/${token}/accept"`);
  expect(text).toContain(
    '<label>Password<input name="password" type="password" autocomplete="new-password" minlength="8"',
  );
  expect((await accept(token)).status).toBe(200);
  const open = (one: string) =>
    anonymous(service).showInvitationPage({ params: { token: one }, headers: { accept: 'text/html' } });
  const pages = [await open(token), await open('made-up')];
  expect(pages.map(({ status }) => status)).toEqual([409, 404]);
  for (const page of pages) expect(page.text).toContain('<h1>This link does not work any more</h1>');
});

it('are sent to one address at most ten times an hour, over all tenants', async () => {
  const email = anAddress();
  const statuses: number[] = [];
  for (let tenants = 0; tenants < 11; tenants++) {
    const reply = await (await aTenant(service)).owner.inviteUser({ body: { email } });
    statuses.push(reply.status);
    if (tenants === 10)
      expect([reply.body.code, Number(reply.headers['retry-after']) > 3_000]).toEqual(['too_many_failures', true]);
  }
  expect(statuses).toEqual([...Array(10).fill(201), 429]);
});

it('contain no name that a mail program would turn into a link', async () => {
  const owner = { email: anAddress(), password, firstName: 'http://evil.example', lastName: 'www.evil.example' };
  const { data } = await anonymous(service).createTenant({ body: { name: 'www.evil.example', owner } });
  const email = anAddress();
  const api = service.as({ tenantId: Number(data.tenant.id), userId: Number(data.user.id) });
  expect((await api.inviteUser({ body: { email } })).status).toBe(201);
  const mail = await mailTo(mailbox, email, /invites you to/);
  expect(`${mail.subject} ${mail.text}`).not.toContain('evil.example');
  expect(mail.text).toContain('evil.\u2060example');
});
