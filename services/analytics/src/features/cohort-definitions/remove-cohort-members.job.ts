import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { type CohortPayload, removeCohortMembersJob } from './cohort-definition.ts';

const removedMax = 10_000;

/** Removes the stored leads of a deleted cohort, part by part. */
export const removeCohortMembers = job({
  ...removeCohortMembersJob,
  rests: true,
  async run({ payload: { cohortDefinitionId }, finish }: JobContext<CohortPayload, Tx>) {
    await finish(async ({ tx }) => {
      const removed = await tx.sql`DELETE FROM cohort_member WHERE cohort_id = ${cohortDefinitionId}::bigint
        AND lead_id IN (SELECT lead_id FROM cohort_member WHERE cohort_id = ${cohortDefinitionId}::bigint LIMIT ${removedMax}::int)
        RETURNING 1`;
      return removed.length === removedMax ? new Date() : undefined;
    });
  },
  giveUp: scheduleAgain(removeCohortMembersJob),
});
