import { event, id, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { ModelUsage } from './usage.ts';

/** The status of a bulk run. */
export const BulkRunStatus = z
  .enum(['running', 'completed', 'completed_with_errors', 'cancelled'])
  .describe(
    'The status of the run: `completed` when all leads are done, `completed_with_errors` if any lead was rejected or failed, `cancelled` if what was left of it was cancelled',
  );

const executionCount = (example: number) =>
  z.int().meta({ description: 'The number of executions in this status', examples: [example] });

/** The number of executions in each status. */
export const ExecutionCounts = z.object({
  queued: executionCount(0),
  running: executionCount(0),
  awaiting_approval: executionCount(0),
  succeeded: executionCount(2),
  failed: executionCount(0),
  timed_out: executionCount(0),
  skipped: executionCount(0),
  cancelled: executionCount(0),
});

/** The rejected leads of a run with the same reason. */
export const BulkRunRejections = z.object({
  code: z.string().meta({ description: 'A machine-readable error code', examples: ['do_not_contact'] }),
  message: z
    .string()
    .meta({ description: 'A human-readable error message', examples: ['The lead has refused to be called'] }),
  leads: z.int().meta({ description: 'The number of leads', examples: [1] }),
});

export const BulkRun = z.object({
  id: id('bulk_run'),
  agentId: id('agent'),
  status: BulkRunStatus.meta({ examples: ['completed'] }),
  total: z.int().meta({ description: 'The number of leads in the request', examples: [2] }),
  accepted: z.int().meta({ description: 'The number of leads that were queued', examples: [2] }),
  rejected: z.int().meta({ description: 'The number of leads that were rejected', examples: [0] }),
  rejections: z.array(BulkRunRejections).meta({
    description:
      'The number of rejected leads by reason. Runs of earlier releases, and leads that were erased, are not included.',
    examples: [[]],
  }),
  counts: ExecutionCounts.describe('The number of executions of the run by status'),
  scheduledFor: timestamp()
    .nullable()
    .meta({ description: 'When the run is due; null if it was queued to run immediately', examples: [null] }),
  scheduleId: id('agent_schedule')
    .nullable()
    .meta({ description: 'The schedule that started the run', examples: [null] }),
  retryOf: id('bulk_run')
    .nullable()
    .meta({ description: 'The run whose failed executions this one repeats', examples: [null] }),
  usage: ModelUsage.nullable().meta({
    description: 'The use of models by all executions; null if none used one',
    examples: [null],
  }),
  completedAt: timestamp().nullable().describe('When the last execution of the run ended'),
  createdBy: id('user').nullable().describe('The user who started the run'),
  createdAt: timestamp(),
});

/** A run in an event of an earlier release, which has fewer statuses. */
const EventBulkRun = BulkRun.extend({
  counts: ExecutionCounts.extend({ timed_out: executionCount(0).default(0) }),
  rejections: BulkRun.shape.rejections.default([]),
});

export const bulkRunStarted = event('agent.bulk_run_started', {
  description: 'A bulk run is started',
  action: 'agent.run_bulk',
  target: 'bulk_run',
  data: z.object({ bulkRunId: id('bulk_run'), agentId: id('agent') }),
  record: z.object({ id: id('bulk_run'), agentId: id('agent'), total: z.int(), accepted: z.int(), rejected: z.int() }),
});

export const bulkRunCancelled = event('agent.bulk_run_cancelled', {
  description: 'What is left of a bulk run is cancelled',
  action: 'agent.cancel_bulk_run',
  target: 'bulk_run',
  data: z.object({ bulkRunId: id('bulk_run'), agentId: id('agent') }),
  record: EventBulkRun,
});

export const bulkRunCompleted = event('agent.bulk_run_completed', {
  group: 'agents',
  readPermission: 'agents:read',
  description: 'The last execution of a bulk run ends',
  action: 'agent.complete_bulk_run',
  target: 'bulk_run',
  data: z.object({ bulkRunId: id('bulk_run'), agentId: id('agent'), status: BulkRunStatus }),
  record: EventBulkRun,
  example: { bulkRunId: 'EUT49u1kjzsOm75q', agentId: 'xYJTqrCYUSFRbEDJ', status: 'completed' },
});
