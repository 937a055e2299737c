import { id, listQuery, name, operations, page, sharedErrors, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { abTestDeleted } from './ab-test.ts';
import { NewOwnerId } from './owner.ts';
import {
  Workflow,
  WorkflowStatus,
  WorkflowSummary,
  workflowArchived,
  workflowCreated,
  workflowDeleted,
  workflowPaused,
  workflowPublished,
  workflowResumed,
  workflowUpdated,
  writableGraph,
} from './workflow.ts';
import { followedMembersMax, triggerIntervalMinutes } from './workflow-nodes.ts';
import { WorkflowSettings } from './workflow-settings.ts';

const bodyMax = 1024 * 1024;
const byId = z.object({ id: id('workflow') });
const byVersion = z.object({
  id: id('workflow'),
  number: z.coerce
    .number({ error: 'Must be the number of a version' })
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'The number of the version', examples: [1] }),
});

const writable = {
  description: text(2000).nullish(),
  ...writableGraph,
  settings: WorkflowSettings.optional(),
  campaignId: id('campaign').nullish(),
  ownerId: NewOwnerId,
};

/** A published version, which never changes. */
export const WorkflowVersion = z.object({
  number: z.int().meta({ description: 'The number of the version', examples: [1] }),
  isCurrent: z.boolean().meta({ description: 'Whether new executions run this version', examples: [true] }),
  executions: z.int().meta({ description: 'The number of leads that are in this version', examples: [12] }),
  nodes: writableGraph.nodes,
  edges: writableGraph.edges,
  settings: WorkflowSettings.describe('The settings of the version'),
  publishedBy: id('user').nullable().describe('The user who published it'),
  publishedAt: timestamp().describe('When it was published'),
});

const write = { permission: 'workflows:write', feature: 'workflows', narrows: true } as const;
const refused = { transition_refused: sharedErrors.transition_refused } as const;
const archived = { workflow_archived: [409, 'The workflow is archived; duplicate it to change it'] } as const;
const read = { permission: 'workflows:read', narrows: true } as const;

