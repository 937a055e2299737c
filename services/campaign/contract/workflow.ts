import { event, freeForm, id, name, stateTable, text, timestamp, withShapes } from '@tandem/contract';
import { z } from 'zod';
import { OwnerId, TeamId } from './owner.ts';
import { nodeData } from './workflow-nodes.ts';
import { DurationUnit, WorkflowSettings } from './workflow-settings.ts';

export const workflowStatuses = ['draft', 'published', 'paused', 'archived'] as const;
/** The node types of a generated sequence. */
export const sequenceNodeTypes = ['trigger', 'email', 'wait', 'condition'] as const;
export const nodeTypes = [
  ...sequenceNodeTypes,
  ...(['sms', 'split', 'wait_for_event', 'update_lead', 'create_task', 'assign', 'notify', 'webhook'] as const),
  ...(['enroll', 'goal', 'exit'] as const),
] as const;

export const NodeTypeName = z.enum(nodeTypes);
export const WorkflowStatus = z.enum(workflowStatuses).describe('The status of the workflow');
const coordinate = z.number().min(-1e6, 'Must be at least -1000000').max(1e6, 'Must be at most 1000000');

/** The position of a node in the visual editor. */
export const Position = z.object({
  x: coordinate.meta({ description: 'The distance from the left edge, in pixels', examples: [250] }),
  y: coordinate.meta({ description: 'The distance from the top edge, in pixels', examples: [0] }),
});

export const WorkflowNode = z.object({
  nodeId: name(100).meta({ description: 'The id of the node, unique within the workflow', examples: ['email-1'] }),
  type: NodeTypeName.meta({ description: 'The type of the node', examples: ['email'] }),
  position: Position.optional().describe('The position of the node in the visual editor'),
  data: withShapes(freeForm(), nodeData)
    .optional()
    .meta({
      description:
        'The settings of the node, which depend on its type; the title of each shape is the type. A draft can be incomplete: the settings are checked when the workflow is published. Other fields are stored, and have no effect.',
      examples: [{ label: 'Welcome', subjectLine: 'Welcome aboard' }],
    }),
});

export const WorkflowEdge = z.object({
  edgeId: name(100).meta({ description: 'The id of the edge, unique within the workflow', examples: ['edge-1'] }),
  source: name(100).meta({ description: 'The `nodeId` of the source node', examples: ['trigger-1'] }),
  target: name(100).meta({ description: 'The `nodeId` of the target node', examples: ['email-1'] }),
  branch: name(50)
    .meta({
      description: 'The branch of a source node with several outgoing edges: yes, no, default or the key of a variant',
      examples: ['yes'],
    })
    .optional(),
});

/** A generated node. Its `data` has only these fields; which of them depends on the type. */
export const SequenceNode = z.object({
  nodeId: name(100).meta({ description: 'The id of the node, unique within the sequence', examples: ['email-1'] }),
  type: z.enum(sequenceNodeTypes).meta({ description: 'The type of the node', examples: ['email'] }),
  position: Position.describe('The position of the node in the visual editor'),
  data: z
    .object({
      label: name(200).meta({ description: 'The name of the node in the editor', examples: ['Welcome'] }),
      triggerType: text(100)
        .meta({
          description: 'The event that starts the sequence. Only for trigger nodes.',
          examples: ['form_submission'],
        })
        .optional(),
      subjectLine: text(200)
        .meta({ description: 'The subject line of the e-mail. Only for e-mail nodes.', examples: ['Welcome aboard'] })
        .optional(),
      duration: z
        .number()
        .min(0)
        .max(10_000)
        .meta({ description: 'The duration of the wait, in `durationUnit`. Only for wait nodes.', examples: [2] })
        .optional(),
      durationUnit: DurationUnit.meta({
        description: 'The unit of `duration`. Only for wait nodes.',
        examples: ['days'],
      }).optional(),
      conditionField: text(100)
        .meta({
          description: 'The field that the condition evaluates. Only for condition nodes.',
          examples: ['email_open'],
        })
        .optional(),
    })
    .describe('The settings of the node, depending on its type'),
});

const nodesMax = 200;
const edgesMax = 400;

const exampleNodes = [
  {
    nodeId: 'trigger-1',
    type: 'trigger',
    position: { x: 250, y: 0 },
    data: { label: 'Visitor signs up', triggerType: 'form_submission' },
  },
  {
    nodeId: 'email-1',
    type: 'email',
    position: { x: 250, y: 150 },
    data: { label: 'Welcome', subjectLine: 'Welcome aboard' },
  },
];
const exampleEdges = [{ edgeId: 'edge-1', source: 'trigger-1', target: 'email-1' }];

