import { dealRegistrationRejected, type dealRegistrations } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { dealRejectedLetter } from './deal-letters.ts';
import { checkTransition, lockDeal, movedEvent, readDeal, writeDeal } from './deal-registration.ts';
import { mailDealDecision } from './mail-deal-decision.ts';

export const rejectDealRegistration = (
  tools: Tools,
): Handler<typeof dealRegistrations.rejectDealRegistration, Sender> => ({
  async check({ params, caller, tx }) {
    await readDeal(tx, { id: params.id });
    return senderOf(await tools.settingsOf(caller));
  },
  async run({ params, body: { reason }, found: sender, tx, emit, schedule, ifMatch }) {
    const deal = await lockDeal(tx, { id: params.id });
    ifMatch(deal);
    checkTransition(deal, 'rejected');
    const rejected = await writeDeal(tx, deal.id, { status: 'rejected', reason, decidedAt: new Date() });
    emit(dealRegistrationRejected, movedEvent(rejected, deal.status));
    const letter = dealRejectedLetter(sender, rejected, reason);
    await mailDealDecision({ tx, schedule }, rejected, { template: 'portal_deal_rejected', letter }, tools);
    return rejected;
  },
});