export const workflows = operations({
  createWorkflow: {
    method: 'POST',
    path: '/v1/workflows',
    ...write,
    summary: 'Create a workflow',
    description: `You can send a generated sequence unchanged. The workflow starts as a draft. A trigger has a \`triggerType\`: an event, or one for which the platform looks for leads every ${triggerIntervalMinutes} minutes. \`date\` starts at the time \`at\` (by default 09:00, in the zone of the lead) of the day \`offsetDays\` after the date in \`dateField\`, \`repeat\` \`once\` or \`yearly\`; February 29 counts as February 28 in other years. \`inactivity\` starts when the last engagement of a lead was \`inactiveDays\` ago; a lead that never engaged does not start. \`segment\` starts when a lead enters \`segmentId\`: at once when it is added to a static segment, at the next look for a filter segment, of which the first ${followedMembersMax} leads are followed. What happened before the publication starts nothing; after downtime or a pause, a day is caught up. If the outgoing edges of a condition have no \`branch\`, the first one is the \`yes\` branch and the second one the \`no\` branch.`,
    body: z.object({ name: name(200), ...writable }),
    bodyMax,
    reply: Workflow,
    status: 201,
    message: 'Workflow created',
    emits: [workflowCreated],
  },
  listWorkflows: {
    method: 'GET',
    path: '/v1/workflows',
    ...read,
    summary: 'List workflows',
    description: 'Returns the workflows without nodes and edges. `search` covers the name and the description.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      ownerId: id('user').optional(),
      teamId: id('team').optional(),
      status: WorkflowStatus.optional(),
      campaignId: id('campaign').optional(),
      triggerType: text(100)
        .meta({
          description: 'Return only workflows whose draft has this `triggerType`',
          examples: ['form_submission'],
        })
        .optional(),
    }),
    reply: page(WorkflowSummary),
    message: 'Workflows retrieved',
  },
  getWorkflow: {
    method: 'GET',
    path: '/v1/workflows/:id',
    ...read,
    summary: 'Retrieve a workflow',
    description: 'Returns the draft: the version that is published next.',
    params: byId,
    reply: Workflow,
    message: 'Workflow retrieved',
  },
  updateWorkflow: {
    method: 'PATCH',
    path: '/v1/workflows/:id',
    ...write,
    summary: 'Update a workflow',
    description:
      'Changes the draft. The published version and its executions stay as they are until you publish the draft. An archived workflow cannot be changed.',
    params: byId,
    body: z.object({ name: name(200), ...writable }).partial(),
    bodyMax,
    reply: Workflow,
    message: 'Workflow updated',
    emits: [workflowUpdated],
    errors: archived,
  },
  deleteWorkflow: {
    method: 'DELETE',
    path: '/v1/workflows/:id',
    permission: 'workflows:delete',
    narrows: true,
    summary: 'Delete a workflow',
    description:
      'Deletes a workflow without running or waiting executions, with the record of its ended executions. Its messages stay. Refused while the published version of another workflow, which is published or paused, enrolls leads in it.',
    params: byId,
    reply: z.object({ id: id('workflow'), deleted: z.literal(true).describe('Always true') }),
    message: 'Workflow deleted',
    emits: [workflowDeleted, abTestDeleted],
    errors: {
      live_executions: [409, 'Leads are in this workflow; archive it to end their executions first'],
      workflow_in_use: [
        409,
        'Other workflows enroll leads in this one; publish them without the node, or archive them, first',
      ],
      workflow_in_test: [409, 'An A/B test of the workflow is running; stop it or declare its winner first'],
    },
  },
  duplicateWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/duplicate',
    ...write,
    summary: 'Duplicate a workflow',
    description: 'Creates a draft with the nodes, edges and settings of the draft of this workflow.',
    params: byId,
    reply: Workflow,
    status: 201,
    message: 'Workflow duplicated',
    emits: [workflowCreated],
  },
  listWorkflowVersions: {
    method: 'GET',
    path: '/v1/workflows/:id/versions',
    ...read,
    summary: 'List the published versions of a workflow',
    description: 'Returns the newest 50 versions, the newest first.',
    params: byId,
    reply: z.array(WorkflowVersion),
    message: 'Versions retrieved',
  },
  restoreWorkflowVersion: {
    method: 'POST',
    path: '/v1/workflows/:id/versions/:number/restore',
    ...write,
    summary: 'Restore a version of a workflow',
    description: 'Copies the nodes, edges and settings of a published version into the draft. Publish it to use it.',
    params: byVersion,
    reply: Workflow,
    message: 'Version restored',
    emits: [workflowUpdated],
    errors: archived,
  },
  publishWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/publish',
    ...write,
    // leads:read, for a sequence of a campaign that runs, and those of nodes.
    checksPermissions: true,
    summary: 'Publish a workflow',
    description:
      'Freezes the draft, with the current content of its templates, as the next version, which new executions run. A paused workflow stays paused. Leads that are in an earlier version stay there, unless `migrate` is true: then those whose current node exists in the new version, with the same type, move to it in the background, and the others stay. A lead that continues before it was moved goes on in the earlier version up to the next node that waits, and moves there. With `migrate`, a draft without changes moves leads that are still in earlier versions to the published version. The first publication of a sequence enrolls the audience of its campaign if that runs, which needs `leads:read`. A sequence of an active campaign must have only messages of the channels that the type of the campaign has. Nodes of the types `notify` and `webhook` need `leads:read` for all records, `update_lead` and `assign` need `leads:write`, and `create_task` needs `tasks:write`. Errors name the node: `nodes.<nodeId>.<field>`.',
    params: byId,
    body: z.object({
      migrate: z
        .boolean()
        .meta({ description: 'Whether leads in earlier versions move to this one', examples: [false] })
        .optional(),
    }),
    reply: Workflow,
    message: 'Workflow published',
    emits: [workflowPublished],
    errors: {
      ...refused,
      nothing_to_publish: [409, 'The draft has no changes since the published version'],
    },
  },
  pauseWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/pause',
    permission: 'workflows:write',
    narrows: true,
    summary: 'Pause a workflow',
    description:
      'Nothing is sent until the workflow is resumed. Waits continue to run; what falls due meanwhile happens after that.',
    params: byId,
    reply: Workflow,
    message: 'Workflow paused',
    emits: [workflowPaused],
    errors: refused,
  },
  resumeWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/resume',
    ...write,
    checksPermissions: true,
    summary: 'Resume a paused workflow',
    description:
      'What fell due during the pause happens now. A sequence of a campaign that runs gets those leads of the audience that the caller can read and that it has not had yet, which needs `leads:read`. If the campaign is active, the sequence must have only messages of the channels that the type of the campaign has.',
    params: byId,
    reply: Workflow,
    message: 'Workflow resumed',
    emits: [workflowResumed],
    errors: refused,
  },
  archiveWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/archive',
    permission: 'workflows:write',
    narrows: true,
    summary: 'Archive a workflow',
    description: 'Cancels all executions. An archived workflow can be read and duplicated.',
    params: byId,
    reply: Workflow,
    message: 'Workflow archived',
    emits: [workflowArchived],
    errors: refused,
  },
});
