import { event, freeForm, id, listQuery, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { AgentKind, StepType } from './agents.ts';
import { approvalDecided } from './approvals.ts';
import { bulkRunCompleted } from './bulk-run.ts';
import { recommendationDecided, recommendationPerformed } from './recommendations.ts';
import { ModelUsage } from './usage.ts';

export const executionStatuses = [
  'queued',
  'running',
  'awaiting_approval',
  'succeeded',
  'failed',
  'timed_out',
  'skipped',
  'cancelled',
] as const;

export const executionTriggers = ['bulk', 'manual', 'schedule'] as const;

export const executionStates = stateTable<(typeof executionStatuses)[number]>('Execution', {
  created: { queued: 'runAgent' },
  changes: {
    queued: { cancelled: 'cancelAgentExecution' },
    running: { cancelled: 'cancelAgentExecution' },
    awaiting_approval: { cancelled: 'cancelAgentExecution' },
    succeeded: {},
    failed: {},
    timed_out: {},
    skipped: {},
    cancelled: {},
  },
  automatic: {
    queued: { running: 'run-execution.job', skipped: 'run-execution.job', failed: 'run-execution.job' },
    running: {
      queued: 'run-execution.job',
      succeeded: 'run-execution.job',
      failed: 'run-execution.job',
      timed_out: 'check-call.job',
      skipped: 'run-execution.job',
      awaiting_approval: 'run-execution.job',
    },
    awaiting_approval: { queued: 'approveExecution', cancelled: 'rejectExecution' },
  },
});

export const ExecutionStatus = z.enum(executionStatuses).describe('The status of the execution');

export const ExecutionTrigger = z
  .enum(executionTriggers)
  .describe(
    'What started the execution: `bulk` for a bulk run, `manual` for a single run or a retry, `schedule` for a schedule',
  );

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
  trigger: ExecutionTrigger,
  bulkRunId: id('bulk_run').nullable().describe('The bulk run that the execution belongs to'),
  leadId: id('lead').describe('The lead of the execution'),
  status: ExecutionStatus.meta({ examples: ['succeeded'] }),
  allowedTransitions: z.array(ExecutionStatus).meta({
    description: 'The statuses that a caller can change the execution to',
    examples: [[]],
  }),
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
      description:
        'The result of the execution. Of a call: `outcome`, `durationSeconds`, `attempts` and `isSimulated`, which is true in the sandbox, where no call is made; of a real one also `callId`, and `callStatus` while it is in progress.',
      examples: [{ outcome: 'answered', durationSeconds: 94, isSimulated: false, attempts: 1, callId: 'CA1' }],
    }),
  usage: ModelUsage.nullable().meta({ description: 'The use of the model; null without one', examples: [null] }),
  steps: z.array(ExecutionStep).describe('The steps of the execution'),
  error: StepError.nullable().meta({ description: 'The error, if the execution failed', examples: [null] }),
  source: OutputSource.meta({ examples: ['template'] }),
  actingUserId: id('user').nullable().describe('The user who started the execution'),
  scheduleId: id('agent_schedule')
    .nullable()
    .meta({ description: 'The schedule that started the execution', examples: [null] }),
  retryOf: id('execution')
    .nullable()
    .meta({ description: 'The execution that this one repeats', examples: [null] }),
  cancelReason: text(500)
    .nullable()
    .meta({ description: 'The reason that was given when the execution was cancelled', examples: [null] }),
  scheduledFor: timestamp()
    .nullable()
    .meta({ description: 'When the execution is due; null if it was queued to run immediately', examples: [null] }),
  createdAt: timestamp(),
  startedAt: timestamp().nullable().describe('When the execution started'),
  finishedAt: timestamp().nullable().describe('When the execution ended'),
});

// Events of earlier releases.
const whenMissing = {
  record: { allowedTransitions: [], retryOf: null, cancelReason: null, scheduleId: null, usage: null },
};

