import { unknownId } from '@tandem/contract';
import type { payouts } from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { PayoutItem as PayoutItemRow, Payout as PayoutRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import { endIfDone } from './end-payout.ts';
import { asPayout, changePayout, lockPayout } from './payout.ts';
import { settlePayoutJob } from './payout-jobs.ts';

type Body = z.output<typeof payouts.markPayoutPaid.body>;

export const markPayoutPaid: Handler<typeof payouts.markPayoutPaid> = async ({
  params,
  body,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const payout = await lockPayout(tx, params.id);
  ifMatch(payout);
  const { itemIds, failed = [], externalRef = null } = body;
  const isByFile = payout.method !== 'provider';
  await checkItems(tx, payout, body);
  if (!(isByFile ? ['processing'] : ['processing', 'failed']).includes(payout.status)) throw fail('not_processing');
  // All others would include payments that the provider is about to make.
  if (!isByFile && !itemIds && !failed.length)
    throw failField('itemIds', 'Name the payments, in itemIds or failed, because the payout is paid by the provider');
  await storeFailures(tx, failed);
  const paid = await tx.payoutItem.updateMany({
    where: isByFile
      ? { payoutId: payout.id, status: 'pending', ...(itemIds && { id: { in: itemIds } }) }
      : { payoutId: payout.id, isUncertain: true, id: { in: itemIds ?? [] } },
    data: { status: 'settling', externalRef },
  });
  const row = await changePayout(tx, payout.id, {
    ...(externalRef && { externalRef }),
    // Uncertain payments are counted as failed.
    failedCount: isByFile ? { increment: failed.length } : { decrement: paid.count },
  });
  await schedule(settlePayoutJob, [{ payoutId: payout.id }]);
  return asPayout(await endIfDone({ tx, emit }, row));
};

/** Fails unless each item is a payment of the payout whose outcome is not known yet, and named once. */
async function checkItems(tx: Tx, payout: PayoutRow, { itemIds = [], failed = [] }: Body): Promise<void> {
  const named = [
    ...itemIds.map((id, index) => ({ id, field: `itemIds.${index}` })),
    ...failed.map(({ itemId }, index) => ({ id: itemId, field: `failed.${index}.itemId` })),
  ];
  if (!named.length) return;
  const rows = await tx.payoutItem.findMany({
    where: { payoutId: payout.id, id: { in: named.map(({ id }) => id) } },
  });
  const items = new Map(rows.map((row) => [row.id, row]));
  const seen = new Set<number>();
  for (const { id, field } of named) {
    const item = items.get(id);
    if (!item) throw failField(field, unknownId('payout_item'));
    if (seen.has(id)) throw failField(field, 'Must be named once');
    const wrong = misreport(item, payout);
    if (wrong) throw failField(field, wrong);
    seen.add(id);
  }
}

function misreport({ status, isUncertain }: PayoutItemRow, { method }: PayoutRow): string | undefined {
  if (method !== 'provider')
    return status === 'pending' ? undefined : `The payment is ${status}; only pending payments can be reported`;
  if (status === 'failed' && isUncertain) return undefined;
  return `The payment is ${status}; of payments by the provider, only those with isUncertain can be reported`;
}

/** The provider never makes an uncertain payment whose failure is reported, so a retry is another payment. */
async function storeFailures(tx: Tx, failed: NonNullable<Body['failed']>): Promise<void> {
  if (!failed.length) return;
  await tx.sql`UPDATE payout_item SET status = 'failed', failure = report.reason,
      attempt = attempt + payout_item.is_uncertain::int, is_uncertain = false
    FROM jsonb_to_recordset(${JSON.stringify(failed)}::jsonb) AS report ("itemId" bigint, reason text)
    WHERE payout_item.id = report."itemId"`;
}
