import { leadCreated, leadUpdated, opportunityWon } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../handler.ts';
import { earnCommissions, wonDeals } from './commissions/on-opportunity-won.ts';
import { takeUncredited } from './commissions/uncredited-deals.ts';
import { attributeLeads, referredLeads } from './referrals/on-lead-created.ts';

/**
 * Credits partners with the leads they send and the deals that come of them. Either may be told first, also to two
 * processes at once: a deal whose lead is not known to come from a partner waits until the lead is.
 */
export const creditPartners = consumer({
  name: 'credit-partners',
  on: [leadCreated, leadUpdated, opportunityWon],
  async handle(events, context: ConsumerContext<Tx>) {
    const { tx } = context;
    const coming = referredLeads(
      events.filter(
        (event): event is Received<typeof leadCreated | typeof leadUpdated> => event.name !== 'opportunity.won',
      ),
    );
    const deals = wonDeals(
      events.filter((event): event is Received<typeof opportunityWon> => event.name === 'opportunity.won'),
    );
    await awaitTurn(tx, [...coming.map(({ leadId }) => leadId), ...deals.map(({ leadId }) => leadId)]);
    const attributed = await attributeLeads(coming, context);
    await earnCommissions([...deals, ...(await takeUncredited(tx, attributed))], context);
  },
});

/** One at a time for each lead, in one order for all: who comes second sees what the first has written. */
async function awaitTurn(tx: Tx, leadIds: number[]): Promise<void> {
  if (!leadIds.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('credit ' || lead_id,
      platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS key
    FROM unnest(${leadIds}::bigint[]) AS lead_id ORDER BY key) AS turn`;
}
