import { unionMember } from '@tandem/contract';
import { leadCreated, leadRestored, leadStatusChanged, leadUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import {
  invitationAccepted,
  teamMembersChanged,
  userActivated,
  userCreated,
  userUpdated,
} from '@tandem/identity-contract';
import { partnerApproved, partnerReactivated, partnerRegistered, partnerTierChanged } from '@tandem/partner-contract';
import { courseCompleted } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import type { Learner } from '../enrollments/learners.ts';
import { applyRulesJob } from './rule-jobs.ts';

// Learners whom one job examines: identity and partner return more at once.
const learnersMax = 100;

/** Schedules the enrolment of users by rules when they join, change or get into a team, in both environments. */
export const enrollUsers = consumer({
  name: 'enroll-users',
  on: [userCreated, userUpdated, userActivated, invitationAccepted, teamMembersChanged],
  everyEnvironment: true,
  handle: (events, context: ConsumerContext<Tx>) =>
    examine(
      context,
      'user',
      events.flatMap(({ data }) => ('added' in data ? data.added : [data.userId])),
    ),
});

/** Schedules the enrolment of partners and leads by rules, and of learners who completed a course that others require. */
export const enrollContacts = consumer({
  name: 'enroll-contacts',
  on: [
    ...[partnerRegistered, partnerApproved, partnerReactivated, partnerTierChanged],
    ...[leadCreated, leadUpdated, leadStatusChanged, leadRestored, courseCompleted],
  ],
  async handle(events, context: ConsumerContext<Tx>) {
    const learners = events.flatMap(({ data }): Learner[] => {
      if ('partnerId' in data) return [{ type: 'partner', id: data.partnerId }];
      if ('leadId' in data) return [{ type: 'lead', id: data.leadId }];
      const learner = unionMember('learner', data.learnerId);
      return learner ? [learner] : [];
    });
    for (const type of ['user', 'partner', 'lead'] as const)
      await examine(
        context,
        type,
        learners.flatMap((one) => (one.type === type ? [one.id] : [])),
      );
  },
});

async function examine({ tx, schedule }: ConsumerContext<Tx>, learnerType: Learner['type'], ids: number[]) {
  const learnerIds = [...new Set(ids)];
  if (!learnerIds.length) return;
  // Most tenants have no rule, and reading leads takes longer.
  if (!(await tx.enrollmentRule.findFirst({ where: { learnerType, active: true }, select: { id: true } }))) return;
  const payloads = Array.from({ length: Math.ceil(learnerIds.length / learnersMax) }, (_, index) => ({
    learnerType,
    learnerIds: learnerIds.slice(index * learnersMax, (index + 1) * learnersMax),
  }));
  await schedule(applyRulesJob, payloads);
}
