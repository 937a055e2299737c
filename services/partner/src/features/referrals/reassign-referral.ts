import { actingUserId } from '@tandem/caller';
import { referralReassigned, type referrals } from '@tandem/partner-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { earnFromQualified } from '../commissions/on-lead-qualified.ts';
import { earnCommissions } from '../commissions/on-opportunity-won.ts';
import { takeUncredited } from '../commissions/uncredited-deals.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { addConflicts, conflictOf } from './conflict.ts';
import { takeDeals } from './deals-of-referral.ts';
import { asReferral, lockReferral, writeReferral, wrongTransition } from './referral.ts';
import { lockApprovedPartner } from './touch-of-request.ts';

export const reassignReferral: Handler<typeof referrals.reassignReferral> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  const row = await lockReferral(tx, params.id);
  ifMatch(row);
  const before = asReferral(row);
  if (before.status === 'void') throw wrongTransition(before);
  const { partnerId, reason } = body;
  if (partnerId === row.partnerId) throw failField('partnerId', 'The referral belongs to this partner already');
  await lockApprovedPartner(tx, partnerId, 'partnerId');
  const { id: referralId, leadId } = row;
  const deals = await takeDeals({ tx, emit, schedule }, row, 'Referral reassigned');
  await addConflicts(tx, [conflictOf(leadId, row, { winner: partnerId, cause: 'reassigned', externalId: null })]);
  // The code and the click are those of the partner before; the time stays, so that the same deals earn.
  const moved = await writeReferral(tx, row.id, {
    partnerId,
    code: null,
    clickId: null,
    source: 'manual',
    status: 'attributed',
    flagReason: null,
    clearedAt: null,
    isUnproven: false,
    // Touches before the decision do not undo it.
    lastTouchAt: new Date(),
    moves: { increment: 1 },
    createdBy: actingUserId(caller) ?? null,
  });
  await earnFromQualified([leadId], { tx, emit, schedule });
  await earnCommissions([...deals, ...(await takeUncredited(tx, [leadId]))], { tx, emit, schedule });
  await scheduleReviews({ tx, schedule }, [partnerId]);
  const after = asReferral(moved);
  emit(referralReassigned, {
    data: { referralId, partnerId, leadId, previousPartnerId: row.partnerId, reason },
    record: after,
    changes: {
      partnerId: { from: row.partnerId, to: partnerId },
      ...(before.status !== after.status && { status: { from: before.status, to: after.status } }),
    },
  });
  return after;
};
