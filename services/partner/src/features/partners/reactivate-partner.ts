import { type partnerLife, partnerReactivated } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { followPartnerJob } from '../commissions/follow-partner.job.ts';
import { creditReactivatedJob } from '../credit-reactivated.job.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { changeStatus } from './change-status.ts';
import { lockPartner } from './partner.ts';

export const reactivatePartner: Handler<typeof partnerLife.reactivatePartner> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const before = await lockPartner(tx, params.id);
  ifMatch(before);
  const { partner, changes } = await changeStatus(tx, before, { to: 'approved', by: 'reactivatePartner' });
  emit(partnerReactivated, { data: { partnerId: partner.id, reason: null }, record: partner, changes });
  await schedule(followPartnerJob, [{ partnerId: partner.id, effect: 'release', after: 0 }]);
  await schedule(creditReactivatedJob, [{ partnerId: partner.id, after: 0 }]);
  // Suspended partners are not evaluated, and the parent has one more approved recruit.
  const { id, parentPartnerId } = partner;
  await scheduleReviews({ tx, schedule }, parentPartnerId === null ? [id] : [id, parentPartnerId]);
  return partner;
};
