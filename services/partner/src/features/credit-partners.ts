import { leadCreated, leadUpdated, opportunityWon } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Emit, type Received } from '@tandem/events';
import type { commissionEarned, referralAttributed } from '@tandem/partner-contract';
import type { Tx } from '../handler.ts';
import { earnCommissions, wonDeals } from './commissions/on-opportunity-won.ts';
import { takeUncredited, type WonDeal } from './commissions/uncredited-deals.ts';
import { attributeLeads, type ReferredLead, referredLeads } from './referrals/on-lead-created.ts';

/**
 * Attributes leads to partners and records commissions on their deals. Lead and deal events can arrive in any order and
 * concurrently, so a deal without a known referral is kept until its lead is attributed.
 */
export const creditPartners = consumer({
  name: 'credit-partners',
  on: [leadCreated, leadUpdated, opportunityWon],
  async handle(events, context: ConsumerContext<Tx>) {
    const leads = referredLeads(
      events.filter(
        (event): event is Received<typeof leadCreated | typeof leadUpdated> => event.name !== 'opportunity.won',
      ),
    );
    const deals = wonDeals(
      events.filter((event): event is Received<typeof opportunityWon> => event.name === 'opportunity.won'),
    );
    await credit({ leads, deals }, context);
  },
});

/**
 * Attributes leads to the partners of their codes, and records commissions on these deals and on those that waited for the
 * leads. A lead or deal that was handled before changes nothing. Returns how many rows were written.
 */
export async function credit(
  { leads, deals }: { leads: ReferredLead[]; deals: WonDeal[] },
  context: CreditContext,
): Promise<number> {
  const { tx } = context;
  await lockLeads(tx, [...leads.map(({ leadId }) => leadId), ...deals.map(({ leadId }) => leadId)]);
  const referrals = await attributeLeads(leads, context);
  const attributed = referrals.filter(({ status }) => status === 'attributed').map(({ leadId }) => leadId);
  return referrals.length + (await earnCommissions([...deals, ...(await takeUncredited(tx, attributed))], context));
}

interface CreditContext {
  tx: Tx;
  emit: Emit<typeof referralAttributed | typeof commissionEarned>;
}

/**
 * Serializes the transactions that handle the same lead, so that each sees what earlier ones committed. Ordered locks prevent
 * deadlocks.
 */
async function lockLeads(tx: Tx, leadIds: number[]): Promise<void> {
  if (!leadIds.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('credit ' || lead_id,
      platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS key
    FROM unnest(${leadIds}::bigint[]) AS lead_id ORDER BY key) AS keys`;
}
