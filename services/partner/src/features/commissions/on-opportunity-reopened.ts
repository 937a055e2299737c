import type { opportunityReopened } from '@tandem/crm-contract';
import type { Emit, Received, Schedule } from '@tandem/events';
import type { commissionCancelled, commissionEarned } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { takeBackCommissions } from './take-back.ts';

/** A deal that was won or reopened, and its version then. */
export interface DealChange {
  opportunityId: number;
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
    const { opportunityId, version } = change;
    const [written] = await tx.sql`
      INSERT INTO deal (opportunity_id, version) VALUES (${opportunityId}, ${version})
      ON CONFLICT (tenant_id, environment, opportunity_id) DO UPDATE SET version = excluded.version
      WHERE deal.version < excluded.version OR (${sameVersion} AND deal.version = excluded.version)
      RETURNING opportunity_id`;
    if (written) accepted.push(change);
  }
  return accepted;
}

interface TakingBack {
  tx: Tx;
  emit: Emit<typeof commissionCancelled | typeof commissionEarned>;
  schedule: Schedule;
}

/**
 * Takes back what deals earned before the given versions: unpaid commissions are cancelled, and paid ones are clawed back
 * by a negative entry, which the next payout deducts.
 */
export async function takeBack({ tx, emit, schedule }: TakingBack, deals: DealChange[]): Promise<void> {
  if (!deals.length) return;
  await tx.uncreditedDeal.deleteMany({
    where: { OR: deals.map(({ opportunityId, version }) => ({ opportunityId, version: { lt: version } })) },
  });
  const opportunityIds = deals.map(({ opportunityId }) => opportunityId);
  const credited = await tx.sql<{ partnerId: number }>`
    UPDATE deal SET partner_id = NULL, value_minor = NULL, currency = NULL, won_at = NULL
    WHERE opportunity_id = ANY(${opportunityIds}) AND partner_id IS NOT NULL
    RETURNING old.partner_id AS "partnerId"`;
  await scheduleReviews(
    { tx, schedule },
    credited.map(({ partnerId }) => partnerId),
  );
  await takeBackCommissions({ tx, emit }, deals, { reason: 'Deal reopened' });
}
