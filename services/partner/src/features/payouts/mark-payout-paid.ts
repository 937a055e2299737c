import { unknownId } from '@tandem/contract';
import { payoutReported, type payouts } from '@tandem/partner-contract';
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
  const isUnnamed = !itemIds && !failed.length;
  if (!['processing', 'failed'].includes(payout.status)) throw fail('not_processing');
  // All others would include payments that the provider is about to make.
  if (!isByFile && isUnnamed)
    throw failField('itemIds', 'Name the payments, in itemIds or failed, because the payout is paid by the provider');
  // All that are pending would be none.
  if (payout.status === 'failed' && isUnnamed) throw fail('not_processing');
  await storeFailures(tx, failed);
  const data = { status: 'settling', ...(externalRef && { externalRef }) };
  const ofPayout = { payoutId: payout.id, ...(itemIds && { id: { in: itemIds } }) };
  if (isByFile) await tx.payoutItem.updateMany({ where: { ...ofPayout, status: 'pending' }, data });
  const { count: made } = itemIds
    ? await tx.payoutItem.updateMany({ where: { ...ofPayout, status: 'failed' }, data })
    : { count: 0 };
  const row = await changePayout(tx, payout.id, {
    ...(externalRef && { externalRef }),
    // Uncertain payments are counted as failed.
    failedCount: { increment: (isByFile ? failed.length : 0) - made },
  });
  emit(payoutReported, {
    data: { payoutId: payout.id },
    record: asPayout(row),
    changes: reported({ itemIds, failed }),
  });
  await schedule(settlePayoutJob, [{ payoutId: payout.id }]);
  return asPayout(await endIfDone({ tx, emit }, row));
};

/** The reported payments, for the audit log. */
function reported({ itemIds, failed }: Pick<Body, 'itemIds' | 'failed'>) {
  return {
    paid: { from: null, to: itemIds ?? 'all pending' },
    ...(failed?.length && { failed: { from: null, to: failed.map(({ itemId }) => itemId) } }),
  };
}

/** Fails unless each item is a payment of the payout whose outcome can be reported, and named once. */
async function checkItems(tx: Tx, payout: PayoutRow, { itemIds = [], failed = [] }: Body): Promise<void> {
  const named = [
    ...itemIds.map((id, index) => ({ id, field: `itemIds.${index}`, as: 'made' as const })),
    ...failed.map(({ itemId }, index) => ({ id: itemId, field: `failed.${index}.itemId`, as: 'failed' as const })),
  ];
  if (!named.length) return;
  const rows = await tx.payoutItem.findMany({
    where: { payoutId: payout.id, id: { in: named.map(({ id }) => id) } },
  });
  const items = new Map(rows.map((row) => [row.id, row]));
  const seen = new Set<number>();
  for (const { id, field, as } of named) {
    const item = items.get(id);
    if (!item) throw failField(field, unknownId('payout_item'));
    if (seen.has(id)) throw failField(field, 'Must be named once');
    const wrong = misreport(item, { method: payout.method, as });
    if (wrong) throw failField(field, wrong);
    seen.add(id);
  }
}

/** Why the outcome of a payment cannot be reported; undefined if it can. */
function misreport(
  { status, isUncertain }: PayoutItemRow,
  { method, as }: Pick<PayoutRow, 'method'> & { as: 'made' | 'failed' },
): string | undefined {
  if (status === 'failed' && (as === 'made' || isUncertain)) return undefined;
  if (method !== 'provider')
    return status === 'pending'
      ? undefined
      : `The payment is ${status}; pending payments can be reported, and failed ones as made`;
  return `The payment is ${status}; of payments by the provider, failed ones can be reported as made, and those with isUncertain also as failed`;
}

/** The provider never makes an uncertain payment whose failure is reported, so a retry is another payment. */
async function storeFailures(tx: Tx, failed: NonNullable<Body['failed']>): Promise<void> {
  if (!failed.length) return;
  await tx.sql`UPDATE payout_item SET status = 'failed', failure = report.reason,
      attempt = attempt + payout_item.is_uncertain::int, is_uncertain = false
    FROM jsonb_to_recordset(${JSON.stringify(failed)}::jsonb) AS report ("itemId" bigint, reason text)
    WHERE payout_item.id = report."itemId"`;
}
