import type { Schedule } from '@tandem/events';
import { fail } from '@tandem/service';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { hasPaid, type TakingBack, takeBackCommissions } from '../commissions/take-back.ts';
import type { WonDeal } from '../commissions/uncredited-deals.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';

/** The commissions that a locked referral has earned for the lead and its won deals, also those of other levels. */
export async function readEarned(tx: Tx, { leadId, partnerId, moves }: ReferralRow): Promise<number[]> {
  const deals = await tx.deal.findMany({
    where: { leadId, partnerId, wonAt: { not: null } },
    select: { opportunityId: true, version: true },
  });
  const rows = await tx.sql<{ id: number }>`
    SELECT commission.id FROM commission
    LEFT JOIN jsonb_to_recordset(${JSON.stringify(deals)}::jsonb) AS deal ("opportunityId" bigint, version int)
      ON commission.opportunity_id = deal."opportunityId" AND commission.deal_version = deal.version
    WHERE type = 'earned' AND status <> 'cancelled' AND attribution = ${moves} AND (commission.lead_id = ${leadId}
      OR (commission.opportunity_id = ANY(${deals.map(({ opportunityId }) => opportunityId)}::bigint[]) AND deal.version IS NOT NULL))`;
  return rows.map(({ id }) => id);
}

/**
 * Takes the won deals of a locked referral from its partner: the unpaid commissions of the deals and of the qualification of
 * the lead are cancelled, also those of other levels.
 * @returns the deals, which belong to nobody then
 * @throws 409 if one of the commissions is paid and not wholly clawed back, or being paid
 */
export async function takeDeals(
  { tx, emit, schedule }: TakingBack & { schedule: Schedule },
  row: ReferralRow,
  reason: string,
): Promise<WonDeal[]> {
  const ids = await readEarned(tx, row);
  if (await hasPaid(tx, ids)) throw fail('commission_paid');
  const deals = await tx.sql<WonDeal>`
    UPDATE deal SET partner_id = NULL WHERE lead_id = ${row.leadId} AND partner_id = ${row.partnerId} AND won_at IS NOT NULL
    RETURNING opportunity_id AS "opportunityId", lead_id AS "leadId", pipeline_id AS "pipelineId", version,
      value_minor AS "valueMinor", currency, won_at AS "wonAt"`;
  await scheduleReviews({ tx, schedule }, [row.partnerId]);
  await takeBackCommissions({ tx, emit }, ids, reason);
  return deals;
}
