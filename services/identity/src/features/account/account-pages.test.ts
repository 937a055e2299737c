import { type Mailbox, startMailbox } from '@tandem/mailbox';
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
let withConsole: Service;
const consoleUrl = 'https://app.example.com';
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startIdentity({ SMTP_URL: mailbox.smtpUrl });
  withConsole = await startIdentity({ SMTP_URL: mailbox.smtpUrl, CONSOLE_URL: consoleUrl });
});
afterAll(async () => {
  await service?.close();
  await withConsole?.close();
  await mailbox?.close();
});

const queryOf = (token?: string) => (token === undefined ? {} : { query: { token } });
const reset = (token?: string, at = service) => anonymous(at).showResetPasswordPage(queryOf(token));
const verify = (token?: string, at = service) => anonymous(at).showVerifyEmailPage(queryOf(token));
const tokenFor = async (email: string, subject: RegExp) => tokenIn(await mailTo(mailbox, email, subject));
const newPassword = 'another long phrase';
const signInHere = `<a href="${consoleUrl}">Sign in</a>`;

async function aForgottenPassword(at = service) {
  const tenant = await aTenant(at);
  await anonymous(at).forgotPassword({ body: { email: tenant.email } });
  return { ...tenant, token: await tokenFor(tenant.email, /^Reset/) };
}

/** Whether the page says that the link does not work, and offers a form for a new one instead of the password. */
function expectNewLinkForm({ status, text }: { status: number; text: string }, title: string) {
  expect(status).toBe(200);
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain('data-action="/v1/auth/password/forgot"');
  expect(text).toContain('<label>E-mail address<input name="email" type="email"');
  expect(text).not.toContain('type="password"');
}

const oldLink = 'This link does not work any more';

describe('the page to reset a password', () => {
  it('has a labelled password with its minimum length and a place for its error, and uses no link', async () => {
    const { token } = await aForgottenPassword();
    await reset(token);
    const { text, headers } = await reset(token);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain(`<input type="hidden" name="token" value="${token}">`);
    expect(text).toMatch(/<label>New password<input name="new" type="password" [^>]*minlength="8" required/);
    expect(text).toContain('data-error="new"');
    const body = { token, new: newPassword };
    expect((await anonymous(service).resetPassword({ body })).status).toBe(200);
  });

  it('offers a new link after the first was used', async () => {
    const { token } = await aForgottenPassword();
    await anonymous(service).resetPassword({ body: { token, new: newPassword } });
    expectNewLinkForm(await reset(token), oldLink);
  });

  it('offers a new link for a made-up link, one for another purpose, and a user who is suspended', async () => {
    const { email, owner, addUser } = await aTenant(service);
    expectNewLinkForm(await reset('"><b>'), oldLink);
    expect((await reset('"><b>')).text).not.toContain('<b>');
    expectNewLinkForm(await reset(await tokenFor(email, /^Confirm/)), oldLink);
    const user = await addUser('member');
    await anonymous(service).forgotPassword({ body: { email: user.email } });
    const token = await tokenFor(user.email, /^Reset/);
    await owner.updateUser({ params: { id: user.id }, body: { status: 'suspended' } });
    expectNewLinkForm(await reset(token), oldLink);
  });

  it('asks for the address when it is opened without a link', async () => {
    expectNewLinkForm(await reset(), 'Reset your password');
  });

  it('leads to the console after the reset, if there is one', async () => {
    const there = await aForgottenPassword(withConsole);
    expect((await reset(there.token, withConsole)).text).toContain(`<p data-next hidden>${signInHere}</p>`);
    expect((await reset((await aForgottenPassword()).token)).text).not.toContain('Sign in');
  });
});

describe('the page to verify an address', () => {
  it('has a form, and changes nothing; afterwards it says that the address is confirmed', async () => {
    const { email } = await aTenant(service);
    const token = await tokenFor(email, /^Confirm/);
    const before = await verify(token);
    expect(before.text).toContain(`<input type="hidden" name="token" value="${token}">`);
    expect((await anonymous(service).verifyEmail({ body: { token } })).status).toBe(200);
    const { status, text } = await verify(token);
    expect([status, text]).toEqual([200, expect.stringContaining('<h1>Your e-mail address is confirmed</h1>')]);
    expect(text).not.toContain('<form');
  });

  it('says that a link does not work any more after another address was set', async () => {
    const { addUser, as, owner } = await aTenant(service);
    const user = await addUser('member');
    await as(user.id).requestEmailVerification();
    const first = await tokenFor(user.email, /^Confirm/);
    expect((await verify(first)).text).toContain('<form');
    await owner.updateUser({ params: { id: user.id }, body: { email: `other-${user.email}` } });
    const { text } = await verify(first);
    expect(text).toContain(`<h1>${oldLink}</h1>`);
    expect(text).not.toContain('<form');
  });

  it('confirms a change of address once, and says afterwards that it is done', async () => {
    const { owner, email } = await aTenant(service);
    const newEmail = `new-${email}`;
    await owner.changeOwnEmail({ body: { newEmail, password } });
    const token = await tokenFor(newEmail, /^Confirm/);
    expect((await verify(token)).text).toContain('<form');
    await anonymous(service).verifyEmail({ body: { token } });
    expect((await verify(token)).text).toContain('Your e-mail address is confirmed');
  });

  it('has no form without a link or for a made-up one, and leads to the console if there is one', async () => {
    for (const [token, title] of [
      [undefined, 'This link is not complete'],
      ['made-up', oldLink],
    ] as const) {
      const { text } = await verify(token);
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).not.toMatch(/<form|Sign in</);
      expect((await verify(token, withConsole)).text).toContain(signInHere);
    }
  });
});
