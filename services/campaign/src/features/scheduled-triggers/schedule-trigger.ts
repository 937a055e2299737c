import { scheduledTriggerTypes } from '@tandem/campaign-contract';
import type { Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { dataOf, type GraphNode } from '../engine/graph.ts';

/** The job that looks for leads of a trigger. A payload with an outdated `wake` has no effect. */
export const runTriggerJob = { name: 'run-trigger', payload: z.object({ workflowId: z.int(), wake: z.int() }) };

/**
 * Lets the trigger of a workflow look for leads from now on, if it is one that does; that of a sequence begins with its
 * campaign. Another subject, such as another segment, begins anew.
 * @param isLaunch whether the campaign begins: then nothing is caught up, such as dates that passed before
 */
export async function scheduleTrigger(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  workflowId: number,
  trigger: GraphNode | undefined,
  { isLaunch = false }: { isLaunch?: boolean } = {},
): Promise<void> {
  if (!trigger) return;
  const { triggerType = '', segmentId = '' } = dataOf(trigger, 'trigger');
  if (!(scheduledTriggerTypes as readonly string[]).includes(triggerType)) return;
  const subject = [triggerType, ...(triggerType === 'segment' ? [segmentId] : [])].join(' ');
  const earlier = await tx.workflowTrigger.findFirst({ where: { workflowId } });
  if (earlier && earlier.subject !== subject) {
    await tx.triggerMember.deleteMany({ where: { workflowId } });
    await tx.workflowTrigger.deleteMany({ where: { workflowId } });
  }
  const [campaign] = await tx.sql<{ startAt: Date | null }>`SELECT campaign.start_at AS "startAt"
    FROM workflow JOIN campaign ON campaign.id = workflow.campaign_id WHERE workflow.id = ${workflowId}`;
  const now = new Date();
  const begin = campaign?.startAt && campaign.startAt > now ? campaign.startAt : now;
  // The leads that a segment has at first do not enter it; the first run stores them.
  const ranUntil = triggerType === 'segment' ? null : begin;
  const rows = await tx.sql<{ wake: number }>`
    INSERT INTO workflow_trigger (workflow_id, subject, wake, ran_until)
    VALUES (${workflowId}, ${subject}, ${(earlier?.wake ?? 0) + 1}::int, ${ranUntil}::timestamptz)
    ON CONFLICT (tenant_id, environment, workflow_id) DO UPDATE SET wake = workflow_trigger.wake + 1,
      ran_until = CASE WHEN ${isLaunch} THEN coalesce(excluded.ran_until, workflow_trigger.ran_until)
        ELSE workflow_trigger.ran_until END
    RETURNING wake`;
  await schedule(
    runTriggerJob,
    rows.map(({ wake }) => ({ workflowId, wake })),
    begin,
  );
}
