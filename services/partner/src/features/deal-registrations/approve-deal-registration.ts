import { dealRegistrationApproved, type dealRegistrations } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkContact } from './contact-lead.ts';
import { checkApproved, checkTransition, lockDeal, movedEvent, readDeal, writeDeal } from './deal-registration.ts';
import { expireDealRegistrationJob } from './expiry-job.ts';
import { checkFree } from './protection.ts';

const dayMs = 86_400_000;
const protectionDays = 90;

export const approveDealRegistration = ({
  addonSettings,
  peers,
}: Pick<Tools, 'addonSettings' | 'peers'>): Handler<
  typeof dealRegistrations.approveDealRegistration,
  { days: number }
> => ({
  async check({ params, caller, tx, ifMatch }) {
    const deal = await readDeal(tx, { id: params.id });
    ifMatch(deal);
    checkTransition(deal, 'approved');
    await checkContact({ tx, peers, caller }, deal);
    const settings = await addonSettings(caller, 'partner_program');
    return { days: settings?.protectionDays ?? protectionDays };
  },
  async run({ params, tx, emit, schedule, ifMatch, found: { days } }) {
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
    return approved;
  },
});
