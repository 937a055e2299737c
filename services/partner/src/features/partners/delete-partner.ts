import type { FieldError } from '@tandem/contract';
import { partnerDeleted, type partnerLife } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { endPortalSessionsJob } from '../portal/portal-jobs.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { lockPartner } from './partner.ts';

export const deletePartner: Handler<typeof partnerLife.deletePartner> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const partner = await lockPartner(tx, params.id);
  ifMatch(partner);
  const reasons = await reasonsToKeep(tx, partner.id);
  if (reasons.length) throw fail('partner_in_use', reasons);
  // Codes, portal users and the history of tiers are deleted with it.
  await tx.partner.deleteMany({ where: { id: partner.id } }).catch((error: unknown) => {
    throw isReferenced(error) ? fail('partner_in_use') : error;
  });
  // Newer than any other event of the partner, so that copies are not written again.
  const record = { ...partner, version: partner.version + 1 };
  emit(partnerDeleted, { data: { partnerId: partner.id }, record });
  // The parent has one approved recruit less.
  if (partner.parentPartnerId !== null) await scheduleReviews({ tx, schedule }, [partner.parentPartnerId]);
  await schedule(endPortalSessionsJob, [{ partnerId: partner.id, portalUserId: null, exceptSessionId: null }]);
  return { id: partner.id, deleted: true };
};

/** Why a partner cannot be deleted: recruits, leads, deals, and commissions, which are never deleted. */
async function reasonsToKeep(tx: Tx, partnerId: number): Promise<FieldError[]> {
  const one = { select: { id: true } } as const;
  const unpaid = { status: { notIn: ['paid', 'cancelled'] } };
  const [child, referral, deal, commission, owed] = await Promise.all([
    tx.partner.findFirst({ where: { parentPartnerId: partnerId }, ...one }),
    tx.referral.findFirst({ where: { partnerId }, ...one }),
    tx.deal.findFirst({ where: { partnerId }, select: { opportunityId: true } }),
    tx.commission.findFirst({ where: { partnerId }, ...one }),
    tx.commission.findFirst({ where: { partnerId, ...unpaid }, ...one }),
  ]);
  const because = (message: string) => ({ field: 'id', message });
  return [
    ...(child ? [because('The partner has recruited partners')] : []),
    ...(referral ? [because('Leads are attributed to the partner')] : []),
    ...(deal ? [because('Deals belong to the partner')] : []),
    ...(owed ? [because('The partner has unpaid commissions')] : []),
    ...(commission && !owed ? [because('The partner has commissions')] : []),
  ];
}
