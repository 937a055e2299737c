import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The job that removes deleted workflows with their executions, and then the deleted campaign that had them. */
export const removeDeletedJob = {
  name: 'remove-deleted',
  payload: z.object({ workflowIds: z.array(z.int()), campaignId: z.int().nullable() }),
};

type Payload = z.output<typeof removeDeletedJob.payload>;

// An execution has some ten steps, which are deleted with it.
const executionsMax = 500;
const membersMax = 5_000;
const otherJobMs = 5_000;

/** Portion by portion: a workflow can have a million executions, which one transaction cannot delete in its time. */
export const removeDeleted = job({
  ...removeDeletedJob,
  rests: true,
  async run({ payload: { workflowIds, campaignId }, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx }) => {
      const executions = await tx.sql`DELETE FROM execution WHERE id IN (
        SELECT id FROM execution WHERE workflow_id = ANY(${workflowIds}::bigint[]) ORDER BY id LIMIT ${executionsMax})
        RETURNING id`;
      if (executions.length === executionsMax) return new Date();
      const members = await tx.sql`DELETE FROM trigger_member WHERE (workflow_id, lead_id) IN (
        SELECT workflow_id, lead_id FROM trigger_member WHERE workflow_id = ANY(${workflowIds}::bigint[])
        LIMIT ${membersMax}) RETURNING lead_id`;
      if (members.length === membersMax) return new Date();
      await tx.workflow.deleteMany({ where: { id: { in: workflowIds } } });
      if (campaignId === null) return undefined;
      // Sequences that were deleted before their campaign have a job of their own.
      if (await tx.workflow.count({ where: { campaignId } })) return new Date(Date.now() + otherJobMs);
      await tx.campaign.deleteMany({ where: { id: campaignId } });
      return undefined;
    });
  },
});

/**
 * Deletes workflows: nobody finds them from now on, and the job removes what they have. They count as archived, so an
 * execution that begins at this moment is cancelled. Remove their A/B tests before.
 */
export async function deleteWorkflows(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  workflowIds: number[],
  campaignId: number | null,
): Promise<void> {
  await tx.workflow.updateMany({
    where: { id: { in: workflowIds } },
    data: {
      status: 'archived',
      deletedAt: new Date(),
      secret: null,
      previousSecret: null,
      ownerId: null,
      teamId: null,
      version: { increment: 1 },
    },
  });
  await schedule(removeDeletedJob, [{ workflowIds, campaignId }]);
}
