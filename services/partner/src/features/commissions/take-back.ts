import type { Emit } from '@tandem/events';
import type { commissionCancelled, commissionEarned, payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import type { Commission as CommissionRow, Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { lockPayout } from '../payouts/payout.ts';
import { cancel } from './cancel-commission.ts';
import { clawbackOf } from './clawback-commission.ts';
import { asCommission, insertCommissions } from './commission.ts';
import { emitEarned } from './emit-earned.ts';

export interface TakingBack {
  tx: Tx;
  emit: Emit<typeof commissionCancelled | typeof commissionEarned | typeof payoutCompleted | typeof payoutFailed>;
}

/**
 * Takes back what deals earned before the given versions. Unpaid commissions are cancelled; paid ones, and those whose
 * payment is on its way, are clawed back by a negative commission, which the next payout deducts.
 */
export async function takeBackCommissions(
  { tx, emit }: TakingBack,
  deals: readonly { opportunityId: number; version: number }[],
  { reason }: { reason: string },
): Promise<void> {
  const { commissions, payouts } = await lockCommissions(tx, deals);
  const clawedBack: CommissionRow[] = [];
  for (const commission of commissions) {
    const payout = payouts.find(({ id }) => id === commission.payoutId);
    if (commission.status === 'paid' || isOnItsWay(payout)) clawedBack.push(commission);
    else await cancel({ tx, emit }, { commission, payout: await reread(tx, payout) }, { reason });
  }
  const rows = await insertCommissions(
    tx,
    clawedBack.map((commission) => clawbackOf(commission, { minor: commission.amountMinor, reason })),
  );
  emitEarned(emit, rows.map(asCommission));
}

/** A payment of a failed payout may have been made too, when the provider did not answer. */
function isOnItsWay(payout: PayoutRow | undefined): boolean {
  return payout?.status === 'processing' || payout?.status === 'failed';
}

/** An earlier commission of the same payout may have changed it. */
const reread = async (tx: Tx, payout: PayoutRow | undefined) => payout && lockPayout(tx, payout.id);

/** Locks the commissions of the deals after their payouts, in the order of ids. */
async function lockCommissions(tx: Tx, deals: readonly { opportunityId: number; version: number }[]) {
  const ofDeals = JSON.stringify(deals);
  const read = () => tx.sql<{ id: number; payoutId: number | null }>`
    SELECT commission.id, commission.payout_id AS "payoutId" FROM commission
    JOIN jsonb_to_recordset(${ofDeals}::jsonb) AS deal ("opportunityId" bigint, version int)
      ON commission.opportunity_id = deal."opportunityId" AND commission.deal_version < deal.version
    WHERE type = 'earned' AND status <> 'cancelled' ORDER BY commission.id`;
  const payoutIds = [...new Set((await read()).flatMap(({ payoutId }) => payoutId ?? []))];
  const payouts: PayoutRow[] = [];
  for (const id of payoutIds.sort((one, other) => one - other)) payouts.push(await lockPayout(tx, id));
  const ids = (await read()).map(({ id }) => id);
  const locked = await tx.sql<{ id: number; payoutId: number | null }>`
    SELECT id, payout_id AS "payoutId" FROM commission WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  // A repetition locks the payout that took one of them in between.
  if (locked.some(({ payoutId }) => payoutId !== null && !payoutIds.includes(payoutId)))
    throw new Error('a payout has taken the commission of a deal that is taken back');
  const commissions = await tx.commission.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  return { commissions, payouts };
}
