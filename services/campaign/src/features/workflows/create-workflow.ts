import type { Caller } from '@tandem/caller';
import { workflowCreated, type workflows } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, checkUser, fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { ownerColumns } from '../work/owner.ts';
import { structureErrors } from './structure.ts';
import { asFullWorkflow, graphData, type WorkflowRecord } from './workflow.ts';

interface NewWorkflow {
  name: string;
  description?: string | null;
  nodes: WorkflowRecord['nodes'];
  edges: WorkflowRecord['edges'];
  settings?: WorkflowRecord['settings'];
  campaignId?: number | null;
  ownerId?: number | null;
}

export const createWorkflow = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof workflows.createWorkflow, Assignee | undefined> => ({
  check: ({ body, caller }) => checkNewWorkflow(tools, body, caller),
  async run({ body, found: owner, caller, tx, emit }) {
    await checkCampaign(tx, body.campaignId);
    return insertWorkflow({ tx, emit, caller }, body, owner);
  },
});

/** Checks the graph and the owner of a new workflow, and returns the owner. */
export function checkNewWorkflow(
  tools: Pick<Tools, 'identity'>,
  body: NewWorkflow,
  caller: Caller,
): Promise<Assignee | undefined> {
  const errors = structureErrors(body);
  if (errors.length) throw fail('validation_failed', errors);
  return checkUser(tools, 'ownerId', body.ownerId, caller);
}

/** Stores a new workflow as a draft. */
export async function insertWorkflow(
  { tx, emit, caller }: { tx: Tx; emit: Emit<typeof workflowCreated>; caller: Caller },
  { nodes, edges, settings = {}, ...fields }: NewWorkflow,
  owner: Assignee | undefined,
): Promise<WorkflowRecord> {
  const row = await tx.workflow.create({
    data: { ...fields, ...graphData({ nodes, edges }, settings), ...ownerColumns(caller, fields.ownerId, owner) },
  });
  // The nodes as they were sent: PostgreSQL would reorder their keys.
  const workflow = { ...asFullWorkflow(row), nodes, edges };
  const { id: workflowId, campaignId, name } = workflow;
  emit(workflowCreated, { data: { workflowId, campaignId, name }, record: workflow });
  return workflow;
}
