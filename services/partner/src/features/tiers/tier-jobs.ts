import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The job that evaluates the tier of a partner: after an event, or at the time that the partner has stored. */
export const reviewTierJob = {
  name: 'review-tier',
  payload: z.object({ partnerId: id('partner'), reviewAt: timestamp().nullable() }),
};

/** The job that evaluates all approved partners after the tiers are set, portion by portion. */
export const reviewAllTiersJob = {
  name: 'review-all-tiers',
  payload: z.object({ after: z.int(), version: z.int() }),
};
