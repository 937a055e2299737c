import { campaignDeleted, type campaigns, landingPageUpdated, workflowDeleted } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { asLandingPage } from '../landing-pages/landing-page.ts';
import { asWorkflow } from '../workflows/workflow.ts';
import { asCampaign, lockCampaign } from './campaign.ts';

/** Deletes a campaign with its sequences; landing pages no longer belong to a campaign. */
export const deleteCampaign: Handler<typeof campaigns.deleteCampaign> = async ({ params, tx, emit, ifMatch }) => {
  const row = await lockCampaign(tx, params.id);
  ifMatch(row);
  if (row.status === 'active') throw fail('campaign_active');
  const workflows = await tx.workflow.findMany({ where: { campaignId: row.id } });
  const workflowIds = workflows.map(({ id }) => id);
  if (await isLive(tx, workflowIds)) throw fail('live_executions');
  await tx.execution.deleteMany({ where: { workflowId: { in: workflowIds } } });
  await tx.workflow.deleteMany({ where: { id: { in: workflowIds } } });
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
  // Sequences and pages that the caller cannot read keep the campaign.
  await tx.campaign.deleteMany({ where: { id: row.id } }).catch((error: unknown) => {
    throw isReferenced(error) ? fail('campaign_in_use') : error;
  });
  emit(campaignDeleted, { data: { campaignId: row.id }, record: asCampaign(row) });
  return { id: row.id, deleted: true };
};

async function isLive(tx: Tx, workflowIds: readonly number[]): Promise<boolean> {
  const live = await tx.execution.findFirst({
    where: { workflowId: { in: [...workflowIds] }, status: { in: ['running', 'waiting'] } },
    select: { id: true },
  });
  return live !== null;
}
