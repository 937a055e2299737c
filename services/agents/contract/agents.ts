import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const agentKinds = ['caller', 'recommender'] as const;
export const agentStatuses = ['active', 'paused'] as const;
export const retryableOutcomes = ['no_answer', 'busy', 'failed'] as const;

export const AgentKind = z
  .enum(agentKinds, { error: `Must be one of ${agentKinds.join(', ')}` })
  .describe('What the agent does: it calls leads, or it recommends the next step');
export const AgentStatus = z
  .enum(agentStatuses, { error: `Must be one of ${agentStatuses.join(', ')}` })
  .describe('Whether the agent works or is paused');
export const ApprovalPolicy = z
  .enum(['always', 'never'], { error: 'Must be one of always, never' })
  .describe('Whether a person has to approve each action before the agent acts');

/** How an agent works. */
export const AgentConfig = z.object({
  goal: text(500)
    .nullable()
    .meta({ description: 'What the agent should achieve', examples: ['Agree on a first meeting'] }),
  script: text(10_000)
    .nullable()
    .meta({ description: 'What the agent says, or the rules it follows', examples: ['Ask what they use today.'] }),
  tone: text(100)
    .nullable()
    .meta({ description: 'How the agent speaks', examples: ['friendly'] }),
});

/** What an agent does in one step. */
export const StepType = z.enum(['call', 'recommend']).describe('What the agent does: call a lead, or recommend a step');

const count = (min: number, max: number) => {
  const error = `Must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** An outcome of a call after which it can be tried again. */
export const RetryableOutcome = z
  .enum(retryableOutcomes, { error: `Must be one of ${retryableOutcomes.join(', ')}` })
  .describe('An outcome of a call after which it can be tried again');

/** Bounds on what an agent does. */
export const AgentLimits = z.object({
  dailyCap: count(1, 100_000)
    .nullable()
    .meta({
      description: 'The number of executions that may be queued per day (UTC); null for no limit',
      examples: [200],
    }),
  maxAttempts: count(1, 10).meta({ description: 'How many times a call is tried', examples: [2] }),
  retryOn: z
    .array(RetryableOutcome)
    .max(retryableOutcomes.length, `Must hold at most ${retryableOutcomes.length} entries`)
    .describe('The outcomes after which a call is tried again'),
});

export const Agent = z.object({
  id: id('agent'),
  name: name(100).meta({ examples: ['Caller'] }),
  kind: AgentKind,
  status: AgentStatus,
  allowedTransitions: z
    .array(AgentStatus)
    .meta({ description: 'The statuses that this agent can change to now', examples: [['paused']] }),
  description: text(1_000)
    .nullable()
    .meta({ examples: ['Calls leads and records the outcome'] }),
  config: AgentConfig.describe('How the agent works'),
  approvalPolicy: ApprovalPolicy,
  limits: AgentLimits.describe('Bounds on what the agent does'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const agentUpdated = event('agent.updated', {
  description: 'An agent is changed, paused or resumed',
  action: 'agent.update',
  target: 'agent',
  data: z.object({ agentId: id('agent') }),
  record: Agent,
});

const Rate = z.number().min(0).max(1);

export const AgentDashboard = z.object({
  agents: z
    .object({
      caller: z
        .object({
          status: AgentStatus,
          totalCalls: z.int().meta({ description: 'The number of calls that ended', examples: [120] }),
          successRate: Rate.meta({
            description: 'The part of these calls that was answered, from 0 to 1',
            examples: [0.4],
          }),
        })
        .describe('The agents that call leads'),
      recommender: z
        .object({
          status: AgentStatus,
          totalRecommendations: z.int().meta({ description: 'The number of recommendations', examples: [80] }),
          acceptRate: Rate.meta({ description: 'The part of them that was accepted, from 0 to 1', examples: [0.65] }),
        })
        .describe('The agents that recommend the next step'),
    })
    .describe('The results of the agents, by kind'),
  recentExecutions: z.int().meta({ description: 'The number of executions in the period', examples: [200] }),
  pendingApprovals: z
    .int()
    .meta({ description: 'The number of approvals that wait for a decision now', examples: [3] }),
});

const dayMs = 86_400_000;

/** A time, or a day (UTC) for its first moment or its last. */
const day = (edge: 'first' | 'last') =>
  z.union([
    timestamp(),
    z.codec(z.iso.date({ error: 'Must be a date such as 2026-01-31' }), z.date(), {
      decode: (date) => new Date(Date.parse(date) + (edge === 'last' ? dayMs - 1 : 0)),
      encode: (date) => date.toISOString().slice(0, 10),
    }),
  ]);

const withId = z.object({ id: id('agent') });
const wrongStatus = { wrong_status: [409, 'The agent is not in a status that allows this'] } as const;

export const agentRows = operations({
  getAgentDashboard: {
    method: 'GET',
    path: '/v1/agents/dashboard',
    permission: 'agents:read',
    summary: 'Retrieve what the agents did',
    description:
      'Counts what happened between `dateFrom` and `dateTo`; by default in the last 30 days. Rates are 0 while there is no data.',
    query: z.object({
      dateFrom: day('first')
        .describe('The start of the period: a time, or a day (UTC). Defaults to 30 days before its end.')
        .optional(),
      dateTo: day('last').describe('The end of the period: a time, or a day (UTC). Defaults to now.').optional(),
    }),
    reply: AgentDashboard,
    message: 'Agent dashboard retrieved',
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    permission: 'agents:read',
    summary: 'List agents',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'name']).extend({ kind: AgentKind.optional(), status: AgentStatus.optional() }),
    reply: page(Agent),
    message: 'Agents retrieved',
  },
  getAgent: {
    method: 'GET',
    path: '/v1/agents/:id',
    permission: 'agents:read',
    summary: 'Retrieve an agent',
    params: withId,
    reply: Agent,
    message: 'Agent retrieved',
  },
  updateAgent: {
    method: 'PATCH',
    path: '/v1/agents/:id',
    permission: 'agents:manage',
    summary: 'Update an agent',
    description:
      'Changes the given fields, also single fields inside `config` and `limits`. Queued executions use the new settings. A new `status` pauses or resumes the agent.',
    params: withId,
    body: z
      .object({
        name: name(100),
        status: AgentStatus,
        description: text(1_000).nullable(),
        config: AgentConfig.partial(),
        approvalPolicy: ApprovalPolicy,
        limits: AgentLimits.partial(),
      })
      .partial(),
    reply: Agent,
    message: 'Agent updated',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
  pauseAgent: {
    method: 'POST',
    path: '/v1/agents/:id/pause',
    permission: 'agents:manage',
    summary: 'Pause an agent',
    description: 'A paused agent takes no new runs. Queued executions wait until it is resumed.',
    params: withId,
    reply: Agent,
    example: { status: 'paused', allowedTransitions: ['active'] },
    message: 'Agent paused',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
  resumeAgent: {
    method: 'POST',
    path: '/v1/agents/:id/resume',
    permission: 'agents:manage',
    summary: 'Resume a paused agent',
    description: 'Waiting executions continue within a minute.',
    params: withId,
    reply: Agent,
    message: 'Agent resumed',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
});
