import { leadDeleted } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { userDeactivated } from '@tandem/identity-contract';
import { partnerDeleted, partnerTerminated } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { lateMs, withdrawLearnerJob } from './withdraw-learner.job.ts';

/**
 * Withdraws deactivated users from their courses, in both environments. A suspended user keeps the enrolments, because a
 * suspension is meant to end.
 */
export const withdrawUsers = consumer({
  name: 'withdraw-users',
  on: [userDeactivated],
  everyEnvironment: true,
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const left = events.map(({ data: { userId } }) => ({
      learnerType: 'user' as const,
      learnerId: userId,
      reason: 'user_left' as const,
    }));
    await scheduleBoth(schedule, left);
  },
});

/** Withdraws deleted leads from their courses; the enrolments of a merged lead go to the lead that remains. */
export const withdrawLeads = consumer({
  name: 'withdraw-leads',
  on: [leadDeleted],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const left = events
      .filter(({ data }) => !data.mergedIntoId)
      .map(({ data: { leadId, erased } }) => ({
        learnerType: 'lead' as const,
        learnerId: leadId,
        reason: erased ? ('erased' as const) : ('lead_deleted' as const),
      }));
    if (left.length) await scheduleBoth(schedule, left);
  },
});

/** Withdraws terminated and deleted partners from their courses. A suspension of a partner, too, is meant to end. */
export const withdrawPartners = consumer({
  name: 'withdraw-partners',
  on: [partnerTerminated, partnerDeleted],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const left = events.map(({ data: { partnerId } }) => ({
      learnerType: 'partner' as const,
      learnerId: partnerId,
      reason: 'partner_left' as const,
    }));
    await scheduleBoth(schedule, left);
  },
});

async function scheduleBoth(
  schedule: ConsumerContext<Tx>['schedule'],
  left: Omit<z.output<typeof withdrawLearnerJob.payload>, 'isLate'>[],
): Promise<void> {
  const runs = (isLate: boolean) => left.map((one) => ({ ...one, isLate }));
  await schedule(withdrawLearnerJob, runs(false));
  await schedule(withdrawLearnerJob, runs(true), new Date(Date.now() + lateMs));
}
