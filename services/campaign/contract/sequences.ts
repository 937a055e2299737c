import { id, operations, page } from '@tandem/contract';
import { z } from 'zod';
import { Workflow, WorkflowSummary, workflowCreated } from './workflow.ts';
import { workflows } from './workflows.ts';

const ofCampaign = z.object({ id: id('campaign') });
const { createWorkflow, listWorkflows } = workflows;

/** The sequences of a campaign: workflows that belong to it. */
export const sequences = operations({
  createSequence: {
    method: 'POST',
    path: '/v1/campaigns/:id/sequences',
    permission: 'workflows:write',
    feature: 'workflows',
    narrows: true,
    summary: 'Add a sequence to a campaign',
    description:
      'A sequence is a workflow of the campaign, and is changed and published as one: see /v1/workflows. You can send a generated sequence unchanged.',
    params: ofCampaign,
    body: createWorkflow.body.omit({ campaignId: true }),
    bodyMax: createWorkflow.bodyMax,
    reply: Workflow,
    status: 201,
    message: 'Sequence created',
    emits: [workflowCreated],
    errors: { campaign_completed: [409, 'The campaign is completed; duplicate it to change it'] },
  },
  listSequences: {
    method: 'GET',
    path: '/v1/campaigns/:id/sequences',
    permission: 'workflows:read',
    narrows: true,
    summary: 'List the sequences of a campaign',
    description: 'Returns the sequences without nodes and edges. `search` covers the name and the description.',
    params: ofCampaign,
    query: listWorkflows.query.omit({ campaignId: true }),
    reply: page(WorkflowSummary),
    message: 'Sequences retrieved',
  },
});
