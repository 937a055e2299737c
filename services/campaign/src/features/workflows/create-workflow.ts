import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { workflowCreated, type workflows } from '@tandem/campaign-contract';
import { fail, toJsonColumn } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { structureErrors } from './structure.ts';
import { asWorkflow } from './workflow.ts';

export const createWorkflow: Handler<typeof workflows.createWorkflow> = async ({ body, caller, tx, emit }) => {
  const errors = structureErrors(body);
  if (errors.length) throw fail('validation_failed', errors);
  await checkCampaign(tx, body.campaignId);
  const { nodes, edges, ...fields } = body;
  const row = await tx.workflow.create({
    data: {
      ...fields,
      nodes: nodes.map(toJsonColumn),
      edges,
      createdBy: actingUserId(caller) ?? null,
      teamId: onlyTeamOf(caller),
    },
  });
  const workflow = { ...asWorkflow(row), nodes, edges };
  emit(workflowCreated, {
    data: { workflowId: workflow.id, campaignId: workflow.campaignId, name: workflow.name },
    record: workflow,
  });
  return workflow;
};
