import { assigneeFilter, event, id, listQuery, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { ActionRisk, AgentAction } from './actions.ts';
import { StepType } from './agents.ts';
import { bulkRunCompleted } from './bulk-run.ts';
import { BulkStatus, decision, exampleDecision } from './decision.ts';
import { recommendationDecided } from './recommendations.ts';

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
  type: StepType.exclude(['act', 'tool']).describe('The type of the work: call a lead, or recommend the next step'),
  proposedAction: AgentAction.nullable().describe('The action that the agent wants to take'),
  editedAction: AgentAction.nullable().meta({
    description: 'The action that the approver has chosen instead; null if it was not edited',
    examples: [null],
  }),
  rationale: text(1_000)
    .nullable()
    .meta({
      description: 'Why the agent proposes the action',
      examples: ['The lead is qualified: plan a follow-up task'],
    }),
  risk: ActionRisk,
  assignee: id('user')
    .nullable()
    .describe('The user who should decide: the assignee of the lead, if it has one. Others can decide too'),
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

// Events of earlier releases.
const whenMissing = { record: { risk: 'medium' } } as const;

export const approvalRequested = event('agent.approval_requested', {
  group: 'agents',
  readPermission: 'agents:read',
  description: 'An agent requests an approval',
  action: 'approval.request',
  target: 'approval',
  data,
  record: Approval,
  whenMissing,
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
  whenMissing,
  example: { ...example, status: 'approved' },
});

/** Maximum number of approvals in one request. */
export const approvalsPerCallMax = 100;

const decisionErrors = {
  not_found: 'No approval with this id',
  duplicate_in_request: 'The request contains this approval twice',
  already_decided: 'The approval is already decided',
  action_not_permitted: 'You do not have the permission for the action',
} as const;

export type DecisionError = keyof typeof decisionErrors;

/** The message of each error. */
export const messageOfDecision = (code: DecisionError): string => decisionErrors[code];

const BulkDecision = z.object({
  id: z.string().meta({ description: 'The id from the request', examples: ['wKVcKW9mTYdqGXIo'] }),
  status: BulkStatus.describe('Whether the approval was decided'),
  error: z
    .object({
      code: z
        .enum(Object.keys(decisionErrors) as DecisionError[])
        .meta({ description: 'A machine-readable error code', examples: ['already_decided'] }),
      message: z
        .string()
        .meta({ description: 'A human-readable error message', examples: ['The approval is already decided'] }),
    })
    .describe('Why the approval was not decided')
    .optional(),
});

const withId = z.object({ id: id('approval') });
const notPermitted = { action_not_permitted: [403, 'You do not have the permission for the action'] } as const;
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
      .extend({
        status: ApprovalStatus.default('pending'),
        agentId: id('agent').optional(),
        assignee: assigneeFilter().describe('The user who should decide: an id, or `me` for the caller').optional(),
      }),
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
    checksPermissions: true,
    summary: 'Approve an agent action',
    description:
      'The agent takes the action, or `editedAction` instead. The approver needs the permission for the action: tasks:write for a task, leads:write for a status and tags, and also opportunities:write for a conversion.',
    params: withId,
    body: z.object({
      editedAction: AgentAction.nullish().describe('The action to take instead, of the same type'),
      comment: text(500)
        .nullish()
        .meta({ description: 'A comment on the decision', examples: ['Approved, please call this week'] }),
    }),
    example: { status: 'approved', allowedTransitions: [], ...exampleDecision },
    reply: Approval,
    message: 'Approval granted',
    emits: [approvalDecided, recommendationDecided, bulkRunCompleted],
    errors: { ...decided, ...notPermitted },
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
    emits: [approvalDecided, recommendationDecided, bulkRunCompleted],
    errors: decided,
  },
  decideApprovals: {
    method: 'POST',
    path: '/v1/agents/approvals:bulk',
    permission: 'agents:manage',
    feature: 'agents',
    also: ['leads:read'],
    checksPermissions: true,
    summary: 'Decide multiple approvals',
    description: `Approves or rejects up to ${approvalsPerCallMax} approvals as they were proposed, and returns a result for each in the order of the request. The response is 200 even if none could be decided.`,
    body: z.object({
      ids: z
        .array(text(64))
        .min(1, 'Must contain at least 1 id')
        .max(approvalsPerCallMax, `Must contain at most ${approvalsPerCallMax} ids`)
        .meta({ description: 'The ids of the approvals', examples: [['wKVcKW9mTYdqGXIo']] }),
      decision: z.enum(['approve', 'reject']).meta({ description: 'The decision', examples: ['approve'] }),
      comment: text(500)
        .nullish()
        .meta({ description: 'A comment on an approval', examples: ['Approved, please call this week'] }),
      reason: text(500)
        .nullish()
        .meta({ description: 'The reason for a rejection, which requires one', examples: [null] }),
    }),
    reply: z.object({
      total: z.int().meta({ description: 'The number of approvals in the request', examples: [1] }),
      succeeded: z.int().meta({ description: 'The number that were decided', examples: [1] }),
      failed: z.int().meta({ description: 'The number that were not', examples: [0] }),
      results: z.array(BulkDecision).describe('The result for each approval, in the order of the request'),
    }),
    message: 'Approvals decided',
    emits: [approvalDecided, recommendationDecided, bulkRunCompleted],
  },
});
