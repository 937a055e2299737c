import { unknownId } from '@tandem/contract';
import type { payouts } from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
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
  await checkItems(tx, payout.id, body);
  if (payout.status !== 'processing' || payout.method !== 'file') throw fail('not_processing');
  const { itemIds, failed = [], externalRef = null } = body;
  for (const { itemId, reason } of failed)
    await tx.payoutItem.updateMany({ where: { id: itemId }, data: { status: 'failed', failure: reason } });
  await tx.payoutItem.updateMany({
    where: { payoutId: payout.id, status: 'pending', ...(itemIds && { id: { in: itemIds } }) },
    data: { status: 'settling', externalRef },
  });
  const row = await changePayout(tx, payout.id, {
    ...(externalRef && { externalRef }),
    failedCount: { increment: failed.length },
  });
  await schedule(settlePayoutJob, [{ payoutId: payout.id }]);
  return asPayout(await endIfDone({ tx, emit }, row));
};

/** Fails unless each item is a pending payment of the payout, and named once. */
async function checkItems(tx: Tx, payoutId: number, { itemIds = [], failed = [] }: Body): Promise<void> {
  const named = [
    ...itemIds.map((id, index) => ({ id, field: `itemIds.${index}` })),
    ...failed.map(({ itemId }, index) => ({ id: itemId, field: `failed.${index}.itemId` })),
  ];
  if (!named.length) return;
  const rows = await tx.payoutItem.findMany({ where: { payoutId, id: { in: named.map(({ id }) => id) } } });
  const seen = new Set<number>();
  for (const { id, field } of named) {
    const item = rows.find((row) => row.id === id);
    if (!item) throw failField(field, unknownId('payout_item'));
    if (seen.has(id)) throw failField(field, 'Must be named once');
    if (item.status !== 'pending')
      throw failField(field, `The payment is ${item.status}; only pending payments can be reported`);
    seen.add(id);
  }
}
