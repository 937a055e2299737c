import { unionMember } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { commissionCancelled, commissionEarned, partnerApproved, referralAttributed } from '@tandem/partner-contract';
import { certificateExpired, certificateRevoked, courseCompleted } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { reviewTierJob } from './tier-jobs.ts';

/** Schedules the evaluation of partners whose figures or courses have changed. */
export const reviewTiers = consumer({
  name: 'review-tiers',
  on: [
    ...[referralAttributed, commissionEarned, commissionCancelled, partnerApproved],
    ...[courseCompleted, certificateExpired, certificateRevoked],
  ],
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    // Most tenants set no tiers.
    if (!(await tx.tierRule.findFirst({ select: { tier: true } }))) return;
    const partnerIds = events.flatMap((event): number[] => {
      if ('learnerId' in event.data) {
        const { learnerId } = event.data;
        const learner = learnerId === null ? undefined : unionMember('learner', learnerId);
        return learner?.type === 'partner' ? [learner.id] : [];
      }
      // The parent of an approved partner has one more recruit.
      const parentId = 'parentPartnerId' in event.record ? event.record.parentPartnerId : null;
      return [event.data.partnerId, ...(parentId === null ? [] : [parentId])];
    });
    const payloads = [...new Set(partnerIds)].map((partnerId) => ({ partnerId, reviewAt: null }));
    if (payloads.length) await schedule(reviewTierJob, payloads);
  },
});