/** A generated workflow sequence. Valid as a body of POST /v1/workflows. */
export const Sequence = z.object({
  name: name(200).meta({ examples: ['Welcome'] }),
  description: text(2000).meta({ examples: ['Greets new trial users'] }),
  nodes: z
    .array(SequenceNode)
    .max(nodesMax)
    .meta({ description: 'The nodes of the sequence', examples: [exampleNodes] }),
  edges: z
    .array(WorkflowEdge)
    .max(edgesMax)
    .meta({ description: 'The connections between the nodes', examples: [exampleEdges] }),
});

export const workflowStates = stateTable<(typeof workflowStatuses)[number]>('Workflow', {
  created: { draft: 'createWorkflow' },
  changes: {
    draft: { published: 'publishWorkflow', archived: 'archiveWorkflow' },
    published: { paused: 'pauseWorkflow', archived: 'archiveWorkflow' },
    paused: { published: 'resumeWorkflow', archived: 'archiveWorkflow' },
    archived: {},
  },
});

export const WorkflowSummary = z.object({
  id: id('workflow'),
  tenantId: id('tenant'),
  campaignId: id('campaign').nullable().describe('The campaign that the workflow belongs to'),
  name: name(200).meta({ examples: ['Welcome'] }),
  description: text(2000)
    .nullable()
    .meta({ examples: ['Greets new trial users'] }),
  status: WorkflowStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z.array(WorkflowStatus).meta({
    description: 'The statuses that this workflow can currently change to',
    examples: [['published', 'archived']],
  }),
  triggerType: text(100)
    .nullable()
    .meta({ description: 'The `triggerType` of the trigger of the draft', examples: ['form_submission'] }),
  draftVersion: z.int().meta({ description: 'The number that the next published version gets', examples: [2] }),
  publishedVersion: z
    .int()
    .nullable()
    .meta({ description: 'The published version, which new executions run', examples: [1] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  ownerId: OwnerId,
  teamId: TeamId,
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const graph = {
  nodes: z
    .array(WorkflowNode)
    .max(nodesMax)
    .meta({ description: 'The nodes of the workflow, at most 200', examples: [exampleNodes] }),
  edges: z
    .array(WorkflowEdge)
    .max(edgesMax)
    .meta({ description: 'The connections between the nodes, at most 400', examples: [exampleEdges] }),
};

/** A workflow with its nodes, edges and settings, which lists omit: those of the draft. */
export const Workflow = WorkflowSummary.extend({
  ...graph,
  settings: WorkflowSettings.describe('The settings of the draft'),
});

export const workflowCreated = event('workflow.created', {
  description: 'A workflow is created',
  action: 'workflow.create',
  target: 'workflow',
  data: z.object({ workflowId: id('workflow'), campaignId: id('campaign').nullable(), name: name(200) }),
  record: WorkflowSummary,
  whenMissing: { record: { draftVersion: 1 } },
});

export const workflowUpdated = event('workflow.updated', {
  description: 'A workflow is updated',
  action: 'workflow.update',
  target: 'workflow',
  data: z.object({ workflowId: id('workflow'), fields: z.array(z.string()) }),
  record: WorkflowSummary,
  whenMissing: { record: { draftVersion: 1 } },
});

const changed = (name: string, description: string, action: string) =>
  event(name, {
    description,
    action,
    target: 'workflow',
    data: z.object({
      workflowId: id('workflow'),
      campaignId: id('campaign').nullable(),
      publishedVersion: z.int().nullable(),
    }),
    record: WorkflowSummary,
  });

export const workflowPublished = changed(
  'workflow.published',
  'A version of a workflow is published',
  'workflow.publish',
);
export const workflowPaused = changed('workflow.paused', 'A workflow is paused', 'workflow.pause');
export const workflowResumed = changed('workflow.resumed', 'A workflow is resumed', 'workflow.resume');
export const workflowArchived = changed('workflow.archived', 'A workflow is archived', 'workflow.archive');
export const workflowDeleted = changed('workflow.deleted', 'A workflow is deleted', 'workflow.delete');

export const workflowSecretRotated = changed(
  'workflow.secret_rotated',
  'The signing secret of a workflow is replaced',
  'workflow.rotate_secret',
);

/** For identity, which notifies the users. */
export const workflowNotified = event('workflow.notified', {
  description: 'A workflow notifies users',
  action: 'workflow.notify',
  target: 'workflow',
  audited: false,
  data: z.object({
    workflowId: id('workflow'),
    executionId: id('workflow_execution'),
    leadId: id('lead'),
    userIds: z.array(id('user')),
    message: text(1000),
  }),
  record: WorkflowSummary.pick({ id: true, name: true }),
});

/** The nodes and edges in a request. */
export const writableGraph = graph;
