import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import {
  anApprovedPartner,
  anonymous,
  aPeer,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { anAddress, aPortalUser, mailTo, password, tokenIn } from '../../portal.test-service.ts';

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
const isInvitation = ({ subject }: { subject: string }) => subject.includes('invites you');
const confirm = (token: string) => anonymous(service).confirmApplication({ body: { token } });
const reset = (token: string) => anonymous(service).resetPortalPassword({ body: { token, password: changed } });

describe('an application', () => {
  const terms = { termsVersion: '2026-01', termsUrl: 'https://example.com/terms' };

  /** A tenant with the addon, and a visitor who applies there. */
  function aProgram(settings: object = {}) {
    const api = service.as();
    const { tenantId } = api.caller as { tenantId: number };
    peer.setAddons(tenantId, { partner_program: settings });
    const email = anAddress('applicant');
    const person = { firstName: 'Joan', lastName: 'Clarke', company: 'Hut 6', phone: '+491701234567' };
    const body = { tenant: `${tenantId}`, email, password, ...person };
    const apply = (fields: object = {}) => anonymous(service).registerPartner({ body: { ...body, ...fields } });
    return { api, email, body, apply, tenantId };
  }

  it('registers a pending partner with an owner and the accepted terms', async () => {
    const { api, email, apply, tenantId } = aProgram(terms);
    const recruiter = await anApprovedPartner(api);
    const reply = await apply({ acceptedTerms: '2026-01', referralCode: recruiter.code.toLowerCase() });
    expect([reply.status, reply.data]).toEqual([202, { accepted: true }]);
    const [partner] = (await api.listPartners({ query: { search: email } })).data;
    expect(partner).toMatchObject({
      email,
      firstName: 'Joan',
      company: 'Hut 6',
      status: 'pending',
      parentPartnerId: recruiter.id,
      termsVersion: '2026-01',
      termsAcceptedAt: expect.any(String),
      createdBy: null,
    });
    const users = (await api.listPortalUsers({ params: { id: partner.id } })).data;
    expect(users).toMatchObject([{ email, role: 'owner', status: 'active' }]);
    await mailTo(mailbox, email, /^Your application to Analytical Engines/);
    const event = await until('the registration is an event', () =>
      service.events.find(({ name, target }) => name === 'partner.registered' && target.id === Number(partner.id)),
    );
    expect(event).toMatchObject({ tenantId, caller: { type: 'anonymous' } });
    const login = () => anonymous(service).loginToPortal({ body: { email, password, tenant: `${tenantId}` } });
    expect((await login()).status).toBe(403);
    await api.approvePartner({ params: { id: partner.id }, body: {} });
    expect((await login()).status).toBe(200);
  });

  it('must accept the current version of the terms, which the answer names', async () => {
    const { apply, api } = aProgram(terms);
    for (const acceptedTerms of [undefined, null, '2025-01']) {
      const { status, body } = await apply({ acceptedTerms });
      expect([status, body.errors]).toEqual([
        422,
        [{ field: 'acceptedTerms', message: 'Must be 2026-01, the current version at https://example.com/terms' }],
      ]);
    }
    const unknown = await apply({ acceptedTerms: '2026-01', referralCode: 'NOBODY-1' });
    expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'referralCode']);
    expect((await api.listPartners()).data).toEqual([]);
  });

  it('is not taken without the addon, or while registration is closed', async () => {
    const closed = aProgram({ openRegistration: false });
    const without = aProgram();
    peer.setAddons(without.tenantId, {});
    for (const { apply } of [closed, without]) {
      const { status, body } = await apply();
      expect([status, body.code]).toEqual([403, 'registration_closed']);
    }
    expect((await aProgram().apply()).status).toBe(202);
  });

  it('is approved at once if the tenant says so', async () => {
    const { api, email, apply, tenantId } = aProgram({ autoApprove: true });
    await apply();
    const [partner] = (await api.listPartners({ query: { search: email } })).data;
    expect([partner.status, partner.termsVersion]).toEqual(['approved', null]);
    expect((await api.getPartner({ params: { id: partner.id } })).data.referralCodes).toHaveLength(1);
    const signIn = await anonymous(service).loginToPortal({ body: { email, password, tenant: `${tenantId}` } });
    expect(signIn.status).toBe(200);
  });

  it('does not reveal an address in use: the answer is the same, nothing changes, and the owner is told', async () => {
    const { api, apply } = aProgram();
    const { email, login, partner } = await aPortalUser(service, api);
    const first = await apply();
    const taken = [await apply({ email, password: changed }), await apply({ email: partner.email, password: changed })];
    for (const { status, body } of taken)
      expect([status, body.data, body.message]).toEqual([202, first.data, first.body.message]);
    expect((await login()).status).toBe(200);
    for (const address of [email, partner.email])
      expect((await mailTo(mailbox, address, /^Your application/)).text).toContain('is registered already');
    expect((await api.listPartners()).data).toHaveLength(2);
  });

  it('lets a password sign in after an approval with an invitation only if the address was confirmed', async () => {
    const { api, email, apply, tenantId } = aProgram();
    await apply();
    const find = async () => (await api.listPartners({ query: { search: email } })).data[0];
    const { id, emailConfirmedAt } = await find();
    expect(emailConfirmedAt).toBeNull();
    await api.approvePartner({ params: { id }, body: { sendInvite: true } });
    const login = (word: string) =>
      anonymous(service).loginToPortal({ body: { email, password: word, tenant: `${tenantId}` } });
    const refused = await login(password);
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      403,
      'email_not_confirmed',
      expect.stringContaining('link of the invitation'),
    ]);
    expect((await login('a wrong phrase')).status).toBe(401);
    const [user] = (await api.listPortalUsers({ params: { id } })).data;
    expect(user.status).toBe('invited');
    expect((await api.invitePortalUser({ params: { id, uid: user.id } })).status).toBe(200);
    await until('both invitations arrive', () => mailbox.to(email).filter(isInvitation).length === 2);
    expect(mailbox.to(email).filter(({ subject }) => subject.includes('approved'))).toEqual([]);
    const token = tokenIn(await mailTo(mailbox, email, /invites you/));
    expect((await reset(token)).status).toBe(200);
    expect([(await login(password)).status, (await login(changed)).status]).toEqual([401, 200]);
    expect((await find()).emailConfirmedAt).not.toBeNull();
    const event = await until('the confirmation is an event', () =>
      service.events.find(({ name, target }) => name === 'partner.updated' && target.id === Number(id)),
    );
    expect(event).toMatchObject({ caller: { type: 'portal' }, changes: { emailConfirmedAt: { from: null } } });
  });

  it('that somebody else has sent before does not let their password sign in, whoever confirms the address', async () => {
    const { api, email, apply, tenantId } = aProgram();
    await apply({ password: 'the password of a stranger' });
    await mailTo(mailbox, email, /^Your application/);
    expect((await apply()).status).toBe(202);
    const second = await until('the second message arrives', () =>
      mailbox.to(email).find(({ text }) => text.includes('more than one application')),
    );
    expect((await confirm(tokenIn(second))).status).toBe(200);
    const [partner] = (await api.listPartners({ query: { search: email } })).data;
    await api.approvePartner({ params: { id: partner.id }, body: {} });
    const login = (secret: string) =>
      anonymous(service).loginToPortal({ body: { email, password: secret, tenant: `${tenantId}` } });
    for (const secret of ['the password of a stranger', password]) expect((await login(secret)).status).not.toBe(200);
    const invitation = await until('the invitation arrives', () => mailbox.to(email).find(isInvitation));
    expect((await reset(tokenIn(invitation))).status).toBe(200);
    expect((await login(changed)).status).toBe(200);
  });

  it('that is sent twice with the same password keeps it', async () => {
    const { api, email, apply, tenantId } = aProgram();
    for (let time = 0; time < 2; time++) expect((await apply()).status).toBe(202);
    const [partner] = (await api.listPartners({ query: { search: email } })).data;
    await api.approvePartner({ params: { id: partner.id }, body: {} });
    const reply = await anonymous(service).loginToPortal({ body: { email, password, tenant: `${tenantId}` } });
    expect(reply.status).toBe(200);
  });

  it('keeps the password of an owner who has confirmed the address when the approval sends an invitation', async () => {
    const { api, email, apply, tenantId } = aProgram();
    await apply();
    const [{ id }] = (await api.listPartners({ query: { search: email } })).data;
    await anonymous(service).forgotPortalPassword({ body: { email, tenant: `${tenantId}` } });
    await reset(tokenIn(await mailTo(mailbox, email, /^Reset/)));
    await api.approvePartner({ params: { id }, body: { sendInvite: true } });
    await mailTo(mailbox, email, /approved your application/);
    const signIn = await anonymous(service).loginToPortal({
      body: { email, password: changed, tenant: `${tenantId}` },
    });
    expect(signIn.status).toBe(200);
    expect(mailbox.to(email).filter(isInvitation)).toEqual([]);
  });

  it('is confirmed by the link of its message, so that the password signs in even after an invitation', async () => {
    const { api, email, apply, tenantId } = aProgram();
    await apply();
    const token = tokenIn(await mailTo(mailbox, email, /^Your application/));
    const page = await anonymous(service).showPortalApplicationPage({ query: { token } });
    expect(page.text).toContain('data-action="/v1/partners/portal/register/confirm"');
    expect((await confirm(token)).data).toEqual({ confirmed: true });
    expect((await confirm(token)).body.errors).toMatchObject([{ field: 'token' }]);
    const [partner] = (await api.listPartners({ query: { search: email } })).data;
    expect(partner).toMatchObject({ status: 'pending', emailConfirmedAt: expect.any(String) });
    await api.approvePartner({ params: { id: partner.id }, body: { sendInvite: true } });
    const signIn = await anonymous(service).loginToPortal({ body: { email, password, tenant: `${tenantId}` } });
    expect(signIn.status).toBe(200);
  });

  it('of a rejected partner is reopened by the link of a new one only, with the data that it had', async () => {
    const { api, email, apply, tenantId } = aProgram();
    await apply();
    const first = tokenIn(await mailTo(mailbox, email, /^Your application/));
    const find = async () => (await api.listPartners({ query: { search: email } })).data[0];
    const { id } = await find();
    await api.rejectPartner({ params: { id }, body: { reason: 'Too early' } });
    expect((await confirm(first)).status).toBe(422);
    const again = await apply({ firstName: 'Mallory', password: changed });
    expect([again.status, again.data]).toEqual([202, { accepted: true }]);
    expect(await find()).toMatchObject({ status: 'rejected', firstName: 'Joan' });
    const mail = await until('the link to apply again arrives', () =>
      mailbox.to(email).find(({ text }) => text.includes('was not approved') && text.includes('?token=')),
    );
    expect((await confirm(tokenIn(mail))).status).toBe(200);
    expect(await find()).toMatchObject({ status: 'pending', firstName: 'Joan', statusReason: null });
    const event = await until('the application is reopened', () =>
      service.events.find(({ name, target }) => name === 'partner.reapplied' && target.id === Number(id)),
    );
    expect(event).toMatchObject({
      caller: { type: 'portal' },
      changes: { status: { from: 'rejected', to: 'pending' } },
    });
    await api.approvePartner({ params: { id }, body: {} });
    const login = (word: string) =>
      anonymous(service).loginToPortal({ body: { email, password: word, tenant: `${tenantId}` } });
    // Two passwords were sent, so the approval invites the owner to choose one.
    expect([(await login(password)).status, (await login(changed)).status]).toEqual([403, 401]);
    await until('the invitation arrives', () => mailbox.to(email).find(isInvitation));
  });

  it('sends five messages an hour to an address, whatever the tenants', async () => {
    const email = anAddress('flooded');
    for (let count = 0; count < 7; count++) expect((await aProgram().apply({ email })).status).toBe(202);
    const last = aProgram();
    await last.apply();
    await mailTo(mailbox, last.email, /^Your application/);
    await until('five have arrived', () => mailbox.to(email).length === 5);
  });

  it('happens once when the same person sends it twice at the same time', async () => {
    const { api, apply } = aProgram();
    const replies = await Promise.all([apply(), apply()]);
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    expect((await api.listPartners()).data).toHaveLength(1);
  });
});
