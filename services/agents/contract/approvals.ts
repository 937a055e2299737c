import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

const statuses = ['pending', 'approved', 'rejected', 'expired'] as const;

const ApprovalStatus = z.enum(statuses, { error: `Must be one of ${statuses.join(', ')}` });

export const Approval = z.object({
  id: id('approval'),
  executionId: id('execution'),
  agentId: id('agent'),
  leadId: id('lead'),
  /** What the agent wants to do. */
  type: z.enum(['call', 'recommend']),
  status: ApprovalStatus,
  allowedTransitions: z.array(ApprovalStatus),
  comment: text(500).nullable(),
  /** Why it was rejected. */
  reason: text(500).nullable(),
  requestedAt: timestamp(),
  /** Who does not decide until then has rejected. */
  expiresAt: timestamp(),
  decidedBy: id('user').nullable(),
  decidedAt: timestamp().nullable(),
});

const example = { approvalId: 'Ap9sD4gKx7ZmRtVb', executionId: 'Ex6pL9dHs4KcMwTz', leadId: 'Ld3tG5mPz9VhWcQy' };
const data = z.object({ approvalId: id('approval'), executionId: id('execution'), leadId: id('lead') });

export const approvalRequested = event('agent.approval_requested', {
  group: 'agents',
  readPermission: 'agents:read',
  description: 'An agent asks before it acts',
  action: 'approval.request',
  target: 'approval',
  data,
  record: Approval,
  example,
});

export const approvalDecided = event('agent.approval_decided', {
  group: 'agents',
  readPermission: 'agents:read',
  description: 'What an agent asked for is approved, rejected or expired',
  action: 'approval.decide',
  target: 'approval',
  data: data.extend({ status: ApprovalStatus }),
  record: Approval,
  example: { ...example, status: 'approved' },
});

const withId = z.object({ id: id('approval') });
const decided = { already_decided: [409, 'The approval has been decided already'] } as const;

export const approvals = operations({
  listApprovals: {
    method: 'GET',
    path: '/v1/agents/approvals',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List approvals',
    description:
      'Those for leads that the caller may read: the ones that wait for a decision, unless another status is asked for.',
    query: listQuery(['requestedAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({ status: ApprovalStatus.default('pending'), agentId: id('agent').optional() }),
    reply: page(Approval),
    message: 'Approvals retrieved',
  },
  approveExecution: {
    method: 'POST',
    path: '/v1/agents/approvals/:id/approve',
    permission: 'agents:manage',
    also: ['leads:read'],
    summary: 'Approve what an agent asks for',
    description: 'Its execution goes on.',
    params: withId,
    body: z.object({ comment: text(500).nullish() }),
    reply: Approval,
    message: 'Approval granted',
    emits: [approvalDecided],
    errors: decided,
  },
  rejectExecution: {
    method: 'POST',
    path: '/v1/agents/approvals/:id/reject',
    permission: 'agents:manage',
    also: ['leads:read'],
    summary: 'Reject what an agent asks for',
    description: 'Its execution is cancelled.',
    params: withId,
    body: z.object({ reason: text(500).trim().min(1, 'Must not be empty') }),
    reply: Approval,
    message: 'Approval rejected',
    emits: [approvalDecided],
    errors: decided,
  },
});
