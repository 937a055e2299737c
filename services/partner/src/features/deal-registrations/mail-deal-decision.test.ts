import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { aPortalUser, aPortalUserOf, mailTo } from '../../portal.test-service.ts';
import { aDeal } from './deals.test-service.ts';

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

describe('the decision about a registration', () => {
  /** A registration that a member of a partner has submitted in the portal. */
  async function aSubmission() {
    const owner = await aPortalUser(service);
    const { api, partner } = owner;
    const member = await aPortalUserOf(service, api, partner, { role: 'member' });
    const other = await aPortalUserOf(service, api, partner, { role: 'member' });
    const deal = aDeal();
    const { data } = await member.signedIn.createPortalDealRegistration({ body: deal });
    const params = { id: data.id as string };
    expect((await member.signedIn.submitPortalDealRegistration({ params })).status).toBe(200);
    return { api, owner, member, other, params, company: deal.company };
  }

  it('is mailed to the owners and to who submitted it, with the end of the protection', async () => {
    const { api, owner, member, other, params, company } = await aSubmission();
    await api.approveDealRegistration({ params });
    for (const { email } of [owner, member]) {
      const mail = await mailTo(mailbox, email, /^Your deal registration was approved/);
      expect([mail.subject, mail.text]).toEqual([
        expect.stringContaining(company),
        expect.stringContaining('No other partner can register the company until'),
      ]);
    }
    expect(mailbox.to(other.email)).toEqual([]);
  });

  it('has the reason of a rejection', async () => {
    const { api, owner, member, params } = await aSubmission();
    await api.rejectDealRegistration({ params, body: { reason: 'A customer already' } });
    for (const { email } of [owner, member])
      expect((await mailTo(mailbox, email, /^Your deal registration was rejected/)).text).toContain(
        'Reason: A customer already',
      );
  });
});
