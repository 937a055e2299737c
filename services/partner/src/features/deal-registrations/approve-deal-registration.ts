import { dealRegistrationApproved, type dealRegistrations } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { checkContact } from './contact-lead.ts';
import { dealApprovedLetter } from './deal-letters.ts';
import { checkApproved, checkTransition, lockDeal, movedEvent, readDeal, writeDeal } from './deal-registration.ts';
import { expireDealRegistrationJob } from './expiry-job.ts';
import { mailDealDecision } from './mail-deal-decision.ts';
import { checkFree } from './protection.ts';

const dayMs = 86_400_000;
const protectionDays = 90;

/** How long the approval protects, and the sender of the message about it. */
interface Found {
  days: number;
  sender: Sender;
}

export const approveDealRegistration = (
  tools: Tools,
): Handler<typeof dealRegistrations.approveDealRegistration, Found> => ({
  async check({ params, caller, tx, ifMatch }) {
    const deal = await readDeal(tx, { id: params.id });
    ifMatch(deal);
    checkTransition(deal, 'approved');
    await checkContact({ tx, peers: tools.peers, caller }, deal);
    const settings = await tools.addonSettings(caller, 'partner_program');
    return {
      days: settings?.protectionDays ?? protectionDays,
      sender: senderOf(await tools.settingsOf(caller)),
    };
  },
  async run({ params, tx, emit, schedule, ifMatch, found: { days, sender } }) {
    const deal = await lockDeal(tx, { id: params.id });
    ifMatch(deal);
    checkTransition(deal, 'approved');
    await checkApproved(tx, deal.partnerId);
    await checkFree(tx, deal);
    const decidedAt = new Date();
    const protectedUntil = new Date(decidedAt.getTime() + days * dayMs);
    const approved = await writeDeal(tx, deal.id, { status: 'approved', decidedAt, protectedUntil });
    await schedule(expireDealRegistrationJob, [{ dealRegistrationId: deal.id, protectedUntil }], protectedUntil);
    emit(dealRegistrationApproved, movedEvent(approved, deal.status));
    const letter = dealApprovedLetter(sender, approved, protectedUntil);
    await mailDealDecision({ tx, schedule }, approved, { template: 'portal_deal_approved', letter }, tools);
    return approved;
  },
});
