import type { opportunityReopened } from '@tandem/crm-contract';
import type { Received, Schedule } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { type TakingBack, takeBackCommissions } from './take-back.ts';

/** A deal that was won or reopened, and its version then. */
export interface DealChange {
  opportunityId: number;
  leadId: number;
  version: number;
}

/** Deals that are open again. Those without a lead never earned a commission. */
export function reopenedDeals(events: readonly Received<typeof opportunityReopened>[]) {
  return events.flatMap(({ record: { id: opportunityId, leadId, version } }) =>
    leadId === null ? [] : [{ opportunityId, leadId, version }],
  );
}

/**
 * Stores the newest version of each deal, so that events that arrive twice or out of order change nothing.
 * @param options.sameVersion accepts the stored version again, for a rebuild of lost commissions
 * @returns the changes that are newer than the stored version
 */
export async function acceptChanges(
  tx: Tx,
  changes: DealChange[],
  { sameVersion = false } = {},
): Promise<DealChange[]> {
  const newest = new Map<number, DealChange>();
  for (const change of changes)
    if (change.version > (newest.get(change.opportunityId)?.version ?? -1)) newest.set(change.opportunityId, change);
  const accepted: DealChange[] = [];
  // In the order of ids, so that two transactions cannot wait for each other.
  for (const change of [...newest.values()].sort((one, other) => one.opportunityId - other.opportunityId)) {
    const { opportunityId, leadId, version } = change;
    const [written] = await tx.sql`
      INSERT INTO deal (opportunity_id, lead_id, version) VALUES (${opportunityId}, ${leadId}, ${version})
      ON CONFLICT (tenant_id, environment, opportunity_id) DO UPDATE
        SET version = excluded.version, lead_id = excluded.lead_id, merged_from_lead_id = excluded.merged_from_lead_id
      WHERE deal.version < excluded.version OR (${sameVersion} AND deal.version = excluded.version)
      RETURNING opportunity_id`;
    if (written) accepted.push(change);
  }
  return accepted;
}

/**
 * Takes back what deals earned before the given versions: unpaid commissions are cancelled, and paid ones are clawed back
 * by a negative entry, which the next payout deducts.
 */
export async function takeBack(
  { tx, emit, schedule }: TakingBack & { schedule: Schedule },
  deals: DealChange[],
): Promise<void> {
  if (!deals.length) return;
  await tx.uncreditedDeal.deleteMany({
    where: { OR: deals.map(({ opportunityId, version }) => ({ opportunityId, version: { lt: version } })) },
  });
  const opportunityIds = deals.map(({ opportunityId }) => opportunityId);
  const taken = await tx.sql<{ partnerId: number | null }>`
    UPDATE deal SET partner_id = NULL, value_minor = NULL, currency = NULL, won_at = NULL
    WHERE opportunity_id = ANY(${opportunityIds}) AND won_at IS NOT NULL
    RETURNING old.partner_id AS "partnerId"`;
  await scheduleReviews(
    { tx, schedule },
    taken.flatMap(({ partnerId }) => partnerId ?? []),
  );
  await takeBackCommissions({ tx, emit }, await earnedBefore(tx, deals), 'Deal reopened');
}

/** The commissions that deals earned before the given versions. */
async function earnedBefore(
  tx: Tx,
  deals: readonly Pick<DealChange, 'opportunityId' | 'version'>[],
): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT commission.id FROM commission
    JOIN jsonb_to_recordset(${JSON.stringify(deals)}::jsonb) AS deal ("opportunityId" bigint, version int)
      ON commission.opportunity_id = deal."opportunityId" AND commission.deal_version < deal.version
    WHERE type = 'earned' AND status <> 'cancelled'`;
  return rows.map(({ id }) => id);
}
