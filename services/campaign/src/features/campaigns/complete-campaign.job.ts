import { campaignCompleted } from '@tandem/campaign-contract';
import { id, timestamp } from '@tandem/contract';
import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Campaign as CampaignRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { cancelExecutionsJob } from '../engine/cancel-executions.job.ts';
import { changeStatus, type StatusChange } from './campaign.ts';

/** The job that completes a campaign at its end. */
export const completeCampaignJob = {
  name: 'complete-campaign',
  payload: z.object({ campaignId: id('campaign'), endAt: timestamp() }),
};

type Payload = z.output<typeof completeCampaignJob.payload>;

/** Completes a campaign. The job of an end that was changed or removed has no effect, and neither has one of a draft. */
export const completeCampaignAtEnd = job({
  ...completeCampaignJob,
  async run({ payload, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const row = await tx.campaign.lockFirst({ where: { id: payload.campaignId } });
      if (row?.endAt?.getTime() !== payload.endAt.getTime()) return;
      if (row.status !== 'active' && row.status !== 'paused') return;
      emit(campaignCompleted, (await complete({ tx, schedule }, row)).event);
    });
  },
});

/** Completes a locked campaign: its executions are cancelled by jobs, portion by portion. */
export async function complete(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  row: CampaignRow,
): Promise<StatusChange> {
  const change = await changeStatus(tx, row, { from: ['active', 'paused'], to: 'completed' });
  // Also those of workflows that the caller cannot read.
  const workflows = await tx.sql<{ id: number }>`SELECT id FROM workflow WHERE campaign_id = ${row.id}`;
  await schedule(
    cancelExecutionsJob,
    workflows.map(({ id: workflowId }) => ({ workflowId, reason: 'campaign_completed' as const })),
  );
  return change;
}
