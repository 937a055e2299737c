import { formSubmitted } from '@tandem/campaign-contract';
import { leadCreated, leadStatusChanged, leadUpdated, opportunityReopened, opportunityWon } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Emit, type Received, type Schedule } from '@tandem/events';
import type { commissionCancelled, commissionEarned, referralAttributed } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import type { Tx } from '../handler.ts';
import {
  earnFromQualified,
  type QualifiedLead,
  qualifiedLeads,
  storeQualified,
} from './commissions/on-lead-qualified.ts';
import { acceptChanges, type DealChange, reopenedDeals, takeBack } from './commissions/on-opportunity-reopened.ts';
import { earnCommissions, wonDeals } from './commissions/on-opportunity-won.ts';
import { storeLeads, takeUncredited, unhandled, type WonDeal } from './commissions/uncredited-deals.ts';
import { lockLeads } from './referrals/lock-leads.ts';
import { attributeLeads, formLeads, type ReferredLead, referredLeads } from './referrals/on-lead-created.ts';

/**
 * Attributes leads to partners and records commissions on their deals. Lead and deal events can arrive in any order and
 * concurrently, so a deal without a known referral is kept until its lead is attributed. A reopened deal takes back what it earned.
 */
export const creditPartners = consumer({
  name: 'credit-partners',
  on: [leadCreated, leadUpdated, leadStatusChanged, formSubmitted, opportunityWon, opportunityReopened],
  async handle(events, context: ConsumerContext<Tx>) {
    const leads = referredLeads(
      events.filter(
        (event): event is Received<typeof leadCreated | typeof leadUpdated> =>
          event.name === 'lead.created' || event.name === 'lead.updated',
      ),
    );
    const submitted = formLeads(
      events.filter((event): event is Received<typeof formSubmitted> => event.name === 'form.submitted'),
    );
    const deals = wonDeals(
      events.filter((event): event is Received<typeof opportunityWon> => event.name === 'opportunity.won'),
    );
    const reopened = reopenedDeals(
      events.filter((event): event is Received<typeof opportunityReopened> => event.name === 'opportunity.reopened'),
    );
    const qualified = qualifiedLeads(
      events.filter(
        (event): event is Received<typeof leadCreated | typeof leadStatusChanged> =>
          event.name === 'lead.created' || event.name === 'lead.status_changed',
      ),
    );
    await credit({ leads: [...leads, ...submitted], deals, reopened, qualified }, context);
  },
});

/**
 * Attributes leads to the partners of their codes, and records commissions on these deals and on those that waited for the
 * leads. A lead or deal that was handled before changes nothing. Returns how many rows were written.
 */
export async function credit(
  { leads, reopened = [], qualified = [], isRebuild = false, ...found }: Credit,
  context: CreditContext,
): Promise<number> {
  const { tx } = context;
  const leadIds = [...leads, ...found.deals, ...reopened, ...qualified].map(({ leadId }) => leadId);
  // A late event can name a lead that was merged: its deals earn for the lead that remains.
  await lockLeads(tx, [...leadIds, ...(await currentLeads(tx, leadIds)).values()]);
  // Read after the lock, because an event of one of the deals can be handled at the same time.
  const deals = isRebuild ? await unhandled(tx, found.deals) : found.deals;
  if (isRebuild) await storeLeads(tx, found.deals);
  const changed = await acceptChanges(tx, [...deals, ...reopened], { sameVersion: isRebuild });
  await takeBack(context, changed);
  const won = deals.filter((deal) => changed.includes(deal));
  const referrals = await attributeLeads(leads, context, firstWins(won));
  const attributed = referrals.filter(({ status }) => status === 'attributed').map(({ leadId }) => leadId);
  await storeQualified(tx, qualified);
  await earnFromQualified([...attributed, ...qualified.map(({ leadId }) => leadId)], context);
  return referrals.length + (await earnCommissions([...won, ...(await takeUncredited(tx, attributed))], context));
}

/** When the first of these deals of each lead was won. */
function firstWins(deals: readonly WonDeal[]): Map<number, Date> {
  const wins = new Map<number, Date>();
  for (const { leadId, wonAt } of deals) {
    const known = wins.get(leadId);
    if (!known || wonAt < known) wins.set(leadId, wonAt);
  }
  return wins;
}

/** Records commissions on deals that waited for a referral which these leads have by now. */
export async function creditWaiting(
  leadIds: number[],
  context: { tx: Tx; emit: Emit<typeof commissionEarned>; schedule: Schedule },
): Promise<void> {
  const { tx } = context;
  const where = { leadId: { in: leadIds }, status: 'attributed' };
  const referred = await tx.referral.findMany({ where, select: { leadId: true } });
  const ids = referred.map(({ leadId }) => leadId);
  await earnFromQualified(ids, context);
  await earnCommissions(await takeUncredited(tx, ids), context);
}

interface Credit {
  leads: ReferredLead[];
  deals: WonDeal[];
  reopened?: (DealChange & { leadId: number })[];
  qualified?: QualifiedLead[];
  /** Whether the deals may have been handled before. */
  isRebuild?: boolean;
}

interface CreditContext {
  tx: Tx;
  emit: Emit<typeof referralAttributed | typeof commissionEarned | typeof commissionCancelled>;
  schedule: Schedule;
}
