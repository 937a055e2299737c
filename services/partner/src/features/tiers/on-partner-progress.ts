import { unionMember } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { partnerApproved, partnerParentChanged, referralAttributed } from '@tandem/partner-contract';
import { certificateExpired, certificateRevoked, courseCompleted } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { scheduleReviews } from './schedule-reviews.ts';

/**
 * Schedules the evaluation of partners after a referral, a recruit, or a change of a completion. A deal without a commission
 * causes no event of this service, so the code that credits and takes back deals schedules the evaluation itself.
 */
export const reviewTiers = consumer({
  name: 'review-tiers',
  on: [
    referralAttributed,
    partnerApproved,
    partnerParentChanged,
    courseCompleted,
    certificateExpired,
    certificateRevoked,
  ],
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    const partnerIds = events.flatMap((event): number[] => {
      if ('learnerId' in event.data) {
        const { learnerId } = event.data;
        const learner = learnerId === null ? undefined : unionMember('learner', learnerId);
        return learner?.type === 'partner' ? [learner.id] : [];
      }
      // Both parents of a partner that moves have another number of recruits.
      if ('from' in event.data) return [event.data.from, event.data.to].filter((id) => id !== null);
      // The parent of an approved partner has one more recruit.
      const parentId = 'parentPartnerId' in event.record ? event.record.parentPartnerId : null;
      return [event.data.partnerId, ...(parentId === null ? [] : [parentId])];
    });
    await scheduleReviews({ tx, schedule }, partnerIds);
  },
});
