import { type partnerLife, partnerTerminated } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { followPartnerJob } from '../commissions/follow-partner.job.ts';
import { endPortalSessionsJob } from '../portal/portal-jobs.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { changeStatus } from './change-status.ts';
import { lockPartner } from './partner.ts';

export const terminatePartner: Handler<typeof partnerLife.terminatePartner> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const { reason, unpaid } = body;
  const before = await lockPartner(tx, params.id);
  ifMatch(before);
  const change = { to: 'terminated', by: 'terminatePartner', because: body, unpaid } as const;
  const { partner, changes } = await changeStatus(tx, before, change);
  emit(partnerTerminated, { data: { partnerId: partner.id, reason, unpaid }, record: partner, changes });
  await schedule(endPortalSessionsJob, [{ partnerId: partner.id, portalUserId: null, exceptSessionId: null }]);
  await schedule(followPartnerJob, [{ partnerId: partner.id, effect: unpaid, after: 0 }]);
  // The parent has one approved recruit less, unless the partner was suspended.
  if (partner.parentPartnerId !== null) await scheduleReviews({ tx, schedule }, [partner.parentPartnerId]);
  return partner;
};
