import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { aPortalUser, aPortalUserOf, mailTo, password } from '../../portal.test-service.ts';
import { ibans } from '../payouts/payouts.test-service.ts';
import { setTiers } from '../tiers/tiers.test-service.ts';

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

describe('the owners of a partner', () => {
  it('get a message when the payout account is changed, without the account', async () => {
    const owner = await aPortalUser(service);
    const member = await aPortalUserOf(service, owner.api, owner.partner, { role: 'member' });
    const body = { holder: 'Joan Clarke', iban: ibans[0], password };
    expect((await owner.signedIn.setPortalPayoutAccount({ body })).status).toBe(200);
    const mail = await mailTo(mailbox, owner.email, /^Your payout account was changed/);
    expect(mail.text).not.toContain('3000');
    expect(mailbox.to(member.email)).toEqual([]);
  });

  it('get a message when the grace period of the tier begins, once', async () => {
    const owner = await aPortalUser(service);
    const params = { id: owner.partner.id };
    await owner.api.updatePartner({ params, body: { tier: 'silver' } });
    await setTiers(owner.api, { silver: { thresholds: { referrals: 1 }, graceDays: 30 } });
    await mailTo(mailbox, owner.email, /^Your tier in the partner program/);
    await owner.api.evaluatePartnerTier({ params });
    await owner.api.evaluatePartnerTier({ params });
    await owner.signedIn.setPortalPayoutAccount({ body: { holder: 'Joan Clarke', iban: ibans[0], password } });
    await mailTo(mailbox, owner.email, /^Your payout account was changed/);
    expect(mailbox.to(owner.email).filter(({ subject }) => subject.startsWith('Your tier'))).toHaveLength(1);
  });
});
