import { event, id, listQuery, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { StepType } from './agents.ts';
import { bulkRunCompleted } from './bulk-run.ts';
import { decision, exampleDecision } from './decision.ts';

const statuses = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const;

export const ApprovalStatus = z.enum(statuses).describe('The status of the approval');

export const approvalStates = stateTable<(typeof statuses)[number]>('Approval', {
  created: { pending: 'run-execution.job' },
  changes: {
    pending: { approved: 'approveExecution', rejected: 'rejectExecution' },
    approved: {},
    rejected: {},
    expired: {},
    cancelled: {},
  },
  automatic: { pending: { expired: 'expire-approval.job', cancelled: 'cancelAgentExecution' } },
});

export const Approval = z.object({
  id: id('approval'),
  executionId: id('execution'),
  agentId: id('agent'),
  leadId: id('lead').describe('The lead that the action concerns'),
  type: StepType,
  status: ApprovalStatus,
  allowedTransitions: z.array(ApprovalStatus).meta({
    description: 'The statuses that this approval can currently change to',
    examples: [['approved', 'rejected']],
  }),
  comment: text(500)
    .nullable()
    .meta({ description: 'The comment of the approver', examples: [null] }),
  reason: text(500)
    .nullable()
    .meta({ description: 'The reason for the rejection', examples: [null] }),
  requestedAt: timestamp().describe('When the approval was requested'),
  expiresAt: timestamp().meta({
    description: 'When the approval expires; an expired approval counts as rejected',
    examples: ['2026-03-03T09:15:00.000Z'],
  }),
  ...decision,
});

const example = { approvalId: 'wKVcKW9mTYdqGXIo', executionId: 'scXmQxKHTzcdYorl', leadId: 'khzasVT5ZxaVtyRs' };
const data = z.object({ approvalId: id('approval'), executionId: id('execution'), leadId: id('lead') });

export const approvalRequested = event('agent.approval_requested', {
  group: 'agents',
  readPermission: 'agents:read',
  description: 'An agent requests an approval',
  action: 'approval.request',
  target: 'approval',
  data,
  record: Approval,
  example,
});

export const approvalDecided = event('agent.approval_decided', {
  group: 'agents',
  readPermission: 'agents:read',
  description: 'An approval is granted, rejected, expired or cancelled',
  action: 'approval.decide',
  target: 'approval',
  data: data.extend({ status: ApprovalStatus }),
  record: Approval,
  example: { ...example, status: 'approved' },
});

const withId = z.object({ id: id('approval') });
const decided = { already_decided: [409, 'The approval is already decided'] } as const;

export const approvals = operations({
  listApprovals: {
    method: 'GET',
    path: '/v1/agents/approvals',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List approvals',
    description: 'Returns the approvals for leads that the caller can read, by default those that are pending.',
    query: listQuery(['requestedAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({ status: ApprovalStatus.default('pending'), agentId: id('agent').optional() }),
    reply: page(Approval),
    message: 'Approvals retrieved',
  },
  getApproval: {
    method: 'GET',
    path: '/v1/agents/approvals/:id',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve an approval',
    params: withId,
    reply: Approval,
    message: 'Approval retrieved',
  },
  approveExecution: {
    method: 'POST',
    path: '/v1/agents/approvals/:id/approve',
    permission: 'agents:manage',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Approve an agent action',
    description: 'The execution continues.',
    params: withId,
    body: z.object({
      comment: text(500)
        .nullish()
        .meta({ description: 'A comment on the decision', examples: ['Approved, please call this week'] }),
    }),
    example: { status: 'approved', allowedTransitions: [], ...exampleDecision },
    reply: Approval,
    message: 'Approval granted',
    emits: [approvalDecided, bulkRunCompleted],
    errors: decided,
  },
  rejectExecution: {
    method: 'POST',
    path: '/v1/agents/approvals/:id/reject',
    permission: 'agents:manage',
    also: ['leads:read'],
    summary: 'Reject an agent action',
    description: 'The execution is cancelled.',
    params: withId,
    body: z.object({
      reason: text(500)
        .trim()
        .min(1, 'Must not be empty')
        .meta({
          description: 'The reason for the rejection',
          examples: ['A colleague is already in contact with the lead'],
        }),
    }),
    example: { status: 'rejected', allowedTransitions: [], ...exampleDecision },
    reply: Approval,
    message: 'Approval rejected',
    emits: [approvalDecided, bulkRunCompleted],
    errors: decided,
  },
});
