import { event, freeForm, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const workflowStatuses = ['draft', 'published', 'paused', 'archived'] as const;
/** What a generated sequence consists of. */
export const sequenceNodeTypes = ['trigger', 'email', 'wait', 'condition'] as const;
export const nodeTypes = [
  ...sequenceNodeTypes,
  ...(['sms', 'split', 'wait_for_event', 'update_lead', 'create_task', 'assign', 'notify', 'webhook'] as const),
  ...(['enroll', 'goal', 'exit'] as const),
] as const;

const WorkflowStatus = z.enum(workflowStatuses, { error: `Must be one of ${workflowStatuses.join(', ')}` });
const coordinate = z.number().min(-1e6, 'Must be at least -1000000').max(1e6, 'Must be at most 1000000');

const Position = z.object({ x: coordinate, y: coordinate });

export const WorkflowNode = z.object({
  nodeId: name(100),
  type: z.enum(nodeTypes, { error: `Must be one of ${nodeTypes.join(', ')}` }),
  /** Where it stands in the visual editor; whoever has none leaves it out. */
  position: Position.optional(),
  data: freeForm().optional(),
});

export const WorkflowEdge = z.object({
  edgeId: name(100),
  source: name(100),
  target: name(100),
  /** Which way out of a node with several: yes, no, default or the key of a variant. */
  branch: name(50).optional(),
});

/** A node as it is generated: its data has these fields only, by the type of the node. */
export const SequenceNode = z.object({
  nodeId: name(100),
  type: z.enum(sequenceNodeTypes),
  position: Position,
  data: z.object({
    label: name(200),
    triggerType: text(100).optional(),
    subjectLine: text(200).optional(),
    duration: z.number().min(0).max(10_000).optional(),
    durationUnit: z.enum(['minutes', 'hours', 'days', 'weeks']).optional(),
    conditionField: text(100).optional(),
  }),
});

const nodesMax = 200;
const edgesMax = 400;
const tooMany = (max: number) => `Must hold at most ${max} entries`;

/** A generated workflow sequence; it can be sent to POST /v1/workflows as it is. */
export const Sequence = z.object({
  name: name(200),
  description: text(2000),
  nodes: z.array(SequenceNode).max(nodesMax, tooMany(nodesMax)),
  edges: z.array(WorkflowEdge).max(edgesMax, tooMany(edgesMax)),
});

export const WorkflowSummary = z.object({
  id: id('workflow'),
  tenantId: id('tenant'),
  campaignId: id('campaign').nullable(),
  name: name(200),
  description: text(2000).nullable(),
  status: WorkflowStatus,
  /** The statuses that this workflow may move to now. */
  allowedTransitions: z.array(WorkflowStatus),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const graph = {
  nodes: z.array(WorkflowNode).max(nodesMax, tooMany(nodesMax)),
  edges: z.array(WorkflowEdge).max(edgesMax, tooMany(edgesMax)),
};

/** A workflow in full: with its nodes and edges, which lists leave out. */
export const Workflow = WorkflowSummary.extend(graph);

export const workflowCreated = event('workflow.created', {
  description: 'A workflow is created',
  action: 'workflow.create',
  target: 'workflow',
  data: z.object({ workflowId: id('workflow'), campaignId: id('campaign').nullable(), name: name(200) }),
  record: WorkflowSummary,
});

export const workflows = operations({
  createWorkflow: {
    method: 'POST',
    path: '/v1/workflows',
    permission: 'workflows:write',
    narrows: true,
    summary: 'Create a workflow',
    description:
      'Takes a generated sequence as it is. It begins as a draft. Without `branch` the first edge out of a condition is its yes, the second its no.',
    body: z.object({
      name: name(200),
      description: text(2000).nullish(),
      ...graph,
      campaignId: id('campaign').nullish(),
    }),
    bodyMax: 1024 * 1024,
    reply: Workflow,
    status: 201,
    message: 'Workflow created',
    emits: [workflowCreated],
  },
  listWorkflows: {
    method: 'GET',
    path: '/v1/workflows',
    permission: 'workflows:read',
    narrows: true,
    summary: 'List workflows',
    description: 'Without nodes and edges: those are read one by one. `search` looks into name and description.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      status: WorkflowStatus.optional(),
      campaignId: id('campaign').optional(),
    }),
    reply: page(WorkflowSummary),
    message: 'Workflows retrieved',
  },
  getWorkflow: {
    method: 'GET',
    path: '/v1/workflows/:id',
    permission: 'workflows:read',
    narrows: true,
    summary: 'Retrieve a workflow',
    params: z.object({ id: id('workflow') }),
    reply: Workflow,
    message: 'Workflow retrieved',
  },
});
