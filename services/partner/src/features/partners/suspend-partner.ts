import { type partnerLife, partnerSuspended } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { followPartnerJob } from '../commissions/follow-partner.job.ts';
import { endPortalSessionsJob } from '../portal/portal-jobs.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { changeStatus } from './change-status.ts';
import { lockPartner } from './partner.ts';

export const suspendPartner: Handler<typeof partnerLife.suspendPartner> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const before = await lockPartner(tx, params.id);
  ifMatch(before);
  const { partner, changes } = await changeStatus(tx, before, { to: 'suspended', by: 'suspendPartner', because: body });
  emit(partnerSuspended, { data: { partnerId: partner.id, reason: body.reason }, record: partner, changes });
  await schedule(endPortalSessionsJob, [{ partnerId: partner.id, portalUserId: null, exceptSessionId: null }]);
  await schedule(followPartnerJob, [{ partnerId: partner.id, effect: 'hold', after: 0 }]);
  // The parent has one approved recruit less.
  if (partner.parentPartnerId !== null) await scheduleReviews({ tx, schedule }, [partner.parentPartnerId]);
  return partner;
};
