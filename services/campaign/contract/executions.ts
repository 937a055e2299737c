import {
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const workflowExecutionStatuses = ['running', 'waiting', 'completed', 'failed', 'cancelled', 'exited'] as const;
export const WorkflowExecutionStatus = z.enum(workflowExecutionStatuses).describe('The status of the execution');
export type WorkflowExecutionStatus = z.output<typeof WorkflowExecutionStatus>;

const ended = {
  completed: 'advance-executions.job',
  failed: 'advance-executions.job',
  exited: 'advance-executions.job',
} as const;
export const workflowExecutionStates = stateTable<WorkflowExecutionStatus>('WorkflowExecution', {
  created: { running: 'enrollLeads' },
  changes: {
    running: { cancelled: 'cancelExecution' },
    waiting: { cancelled: 'cancelExecution' },
    failed: { running: 'retryExecution' },
    completed: {},
    cancelled: {},
    exited: {},
  },
  automatic: {
    running: { waiting: 'advance-executions.job', ...ended },
    waiting: { running: 'advance-executions.job', ...ended },
  },
});

export const executionSources = ['manual', 'event', 'webhook', 'campaign', 'workflow'] as const;

export const ExecutionSource = z
  .enum(executionSources)
  .meta({ description: 'What enrolled the lead', examples: ['manual'] });

export const WorkflowExecution = z.object({
  id: id('workflow_execution'),
  workflowId: id('workflow'),
  workflowVersion: z.int().meta({ description: 'The version of the workflow that it runs', examples: [1] }),
  campaignId: id('campaign').nullable().describe('The campaign of the workflow when the lead was enrolled'),
  leadId: id('lead'),
  status: WorkflowExecutionStatus.meta({ examples: ['waiting'] }),
  allowedTransitions: z.array(WorkflowExecutionStatus).meta({
    description: 'The statuses that this execution can currently change to by a request',
    examples: [['cancelled']],
  }),
  nodeId: name(100).meta({ description: 'The current node, or the last one', examples: ['wait-1'] }),
  dueAt: timestamp().nullable().describe('When it continues, if it waits'),
  waitsFor: text(50)
    .nullable()
    .meta({ description: 'The event that ends the wait before `dueAt`', examples: [null] }),
  source: ExecutionSource,
  eventId: text(100)
    .nullable()
    .meta({ description: 'The `eventId` of the trigger request that enrolled the lead', examples: [null] }),
  endReason: text(200)
    .nullable()
    .meta({ description: 'Why it ended: completed, goal, reply, unsubscribe, …', examples: [null] }),
  error: text(500)
    .nullable()
    .meta({ description: 'Why it failed', examples: [null] }),
  startedAt: timestamp().describe('When it began'),
  endedAt: timestamp().nullable().describe('When it ended'),
});

/** How long the steps of an execution are kept after it has ended. */
export const executionStepDays = 180;

export const stepOutcomes = ['done', 'waiting', 'skipped', 'failed', 'uncertain'] as const;

export const StepOutcome = z.enum(stepOutcomes);

export const WorkflowExecutionStep = z.object({
  number: z.int().meta({ description: 'The position of the step', examples: [2] }),
  nodeId: name(100).meta({ description: 'The node', examples: ['email-1'] }),
  type: text(50).meta({ description: 'The type of the node', examples: ['email'] }),
  outcome: StepOutcome.meta({ description: 'What happened at the node', examples: ['done'] }),
  input: freeForm()
    .describe('What the step worked with')
    .meta({ examples: [{ subjectLine: 'Welcome aboard' }] }),
  result: freeForm()
    .describe('What the step decided or did')
    .meta({ examples: [{ messageId: 'Xy2Cyk0Jf4kchPDk' }] }),
  skipReason: text(100)
    .nullable()
    .meta({ description: 'Why the step had no effect', examples: [null] }),
  startedAt: timestamp().describe('When it began'),
  endedAt: timestamp().nullable().describe('When it ended'),
});

export const enrollmentResults = ['enrolled', 'already_in', 'reentry_blocked', 'suppressed', 'not_found'] as const;
const EnrollmentResult = z.enum(enrollmentResults);
export const enrolledMax = 250;

const refused = { transition_refused: sharedErrors.transition_refused } as const;
const byWorkflow = z.object({ id: id('workflow') });
const ofWorkflow = listQuery(['startedAt'])
  .omit({ search: true, createdFrom: true, createdTo: true })
  .extend({ status: WorkflowExecutionStatus.optional(), leadId: id('lead').optional() });
const read = { permission: 'workflows:read', narrows: true } as const;
const write = { permission: 'workflows:write', narrows: true } as const;

/** Why a workflow takes no leads. */
export const notPublished = {
  not_published: [409, 'The workflow is not published'],
  campaign_not_running: [409, 'The campaign of the workflow is not active, has not started yet, or is completed'],
} as const;

export const WorkflowStats = z.object({
  executions: z.record(z.string(), z.int()).meta({
    description: 'The number of executions by status',
    examples: [{ running: 0, waiting: 12, completed: 30, failed: 0, cancelled: 1, exited: 4 }],
  }),
  nodes: z
    .array(
      z.object({
        nodeId: name(100).meta({ description: 'The node', examples: ['email-1'] }),
        waiting: z.int().describe('Leads that are at the node now'),
        sent: z.int().describe('Messages that the mail server accepted'),
        skipped: z.int().describe('Messages that were not sent for a reason'),
        failed: z.int().describe('Messages that the mail server refused'),
        uncertain: z.int().describe('Messages that may have been sent'),
        opened: z.int().describe('Messages that a person opened'),
        clicked: z.int().describe('Messages in which a person clicked a link'),
        replied: z.int().describe('Messages that a person answered'),
        bounced: z.int().describe('Messages that bounced'),
        unsubscribed: z.int().describe('Messages by which a person unsubscribed'),
      }),
    )
    .describe('The figures of each node of the published version that has any'),
});

export const executions = operations({
  enrollLeads: {
    method: 'POST',
    path: '/v1/workflows/:id/enrollments',
    ...write,
    feature: 'workflows',
    also: ['leads:read'],
    summary: 'Enroll leads in a workflow',
    description: `Enrolls up to ${enrolledMax} leads in the published version. A lead is in a workflow once at a time.`,
    params: byWorkflow,
    body: z.object({
      leadIds: z
        .array(id('lead'))
        .min(1, 'Must name at least one lead')
        .max(enrolledMax, `Must contain at most ${enrolledMax} ids`)
        .describe('The leads to enroll'),
    }),
    reply: z.object({
      results: z
        .array(
          z.object({
            leadId: id('lead'),
            result: EnrollmentResult.meta({ description: 'What happened to the lead', examples: ['enrolled'] }),
            executionId: id('workflow_execution')
              .nullable()
              .describe('The execution of the lead, if it is in the workflow'),
          }),
        )
        .describe('What happened to each lead'),
    }),
    message: 'Leads enrolled',
    emits: [],
    errors: notPublished,
  },
  listWorkflowEnrollments: {
    method: 'GET',
    path: '/v1/workflows/:id/enrollments',
    ...read,
    summary: 'List the leads that are in a workflow',
    params: byWorkflow,
    query: ofWorkflow.omit({ status: true }),
    reply: page(WorkflowExecution),
    message: 'Enrollments retrieved',
  },
  removeEnrollment: {
    method: 'DELETE',
    path: '/v1/workflows/:id/enrollments/:leadId',
    ...write,
    summary: 'Remove a lead from a workflow',
    description: 'Cancels the execution of the lead.',
    params: z.object({ id: id('workflow'), leadId: id('lead') }),
    reply: WorkflowExecution,
    message: 'Lead removed',
    emits: [],
    errors: refused,
  },
  listWorkflowExecutions: {
    method: 'GET',
    path: '/v1/workflows/:id/executions',
    ...read,
    summary: 'List the executions of a workflow',
    params: byWorkflow,
    query: ofWorkflow,
    reply: page(WorkflowExecution),
    message: 'Executions retrieved',
  },
  getWorkflowExecution: {
    method: 'GET',
    path: '/v1/workflows/executions/:id',
    ...read,
    summary: 'Retrieve an execution with its steps',
    description: 'The `input` and `result` of steps are empty without the permission `leads:read` for all records.',
    params: z.object({ id: id('workflow_execution') }),
    reply: WorkflowExecution.extend({
      steps: z
        .array(WorkflowExecutionStep)
        .describe(
          `The steps so far, in order; the newest 500. They are deleted ${executionStepDays} days after the execution has ended`,
        ),
    }),
    message: 'Execution retrieved',
  },
  cancelExecution: {
    method: 'POST',
    path: '/v1/workflows/executions/:id/cancel',
    ...write,
    summary: 'Cancel an execution',
    params: z.object({ id: id('workflow_execution') }),
    reply: WorkflowExecution,
    message: 'Execution cancelled',
    emits: [],
    errors: refused,
  },
  retryExecution: {
    method: 'POST',
    path: '/v1/workflows/executions/:id/retry',
    ...write,
    feature: 'workflows',
    summary: 'Retry a failed execution',
    description: 'Continues at the node that failed. A message that may have been sent is not sent again.',
    params: z.object({ id: id('workflow_execution') }),
    reply: WorkflowExecution,
    message: 'Execution continues',
    emits: [],
    errors: { ...refused, ...notPublished, already_in: [409, 'The lead is in this workflow by another execution'] },
  },
  getWorkflowStats: {
    method: 'GET',
    path: '/v1/workflows/:id/stats',
    ...read,
    summary: 'Retrieve the figures of a workflow',
    params: byWorkflow,
    reply: WorkflowStats,
    message: 'Figures retrieved',
  },
});
