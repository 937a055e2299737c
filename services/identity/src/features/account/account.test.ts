import { randomBytes } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import {
  anonymous,
  aTenant,
  mailTo,
  ownSettings,
  password,
  type Service,
  secrets,
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

const ids = createIdCodec(secrets.IDS_ALPHABET);
const changed = 'another long phrase';
const anAddress = () => `${randomBytes(6).toString('hex')}@example.com`;
const signIn = (email: string, word: string) => anonymous(service).login({ body: { email, password: word } });
const expectWait = (reply: { headers: Record<string, string> } | undefined, min: number, max: number) => {
  const seconds = Number(reply?.headers['retry-after']);
  expect(seconds).toBeGreaterThan(min);
  expect(seconds).toBeLessThanOrEqual(max);
};
const badToken = [422, [{ field: 'token', message: 'Is invalid, used or expired; request a new link' }]];

describe('a forgotten password', () => {
  it('is reset once with the link of the message, which ends all sessions and notifies the user', async () => {
    const { email, refreshToken } = await aTenant(service);
    const asked = await anonymous(service).forgotPassword({ body: { email: email.toUpperCase() } });
    expect([asked.status, asked.data]).toEqual([202, { accepted: true }]);
    const mail = await mailTo(mailbox, email, /^Reset your password/);
    expect(mail.text).toContain(`${ownSettings.PUBLIC_URL}/reset-password?token=`);
    const body = { token: tokenIn(mail), new: changed };
    expect((await anonymous(service).resetPassword({ body })).data).toEqual({ reset: true });
    expect((await signIn(email, password)).status).toBe(401);
    const { data } = await signIn(email, changed);
    expect(data.user.emailVerified).toBe(true);
    expect((await anonymous(service).refreshSession({ body: { refreshToken } })).status).toBe(401);
    await mailTo(mailbox, email, /^Your password was changed/);
    const again = await anonymous(service).resetPassword({ body });
    expect([again.status, again.body.errors]).toEqual(badToken);
  });

  it('is reset by one of two concurrent uses of the link', async () => {
    const { email } = await aTenant(service);
    await anonymous(service).forgotPassword({ body: { email } });
    const token = tokenIn(await mailTo(mailbox, email, /^Reset/));
    const replies = await Promise.all(
      ['first phrase', 'second phrase'].map((word) => anonymous(service).resetPassword({ body: { token, new: word } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('gets the same answer and no message for an unknown address and for an inactive user', async () => {
    const tenant = await aTenant(service);
    const user = await tenant.addUser('member');
    await tenant.owner.updateUser({ params: { id: user.id }, body: { status: 'suspended' } });
    const known = await anonymous(service).forgotPassword({ body: { email: tenant.email } });
    for (const email of [user.email, anAddress()]) {
      const unknown = await anonymous(service).forgotPassword({ body: { email } });
      expect([unknown.status, unknown.data]).toEqual([known.status, known.data]);
    }
    await mailTo(mailbox, tenant.email, /^Reset/);
    expect(mailbox.to(user.email).filter(({ subject }) => /^Reset/.test(subject))).toEqual([]);
  });

  it('sends a link for each tenant of the address, and each works in its tenant only', async () => {
    const email = anAddress();
    await aTenant(service, email);
    await aTenant(service, email);
    await anonymous(service).forgotPassword({ body: { email } });
    const resets = () => mailbox.to(email).filter(({ subject }) => /^Reset/.test(subject));
    await until('both tenants have sent a link', () => resets().length === 2);
    const [first] = resets();
    const body = { token: tokenIn(first as never), new: changed };
    await anonymous(service).resetPassword({ body });
    expect([(await signIn(email, changed)).status, (await signIn(email, password)).status]).toEqual([200, 200]);
  });

  it('accepts five requests a minute for one address and client, and three links in half an hour', async () => {
    const { email } = await aTenant(service);
    const client = anonymous(service);
    const replies = [];
    for (let count = 0; count < 6; count += 1) replies.push((await client.forgotPassword({ body: { email } })).status);
    expect(replies).toEqual([202, 202, 202, 202, 202, 429]);
    await until(
      'three links are sent',
      () => mailbox.to(email).filter(({ subject }) => /^Reset/.test(subject)).length === 3,
    );
    const rows = await service.sqlWithin(
      { tenantId: Number((await signIn(email, password)).data.tenant.id), environment: 'live' } as never,
      `SELECT hash FROM account_token WHERE purpose = 'password_reset'`,
    );
    expect(rows).toHaveLength(3);
  });

  it('is requested by anybody, so the audit log names no actor, and the user as the target', async () => {
    const { email, owner, user, tenantId } = await aTenant(service);
    await anonymous(service).forgotPassword({ body: { email } });
    const entry = await until('the request is in the audit log', async () => {
      const { data } = await owner.listAuditLogs({ query: { action: 'user.request_password_reset' } });
      return data[0];
    });
    expect(entry).toMatchObject({
      actor: { type: 'anonymous', id: null, name: null },
      targets: [{ type: 'user', id: ids.encode('user', tenantId, Number(user.id)) }],
      context: { ip: expect.stringMatching(/^10\./) },
    });
  });

  it('stores no token in the clear', async () => {
    const { email, tenantId } = await aTenant(service);
    await anonymous(service).forgotPassword({ body: { email } });
    const token = tokenIn(await mailTo(mailbox, email, /^Reset/));
    for (const table of ['account_token', 'platform.mail', 'platform.job']) {
      const rows = await service.sqlWithin(
        { tenantId, environment: 'live' } as never,
        `SELECT t::text AS row FROM ${table} t`,
      );
      expect(rows.filter(({ row }) => String(row).includes(token))).toEqual([]);
    }
    expect(JSON.stringify(service.events)).not.toContain(token);
  });

  it('refuses a token that was made up, and one for another purpose', async () => {
    const { email } = await aTenant(service);
    const verification = tokenIn(await mailTo(mailbox, email, /^Confirm/));
    for (const token of ['k1.AAAA', verification]) {
      const reply = await anonymous(service).resetPassword({ body: { token, new: changed } });
      expect([reply.status, reply.body.errors]).toEqual(badToken);
    }
  });
});

describe('the own password', () => {
  it('changes with the current one, and ends the other sessions only', async () => {
    const tenant = await aTenant(service);
    const { data: other } = await signIn(tenant.email, password);
    const rows = await service.sqlWithin(
      { tenantId: tenant.tenantId, environment: 'live' } as never,
      'SELECT min(id) AS id FROM session',
    );
    const me = tenant.as(tenant.user.id, ['*'], { sessionId: Number(rows[0]?.id) });
    const wrong = await me.changeOwnPassword({ body: { current: 'wrong', new: changed } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ field: 'current', message: 'Is not the current password' }],
    ]);
    expect((await me.changeOwnPassword({ body: { current: password, new: changed } })).status).toBe(200);
    expect((await anonymous(service).refreshSession({ body: { refreshToken: tenant.refreshToken } })).status).toBe(200);
    expect((await anonymous(service).refreshSession({ body: { refreshToken: other.refreshToken } })).status).toBe(401);
    expect((await signIn(tenant.email, changed)).status).toBe(200);
    await mailTo(mailbox, tenant.email, /^Your password was changed/);
  });

  it('is not guessed with a stolen session: five failures a minute', async () => {
    const tenant = await aTenant(service);
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      const reply = await tenant.owner.changeOwnPassword({ body: { current: `guess ${count}`, new: changed } });
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  });

  it('can be set by an administrator, who cannot outrank, and not for themselves without the current one', async () => {
    const tenant = await aTenant(service);
    const member = await tenant.addUser('member');
    const set = (api: typeof tenant.owner, id: string, more: object = {}) =>
      api.setUserPassword({ params: { id }, body: { new: changed, ...more } });
    expect((await set(tenant.owner, member.id)).status).toBe(200);
    expect((await signIn(member.email, changed)).status).toBe(200);
    expect((await mailTo(mailbox, member.email, /^Your password was changed/)).text).toContain('An administrator');
    const clerk = tenant.as(member.id, ['users:manage', 'users:write']);
    expect((await set(clerk, tenant.user.id)).status).toBe(403);
    expect((await set(tenant.owner, tenant.user.id)).status).toBe(422);
    expect((await set(tenant.owner, tenant.user.id, { current: password })).status).toBe(200);
  });
});

describe('an address', () => {
  it('is verified by the link of the message after sign-up, once', async () => {
    const { email, user, owner } = await aTenant(service);
    expect(user).toMatchObject({ emailVerified: false, emailVerifiedAt: null });
    const mail = await mailTo(mailbox, email, /^Confirm your e-mail address/);
    const verify = () => anonymous(service).verifyEmail({ body: { token: tokenIn(mail) } });
    expect((await verify()).data).toEqual({ email, emailVerified: true });
    expect((await owner.getOwnUser()).data).toMatchObject({ emailVerified: true, version: 2 });
    expect((await verify()).status).toBe(422);
    const resent = await owner.requestEmailVerification();
    expect([resent.status, resent.body.code]).toEqual([409, 'already_verified']);
  });

  it('gets the messages of at most five sign-ups', async () => {
    const email = anAddress();
    const owners: Awaited<ReturnType<typeof aTenant>>['owner'][] = [];
    for (let count = 0; count < 6; count += 1) owners.push((await aTenant(service, email)).owner);
    const sent = async () =>
      (await Promise.all(owners.map(({ caller }) => service.sqlWithin(caller, 'SELECT id FROM platform.mail')))).flat();
    expect(await sent()).toHaveLength(5);
    const statuses = [];
    for (const owner of owners) statuses.push((await owner.requestEmailVerification()).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });

  it('gets another link on request, three in all', async () => {
    const { email, owner } = await aTenant(service);
    const replies = [];
    for (let count = 0; count < 3; count += 1) replies.push(await owner.requestEmailVerification());
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 429]);
    // The first link was sent at sign-up, moments ago.
    expectWait(replies.at(-1), 3_500, 3_600);
    await until('three links have arrived', () => mailbox.to(email).length === 3);
  });

  it('changes at most three times an hour, and the refusal names the time to wait', async () => {
    const { owner } = await aTenant(service);
    const replies = [];
    for (let count = 0; count < 4; count += 1)
      replies.push(await owner.changeOwnEmail({ body: { newEmail: anAddress(), password } }));
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
    expectWait(replies.at(-1), 3_500, 3_600);
  });

  it('changes when the new one is proven, and the old one gets notices', async () => {
    const { email, owner, tenantId } = await aTenant(service);
    const newEmail = anAddress();
    const wrong = await owner.changeOwnEmail({ body: { newEmail, password: 'wrong' } });
    expect(wrong.status).toBe(422);
    const asked = await owner.changeOwnEmail({ body: { newEmail, password } });
    expect([asked.status, asked.data.newEmail]).toEqual([202, newEmail]);
    expect((await signIn(newEmail, password)).status).toBe(401);
    await mailTo(mailbox, email, /^A change of your e-mail address was requested/);
    const token = tokenIn(await mailTo(mailbox, newEmail, /^Confirm/));
    expect((await anonymous(service).verifyEmail({ body: { token } })).data.email).toBe(newEmail);
    expect((await signIn(newEmail, password)).data.user).toMatchObject({ email: newEmail, emailVerified: true });
    expect((await signIn(email, password)).status).toBe(401);
    expect((await mailTo(mailbox, email, /^Your e-mail address was changed/)).text).toContain(newEmail);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'user.email_changed' && one.tenantId === tenantId),
    );
    expect(event).toBeDefined();
  });

  it('is no longer possible with a link from before the password changed', async () => {
    const { owner } = await aTenant(service);
    const newEmail = anAddress();
    await owner.changeOwnEmail({ body: { newEmail, password } });
    const token = tokenIn(await mailTo(mailbox, newEmail, /^Confirm/));
    expect((await owner.changeOwnPassword({ body: { current: password, new: changed } })).status).toBe(200);
    expect((await anonymous(service).verifyEmail({ body: { token } })).status).toBe(422);
  });

  it('of another user is refused, also when it was taken after the link was sent', async () => {
    const { owner, addUser } = await aTenant(service);
    const other = await addUser('member');
    const taken = await owner.changeOwnEmail({ body: { newEmail: other.email, password } });
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken']);
    const newEmail = anAddress();
    await owner.changeOwnEmail({ body: { newEmail, password } });
    const token = tokenIn(await mailTo(mailbox, newEmail, /^Confirm/));
    await addUser('member', { email: newEmail });
    const late = await anonymous(service).verifyEmail({ body: { token } });
    expect([late.status, late.body.code]).toEqual([409, 'email_taken']);
  });
});
