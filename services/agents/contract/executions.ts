import { event, freeForm, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { AgentKind, StepType } from './agents.ts';

export const executionStatuses = [
  'queued',
  'running',
  'awaiting_approval',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const;
export const leadsPerRunMax = 250;

export const ExecutionStatus = z.enum(executionStatuses).describe('The status of the execution');

/** The error of a step or an execution. */
export const StepError = z.object({
  code: z.string().meta({ description: 'A machine-readable error code', examples: ['no_answer'] }),
  message: z.string().meta({ description: 'A human-readable error message', examples: ['The call was not answered'] }),
  retryable: z.boolean().describe('Whether another attempt may succeed'),
});
/** The source of an output: a model or built-in rules. */
export const OutputSource = z
  .enum(['model', 'template'])
  .describe('Whether the output comes from a language model or from built-in rules');
/** The status of a bulk run. */
export const BulkRunStatus = z
  .enum(['running', 'completed', 'completed_with_errors'])
  .describe(
    'The status of the run: `completed` when all leads are done, `completed_with_errors` if any lead was rejected or failed',
  );

/** One step of an execution. */
export const ExecutionStep = z.object({
  name: z.string().meta({ examples: ['Call, attempt 1'] }),
  type: StepType,
  status: z.enum(['succeeded', 'failed']).describe('The outcome of the step'),
  startedAt: timestamp().describe('When the step started'),
  finishedAt: timestamp().describe('When the step ended'),
  error: StepError.nullable().meta({ description: 'The reason for the failure of the step', examples: [null] }),
});

export const Execution = z.object({
  id: id('execution'),
  agentId: id('agent'),
  kind: AgentKind,
  trigger: z.enum(['bulk']).describe('The trigger of the execution'),
  bulkRunId: id('bulk_run').nullable().describe('The bulk run that the execution belongs to'),
  leadId: id('lead').describe('The lead of the execution'),
  status: ExecutionStatus.meta({ examples: ['succeeded'] }),
  approvalId: id('approval')
    .nullable()
    .meta({ description: 'The approval that the execution requires', examples: [null] }),
  attempt: z.int().meta({ description: 'The number of attempts so far', examples: [1] }),
  input: freeForm()
    .nullable()
    .meta({
      description: 'The input of the execution, from the request',
      examples: [{ product: 'Difference engine' }],
    }),
  output: freeForm()
    .nullable()
    .meta({
      description: 'The result of the execution',
      examples: [{ outcome: 'answered', durationSeconds: 94, isSimulated: true, attempts: 1 }],
    }),
  steps: z.array(ExecutionStep).describe('The steps of the execution'),
  error: StepError.nullable().meta({ description: 'The error, if the execution failed', examples: [null] }),
  source: OutputSource.meta({ examples: ['template'] }),
  actingUserId: id('user').nullable().describe('The user who started the execution'),
  scheduledFor: timestamp()
    .nullable()
    .meta({ description: 'When the execution is due; null if it was queued to run immediately', examples: [null] }),
  createdAt: timestamp(),
  startedAt: timestamp().nullable().describe('When the execution started'),
  finishedAt: timestamp().nullable().describe('When the execution ended'),
});

const executionCount = (example: number) =>
  z.int().meta({ description: 'The number of executions in this status', examples: [example] });

/** The number of executions in each status. */
export const ExecutionCounts = z.object({
  queued: executionCount(0),
  running: executionCount(0),
  awaiting_approval: executionCount(0),
  succeeded: executionCount(2),
  failed: executionCount(0),
  skipped: executionCount(0),
  cancelled: executionCount(0),
});

export const BulkRun = z.object({
  id: id('bulk_run'),
  agentId: id('agent'),
  status: BulkRunStatus.meta({ examples: ['completed'] }),
  total: z.int().meta({ description: 'The number of leads in the request', examples: [2] }),
  accepted: z.int().meta({ description: 'The number of leads that were queued', examples: [2] }),
  rejected: z.int().meta({ description: 'The number of leads that were rejected', examples: [0] }),
  counts: ExecutionCounts.describe('The number of executions of the run by status'),
  scheduledFor: timestamp()
    .nullable()
    .meta({ description: 'When the run is due; null if it was queued to run immediately', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who started the run'),
  createdAt: timestamp(),
});

const ended = {
  group: 'agents',
  readPermission: 'agents:read',
  data: z.object({ executionId: id('execution'), agentId: id('agent'), leadId: id('lead') }),
  record: Execution,
  example: { executionId: 'scXmQxKHTzcdYorl', agentId: 'xYJTqrCYUSFRbEDJ', leadId: 'khzasVT5ZxaVtyRs' },
} as const;

export const executionCompleted = event('agent.execution_completed', {
  description: 'An execution succeeds',
  action: 'agent.execution_complete',
  target: 'execution',
  ...ended,
});

export const executionFailed = event('agent.execution_failed', {
  description: 'An execution fails',
  action: 'agent.execution_fail',
  target: 'execution',
  ...ended,
});

export const bulkRunStarted = event('agent.bulk_run_started', {
  description: 'A bulk run is started',
  action: 'agent.run_bulk',
  target: 'bulk_run',
  data: z.object({ bulkRunId: id('bulk_run'), agentId: id('agent') }),
  record: z.object({ id: id('bulk_run'), agentId: id('agent'), total: z.int(), accepted: z.int(), rejected: z.int() }),
});

export const leadErrors = {
  lead_not_found: 'No lead with this id',
  duplicate_in_request: 'The request contains this lead twice',
  already_running: 'An execution of the agent for this lead is already in progress',
  limit_reached: 'The daily limit of the agent is reached',
} as const;

const exampleResults = [
  { leadId: 'khzasVT5ZxaVtyRs', status: 'success', executionId: 'scXmQxKHTzcdYorl' },
  {
    leadId: '1djJZs2banxN2kyX',
    status: 'error',
    error: { code: 'already_running', message: leadErrors.already_running },
  },
];

/** The result of one lead of a bulk run. */
export const BulkRunResult = z.object({
  leadId: z.string().describe('The lead id from the request'),
  status: z.enum(['success', 'error']).describe('Whether the lead was queued or rejected'),
  executionId: id('execution').optional(),
  error: z
    .object({
      code: z.enum(Object.keys(leadErrors) as (keyof typeof leadErrors)[]).describe('A machine-readable error code'),
      message: z.string().describe('A human-readable error message'),
    })
    .describe('The reason for the rejection')
    .optional(),
});

export const executions = operations({
  runAgentInBulk: {
    method: 'POST',
    path: '/v1/agents/:id/runs:bulk',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Run an agent for multiple leads',
    description:
      'Accepts up to 250 leads and returns a result for each in the order of the request; `success` means that the lead is queued. The response is 200 even if every lead is rejected.',
    params: z.object({ id: id('agent') }),
    body: z.object({
      // Plain text, so that one malformed id does not reject the others.
      leadIds: z
        .array(text(64))
        .min(1, 'Must contain at least 1 id')
        .max(leadsPerRunMax, `Must contain at most ${leadsPerRunMax} ids`)
        .meta({ description: 'The ids of the leads', examples: [['khzasVT5ZxaVtyRs', '1djJZs2banxN2kyX']] }),
      input: freeForm()
        .meta({ description: 'Additional input for the agent', examples: [{ product: 'Difference engine' }] })
        .optional(),
      scheduledFor: timestamp()
        .describe('When the run is due: at most one minute in the past and one year ahead. Defaults to now.')
        .optional(),
    }),
    reply: z.object({
      bulkRunId: id('bulk_run'),
      agentId: id('agent'),
      total: z.int().meta({ description: 'The number of leads in the request', examples: [2] }),
      accepted: z.int().meta({ description: 'The number of leads that were queued', examples: [1] }),
      rejected: z.int().meta({ description: 'The number of leads that were rejected', examples: [1] }),
      results: z.array(BulkRunResult).meta({
        description: 'The result for each lead, in the order of the request',
        examples: [exampleResults],
      }),
    }),
    message: 'Bulk run queued',
    emits: [bulkRunStarted],
    errors: { agent_paused: [409, 'The agent is paused; resume it first'] },
  },
  getBulkRun: {
    method: 'GET',
    path: '/v1/agents/bulk-runs/:id',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve a bulk run',
    description: 'Callers who can read only some leads can retrieve the bulk runs that they started.',
    params: z.object({ id: id('bulk_run') }),
    reply: BulkRun,
    message: 'Bulk run retrieved',
  },
  listExecutions: {
    method: 'GET',
    path: '/v1/agents/executions',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List executions',
    description: 'Returns the executions for leads that the caller can read.',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        agentId: id('agent').optional(),
        leadId: id('lead').optional(),
        status: ExecutionStatus.optional(),
        bulkRunId: id('bulk_run').optional(),
      }),
    reply: page(Execution),
    message: 'Executions retrieved',
  },
  getExecution: {
    method: 'GET',
    path: '/v1/agents/executions/:id',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve an execution',
    params: z.object({ id: id('execution') }),
    reply: Execution,
    message: 'Execution retrieved',
  },
});
