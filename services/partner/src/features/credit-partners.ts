import { leadCreated, opportunityWon } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../handler.ts';
import { earnCommissions } from './commissions/on-opportunity-won.ts';
import { attributeLeads } from './referrals/on-lead-created.ts';

/**
 * Credits partners with the leads they send and the deals that come of them. One consumer for both: in two queues a deal
 * could be won before its lead is known to come from a partner.
 */
export const creditPartners = consumer({
  name: 'credit-partners',
  on: [leadCreated, opportunityWon],
  async handle(events, context: ConsumerContext<Tx>) {
    await attributeLeads(
      events.filter((event): event is Received<typeof leadCreated> => event.name === 'lead.created'),
      context,
    );
    await earnCommissions(
      events.filter((event): event is Received<typeof opportunityWon> => event.name === 'opportunity.won'),
      context,
    );
  },
});
