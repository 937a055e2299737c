import { actingUserId } from '@tandem/caller';
import { workflowCreated, type workflows } from '@tandem/campaign-contract';
import { type Assignee, checkUser } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { ownerColumns } from '../work/owner.ts';
import { asFullWorkflow, checkWorkflow, findWorkflowRow, graphData } from './workflow.ts';

const nameMax = 200;
const suffix = ' (copy)';

/** Copies the draft; the copy belongs to the acting user. */
export const duplicateWorkflow = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof workflows.duplicateWorkflow, Assignee | undefined> => ({
  async check({ params, caller, tx }) {
    await checkWorkflow(tx, params.id);
    return checkUser(tools, 'ownerId', actingUserId(caller), caller);
  },
  async run({ params, found: owner, caller, tx, emit }) {
    const row = await findWorkflowRow(tx, params.id);
    const { name, description, campaignId, nodes, edges, settings } = asFullWorkflow(row);
    const copied = await tx.workflow.create({
      data: {
        name: name.slice(0, nameMax - suffix.length) + suffix,
        description,
        campaignId,
        ...graphData({ nodes, edges }, settings),
        ...ownerColumns(caller, undefined, owner),
      },
    });
    const workflow = asFullWorkflow(copied);
    emit(workflowCreated, {
      data: { workflowId: workflow.id, campaignId, name: workflow.name },
      record: workflow,
    });
    return workflow;
  },
});
