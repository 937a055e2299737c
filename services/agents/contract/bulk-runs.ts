import { id, operations, page, text } from '@tandem/contract';
import { z } from 'zod';
import { approvalDecided } from './approvals.ts';
import { BulkRun, bulkRunCancelled, bulkRunCompleted, bulkRunStarted } from './bulk-run.ts';
import { BulkRunItem, BulkRunItemStatus } from './bulk-run-items.ts';
import { BulkStatus } from './decision.ts';
import {
  agentErrors,
  executionCancelled,
  executionsQuery,
  input,
  LeadErrorCode,
  leadErrors,
  ofAgent,
  scheduledFor,
} from './executions.ts';
import { recommendationDecided, recommendationPerformed } from './recommendations.ts';

export const leadsPerRunMax = 250;

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
  status: BulkStatus.describe('Whether the lead was queued or rejected'),
  executionId: id('execution').optional(),
  error: z
    .object({
      code: LeadErrorCode,
      message: z.string().describe('A human-readable error message'),
    })
    .describe('The reason for the rejection')
    .optional(),
});

/** The response to a request that starts a bulk run. */
export const StartedRun = z.object({
  bulkRunId: id('bulk_run'),
  agentId: id('agent'),
  total: z.int().meta({ description: 'The number of leads in the request', examples: [2] }),
  accepted: z.int().meta({ description: 'The number of leads that were queued', examples: [1] }),
  rejected: z.int().meta({ description: 'The number of leads that were rejected', examples: [1] }),
  results: z.array(BulkRunResult).meta({
    description: 'The result for each lead, in the order of the request',
    examples: [exampleResults],
  }),
});

const withId = z.object({ id: id('bulk_run') });
const ofOwnRuns = 'Callers who can read only some leads can do this for the bulk runs that they started.';

export const bulkRuns = operations({
  runAgentInBulk: {
    method: 'POST',
    path: '/v1/agents/:id/runs:bulk',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Run an agent for multiple leads',
    description:
      'Accepts up to 250 leads and returns a result for each in the order of the request; `success` means that the lead is queued. The response is 200 even if every lead is rejected.',
    params: ofAgent,
    body: z.object({
      // Plain text, so that one malformed id does not reject the others.
      leadIds: z
        .array(text(64))
        .min(1, 'Must contain at least 1 id')
        .max(leadsPerRunMax, `Must contain at most ${leadsPerRunMax} ids`)
        .meta({ description: 'The ids of the leads', examples: [['khzasVT5ZxaVtyRs', '1djJZs2banxN2kyX']] }),
      input,
      scheduledFor,
    }),
    reply: StartedRun,
    message: 'Bulk run queued',
    emits: [bulkRunStarted, bulkRunCompleted],
    errors: agentErrors,
  },
  getBulkRun: {
    method: 'GET',
    path: '/v1/agents/bulk-runs/:id',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve a bulk run',
    description: 'Callers who can read only some leads can retrieve the bulk runs that they started.',
    params: withId,
    reply: BulkRun,
    message: 'Bulk run retrieved',
  },
  listBulkRunItems: {
    method: 'GET',
    path: '/v1/agents/bulk-runs/:id/items',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List the leads of a bulk run',
    description: `Returns the executions, and the leads that were rejected: these have the status \`rejected\`, no \`id\`, and the reason in \`error\`. ${ofOwnRuns}`,
    params: withId,
    query: executionsQuery
      .pick({ page: true, limit: true, sort: true, cursor: true, leadId: true })
      .extend({ status: BulkRunItemStatus.optional() }),
    reply: page(BulkRunItem),
    message: 'Bulk run items retrieved',
  },
  cancelBulkRun: {
    method: 'POST',
    path: '/v1/agents/bulk-runs/:id/cancel',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Cancel a bulk run',
    description: `Cancels the executions of the run that have not ended, with their approvals. ${ofOwnRuns}`,
    params: withId,
    body: z.object({
      reason: text(500)
        .meta({ description: 'The reason, shown in `cancelReason` of the executions', examples: ['Wrong segment'] })
        .nullish(),
    }),
    reply: BulkRun,
    example: { status: 'cancelled' },
    message: 'Bulk run cancelled',
    emits: [
      bulkRunCancelled,
      executionCancelled,
      approvalDecided,
      recommendationDecided,
      recommendationPerformed,
      bulkRunCompleted,
    ],
    errors: { run_is_over: [409, 'Every execution of the bulk run has ended'] },
  },
  retryFailed: {
    method: 'POST',
    path: '/v1/agents/bulk-runs/:id/retry-failed',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Repeat the failed executions of a bulk run',
    description: `Starts a new bulk run for the failed executions that were not repeated yet, with the same input. ${ofOwnRuns}`,
    params: withId,
    reply: StartedRun,
    status: 202,
    message: 'Bulk run queued',
    emits: [bulkRunStarted, bulkRunCompleted],
    errors: {
      ...agentErrors,
      nothing_failed: [409, 'The bulk run has no failed execution that was not repeated yet'],
    },
  },
});
