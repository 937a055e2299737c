import { type referrals, referralVoided } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { takeDeals } from './deals-of-referral.ts';
import { asReferral, lockReferral, writeReferral, wrongTransition } from './referral.ts';

export const voidReferral: Handler<typeof referrals.voidReferral> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const row = await lockReferral(tx, params.id);
  ifMatch(row);
  const before = asReferral(row);
  if (before.status === 'void') throw wrongTransition(before);
  const { reason } = body;
  await takeDeals({ tx, emit, schedule }, row, 'Referral voided');
  const data = { status: 'void', voidReason: reason, voidedAt: new Date() };
  const after = asReferral(await writeReferral(tx, row.id, data));
  const { id: referralId, partnerId, leadId } = after;
  emit(referralVoided, {
    data: { referralId, partnerId, leadId, reason },
    record: after,
    changes: { status: { from: before.status, to: after.status } },
  });
  return after;
};
