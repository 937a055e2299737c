import { until } from '@tandem/testing';
import { anonymous, mailTo, password, tokenIn } from '../../identity.test-service.ts';
import { cookiesOf, startSso, unique, valueIn } from './sso.test-service.ts';

let sso: Awaited<ReturnType<typeof startSso>>;
beforeAll(async () => {
  sso = await startSso();
});
afterAll(() => sso?.close());

describe('enforcing single sign-on', () => {
  it('refuses passwords of users in proven domains, except those of owners', async () => {
    const { tenant, domain } = await sso.aCompany({ enforce: true });
    const people = {
      inside: (await tenant.addUser('member', { email: `ada@${domain}` })).email,
      outside: (await tenant.addUser('member')).email,
      owner: (await tenant.addUser('owner', { email: `owner@${domain}` })).email,
    };
    const codeFor = async (email: string, given = password) =>
      (await anonymous(sso.service).login({ body: { email, password: given } })).body.code;
    expect(await codeFor(people.inside)).toBe('sso_required');
    expect(await codeFor(people.inside, 'wrong')).toBe('bad_credentials');
    expect([await codeFor(people.outside), await codeFor(people.owner)]).toEqual([undefined, undefined]);
    expect((await tenant.owner.deleteSso()).status).toBe(200);
    expect(await codeFor(people.inside)).toBeUndefined();
  });
});

describe('while single sign-on is enforced', () => {
  it('sessions that began with a password end at their next refresh', async () => {
    const { tenant, domain } = await sso.aCompany();
    const enter = async (email: string) =>
      (await anonymous(sso.service).login({ body: { email, password } })).data.refreshToken as string;
    const inside = await enter((await tenant.addUser('member', { email: `ada@${domain}` })).email);
    const outside = await enter((await tenant.addUser('member')).email);
    const bySso = valueIn(cookiesOf((await sso.signIn(`grace@${domain}`)).reply), 'tandem_refresh') as string;
    await tenant.owner.configureSso({
      body: sso.settings({ allowSignUp: true, defaultRoleId: tenant.roleId('member'), enforce: true }),
    });
    const codeFor = async (refreshToken: string) =>
      (await anonymous(sso.service).refreshSession({ body: { refreshToken } })).body.code;
    expect(await codeFor(inside)).toBe('sso_required');
    expect(await codeFor(inside)).toBe('bad_refresh_token');
    expect([await codeFor(outside), await codeFor(bySso)]).toEqual([undefined, undefined]);
    const event = await until('the end of the session is an event', () =>
      sso.service.events.find(({ name, tenantId }) => name === 'user.logged_out' && tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ reason: 'sso_required' });
  });

  it('cannot be avoided by a change of the e-mail address', async () => {
    const { tenant, domain } = await sso.aCompany();
    const ada = await tenant.addUser('member', { email: `ada@${domain}` });
    const change = (newEmail: string) => tenant.as(ada.id).changeOwnEmail({ body: { newEmail, password } });
    const outside = `${unique()}@example.com`;
    expect((await change(outside)).status).toBe(202);
    const token = tokenIn(await mailTo(sso.mailbox, outside, /./));
    const enforced = sso.settings({ allowSignUp: true, defaultRoleId: tenant.roleId('member'), enforce: true });
    expect((await tenant.owner.configureSso({ body: enforced })).status).toBe(200);
    expect((await change(`${unique()}@example.com`)).body.errors).toMatchObject([{ field: 'newEmail' }]);
    expect((await anonymous(sso.service).verifyEmail({ body: { token } })).status).toBe(422);
    expect((await change(`lovelace@${domain}`)).status).toBe(202);

    const member = `grace@${domain}`;
    await sso.signIn(member);
    const [user] = (await tenant.owner.listUsers({ query: { search: member } })).data;
    const moved = `${unique()}@example.com`;
    const body = { email: moved };
    expect((await tenant.owner.updateUser({ params: { id: user.id }, body })).status).toBe(200);
    expect((await tenant.owner.setUserPassword({ params: { id: user.id }, body: { new: password } })).status).toBe(200);
    expect((await anonymous(sso.service).login({ body: { email: moved, password } })).body.code).toBe('sso_required');
  });

  it('an invitation is accepted by the first sign-in through the provider, not by a password', async () => {
    const { tenant, domain } = await sso.aCompany({ enforce: true, allowSignUp: false });
    const email = `grace@${domain}`;
    const { data: team } = await tenant.owner.createTeam({ body: { name: 'Sales' } });
    const roleId = tenant.roleId('manager');
    await tenant.owner.inviteUser({ body: { email, roleId, teamIds: [team.id] } });
    const token = tokenIn(await mailTo(sso.mailbox, email, /invites you to/));
    const body = { password, firstName: 'Grace', lastName: 'Hopper' };
    const refused = await anonymous(sso.service).acceptInvitation({ params: { token }, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'sso_required']);
    expect((await sso.signIn(email)).reply.status).toBe(302);
    const [user] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    expect(user).toMatchObject({ roleId, teamIds: [team.id], emailVerified: true });
    const [invitation] = (await tenant.owner.listInvitations()).data;
    expect(invitation).toMatchObject({ status: 'accepted', acceptedUserId: user.id });
  });
});