const ended = {
  group: 'agents',
  readPermission: 'agents:read',
  data: z.object({ executionId: id('execution'), agentId: id('agent'), leadId: id('lead') }),
  record: Execution,
  whenMissing,
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

const about = { data: ended.data, record: Execution };

export const executionStarted = event('agent.execution_started', {
  description: 'An agent is run for one lead',
  action: 'agent.execution_start',
  target: 'execution',
  ...about,
});

export const executionCancelled = event('agent.execution_cancelled', {
  description: 'An execution is cancelled',
  action: 'agent.execution_cancel',
  target: 'execution',
  ...about,
});

export const leadErrors = {
  lead_not_found: 'No lead with this id',
  duplicate_in_request: 'The request contains this lead twice',
  already_running: 'An execution of the agent for this lead is already in progress',
  do_not_contact: 'The lead has refused to be called',
  limit_reached: 'The daily limit of the agent is reached',
} as const;

/** Why a lead of a bulk run got no execution. */
export const LeadErrorCode = z
  .enum(Object.keys(leadErrors) as (keyof typeof leadErrors)[])
  .describe('A machine-readable error code');

/** Path parameters of what belongs to an agent. */
export const ofAgent = z.object({ id: id('agent') });
const ofExecution = z.object({ id: id('execution') });
/** The fields of a request that starts executions. */
export const input = freeForm()
  .meta({ description: 'Additional input for the agent', examples: [{ product: 'Difference engine' }] })
  .optional();
export const scheduledFor = timestamp()
  .describe('When the run is due: at most one minute in the past and one year ahead. Defaults to now.')
  .optional();

const wrongStatus = { wrong_status: [409, 'The status of the execution does not allow this'] } as const;

/** Errors of requests that start executions of an agent. */
export const agentErrors = {
  agent_paused: [409, 'The agent is paused; resume it first'],
  telephony_not_configured: [
    409,
    'Calls need a telephone provider: the operator sets TELEPHONY_ACCOUNT_SID, TELEPHONY_AUTH_TOKEN and TELEPHONY_FROM. The sandbox simulates calls.',
  ],
} as const;

const startErrors = {
  ...agentErrors,
  already_running: [409, leadErrors.already_running],
  do_not_contact: [409, leadErrors.do_not_contact],
  limit_reached: [409, leadErrors.limit_reached],
} as const;

/** The query of a list of executions. */
export const executionsQuery = listQuery(['createdAt'])
  .omit({ search: true })
  .extend({
    leadId: id('lead').optional(),
    status: ExecutionStatus.optional(),
    trigger: ExecutionTrigger.optional(),
    bulkRunId: id('bulk_run').optional(),
  });

export const executions = operations({
  runAgent: {
    method: 'POST',
    path: '/v1/agents/:id/runs',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Run an agent for one lead',
    description: 'Queues an execution. An agent has one execution at a time for a lead.',
    params: ofAgent,
    body: z.object({ leadId: id('lead').describe('The lead to run the agent for'), input, scheduledFor }),
    reply: Execution,
    status: 202,
    example: { status: 'queued', trigger: 'manual', bulkRunId: null, allowedTransitions: ['cancelled'] },
    message: 'Execution queued',
    emits: [executionStarted],
    errors: startErrors,
  },
  listExecutions: {
    method: 'GET',
    path: '/v1/agents/executions',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List executions',
    description: 'Returns the executions for leads that the caller can read.',
    query: executionsQuery.extend({ agentId: id('agent').optional() }),
    reply: page(Execution),
    message: 'Executions retrieved',
  },
  listAgentExecutions: {
    method: 'GET',
    path: '/v1/agents/:id/executions',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List the executions of an agent',
    description: 'Returns the executions for leads that the caller can read.',
    params: ofAgent,
    query: executionsQuery,
    reply: page(Execution),
    message: 'Executions retrieved',
  },
  getExecution: {
    method: 'GET',
    path: '/v1/agents/executions/:id',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve an execution',
    params: ofExecution,
    reply: Execution,
    message: 'Execution retrieved',
  },
  cancelAgentExecution: {
    method: 'POST',
    path: '/v1/agents/executions/:id/cancel',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Cancel an execution',
    description:
      'The execution must be queued, running or awaiting approval; its approval is cancelled too. A call that is in progress is hung up, and its outcome is not recorded.',
    params: ofExecution,
    body: z.object({
      reason: text(500)
        .meta({ description: 'The reason, shown in `cancelReason`', examples: ['The lead has called us'] })
        .nullish(),
    }),
    reply: Execution,
    example: { status: 'cancelled', allowedTransitions: [], cancelReason: 'The lead has called us' },
    message: 'Execution cancelled',
    emits: [executionCancelled, approvalDecided, recommendationDecided, recommendationPerformed, bulkRunCompleted],
    errors: wrongStatus,
  },
  retryAgentExecution: {
    method: 'POST',
    path: '/v1/agents/executions/:id/retry',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Repeat an execution',
    description:
      'Queues a new execution with the same lead and input. The execution must be failed, timed out, cancelled or skipped. It can be repeated once; then the new one can be repeated.',
    params: ofExecution,
    reply: Execution,
    status: 202,
    example: { status: 'queued', trigger: 'manual', bulkRunId: null, allowedTransitions: ['cancelled'] },
    message: 'Execution queued',
    emits: [executionStarted],
    errors: {
      ...startErrors,
      ...wrongStatus,
      lead_gone: [409, 'The lead of the execution no longer exists'],
      already_repeated: [
        409,
        'The execution was repeated already; repeat the new one, whose retryOf is this execution',
      ],
    },
  },
});
