import { type workflows, workflowUpdated } from '@tandem/campaign-contract';
import { type Assignee, checkUser, diff, fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { teamChange } from '../work/owner.ts';
import { structureErrors } from './structure.ts';
import { asFullWorkflow, graphData, lockWorkflow } from './workflow.ts';

/** Changes the draft. A published version, and the leads in it, stay as they are. */
export const updateWorkflow = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof workflows.updateWorkflow, Assignee | undefined> => ({
  check: ({ body, caller }) => checkUser(tools, 'ownerId', body.ownerId, caller),
  async run({ params, body, found: owner, tx, emit, ifMatch }) {
    const row = await lockWorkflow(tx, params.id);
    const workflow = asFullWorkflow(row);
    ifMatch(workflow);
    if (workflow.status === 'archived') throw fail('workflow_archived');
    const { nodes = workflow.nodes, edges = workflow.edges } = body;
    const errors = structureErrors({ nodes, edges });
    if (errors.length) throw fail('validation_failed', errors);
    const { isEmpty, values, audit } = diff(workflow, { ...body, ...teamChange(workflow, owner) });
    if (isEmpty) return workflow;
    await checkCampaign(tx, values.campaignId);
    // The executions of the published version name the campaign.
    if (values.campaignId !== undefined && workflow.publishedVersion !== null)
      throw failField('campaignId', 'Cannot change once the workflow has been published; duplicate it instead');
    const { nodes: _nodes, edges: _edges, settings, ...others } = values;
    const [written] = await tx.workflow.updateManyAndReturn({
      where: { id: row.id },
      data: { ...others, ...graphData({ nodes, edges }, settings), version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    const updated = { ...asFullWorkflow(written), nodes, edges };
    // The audit log does not store nodes and edges, which can have a megabyte; versions keep what was published.
    const { nodes: _before, edges: _beforeEdges, ...changes } = audit;
    emit(workflowUpdated, { data: { workflowId: row.id, fields: Object.keys(values) }, record: updated, changes });
    return updated;
  },
});
