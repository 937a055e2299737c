import { leadCreated, leadUpdated, opportunityWon } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../handler.ts';
import { earnCommissions, wonDeals } from './commissions/on-opportunity-won.ts';
import { takeUncredited } from './commissions/uncredited-deals.ts';
import { attributeLeads, referredLeads } from './referrals/on-lead-created.ts';

/**
 * Attributes leads to partners and records commissions on their deals. Lead and deal events can arrive in any order and
 * concurrently, so a deal without a known referral is kept until its lead is attributed.
 */
export const creditPartners = consumer({
  name: 'credit-partners',
  on: [leadCreated, leadUpdated, opportunityWon],
  async handle(events, context: ConsumerContext<Tx>) {
    const { tx } = context;
    const leads = referredLeads(
      events.filter(
        (event): event is Received<typeof leadCreated | typeof leadUpdated> => event.name !== 'opportunity.won',
      ),
    );
    const deals = wonDeals(
      events.filter((event): event is Received<typeof opportunityWon> => event.name === 'opportunity.won'),
    );
    await lockLeads(tx, [...leads.map(({ leadId }) => leadId), ...deals.map(({ leadId }) => leadId)]);
    const attributed = await attributeLeads(leads, context);
    await earnCommissions([...deals, ...(await takeUncredited(tx, attributed))], context);
  },
});

/**
 * Serializes processing per lead, so that each process sees what earlier ones wrote. Ordered locks prevent deadlocks.
 */
async function lockLeads(tx: Tx, leadIds: number[]): Promise<void> {
  if (!leadIds.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('credit ' || lead_id,
      platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS key
    FROM unnest(${leadIds}::bigint[]) AS lead_id ORDER BY key) AS turn`;
}
