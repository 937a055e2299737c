import { actingUserId } from '@tandem/caller';
import { misfit, toMinor, unknownId } from '@tandem/contract';
import { payoutCreated, type payouts } from '@tandem/partner-contract';
import { failField } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asPayout } from './payout.ts';
import { preparePayoutJob } from './payout-jobs.ts';

export const createPayout: Handler<typeof payouts.createPayout> = async ({ body, caller, tx, emit, schedule }) => {
  const { periodEnd, currency, minAmount, partnerIds } = body;
  if (periodEnd > new Date()) throw failField('periodEnd', 'Must not be in the future');
  const wrong = misfit(minAmount, currency);
  if (wrong) throw failField('minAmount', wrong);
  await checkPartners(tx, partnerIds);
  const row = await tx.payout.create({
    data: {
      periodEnd,
      currency,
      minMinor: toMinor(minAmount, currency),
      partnerIds: [...new Set(partnerIds)],
      createdBy: actingUserId(caller) ?? null,
    },
  });
  const record = asPayout(row);
  emit(payoutCreated, { data: { payoutId: row.id }, record });
  await schedule(preparePayoutJob, [{ payoutId: row.id }]);
  return record;
};

async function checkPartners(tx: Tx, ids: readonly number[]): Promise<void> {
  if (!ids.length) return;
  const found = await tx.partner.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  const known = new Set(found.map(({ id }) => id));
  const index = ids.findIndex((id) => !known.has(id));
  if (index >= 0) throw failField(`partnerIds.${index}`, unknownId('partner'));
}
