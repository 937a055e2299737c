import type { Emit, Schedule } from '@tandem/events';
import { type payoutFailed, payoutProcessing } from '@tandem/partner-contract';
import type { Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { endIfDone } from './end-payout.ts';
import { asPayout, changePayout } from './payout.ts';
import { mailedAtOnce, mailPaymentsJob, payItemJob } from './payout-jobs.ts';
import { unpayable } from './unpayable.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof payoutProcessing | typeof payoutFailed>;
  schedule: Schedule;
}

const jobsAtOnce = 1_000;

/**
 * Starts the payments of a locked payout that are pending, with the current accounts of the partners. A payment that may
 * have been made keeps its account. A payment to a partner without an account fails, or to one who is suspended or has
 * forfeited its commissions.
 */
export async function startPayments(
  { tx, emit, schedule }: Inside,
  payout: PayoutRow,
  data: { method: 'file' | 'provider'; processedAt: Date },
): Promise<PayoutRow> {
  const payoutId = payout.id;
  await tx.sql`UPDATE payout_item SET account_id = account.id FROM payout_account AS account
    WHERE payout_item.payout_id = ${payoutId} AND payout_item.status = 'pending' AND NOT payout_item.is_uncertain
      AND account.partner_id = payout_item.partner_id AND account.replaced_at IS NULL`;
  const failed = await tx.sql`UPDATE payout_item SET status = 'failed', failure = CASE WHEN account_id IS NULL
      THEN 'The partner has no payout account' WHEN partner.status = 'suspended' THEN 'The partner is suspended'
      ELSE 'The partner is terminated, and its commissions are forfeited' END
    FROM partner WHERE partner.id = payout_item.partner_id AND payout_id = ${payoutId} AND payout_item.status = 'pending'
      AND (account_id IS NULL OR ${unpayable}) RETURNING payout_item.id`;
  await requestAccounts({ tx, schedule }, payoutId);
  const row = await changePayout(tx, payoutId, { ...data, status: 'processing', failedCount: failed.length });
  const record = asPayout(row);
  emit(payoutProcessing, {
    data: { payoutId },
    record,
    changes: { status: { from: payout.status, to: record.status } },
  });
  if (data.method === 'provider') {
    const items = await tx.payoutItem.findMany({
      where: { payoutId, status: 'pending' },
      select: { id: true, attempt: true },
      orderBy: { id: 'asc' },
    });
    for (let start = 0; start < items.length; start += jobsAtOnce)
      await schedule(
        payItemJob,
        items.slice(start, start + jobsAtOnce).map(({ id: itemId, attempt }) => ({ payoutId, itemId, attempt })),
      );
  }
  return endIfDone({ tx, emit }, row);
}

/** Tells the owners of approved partners without an account, once for each payment: others cannot sign in to enter it. */
async function requestAccounts({ tx, schedule }: Pick<Inside, 'tx' | 'schedule'>, payoutId: number): Promise<void> {
  const rows = await tx.sql<{ id: number }>`UPDATE payout_item SET account_requested_at = now()
    FROM partner WHERE partner.id = payout_item.partner_id AND partner.status = 'approved' AND payout_id = ${payoutId}
      AND payout_item.status = 'failed' AND account_id IS NULL AND account_requested_at IS NULL RETURNING payout_item.id`;
  const ids = rows.map(({ id }) => id);
  const payloads = [];
  for (let start = 0; start < ids.length; start += mailedAtOnce)
    payloads.push({ payoutId, itemIds: ids.slice(start, start + mailedAtOnce), outcome: 'no_account' as const });
  for (let start = 0; start < payloads.length; start += jobsAtOnce)
    await schedule(mailPaymentsJob, payloads.slice(start, start + jobsAtOnce));
}
