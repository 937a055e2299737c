import type { Emit, Schedule } from '@tandem/events';
import type { commissionCancelled } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { cancelUnpaid } from '../commissions/on-opportunity-reopened.ts';
import type { WonDeal } from '../commissions/uncredited-deals.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionCancelled>;
  schedule: Schedule;
}

/**
 * Takes the won deals of a locked referral from its partner: their unpaid commissions are cancelled, also those of other levels.
 * @returns the deals, which belong to nobody then
 * @throws 409 if a commission for one of the deals is paid
 */
export async function takeDeals(
  { tx, emit, schedule }: Inside,
  { leadId, partnerId }: ReferralRow,
  reason: string,
): Promise<WonDeal[]> {
  const deals = await tx.sql<WonDeal>`
    UPDATE deal SET partner_id = NULL WHERE lead_id = ${leadId} AND partner_id = ${partnerId} AND won_at IS NOT NULL
    RETURNING opportunity_id AS "opportunityId", lead_id AS "leadId", version, value_minor AS "valueMinor", currency,
      won_at AS "wonAt"`;
  await scheduleReviews({ tx, schedule }, [partnerId]);
  if (!deals.length) return deals;
  const OR = deals.map(({ opportunityId, version }) => ({ opportunityId, dealVersion: version }));
  // Locked in the order of ids, so that none is paid meanwhile.
  await tx.sql`SELECT FROM commission WHERE opportunity_id = ANY(${deals.map(({ opportunityId }) => opportunityId)}::bigint[])
    ORDER BY id FOR UPDATE`;
  if (await tx.commission.count({ where: { OR, type: 'earned', status: 'paid' } })) throw fail('commission_paid');
  await cancelUnpaid({ tx, emit }, OR, reason);
  return deals;
}
