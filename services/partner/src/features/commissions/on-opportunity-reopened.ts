import type { opportunityReopened } from '@tandem/crm-contract';
import type { Emit, Received, Schedule } from '@tandem/events';
import { commissionCancelled, commissionEarned } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { asCommission } from './commission.ts';
import { createStatements } from './on-opportunity-won.ts';

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
  const taken = await tx.sql<{ partnerId: number | null }>`
    UPDATE deal SET partner_id = NULL, value_minor = NULL, currency = NULL, won_at = NULL
    WHERE opportunity_id = ANY(${opportunityIds}) AND won_at IS NOT NULL
    RETURNING old.partner_id AS "partnerId"`;
  await scheduleReviews(
    { tx, schedule },
    taken.flatMap(({ partnerId }) => partnerId ?? []),
  );
  const reason = 'Deal reopened';
  const OR = deals.map(({ opportunityId, version }) => ({ opportunityId, dealVersion: { lt: version } }));
  await cancelUnpaid({ tx, emit }, OR, reason);
  const paid = await tx.commission.findMany({ where: { OR, type: 'earned', status: 'paid' } });
  const data = paid.map(({ id, partnerId, opportunityId, dealVersion, amountMinor, basisMinor, ...original }) => ({
    partnerId,
    opportunityId,
    dealVersion,
    amountMinor: -amountMinor,
    basisMinor,
    currency: original.currency,
    rate: original.rate,
    level: original.level,
    attribution: original.attribution,
    planId: original.planId,
    planVersion: original.planVersion,
    type: 'clawback',
    status: 'approved',
    approvedAt: new Date(),
    originalCommissionId: id,
    reason,
  }));
  const clawbacks = data.length ? await tx.commission.createManyAndReturn({ data, skipDuplicates: true }) : [];
  await createStatements(tx, clawbacks);
  for (const record of clawbacks.map(asCommission)) {
    const { id: commissionId, amount, currency, partnerId } = record;
    emit(commissionEarned, { data: { commissionId, amount, currency, partnerId }, record });
  }
}

/** Cancels the commissions of deals, each of one version or of earlier ones, that are not paid yet. */
export async function cancelUnpaid(
  { tx, emit }: { tx: Tx; emit: Emit<typeof commissionCancelled> },
  OR: { opportunityId: number; dealVersion: number | { lt: number } }[],
  reason: string,
): Promise<void> {
  const cancelled = await tx.commission.updateManyAndReturn({
    where: { OR, type: 'earned', status: { in: ['pending', 'on_hold', 'approved'] } },
    data: { status: 'cancelled', cancelledAt: new Date(), reason, version: { increment: 1 } },
  });
  for (const record of cancelled.map(asCommission))
    emit(commissionCancelled, { data: { commissionId: record.id, partnerId: record.partnerId }, record });
}
