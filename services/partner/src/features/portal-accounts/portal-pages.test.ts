import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { anonymous, aPeer, type Peer, publicUrl, type Service, startPartner } from '../../partner.test-service.ts';
import { aPortalUser, mailTo, password, tokenIn } from '../../portal.test-service.ts';

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

const oldLink = '<h1>This link does not work any more</h1>';

it('without a portal, an invitation leads to a form for the password, which does not use the link', async () => {
  const { email, login } = await aPortalUser(service, service.as(), { password: undefined });
  const mail = await mailTo(mailbox, email, /invites you/);
  const token = tokenIn(mail);
  expect(mail.text).toContain(`${publicUrl}/portal/invitation?token=${token}`);
  const show = () => anonymous(service).showPortalInvitationPage({ query: { token } });
  await show();
  const { status, headers, text } = await show();
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('<h1>Accept the invitation</h1>');
  expect(text).toContain('data-action="/v1/partners/portal/password/reset"');
  expect(text).toContain(`<input type="hidden" name="token" value="${token}">`);
  expect(text).toMatch(/<label>Password<input name="password" type="password" [^>]*minlength="8" required/);
  expect((await anonymous(service).resetPortalPassword({ body: { token, password } })).status).toBe(200);
  expect((await show()).text).toContain(oldLink);
  expect((await login()).status).toBe(200);
});

it('links for another purpose, made up or missing do not work', async () => {
  const { email, tenant } = await aPortalUser(service);
  await anonymous(service).requestMagicLink({ body: { email, tenant } });
  await anonymous(service).forgotPortalPassword({ body: { email, tenant } });
  const magic = tokenIn(await mailTo(mailbox, email, /^Sign in/));
  const reset = tokenIn(await mailTo(mailbox, email, /^Reset/));
  const visitor = anonymous(service);
  const texts = [
    await visitor.showPortalPasswordPage({ query: { token: magic } }),
    await visitor.showPortalInvitationPage({ query: { token: reset } }),
    await visitor.showPortalSignInPage({ query: { token: 'k1.AAAA' } }),
    await visitor.showPortalSignInPage(),
  ].map(({ text }) => text);
  for (const text of texts) expect(text).toContain(oldLink);
  expect((await visitor.showPortalPasswordPage({ query: { token: reset } })).text).toContain(
    '<h1>Choose a new password</h1>',
  );
  expect((await visitor.showPortalSignInPage({ query: { token: magic } })).text).toContain(
    'Open this link in the partner portal to sign in.',
  );
});
