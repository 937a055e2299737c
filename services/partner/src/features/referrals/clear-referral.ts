import { referralCleared, type referrals } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { creditWaiting } from '../credit-partners.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { releaseFlagged } from './flagged-commissions.ts';
import { asReferral, lockReferral, writeReferral, wrongTransition } from './referral.ts';

export const clearReferral: Handler<typeof referrals.clearReferral> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const row = await lockReferral(tx, params.id);
  ifMatch(row);
  const before = asReferral(row);
  if (before.status !== 'flagged') throw wrongTransition(before);
  const after = asReferral(
    await writeReferral(tx, row.id, { status: 'attributed', clearedAt: new Date(), isUnproven: false }),
  );
  const { id: referralId, partnerId, leadId } = after;
  await releaseFlagged({ tx, emit, schedule }, row);
  await creditWaiting([leadId], { tx, emit, schedule });
  await scheduleReviews({ tx, schedule }, [partnerId]);
  emit(referralCleared, {
    data: { referralId, partnerId, leadId, reason: body.reason ?? null },
    record: after,
    changes: { status: { from: before.status, to: after.status } },
  });
  return after;
};
