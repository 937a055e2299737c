import { type Mailbox, startMailbox } from '@tandem/mailbox';
import {
  anApprovedPartner,
  aPartner,
  aPeer,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { anAddress, aPortalUserOf, mailTo } from '../../portal.test-service.ts';

const portalUrl = 'https://partners.example.com';
let mailbox: Mailbox;
let peer: Peer;
let service: Service;
beforeAll(async () => {
  [mailbox, peer] = await Promise.all([startMailbox(), aPeer()]);
  service = await startPartner(peer, { SMTP_URL: mailbox.smtpUrl, PORTAL_URL: portalUrl });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([peer?.close(), mailbox?.close()]);
});

const approved = /^Analytical Engines approved your application$/;
const rejected = /^Your application to Analytical Engines was not approved$/;

/** An applicant without access to the portal. */
async function anApplicant() {
  const api = service.as();
  const { data } = await api.createPartner({ body: aPartner({ email: anAddress() }) });
  return { api, id: data.id as string, email: data.email as string, params: { id: data.id as string } };
}

describe('an applicant', () => {
  it('is told about the approval and, with a password, where to sign in', async () => {
    const { api, params, id, email } = await anApplicant();
    const owner = await aPortalUserOf(service, api, { id });
    const invited = await aPortalUserOf(service, api, { id }, { password: undefined });
    expect((await api.approvePartner({ params, body: {} })).status).toBe(200);
    expect((await mailTo(mailbox, owner.email, approved)).text).toContain(portalUrl);
    expect((await mailTo(mailbox, email, approved)).text).not.toContain(portalUrl);
    expect(mailbox.to(invited.email).filter(({ subject }) => approved.test(subject))).toEqual([]);
  });

  it('gets only the invitation if the approval sends one', async () => {
    const { api, params, email } = await anApplicant();
    await api.approvePartner({ params, body: { sendInvite: true } });
    await mailTo(mailbox, email, /invites you/);
    expect(mailbox.to(email)).toHaveLength(1);
  });

  it('is told about the rejection without its reason, and that the application was reopened', async () => {
    const { api, params, id, email } = await anApplicant();
    const reject = () =>
      api.rejectPartner({ params, body: { reason: 'Misleading advertising', note: 'See the mail' } });
    await reject();
    // Without an owner nobody can use the link of another application.
    expect((await mailTo(mailbox, email, rejected)).text).not.toContain('You can apply again');
    await api.reapplyPartner({ params });
    const owner = await aPortalUserOf(service, api, { id }, { role: 'owner' });
    await reject();
    const mail = await mailTo(mailbox, owner.email, rejected);
    expect(mail.text).toContain('You can apply again');
    expect(mail.text).not.toMatch(/Misleading|See the mail/);
    await api.reapplyPartner({ params });
    await mailTo(mailbox, email, /^Your application to Analytical Engines was reopened$/);
  });

  it('is decided about even if the tenant may send no more messages', async () => {
    const limited = await startPartner(peer, { SMTP_URL: mailbox.smtpUrl, MAIL_PER_DAY_MAX: 1 });
    try {
      const api = limited.as();
      expect((await anApprovedPartner(api)).id).toBeDefined();
      expect((await anApprovedPartner(api)).id).toBeDefined();
    } finally {
      await limited.close();
    }
  });
});
