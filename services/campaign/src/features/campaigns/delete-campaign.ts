import { campaignDeleted, type campaigns, landingPageUpdated, workflowDeleted } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { hasRunningTest, removeTests } from '../ab-tests/remove-tests.ts';
import { asLandingPage } from '../landing-pages/landing-page.ts';
import { checkNotEntered } from '../workflows/not-entered.ts';
import { deleteWorkflows } from '../workflows/remove-deleted.job.ts';
import { asWorkflow } from '../workflows/workflow.ts';
import { asCampaign, lockCampaign } from './campaign.ts';

/** Deletes a campaign with its sequences; landing pages no longer belong to a campaign. */
export const deleteCampaign =
  (tools: Pick<Tools, 'ids'>): Handler<typeof campaigns.deleteCampaign> =>
  async (context) => {
    const { params, tx, schedule, emit, ifMatch } = context;
    const row = await lockCampaign(tx, params.id);
    ifMatch(row);
    if (row.status === 'active') throw fail('campaign_active');
    if (await hasRunningTest(tx, { campaignId: row.id })) throw fail('campaign_in_test');
    const workflows = await tx.workflow.findMany({ where: { campaignId: row.id, deletedAt: null } });
    const workflowIds = workflows.map(({ id }) => id);
    // A lead that is enrolled at this moment is in a sequence before its executions are looked for, or is refused.
    await tx.sql`SELECT id FROM workflow WHERE id = ANY(${workflowIds}::bigint[]) ORDER BY id FOR UPDATE`;
    if (await isLive(tx, workflowIds)) throw fail('live_executions');
    await checkNotEntered(context, tools, workflowIds);
    await removeTests({ tx, emit }, { campaignId: row.id });
    await deleteWorkflows({ tx, schedule }, workflowIds, row.id);
    for (const workflow of workflows) {
      const { id: workflowId, campaignId, publishedVersion } = workflow;
      emit(workflowDeleted, { data: { workflowId, campaignId, publishedVersion }, record: asWorkflow(workflow) });
    }
    const pages = await tx.landingPage.updateManyAndReturn({
      where: { campaignId: row.id },
      data: { campaignId: null, version: { increment: 1 } },
    });
    for (const page of pages)
      emit(landingPageUpdated, {
        data: { landingPageId: page.id, fields: ['campaignId'] },
        record: asLandingPage(page),
        changes: { campaignId: { from: row.id, to: null } },
      });
    if (await isInUse(tx, row.id)) throw fail('campaign_in_use');
    await tx.audiencePart.deleteMany({ where: { campaignId: row.id } });
    // The sender, topic and owner can be deleted before the job has removed the campaign.
    await tx.campaign.updateMany({
      where: { id: row.id },
      data: {
        status: 'completed',
        deletedAt: new Date(),
        senderId: null,
        topicId: null,
        ownerId: null,
        teamId: null,
        version: { increment: 1 },
      },
    });
    emit(campaignDeleted, { data: { campaignId: row.id }, record: asCampaign(row) });
    return { id: row.id, deleted: true };
  };

/** Whether the campaign has sequences or pages that the caller cannot read. */
async function isInUse(tx: Tx, id: number): Promise<boolean> {
  const [found] = await tx.sql<{ isInUse: boolean }>`
    SELECT EXISTS (SELECT FROM workflow WHERE campaign_id = ${id} AND deleted_at IS NULL)
      OR EXISTS (SELECT FROM landing_page WHERE campaign_id = ${id}) AS "isInUse"`;
  return found?.isInUse ?? false;
}

async function isLive(tx: Tx, workflowIds: readonly number[]): Promise<boolean> {
  const live = await tx.execution.findFirst({
    where: { workflowId: { in: [...workflowIds] }, status: { in: ['running', 'waiting'] } },
    select: { id: true },
  });
  return live !== null;
}
