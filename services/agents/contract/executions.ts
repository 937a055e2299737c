import { event, freeForm, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { AgentKind } from './agents.ts';

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

const ExecutionStatus = z.enum(executionStatuses, { error: `Must be one of ${executionStatuses.join(', ')}` });

const StepError = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() });

const Step = z.object({
  name: z.string(),
  type: z.enum(['call', 'recommend']),
  status: z.enum(['succeeded', 'failed']),
  startedAt: timestamp(),
  finishedAt: timestamp(),
  error: StepError.nullable(),
});

export const Execution = z.object({
  id: id('execution'),
  agentId: id('agent'),
  kind: AgentKind,
  trigger: z.enum(['bulk']),
  bulkRunId: id('bulk_run').nullable(),
  leadId: id('lead'),
  status: ExecutionStatus,
  /** Of an agent that has to ask: what was asked. */
  approvalId: id('approval').nullable(),
  /** How often it was tried, this time included. */
  attempt: z.int(),
  input: freeForm().nullable(),
  output: freeForm().nullable(),
  steps: z.array(Step),
  error: StepError.nullable(),
  /** Whether a model thought of the output, or rules did. */
  source: z.enum(['model', 'template']),
  actingUserId: id('user').nullable(),
  scheduledFor: timestamp().nullable(),
  createdAt: timestamp(),
  startedAt: timestamp().nullable(),
  finishedAt: timestamp().nullable(),
});

const States = z.object({
  queued: z.int(),
  running: z.int(),
  awaiting_approval: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  skipped: z.int(),
  cancelled: z.int(),
});

export const BulkRun = z.object({
  id: id('bulk_run'),
  agentId: id('agent'),
  /** Whether all that was accepted has ended, and whether anything was rejected or failed. */
  status: z.enum(['running', 'completed', 'completed_with_errors']),
  total: z.int(),
  accepted: z.int(),
  rejected: z.int(),
  counts: States,
  scheduledFor: timestamp().nullable(),
  createdBy: id('user').nullable(),
  createdAt: timestamp(),
});

const ended = {
  group: 'agents',
  readPermission: 'agents:read',
  data: z.object({ executionId: id('execution'), agentId: id('agent'), leadId: id('lead') }),
  record: Execution,
  example: { executionId: 'Ex6pL9dHs4KcMwTz', agentId: 'Ag2fY7jRv8NqBkXs', leadId: 'Ld3tG5mPz9VhWcQy' },
} as const;

export const executionCompleted = event('agent.execution_completed', {
  description: 'An agent is done with a lead',
  action: 'agent.execution_complete',
  target: 'execution',
  ...ended,
});

export const executionFailed = event('agent.execution_failed', {
  description: 'An agent failed with a lead',
  action: 'agent.execution_fail',
  target: 'execution',
  ...ended,
});

export const bulkRunStarted = event('agent.bulk_run_started', {
  description: 'An agent is sent to many leads',
  action: 'agent.run_bulk',
  target: 'bulk_run',
  data: z.object({ bulkRunId: id('bulk_run'), agentId: id('agent') }),
  record: z.object({ id: id('bulk_run'), agentId: id('agent'), total: z.int(), accepted: z.int(), rejected: z.int() }),
});

export const leadErrors = {
  lead_not_found: 'No lead with this id',
  duplicate_in_request: 'The lead stands in the request before',
  already_running: 'The agent is at work for this lead already',
  limit_reached: 'The daily cap of the agent is reached',
} as const;

export const executions = operations({
  runAgentInBulk: {
    method: 'POST',
    path: '/v1/agents/:id/runs:bulk',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Run an agent for many leads',
    description:
      'Takes up to 250 leads and answers for each, in the order of the request: success means queued. Also a request of which every lead is rejected answers 200.',
    params: z.object({ id: id('agent') }),
    body: z.object({
      // Plain text: one id that is none must not refuse the others.
      leadIds: z
        .array(text(64))
        .min(1, 'Must hold at least 1 id')
        .max(leadsPerRunMax, `Must hold at most ${leadsPerRunMax} ids`),
      input: freeForm().optional(),
      scheduledFor: timestamp()
        .describe(
          'When the run is due: at most a year ahead, and not in the past, with a tolerance of a minute; default now',
        )
        .optional(),
    }),
    reply: z.object({
      bulkRunId: id('bulk_run'),
      agentId: id('agent'),
      total: z.int(),
      accepted: z.int(),
      rejected: z.int(),
      results: z.array(
        z.object({
          leadId: z.string(),
          status: z.enum(['success', 'error']),
          executionId: id('execution').optional(),
          error: z
            .object({ code: z.enum(Object.keys(leadErrors) as (keyof typeof leadErrors)[]), message: z.string() })
            .optional(),
        }),
      ),
    }),
    message: 'Bulk run queued',
    emits: [bulkRunStarted],
    errors: { agent_paused: [409, 'The agent is paused'] },
  },
  getBulkRun: {
    method: 'GET',
    path: '/v1/agents/bulk-runs/:id',
    permission: 'agents:read',
    summary: 'Retrieve how far a bulk run is',
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
    description: 'Those for leads that the caller may read.',
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
