import { workflowCreated, type workflows } from '@tandem/campaign-contract';
import { type Assignee, checkUser, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { ownerColumns } from '../work/owner.ts';
import { structureErrors } from './structure.ts';
import { asFullWorkflow, graphData } from './workflow.ts';

export const createWorkflow = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof workflows.createWorkflow, Assignee | undefined> => ({
  async check({ body, caller }) {
    const errors = structureErrors(body);
    if (errors.length) throw fail('validation_failed', errors);
    return checkUser(tools, 'ownerId', body.ownerId, caller);
  },
  async run({ body, found: owner, caller, tx, emit }) {
    await checkCampaign(tx, body.campaignId);
    const { nodes, edges, settings = {}, ...fields } = body;
    const row = await tx.workflow.create({
      data: { ...fields, ...graphData({ nodes, edges }, settings), ...ownerColumns(caller, body.ownerId, owner) },
    });
    // The nodes as they were sent: PostgreSQL would reorder their keys.
    const workflow = { ...asFullWorkflow(row), nodes, edges };
    emit(workflowCreated, {
      data: { workflowId: workflow.id, campaignId: workflow.campaignId, name: workflow.name },
      record: workflow,
    });
    return workflow;
  },
});
